/** Which tiles of fragments a kernel gets by default. */

import type { DeviceProfile, MatrixUnit } from "../../../support/device-profile.ts";
import { type FragmentTile, fragmentCounts, mostFragments } from "../group/fragment-tiles.ts";

/** What the tiles depend on. */
export interface FragmentExtents {
  readonly unit: MatrixUnit;
  readonly lanes: number;
  readonly rows: number;
  readonly columns: number;
  /** Points of the other axes. */
  readonly others: number;
}

/**
 * Tiles from large ones, which load the least, to small ones, of which there are more: points of a
 * subgroup along an axis, and subgroups along it.
 */
const wishes = [
  { points: 32, subgroups: 2 },
  { points: 32, subgroups: 1 },
  { points: 16, subgroups: 1 },
  { points: 8, subgroups: 1 },
];

function closest(values: readonly number[], wish: number): number {
  return values.filter((v) => v <= wish).at(-1) ?? 1;
}

function tileFor(
  extent: number,
  size: number,
  wish: { points: number; subgroups: number },
): FragmentTile {
  const fragments = closest(fragmentCounts(extent, size, mostFragments), wish.points / size);
  const subgroups = closest(fragmentCounts(extent, size * fragments, 8), wish.subgroups);
  return { fragments, subgroups };
}

/** The largest tiles along rows and columns that leave every core of the device a workgroup. */
export function preferredFragments(
  { unit, rows, columns, others, lanes }: FragmentExtents,
  { cores, limits }: DeviceProfile,
): readonly [FragmentTile, FragmentTile] {
  const choices = wishes.map(
    (wish) => [tileFor(rows, unit.rows, wish), tileFor(columns, unit.columns, wish)] as const,
  );
  const fits = ([a, b]: (typeof choices)[number]): boolean => {
    const invocations = a.subgroups * b.subgroups * lanes;
    const tile = a.fragments * a.subgroups * unit.rows * b.fragments * b.subgroups * unit.columns;
    const groups = (rows * columns * others) / tile;
    return invocations <= limits.maxInvocationsPerWorkgroup && groups >= cores;
  };
  const one: FragmentTile = { fragments: 1, subgroups: 1 };
  return choices.find(fits) ?? choices.at(-1) ?? [one, one];
}

/** Units are taken where they are known to be faster: by default no adapter's are, as none was measured. */
export function prefersUnit({ class: kind, costs }: DeviceProfile): boolean {
  return kind === "gpu" && costs.product !== undefined && costs.product < costs.fma;
}
