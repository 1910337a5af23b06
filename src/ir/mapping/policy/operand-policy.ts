/** What we prefer of operands: which are copied to workgroup memory, how copies lie, and for how many steps. */

import type { Choice } from "../../../support/mapping-file.ts";
import { own } from "../../../support/own.ts";
import { pointAxesOf, shapeOf, tileOf } from "../build/shape-of.ts";
import {
  extentsOf,
  isTurned,
  nestedReducedDims,
  type TileOfDims,
  tileOfDims,
} from "../group/footprints.ts";
import { type Group, hostOf } from "../group/group.ts";
import { type Operand, operandsOf } from "../group/operands.ts";
import { writtenSteps } from "../group/written-steps.ts";
import { isBlockedAlong, plainAxis } from "../kernel-mapping.ts";
import type { Knob } from "../space/knob.ts";
import { isStaged, reductionsOf } from "../space/loop-knobs.ts";
import type { PolicyQuestion } from "./kernel-policy.ts";
import {
  hasOddRows,
  isTriangle,
  productSteps,
  readsAlong,
  readsRowsOf,
  rowAlongReduction,
  stepsOfLongRows,
} from "./product-defaults.ts";
import { prefersOutside } from "./reduction-defaults.ts";
import { hasRegisterTile } from "./register-tile.ts";
import { closestBelow, innermostAxis } from "./shape-policy.ts";
import {
  longTile,
  preferredReductionTiles,
  preferredVector,
  prefersStage,
} from "./staging-defaults.ts";
import { hasWindows, leapsOver, readsWindow, stepsAroundWindow } from "./window-defaults.ts";

/** The tile of a statement under the mapping's axes and some steps of its reduced dims. */
function tileUnder(
  { group, mapping }: PolicyQuestion,
  statement: Operand["statement"],
  reduced: readonly number[],
): TileOfDims {
  const axes = pointAxesOf(group, mapping);
  const tiles = axes.map((_, a) => tileOf(mapping.axes[a] ?? plainAxis));
  return tileOfDims(statement, axes, tiles, reduced);
}

/** Whether neighbours read rows below each other, along the reduction. */
function hasRowsBelow(
  { group, mapping }: PolicyQuestion,
  s: Operand["statement"],
  reads: readonly number[],
): boolean {
  const axes = pointAxesOf(group, mapping);
  const axis = axes[innermostAxis(mapping, axes)];
  return mapping.unroll !== 1 && axis !== undefined && reads.some((r) => readsRowsOf(s, r, axis));
}

/** The most steps of a long reduced dim between two barriers. */
function stepsOfTile(q: PolicyQuestion, s: Operand["statement"], reads: readonly number[]): number {
  const { group, mapping } = q;
  if (hasWindows(pointAxesOf(group, mapping), group.statements)) return stepsAroundWindow(s);
  const isLong = hasRowsBelow(q, s, reads) || hasOddRows([s]);
  return isLong ? stepsOfLongRows(group.program, s, reads) : longTile;
}

/** The reduction tiles of a statement that some of its operands would have. */
function tilesFor(
  q: PolicyQuestion,
  s: Operand["statement"],
  reads: readonly number[],
): readonly number[] {
  const { profile, group } = q;
  const tileWith = (reduced: readonly number[]): TileOfDims => tileUnder(q, s, reduced);
  return preferredReductionTiles(group.program, s, reads, tileWith, {
    bytes: Math.min(profile.costs.stagingBytes, profile.limits.maxWorkgroupBytes),
    steps: stepsOfTile(q, s, reads),
  });
}

/** The reduction tiles of a statement if all that may be is staged, but windows. */
function tilesOfCopies(q: PolicyQuestion, s: Operand["statement"]): readonly number[] {
  const { group, mapping } = q;
  const axes = pointAxesOf(group, mapping);
  const reads = operandsOf(group, axes, innermostAxis(mapping, axes))
    .filter((o) => o.statement === s && !isWindow(q, o))
    .map((o) => o.read);
  return tilesFor(q, s, reads);
}

/** Whether an operand is a window that moves along the last axis. */
function isWindow({ group, mapping }: PolicyQuestion, { statement, read }: Operand): boolean {
  return hasWindows(pointAxesOf(group, mapping), group.statements) && readsWindow(statement, read);
}

/** Whether a statement of a GPU's kernel reduces what one axis alone uses again. */
function isPlainSum({ group, profile, mapping }: PolicyQuestion, s: Operand["statement"]): boolean {
  const isGpu = profile.class === "gpu";
  return (
    isGpu && s.reduction !== null && !hasRegisterTile(pointAxesOf(group, mapping), group.statements)
  );
}

/** Whether an operand is a window that leaps, which nothing else in the kernel is computed with. */
function isLeap({ group, mapping }: PolicyQuestion, { statement, read }: Operand): boolean {
  const axes = pointAxesOf(group, mapping);
  const isAlone = group.statements.length === 1 && mapping.team === 1;
  return isAlone && leapsOver(statement, read, axes[innermostAxis(mapping, axes)]);
}

/** Whether loops of the program run inside of a kernel: those of a recurrence, or of a chunk of one. */
function hasLoops(group: Group): boolean {
  const host = hostOf(group);
  return group.statements.some((s) => s.loops.some((l) => !host.has(l)));
}

/** Whether an operand is staged: where nothing else shares what it loads. */
function stageOf(q: PolicyQuestion, name: string): "no" | "workgroup" {
  const { group, profile, mapping } = q;
  const isShared = mapping.combine !== "no" || Object.values(mapping.joins).includes(true);
  if (!q.mayStage || isShared) return "no";
  const axes = pointAxesOf(group, mapping);
  const innermost = innermostAxis(mapping, axes);
  const all = operandsOf(group, axes, innermost);
  const operand = all.find((o) => o.name === name);
  if (operand === undefined) return "no";
  const { statement, read } = operand;
  // What one axis alone uses again comes from caches, for many steps at once, but rows of windows that leap.
  if (isPlainSum(q, statement)) return isLeap(q, operand) ? "workgroup" : "no";
  // Barriers of copies are between a recurrence and what begins it, so that its state would be no register.
  if (hasLoops(group) && statement.reduction === null) return "no";
  // Copies for a triangle are made for steps that most points of a workgroup leave out.
  if (isTriangle(statement)) return "no";
  // Copies of windows would overlap, and each be made for few steps.
  if (isWindow(q, operand)) return "no";
  // Caches hold what neighbours read of odd rows as well as copies that are made element by element.
  if (hasOddRows([statement]) && readsAlong(statement, read, axes[innermost])) return "no";
  const tile = tileUnder(q, statement, tilesOfCopies(q, statement));
  const turned = isTurned(statement, read, axes, innermost);
  const prefers = prefersStage(group.program, statement, read, tile, turned, profile);
  return prefers ? "workgroup" : "no";
}

/** The operands that a mapping stages. */
export function stagedOf({ group, mapping }: PolicyQuestion): readonly Operand[] {
  const axes = pointAxesOf(group, mapping);
  return operandsOf(group, axes, innermostAxis(mapping, axes)).filter(
    (o) => own(mapping.operands, o.name)?.stage === "workgroup",
  );
}

/**
 * Whether banks of workgroup memory may be 16 of 16 B, as some sources say of Apple, or 32 of 4 B, as others do. Copies
 * that are read along their columns then have two elements after each row, and none of their own are vectors: two rows to
 * a bank in either, where one element, or vectors, would make it three or four in one.
 */
function mayHaveWideBanks({ profile }: PolicyQuestion): boolean {
  return profile.family === "apple";
}

/** Elements after each row of a copy, so that rows which neighbours read begin in different banks. */
function padOf(q: PolicyQuestion, { statement, read }: Operand): number {
  const { group, mapping } = q;
  const axes = pointAxesOf(group, mapping);
  const innermost = innermostAxis(mapping, axes);
  // Rows along a reduction: of an odd number of vectors, or of elements.
  if (isWritten(mapping) && rowAlongReduction(statement, read) !== undefined) {
    const row = tilesOfCopies(q, statement).findLast((n) => n > 1) ?? 1;
    return row % (2 * productSteps) === 0 ? productSteps : 0;
  }
  const axis = axes[innermost];
  const isApart = !isBlockedAlong(mapping, innermost, axes.length);
  const isBelow = axis !== undefined && readsRowsOf(statement, read, axis) && isApart;
  if (isTurned(statement, read, axes, innermost)) return mayHaveWideBanks(q) ? 2 : 1;
  return isBelow ? 1 : 0;
}

/** Whether steps are written out in whole vectors. */
function isWritten({ unroll }: PolicyQuestion["mapping"]): boolean {
  return Number(unroll) % productSteps === 0;
}

/** The value of a field of an operand: whether it is copied, and how; undefined for what is asked of no policy. */
export function operandValue(q: PolicyQuestion, name: string, field: string): Choice | undefined {
  const { group, mapping } = q;
  const axes = pointAxesOf(group, mapping);
  const innermost = innermostAxis(mapping, axes);
  const operand = operandsOf(group, axes, innermost).find((o) => o.name === name);
  if (operand === undefined) return undefined;
  const { statement, read } = operand;
  switch (field) {
    case "stage":
      return stageOf(q, name);
    case "pad":
      return padOf(q, operand);
    case "vector": {
      if (hasOddRows([statement])) return 1;
      if (mayHaveWideBanks(q) && isTurned(statement, read, axes, innermost)) return 1;
      if (isWritten(mapping) && rowAlongReduction(statement, read) !== undefined) {
        return productSteps;
      }
      const shape = shapeOf(group, q.profile, mapping);
      const extents = extentsOf(statement);
      const reduced = nestedReducedDims(statement).map((d, r) => {
        const [size = "whole"] = mapping.reduced[r] ?? [];
        return size === "whole" ? (extents.get(d) ?? 1) : size;
      });
      const tile = tileUnder(q, statement, reduced);
      return preferredVector(statement, read, axes, shape, tile);
    }
    default:
      return undefined;
  }
}

/** Steps of a tile of a reduced dim. */
export function tileSizeOf(knob: Knob, q: PolicyQuestion, r: number, level: number): Choice {
  const { group, profile, mapping } = q;
  if (level > 0) return "whole";
  if (!isStaged(mapping)) {
    const all = reductionsOf(group.statements);
    const unroll = writtenSteps(group.statements, mapping.unroll);
    return prefersOutside(all, r, unroll, profile) ? 1 : "whole";
  }
  const staged = stagedOf(q);
  const readers = [...new Set(staged.map((o) => o.statement))];
  const wishes = readers.map((s) => {
    const reads = staged.filter((o) => o.statement === s).map((o) => o.read);
    return tilesFor(q, s, reads)[r] ?? 1;
  });
  const wish = Math.max(...wishes);
  const extents = readers.map((s) => extentsOf(s).get(nestedReducedDims(s)[r] ?? "") ?? 1);
  return wish >= Math.max(...extents) ? "whole" : closestBelow(knob.values, wish);
}
