/** In how many fragments of a matrix unit an axis may be dealt. */

/** A tile along an axis: fragments of a subgroup, and subgroups of a workgroup. */
export interface FragmentTile {
  readonly fragments: number;
  readonly subgroups: number;
}

const powers = [1, 2, 4, 8];

/** The most fragments of results that a subgroup keeps in registers. */
export const mostFragments = 16;

/** How many fragments of a size an extent can be dealt in, evenly. */
export function fragmentCounts(extent: number, size: number, most: number): readonly number[] {
  return powers.filter((n) => n === 1 || (n <= most && extent % (size * n) === 0));
}

/** The most fragments along the second axis, for so many along the first. */
export function mostBeside(fragments: number): number {
  return Math.floor(mostFragments / fragments);
}
