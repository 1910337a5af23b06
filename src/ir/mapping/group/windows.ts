/**
 * Windows: reductions over a few points that move with the dims of the result. Neighbours, or points a
 * little further apart, read much of the same.
 */
import { flatMap } from "../../../support/flat-map.ts";
import { coefficientOf } from "../../affine.ts";
import { indexVariables, reducedDims, type Statement } from "../../program.ts";
import type { Axis } from "../group/axes.ts";
import { reducedExtents } from "../group/reduced-extents.ts";

/** The most points of a window that are written out by default. */
const usualWindow = 16;

/** Points further apart than this are not taken together to share what windows read. */
const widestStep = 4;

/** Whether a statement reduces a window of a few points that moves with the dims of its result. */
export function reducesWindow(s: Statement): boolean {
  const reduced = new Set(reducedDims(s));
  const count = reducedExtents(s).reduce((product, n) => product * n, 1);
  if (count <= 1 || count > usualWindow) return false;
  return s.reads.some(({ index }) =>
    index.some((i) => {
      const dims = [...indexVariables(s, i)];
      return dims.some((d) => reduced.has(d)) && dims.some((d) => !reduced.has(d));
    }),
  );
}

/**
 * How many points of an axis apart the windows of a statement overlap so that what is read at one
 * point of the window is read at the next for the other: the dilation of the window, over the stride.
 */
function stepsAlong(axis: Axis, s: Statement): readonly number[] {
  const dim = axis.dims.get(s.id);
  if (dim === undefined || !reducesWindow(s)) return [];
  const extents = reducedExtents(s);
  const reduced = reducedDims(s).filter((_, r) => (extents[r] ?? 1) > 1);
  return flatMap(s.reads, ({ index }) =>
    flatMap(index, (i) => {
      if (i.kind !== "affine") return [];
      const step = Math.abs(coefficientOf(i.affine, dim));
      const distances = reduced.map((d) => Math.abs(coefficientOf(i.affine, d)));
      return step === 0
        ? []
        : distances.filter((n) => n > 0 && n % step === 0).map((n) => n / step);
    }),
  );
}

/** The steps of all statements along an axis, up to the widest one, ascending. */
function stepsOf(axis: Axis, statements: readonly Statement[]): readonly number[] {
  const steps = flatMap(statements, (s) => stepsAlong(axis, s));
  return [...new Set(steps.filter((n) => n <= widestStep))].sort((a, b) => a - b);
}

/**
 * How many points along an axis those are apart that share most of what their windows read; 1 for
 * neighbours, and where there are no windows.
 */
export function windowStep(axis: Axis, statements: readonly Statement[]): number {
  return stepsOf(axis, statements)[0] ?? 1;
}

/** The axis beside the last one along which windows overlap; undefined for none. */
export function windowAxis(
  axes: readonly Axis[],
  statements: readonly Statement[],
): number | undefined {
  const found = axes.slice(0, -1).findLastIndex((axis) => stepsOf(axis, statements).length > 0);
  return found < 0 ? undefined : found;
}
