/** How far apart sizes are, for answers that were found at others. */
import type { Choices } from "../support/mapping-file.ts";
import type { StoreKey } from "./store.ts";

/** Which law a kernel obeys; one is never taken for another without measuring, if there is a choice. */
function regimeOf(extents: readonly number[]): string {
  const loops = extents.filter((e) => e > 0);
  const least = Math.min(...loops);
  if (loops.length > 1 && least <= 4) return "vector";
  if (loops.length > 1 && least <= 32) return "skinny";
  return loops.reduce((product, e) => product * e, 1) <= 1 << 18 ? "small" : "large";
}

/** What a mismatch of alignment, and one of regimes, counts: doublings of an extent. */
const mismatch = { alignment: 1, regime: 2 };

/** Doublings of the extent of a reduced dim count half: work grows with them, and nothing else does. */
const reducedWeight = 0.5;

/** How many axes a kernel's choices have; null where they do not say. */
function axesOf({ axes }: Choices): number | null {
  return Array.isArray(axes) ? axes.length : null;
}

/**
 * The distance between two sets of sizes of one content: the sum of |log2| of the ratios of their extents, axes first,
 * with a weight of 1/2 for those that are no axes of `choices`; 1 more for another alignment, and 2 for another regime.
 * 0 is the same sizes.
 */
export function distance(
  a: Pick<StoreKey, "sizes" | "alignment">,
  b: Pick<StoreKey, "sizes" | "alignment">,
  choices: Choices,
): number {
  const axes = axesOf(choices) ?? a.sizes.length;
  const extents = a.sizes.reduce((sum, size, n) => {
    const ratio = Math.max(1, size) / Math.max(1, b.sizes[n] ?? size);
    return sum + (n < axes ? 1 : reducedWeight) * Math.abs(Math.log2(ratio));
  }, 0);
  const alignment = a.alignment === b.alignment ? 0 : mismatch.alignment;
  const regime = regimeOf(a.sizes) === regimeOf(b.sizes) ? 0 : mismatch.regime;
  return extents + alignment + regime;
}

function numberOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 1;
}

/** Points of a workgroup along an axis. */
function tileOf(axis: unknown): number {
  if (typeof axis !== "object" || axis === null) return 1;
  const { workgroup, points, turns } = axis as Choices;
  const counts = Array.isArray(turns) ? turns : [];
  return counts.reduce<number>((n, t) => n * numberOf(t), numberOf(workgroup) * numberOf(points));
}

/** What rounding up to whole tiles of a kernel's choices multiplies its work by, at least 1. */
export function padding({ axes }: Choices, extents: readonly number[]): number {
  if (!Array.isArray(axes)) return 1;
  return axes.reduce<number>((product, axis, n) => {
    const extent = Math.max(1, extents[n] ?? 1);
    const tile = tileOf(axis);
    return (product * Math.ceil(extent / tile) * tile) / extent;
  }, 1);
}
