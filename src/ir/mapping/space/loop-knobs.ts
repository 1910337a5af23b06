/** Knobs of what runs inside of a point: steps that are written out, vectors, tiles of reduced dims. */
import type { Limits } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { coefficientOf } from "../../affine.ts";
import { boundingBox } from "../../domain.ts";
import { isScatter, parallelDims, type Statement } from "../../program.ts";
import type { Axis } from "../group/axes.ts";
import { extentsOf, nestedReducedDims } from "../group/footprints.ts";
import { ownLoops } from "../group/own-loops.ts";
import { sharedExtent, sharesReduction } from "../group/shared-dims.ts";
import {
  innermostExtents,
  longestWhole,
  wholeLoops,
  windowLengths,
  writtenSteps,
} from "../group/written-steps.ts";
import type { KernelMapping, TileSize } from "../kernel-mapping.ts";
import { fieldKnob, type KernelQuestion, type Knob, knob, pointAxes } from "./knob.ts";
import { mostLevels, replaced } from "./shape-knobs.ts";
import { haveRoom } from "./staging-conditions.ts";

/** The most bytes of accumulators of an invocation that loops choose from: half of what WGSL promises. */
const accumulatorBytes = 4096;

/** Components of the vectors that the points of an invocation are. */
export function vectorWidth({ axes, points }: Pick<KernelMapping, "axes" | "points">): number {
  return points === "vector" ? Math.min(4, axes.at(-1)?.points ?? 1) : 1;
}

/** Points of an invocation. */
export function pointCount({ axes }: Pick<KernelMapping, "axes">): number {
  return axes.reduce((product, a) => product * a.points, 1);
}

/** Whether a mapping has room for so many copies of what is in it: vectors count as one statement. */
export function mayWrite(mapping: KernelMapping, copies: number, limits: Limits): boolean {
  return (pointCount(mapping) * copies) / vectorWidth(mapping) <= 2 * limits.mostStatements;
}

/** Steps of a window, of the two innermost loops or more, that there is room to write out. */
export function windowSteps(
  statements: readonly Statement[],
  mapping: KernelMapping,
  { mostStatements }: Limits,
): readonly { readonly name: string; readonly steps: number }[] {
  // Of a window, neighbours share what they load: its vectors count as one statement.
  const copies = statements.length * pointCount(mapping);
  const room = (mostStatements / copies) * vectorWidth(mapping);
  const longest = Math.max(1, ...innermostExtents(statements));
  const deepest = Math.max(0, ...statements.map((s) => windowLengths(s).length));
  const names = [...Array(deepest).keys()].map((n) => wholeLoops(n + 2));
  return names
    .map((name) => ({ name, steps: writtenSteps(statements, name) }))
    .filter(({ steps }) => steps > longest && steps <= 2 * room);
}

/** How many steps of the innermost reduction are written out. */
export function unrollKnob({ group, limits, mapping }: KernelQuestion): readonly Knob[] {
  const extents = innermostExtents(group.statements);
  const longest = Math.max(1, ...extents);
  if (longest <= 1) return [];
  const fits = (n: number): boolean =>
    n < 2 * longest && mayWrite(mapping, n * group.statements.length, limits);
  const whole = longest <= longestWhole && fits(longest) ? [wholeLoops(1)] : [];
  const windows = windowSteps(group.statements, mapping, limits).map((w) => w.name);
  return fieldKnob(mapping, "unroll", [...[1, 2, 4, 8, 16].filter(fits), ...whole, ...windows]);
}

/** The extents of the last dims of maps that are no axes, and whether they are stored side by side. */
export function innerExtents(
  statements: readonly Statement[],
  axes: readonly Axis[],
): readonly { readonly extent: number; readonly unit: boolean }[] {
  return flatMap(statements, (s) => {
    const taken = new Set(axes.map((axis) => axis.dims.get(s.id)));
    const dim = parallelDims(s).findLast((d) => !taken.has(d) && !s.loops.includes(d));
    const range = dim === undefined ? undefined : boundingBox(s.domain).get(dim);
    if (s.reduction !== null || dim === undefined || range === undefined) return [];
    const last = s.write.index.at(-1);
    const unit = last?.kind === "affine" && coefficientOf(last.affine, dim) === 1;
    return [{ extent: range.hi - range.lo + 1, unit }];
  });
}

/** The extents that a team divides. */
export function dividedExtents(
  statements: readonly Statement[],
  axes: readonly Axis[],
  { team, combine }: Pick<KernelMapping, "team" | "combine">,
): readonly number[] {
  return flatMap(
    statements.filter((s) => combine !== "no" || !sharesReduction(s, axes)),
    (s) => sharedExtent(s, axes, team)?.extent ?? [],
  );
}

/** Vectors along what is inside of a map; what one of a team has of it, or of a reduction, in a row. */
export function innerKnob(q: KernelQuestion): readonly Knob[] {
  const { group, mapping } = q;
  const axes = pointAxes(q);
  const { team } = mapping;
  const extents =
    team > 1
      ? dividedExtents(group.statements, axes, mapping)
      : innerExtents(group.statements, axes).map((m) => m.extent);
  const fits = (n: number): boolean => extents.some((e) => e % n === 0 && e / n >= team);
  return fieldKnob(
    mapping,
    "inner",
    [1, 2, 4].filter((n) => n === 1 || fits(n)),
  );
}

/** Of the statements that reduce: the extents of their reduced dims, in the order of their loops. */
export function reductionsOf(statements: readonly Statement[]): readonly (readonly number[])[] {
  return flatMap(statements, (s) => {
    const extents = extentsOf(s);
    if (s.reduction === null || isScatter(s)) return [];
    return [nestedReducedDims(s).map((d) => extents.get(d) ?? 1)];
  });
}

/** How many loops over tiles the axes have. */
function turnCount({ axes }: KernelMapping): number {
  return axes.reduce((sum, a) => sum + a.turns.length, 0);
}

/** Whether a mapping stages something. */
export function isStaged({ operands }: KernelMapping): boolean {
  return Object.values(operands).some((o) => o.stage !== "no");
}

/** The sizes of a reduced dim's tiles for which there is room: those that are on offer, or the smallest alone. */
function sizesOf(
  q: KernelQuestion,
  r: number,
  most: number,
  set: (size: TileSize) => KernelMapping,
): readonly TileSize[] {
  const sizes = [1, 2, 4, 8, 16, 32, 64, 128].filter((n) => n < most);
  const all: readonly TileSize[] = ["whole", ...sizes.filter((n) => n >= leastSteps(q))];
  if (!isStaged(q.mapping)) return all;
  const fitting = all.filter((size) => haveRoom({ ...q, mapping: set(size) }, r + 1));
  return fitting.length === 0 ? [all[1] ?? "whole"] : fitting;
}

/** The fewest steps of a tile: one for each of a team, or those that lanes load, and more of them in a loop. */
function leastSteps({ mapping }: KernelQuestion): number {
  if (mapping.combine !== "no") return mapping.team * mapping.inner;
  if (mapping.spread === "steps") return 2 * mapping.lanes;
  return mapping.spread === "points" ? 2 * mapping.spreadBlock : 1;
}

/** Tiles of one reduced dim: `whole` for one loop, or the largest tiles and those of these. */
function tileKnobs(q: KernelQuestion, r: number, extent: number): readonly Knob[] {
  const { mapping } = q;
  const sizes = mapping.reduced[r] ?? [];
  const knobs: Knob[] = [];
  let left = extent;
  for (let level = 0; level < mostLevels && left > 1; level++) {
    const most = left;
    const value = sizes[level] ?? "whole";
    const set = (size: TileSize): KernelMapping => {
      const own = size === "whole" ? sizes.slice(0, level) : replaced(sizes, level, size);
      const all = [...Array(Math.max(r + 1, mapping.reduced.length)).keys()];
      return { ...mapping, reduced: all.map((n) => (n === r ? own : (mapping.reduced[n] ?? []))) };
    };
    const values = sizesOf(q, level === 0 ? r : Infinity, most, set);
    const tile = knob<TileSize>(`reduced/${r}/${level}`, values, value, set, mapping);
    knobs.push({ ...tile, whole: most });
    if (value === "whole") break;
    left = value;
  }
  return knobs;
}

/** Tiles of reduced dims, where something can be between them: copies, other reduced dims, or tiles of axes. */
export function reducedKnobs(q: KernelQuestion): readonly Knob[] {
  const { group, mapping } = q;
  const all = reductionsOf(group.statements);
  const rank = Math.max(0, ...all.map((extents) => extents.length));
  const isNested = all.some((extents) => extents.filter((n) => n > 1).length > 1);
  const isBetween = isNested || turnCount(mapping) > 0;
  if (!isStaged(mapping) && (!isBetween || mapping.combine !== "no")) return [];
  const isJoined = Object.values(mapping.joins).includes(true);
  if (isJoined && !isStaged(mapping)) return [];
  return flatMap([...Array(rank).keys()], (r) =>
    tileKnobs(q, r, Math.max(...all.map((extents) => extents[r] ?? 1))),
  );
}

/** How many of the loops over tiles of axes stand inside of the tiles of reductions. */
export function insideKnob({ group, mapping }: KernelQuestion): readonly Knob[] {
  const turns = turnCount(mapping);
  const isTiled = mapping.reduced.some((sizes) => sizes.length > 0);
  if (turns === 0 || mapping.team > 1 || !(isTiled || isStaged(mapping))) return [];
  const points = pointCount(mapping);
  const states = group.statements.reduce(
    (sum, s) => sum + (s.reduction?.monoid.state.length ?? 0),
    0,
  );
  const most = Math.max(1, ...flatMap(mapping.axes, (a) => a.turns));
  const values = [...Array(turns + 1).keys()].filter(
    (n) => n === 0 || 4 * states * points * most ** n <= accumulatorBytes,
  );
  return fieldKnob(mapping, "inside", values);
}

/** Steps of reductions that are written out: by themselves, or since lanes load for them. */
export function stepsInText({ group, mapping }: Pick<KernelQuestion, "group" | "mapping">): number {
  const { spread, spreadSteps, spreadBlock } = mapping;
  const bySpread = spread === "points" ? spreadBlock : spread === "steps" ? mapping.lanes : 1;
  const isCounted = spread === "steps" && spreadSteps === "serial";
  return Math.max(writtenSteps(group.statements, mapping.unroll), isCounted ? 1 : bySpread);
}

/** How many written-out steps of a reduction each point takes in a row. */
export function stepsKnob(q: KernelQuestion): readonly Knob[] {
  const { mapping } = q;
  const written = stepsInText(q);
  if (written <= 1 || pointCount(mapping) <= 1) return [];
  return fieldKnob(mapping, "steps", [1, ...[2, 4, 8].filter((n) => n < written), "whole"]);
}

/**
 * How many iterations of the program's loops in a kernel are written out, where invocations are on their own in them
 * and no sum is: what follow each other in memory are vectors then.
 */
export function iterationsKnob({ group, limits, mapping }: KernelQuestion): readonly Knob[] {
  const loops = ownLoops(group);
  const isSlotted = group.folds.some(({ fold }) => loops.some((l) => l.name === fold?.loop));
  if (
    mapping.team > 1 ||
    isStaged(mapping) ||
    isSlotted ||
    loops.some(({ statements }) => statements.some((s) => s.reduction !== null))
  ) {
    return [];
  }
  const fits = (n: number): boolean =>
    loops.some(({ extent }) => extent > n && extent % n === 0) &&
    mayWrite(mapping, n * group.statements.length, limits);
  return fieldKnob(
    mapping,
    "iterations",
    [1, 2, 4, 8, 16].filter((n) => n === 1 || fits(n)),
  );
}
