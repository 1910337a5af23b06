/**
 * What has to hold so that operands can be staged: the copies of a workgroup have room, an invocation holds what it
 * prefetches. Necessary conditions from extents alone; tiles that are not chosen yet may still be small.
 */
import { flatMap } from "../../../support/flat-map.ts";
import { ceilDiv } from "../../../support/integer.ts";
import { mostHeld } from "../../prefetched-copies.ts";
import { isScatter, type Statement } from "../../program.ts";
import type { LoopPair } from "../../scheduling/fuse-loops.ts";
import { pairOf } from "../build/join-loops.ts";
import { completeOrder, tileSteps } from "../build/shape-of.ts";
import { extentOf } from "../group/axes.ts";
import { extentsOf, footprintExtents, nestedReducedDims } from "../group/footprints.ts";
import { hostOf } from "../group/group.ts";
import { type Operand, operandsOf } from "../group/operands.ts";
import { copiedTile, copyBytes } from "../group/staged-bytes.ts";
import {
  isBlockedAlong,
  type KernelMapping,
  type OperandMapping,
  plainAxis,
  plainOperand,
} from "../kernel-mapping.ts";
import { type KernelQuestion, pointAxes } from "./knob.ts";
import { dealtDim, statementOfLoop } from "./place-conditions.ts";

/** An operand that a mapping stages. */
interface Staged extends Operand {
  readonly own: OperandMapping;
}

/** The operands that may be staged: of what the team has of a row in one vector, no part has a copy of its own. */
export function offeredOperands(q: KernelQuestion): readonly Operand[] {
  const axes = pointAxes(q);
  const { group, mapping } = q;
  const [innermost = 0] = completeOrder(mapping.order, [...axes.keys()]);
  const isInUnits = (s: Statement): boolean =>
    mapping.inner > 1 &&
    s.reduction !== null &&
    !isScatter(s) &&
    dealtDim(s, axes, mapping)?.reduces === false;
  // Copies stand between parts of the kernel, each of which has loops over its invocations of its own: it knows the
  // same ones as the others where a team divides all of them alike, or where a workgroup has one point of the axes.
  const isOne = axes.every((_, a) => (mapping.axes[a]?.workgroup ?? 1) === 1);
  const dealt = group.statements.map((s) => dealtDim(s, axes, mapping));
  const areAlike = dealt.every((d) => d === null) || dealt.every((d) => d?.reduces === false);
  if (!isOne && !areAlike) return [];
  return operandsOf(group, axes, innermost).filter(
    ({ statement }) =>
      !isInUnits(statement) &&
      !isInTilesOfOthers(statement, q) &&
      !isWrittenOut(statement, q) &&
      !isLoopedMap(statement, q),
  );
}

/** The pairs of loops that a mapping joins. */
function joinsOf({ joins }: KernelMapping): readonly LoopPair[] {
  return Object.keys(joins)
    .filter((name) => joins[name] === true)
    .map(pairOf);
}

/** Whether a statement's reduction runs in a loop of another's, which has no tiles: nothing of that is staged. */
function isInTilesOfOthers(s: Statement, { mapping }: KernelQuestion): boolean {
  const others = joinsOf(mapping).filter(({ second }) => second.startsWith(`${s.id}.r`));
  return others.some(({ first }) => {
    const own = `${statementOfLoop(first)}.read`;
    return !Object.entries(mapping.operands).some(
      ([name, o]) => name.startsWith(own) && o.stage !== "no",
    );
  });
}

/** Whether a map runs in a loop of the program inside of the kernel: each iteration would wait for its copies. */
function isLoopedMap(s: Statement, { group }: KernelQuestion): boolean {
  const host = hostOf(group);
  return s.reduction === null && s.loops.some((l) => !host.has(l));
}

/** Whether a statement runs in steps of another's reduction that are written out: no barrier stands there. */
function isWrittenOut(s: Statement, { mapping }: KernelQuestion): boolean {
  if (mapping.unroll === 1) return false;
  return joinsOf(mapping).some(
    ({ first, second }) => first.startsWith(`${s.id}.q`) && /\.r\d+$/.test(second),
  );
}

/** The operands that a mapping stages. */
function stagedOperands(q: KernelQuestion): readonly Staged[] {
  return flatMap(offeredOperands(q), (operand) => {
    const own = q.mapping.operands[operand.name] ?? plainOperand;
    return own.stage === "no" ? [] : [{ ...operand, own }];
  });
}

/** Steps of the largest tiles of a statement's reduced dims: of those from `open` on, one. */
function tilesOf(s: Statement, { mapping }: KernelQuestion, open: number): readonly number[] {
  const extents = extentsOf(s);
  return nestedReducedDims(s).map((d, r) =>
    r < open ? tileSteps(mapping.reduced[r] ?? [], extents.get(d) ?? 1) : 1,
  );
}

/** Bytes of the copies of a mapping, where tiles of the reduced dims from `open` on are of one step. */
export function stagedBytes(q: KernelQuestion, open: number): number {
  const axes = pointAxes(q);
  return stagedOperands(q).reduce((sum, operand) => {
    const tile = copiedTile(
      operand.statement,
      axes,
      q.mapping,
      tilesOf(operand.statement, q, open),
    );
    return sum + copyBytes(q.group.program, operand, tile, operand.own);
  }, 0);
}

/** Whether the copies of a mapping have room, whatever the tiles of the reduced dims from `open` on. */
export function haveRoom(q: KernelQuestion, open: number): boolean {
  return stagedBytes(q, open) <= q.limits.limits.maxWorkgroupBytes;
}

/** Whether an invocation can hold what it copies of each operand, until that is stored. */
export function mayHold(q: KernelQuestion): boolean {
  const axes = pointAxes(q);
  const { mapping } = q;
  const all = invocationsOf(q);
  return stagedOperands(q).every((operand) => {
    const tile = copiedTile(
      operand.statement,
      axes,
      mapping,
      tilesOf(operand.statement, q, Infinity),
    );
    return heldOf(footprintExtents(operand.statement, operand.read, tile), all) <= mostHeld;
  });
}

/** The invocations of a workgroup: those that points and the team leave no work are none. */
function invocationsOf(q: KernelQuestion): number {
  const { group, mapping } = q;
  const axes = pointAxes(q);
  const shared = flatMap(group.statements, (s) => dealtDim(s, axes, mapping)?.extent ?? []);
  return axes.reduce(
    (product, axis, a) => {
      const { workgroup, points } = mapping.axes[a] ?? plainAxis;
      const each = isBlockedAlong(mapping, a, axes.length) ? points : 1;
      return product * Math.min(workgroup, ceilDiv(extentOf(axis), each));
    },
    Math.min(mapping.team, Math.max(1, ...shared)),
  );
}

/** Elements that each invocation copies: the last coordinates are dealt to them first. */
function heldOf(extents: readonly number[], team: number): number {
  let [room, held] = [team, 1];
  for (const extent of [...extents].reverse()) {
    const turns = ceilDiv(extent, Math.min(room, extent));
    room = Math.floor(room / ceilDiv(extent, turns));
    held *= turns;
  }
  return held;
}
