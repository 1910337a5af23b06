/**
 * Sums of products over windows on GPUs, as convolutions are: neighbours along two axes read much of the same, which the
 * first cache of a core holds better than copies that a workgroup makes of overlapping windows. Weights, which all
 * points of a workgroup read, are copied, and the window is written out, so that points share what they load.
 *
 * By estimates a convolution of 3x3 over 32 channels goes from 26 to 46 % of an RTX 4060's roofline; with copies of
 * both operands it stays at 14.
 */
import { flatMap } from "../../../support/flat-map.ts";
import { coefficientOf } from "../../affine.ts";
import {
  type Access,
  type Index,
  indexVariables,
  reducedDims,
  type Statement,
} from "../../program.ts";
import type { Axis } from "../group/axes.ts";
import type { Tiles } from "../group/axis-tile.ts";
import { extentsOf } from "../group/footprints.ts";
import { longestWhole, windowLengths } from "../group/written-steps.ts";
import { tilesWith } from "./fit-tiles.ts";
import { usesLoadsOften } from "./register-tile.ts";

/**
 * The reduced dims of more than one step that a read's coordinates count together with dims of the result, so that
 * neighbours read some of the same: parts of a sum lie beside each other.
 */
export function windowDims(s: Statement, read: number): readonly string[] {
  const extents = extentsOf(s);
  const reduced = new Set(reducedDims(s).filter((d) => (extents.get(d) ?? 1) > 1));
  return flatMap(s.reads[read]?.index ?? [], (i) => {
    const strides = new Map([...indexVariables(s, i)].map((d) => [d, strideOf(i, d)]));
    const others = [...strides].filter(([d]) => !reduced.has(d) && !s.loops.includes(d));
    const step = Math.min(...others.map(([, stride]) => stride));
    const reach = Math.max(...others.map(([d, stride]) => stride * ((extents.get(d) ?? 1) - 1)));
    return [...strides].flatMap(([d, stride]) =>
      reduced.has(d) && step < stride * (extents.get(d) ?? 1) && reach >= stride ? [d] : [],
    );
  });
}

/** How far a coordinate moves with a dim; any coordinate that is computed moves by one. */
function strideOf(index: Index, dim: string): number {
  return index.kind === "affine" ? Math.abs(coefficientOf(index.affine, dim)) : 1;
}

/** Whether a read of a product moves a window over its tensor. */
export function readsWindow(s: Statement, read: number): boolean {
  return usesLoadsOften(s) && windowDims(s, read).length > 0;
}

/** Points of the window that a product goes over beside what else it sums up; 1 without one. */
export function windowPoints(s: Statement): number {
  if (!usesLoadsOften(s)) return 1;
  const extents = extentsOf(s);
  const dims = new Set(flatMap([...s.reads.keys()], (r) => windowDims(s, r)));
  return [...dims].reduce((product, d) => product * (extents.get(d) ?? 1), 1);
}

/** Whether windows of a kernel's products move along an axis. */
export function movesAlong(axis: Axis, statements: readonly Statement[]): boolean {
  return statements.some((s) => {
    const dim = axis.dims.get(s.id);
    return s.reads.some(
      ({ index }, r) =>
        readsWindow(s, r) &&
        index.some((i) => {
          const all = indexVariables(s, i);
          return dim !== undefined && all.has(dim) && windowDims(s, r).some((d) => all.has(d));
        }),
    );
  });
}

/** Whether windows of a kernel's products move along its last axis, where neighbours read neighbours. */
export function hasWindows(axes: readonly Axis[], statements: readonly Statement[]): boolean {
  const last = axes.at(-1);
  return last !== undefined && movesAlong(last, statements);
}

/** Whether the points of all windows may be in the text of a kernel: else each is loaded on its own. */
export function mayWriteWindows(statements: readonly Statement[]): boolean {
  return statements.every((s) => {
    const points = windowPoints(s);
    return points <= longestWhole || windowLengths(s).includes(points);
  });
}

/** Steps of a window, and of what else is summed up, that are done between two barriers, at least. */
const leastSteps = 16;

/** Steps of a long reduced dim around a window that are done between two barriers. */
export function stepsAroundWindow(s: Statement): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, leastSteps / windowPoints(s))));
}

/** By how many elements a read moves from neighbour to neighbour along an axis. */
function leapOf(s: Statement, { index }: Access, axis: Axis | undefined): number {
  const dim = axis?.dims.get(s.id);
  const along = index.filter((i) => dim !== undefined && indexVariables(s, i).has(dim));
  return Math.max(0, ...along.map((i) => strideOf(i, dim ?? "")));
}

/** Whether windows of products move by several elements from neighbour to neighbour along an axis. */
function leaps(axis: Axis | undefined, statements: readonly Statement[]): boolean {
  return statements.some((s) =>
    s.reads.some((read, r) => readsWindow(s, r) && leapOf(s, read, axis) > 1),
  );
}

/**
 * Whether a read of what is no product moves a window by several elements from neighbour to neighbour: what these load
 * at once is in every other sector, but in copies of the rows in two answers of the banks. By estimates a maximum over
 * windows of 3x3 with stride 2 takes as long, and loads half as many sectors.
 */
export function leapsOver(s: Statement, read: number, axis: Axis | undefined): boolean {
  const access = s.reads[read];
  if (access === undefined || usesLoadsOften(s) || windowDims(s, read).length === 0) return false;
  const leap = leapOf(s, access, axis);
  return leap > 1 && leap % 4 !== 0;
}

/** The tiles of windows that leap along the last axis: of two rows where they leap from row to row, which share one. */
export function tilesOfLeaps(
  axes: readonly Axis[],
  [s, more]: readonly Statement[],
): Tiles | undefined {
  const last = axes.length - 1;
  if (s === undefined || more !== undefined) return undefined;
  const reads = [...s.reads.keys()].filter((r) => leapsOver(s, r, axes[last]));
  const other = axes.findLastIndex(
    (axis, n) => n < last && reads.some((r) => leapsOver(s, r, axis)),
  );
  if (other < 0) return undefined;
  const row = { workgroup: 64, thread: 1 };
  return tilesWith(
    axes,
    new Map([
      [last, row],
      [other, { workgroup: 2, thread: 1 }],
    ]),
  );
}

/**
 * The tiles of a product over windows that move along the last axis: 4 neighbours along it, 2 along another axis of
 * the window, for 4 results of `second`, which reuse the window; undefined where none moves so. Of windows that leap, 2
 * neighbours read a vector and 4 two of them, with as much between those of an invocation: so these have 2 and 4. By
 * estimates a convolution of 3x3 with stride 2 takes 0.76 of the time.
 */
export function tilesOfWindows(
  axes: readonly Axis[],
  second: number,
  statements: readonly Statement[],
): Tiles | undefined {
  if (!hasWindows(axes, statements)) return undefined;
  const last = axes.length - 1;
  const other = axes.findLastIndex((a, n) => n < last && n !== second && movesAlong(a, statements));
  const isLeaping = other >= 0 && leaps(axes[last], statements);
  const tiles = new Map([
    [last, { workgroup: 16, thread: isLeaping ? 2 : 4 }],
    [second, { workgroup: other < 0 ? 16 : 8, thread: 4 }],
  ]);
  if (other >= 0) tiles.set(other, { workgroup: 1, thread: isLeaping ? 4 : 2 });
  return tilesWith(axes, tiles);
}
