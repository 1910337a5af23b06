/**
 * What has to hold of a kernel's mapping so that a temporary can leave storage: necessary conditions, from the
 * dims of the statements that touch it and from what a team divides. Nothing is built.
 */
import { subgroupLanes } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { remember } from "../../../support/remember.ts";
import { coefficientOf } from "../../affine.ts";
import { unwrittenReads } from "../../legality/check-places.ts";
import { phaseReads } from "../../phase-reads.ts";
import { type Index, reducedDims, type Statement, touches } from "../../program.ts";
import { pairOf } from "../build/join-loops.ts";
import type { Axis } from "../group/axes.ts";
import { type Group, partOf } from "../group/group.ts";
import { ownTemporaries } from "../group/own-temporaries.ts";
import { sharedDims, sharedExtent } from "../group/shared-dims.ts";
import { isBlockedAlong, type KernelMapping } from "../kernel-mapping.ts";
import { type KernelQuestion, pointAxes } from "./knob.ts";

/** Temporaries of a group alone of which something may be read that nobody wrote: they stay in storage. */
export const partlyWritten: (group: Group) => ReadonlySet<string> = remember((group: Group) => {
  const inside = partOf(group.program, group);
  const own = ownTemporaries(group.program, group.statements);
  return new Set(own.filter((t) => unwrittenReads(inside, t).length > 0));
});

/** The dim of a statement that a team divides. */
interface Dealt {
  readonly dim: string;
  readonly extent: number;
  /** Each invocation has a part of the reduction; all have its result. */
  readonly reduces: boolean;
}

/** What a team divides of a statement; null where all of the team execute all of it. */
export function dealtDim(
  s: Statement,
  axes: readonly Axis[],
  { team, combine }: Pick<KernelMapping, "team" | "combine">,
): Dealt | null {
  const found = team > 1 ? sharedExtent(s, axes, team) : null;
  if (found === null || found.extent <= 1) return null;
  const reduces = reducedDims(s).includes(found.dim);
  return reduces && combine === "no" ? null : { ...found, reduces };
}

/** The statement of a loop's name, as `C` of `C.q0`. */
export function statementOfLoop(loop: string): string {
  return loop.slice(0, loop.lastIndexOf("."));
}

/** The statements that share loops with others, each with a name for those it shares them with. */
export function joinedStatements({ joins }: KernelMapping): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, isJoined] of Object.entries(joins)) {
    if (!isJoined) continue;
    const { first, second } = pairOf(name);
    const [a, b] = [statementOfLoop(first), statementOfLoop(second)];
    const [mine, other] = [found.get(a) ?? a, found.get(b) ?? b];
    for (const [s, root] of found) if (root === other) found.set(s, mine);
    found.set(a, mine).set(b, mine);
  }
  return found;
}

/** Whether two statements share loops. */
function areJoined(a: Statement, b: Statement, joined: ReadonlyMap<string, string>): boolean {
  return joined.has(a.id) && joined.get(a.id) === joined.get(b.id);
}

function isPlain(index: Index | undefined, dim: string): boolean {
  if (index?.kind !== "affine") return false;
  const [term, more] = index.affine.terms;
  return more === undefined && term?.variable === dim && term.coefficient === 1;
}

/** Whether all that a statement reads of what another writes is of the same invocation of a team. */
function readsItsOwn(
  writer: Statement,
  reader: Statement,
  axes: readonly Axis[],
  mapping: KernelMapping,
): boolean {
  const written = dealtDim(writer, axes, mapping);
  if (written === null || written.reduces) return true;
  const at = writer.write.index.findIndex((i) => isPlain(i, written.dim));
  const read = dealtDim(reader, axes, mapping);
  if (at < 0 || read === null || read.extent !== written.extent) return false;
  const { tensor } = writer.write;
  if (read.reduces && phaseReads(reader, "init").has(tensor)) return false;
  const reads = reader.reads.filter((r) => r.tensor === tensor);
  return reads.every((r) => isPlain(r.index[at], read.dim));
}

/** Pairs of a statement that writes a tensor and another that reads it. */
function flowsOf(
  tensor: string,
  statements: readonly Statement[],
): readonly (readonly [Statement, Statement])[] {
  const writers = statements.filter((s) => s.write.tensor === tensor);
  const readers = statements.filter((s) => s.reads.some((r) => r.tensor === tensor));
  return flatMap(writers, (w) => readers.map((r) => [w, r] as const));
}

/** Whether a team divides the loop of a statement's so many-th dim that is no axis. */
export function dealsLoop(
  s: Statement,
  at: number,
  axes: readonly Axis[],
  mapping: Pick<KernelMapping, "team" | "combine">,
): boolean {
  return sharedDims(s, axes)[at]?.dim === dealtDim(s, axes, mapping)?.dim;
}

/** Whether each invocation may keep what it writes of a tensor: nobody else reads it. */
export function mayBePrivate(q: KernelQuestion, tensor: string): boolean {
  const axes = pointAxes(q);
  const joined = joinedStatements(q.mapping);
  return flowsOf(tensor, q.group.statements).every(
    ([w, r]) =>
      w === r ||
      readsItsOwn(w, r, axes, q.mapping) ||
      (areJoined(w, r, joined) && dealsLoop(w, 0, axes, q.mapping)),
  );
}

/**
 * The dims along which lanes' loops are around a statement: one along an axis, one of what a team divides. Where
 * neighbouring lanes have no neighbours of it, it has no name.
 */
export function laneDims(
  s: Statement,
  axes: readonly Axis[],
  { mapping }: Pick<KernelQuestion, "mapping">,
): readonly string[] {
  return [...laneDimOfAxis(s, axes, mapping), ...laneDimOfTeam(s, axes, mapping)];
}

/** The dim along the axis whose invocations are written as lanes, of a statement that may have one. */
function laneDimOfAxis(
  s: Statement,
  axes: readonly Axis[],
  mapping: KernelMapping,
): readonly string[] {
  const at = mapping.order.find((a) => (mapping.axes[a]?.workgroup ?? 1) > 1) ?? -1;
  const along = mapping.axes[at];
  const isBlock = mapping.axes.some((a) => a.subgroup > 1);
  if (along === undefined || isBlock || along.workgroup % mapping.lanes !== 0) return [];
  const isNext = along.points === 1 || !isBlockedAlong(mapping, at, axes.length);
  return [(isNext ? axes[at]?.dims.get(s.id) : undefined) ?? ""];
}

/** The dim that a team divides, where it is written as lanes. */
function laneDimOfTeam(
  s: Statement,
  axes: readonly Axis[],
  mapping: KernelMapping,
): readonly string[] {
  const dealt = dealtDim(s, axes, mapping);
  if (dealt === null) return [];
  const bySubgroups = dealt.reduces && mapping.combine === "subgroups";
  if (!bySubgroups && Math.min(mapping.team, dealt.extent) % mapping.lanes !== 0) return [];
  return [mapping.inner === 1 && !dealt.reduces ? dealt.dim : ""];
}

/** Whether lanes of a subgroup may keep what they write of a tensor, and give it to each other. */
export function mayBeInLanes(q: KernelQuestion, tensor: string): boolean {
  const { group, limits, mapping } = q;
  const lanes = subgroupLanes(limits);
  const axes = pointAxes(q);
  if (lanes === null || mapping.lanes !== lanes) return false;
  const users = group.statements.filter((s) => touches(s, tensor));
  if (users.some((s) => laneDims(s, axes, q).length > 1)) return false;
  const joined = joinedStatements(mapping);
  const isDivided = group.statements.some((s) => dealtDim(s, axes, mapping) !== null);
  if (isDivided && users.some((s) => joined.has(s.id))) return false;
  // Lanes along an axis are neighbours where no team is between them.
  const isAlong = (mapping.axes[mapping.order[0] ?? 0]?.workgroup ?? 1) % lanes === 0;
  if (isDivided && isAlong) return false;
  const isDealt = users
    .filter((s) => s.write.tensor === tensor)
    .every((s) => {
      const [dim] = laneDims(s, axes, q);
      if (dim === undefined) return false;
      const moved = s.write.index.filter(
        (i) => i.kind === "affine" && coefficientOf(i.affine, dim) !== 0,
      );
      return moved.length === 1 && isPlain(moved[0], dim);
    });
  return isDealt && (mapping.team <= lanes || mayBePrivate(q, tensor));
}

/** Whether a temporary may be in memory that a workgroup shares: it has one copy of it then. */
export function mayBeShared(q: KernelQuestion, tensor: string): boolean {
  const { group, mapping } = q;
  const users = group.statements.filter((s) => touches(s, tensor));
  const joined = joinedStatements(mapping);
  const isOneLoop = users.every((s) => users.every((t) => s === t || areJoined(s, t, joined)));
  const isDealt = users.some((s) => dealtDim(s, pointAxes(q), mapping) !== null);
  if (users.length > 1 && isOneLoop && isDealt) return false;
  const isOne = pointAxes(q).every((_, a) => (mapping.axes[a]?.workgroup ?? 1) === 1);
  if (isOne) return true;
  // The loops over invocations stand around each part of what reads copies by itself.
  const staged = Object.keys(mapping.operands).filter((o) => mapping.operands[o]?.stage !== "no");
  return users.some((s) => staged.some((name) => statementOfLoop(name) === s.id));
}
