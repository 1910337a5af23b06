/**
 * What has to hold so that operands can be staged: the copies of a workgroup have room, an invocation holds what it
 * prefetches. Necessary conditions from extents alone; tiles that are not chosen yet may still be small.
 */
import { flatMap } from "../../../support/flat-map.ts";
import { ceilDiv } from "../../../support/integer.ts";
import { mostHeld } from "../../prefetched-copies.ts";
import { isScatter, type Statement } from "../../program.ts";
import { completeOrder, tileSteps } from "../build/shape-of.ts";
import { extentOf } from "../group/axes.ts";
import { extentsOf, footprintExtents, nestedReducedDims } from "../group/footprints.ts";
import { type Operand, operandsOf } from "../group/operands.ts";
import { copiedTile, copyBytes } from "../group/staged-bytes.ts";
import { type OperandMapping, plainAxis, plainOperand } from "../kernel-mapping.ts";
import { type KernelQuestion, pointAxes } from "./knob.ts";
import { dealtDim } from "./place-conditions.ts";

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
    dealtDim(s, axes, mapping) !== null;
  return operandsOf(group, axes, innermost).filter(({ statement }) => !isInUnits(statement));
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
      const each = mapping.blocked ? points : 1;
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
