/**
 * Purpose: tiles that somebody wishes, made to fit their axes and the device.
 *
 * Requires: powers of two. Ensures: no more invocations than wished; none of them idle if an axis can
 * use them; workgroups for every core if the axes have points enough.
 */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { type AxisTile, type Tiles, workgroups } from "../group/axis-tile.ts";

/** The smallest power of two that is not below. */
export function powerAbove(n: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, n)));
}

/** Shrinks workgroups to their axes; what they lose there, other axes gain, the last first. */
function deal(wished: Tiles, axes: readonly Axis[]): Tiles {
  const fitted = wished.map((t, a) => {
    const axis = axes[a];
    const most = axis === undefined ? 1 : powerAbove(Math.ceil(extentOf(axis) / t.thread));
    return { ...t, most, workgroup: Math.min(t.workgroup, most) };
  });
  const invocations = (tiles: Tiles): number => tiles.reduce((n, t) => n * t.workgroup, 1);
  let spare = invocations(wished) / invocations(fitted);
  const dealt = [...fitted].reverse().map(({ most, ...tile }): AxisTile => {
    const more = Math.min(spare, most / tile.workgroup);
    spare /= more;
    return { ...tile, workgroup: tile.workgroup * more };
  });
  return dealt.reverse();
}

/** How far tiles may give way to more workgroups. */
export interface TileFit {
  /** The fewest invocations that are left of a workgroup, before the longest runs of points give way. */
  readonly invocations: number;
  /** Workgroups for which points give way. */
  readonly workgroups: number;
  /** Invocations of a core that hide how long it waits: with fewer, points give way first. */
  readonly lanesOfCore: number;
  /** The fewest invocations that are left where cores have equal shares then; infinite for none. */
  readonly evenly: number;
}

/** The part of the cores that have work while the last ones do: the busiest has its share rounded up. */
export function balance(count: number, cores: number): number {
  return count / cores / Math.ceil(count / cores);
}

/** What cores may idle at the end before workgroups become smaller for that. */
export const mostIdleCores: number = 1 / 16;

/**
 * Fits tiles. Where there are fewer than two workgroups for a core, they become smaller: half a register tile would load
 * more for a multiply-add. After that, the longest runs of points give way, or before where few invocations are left.
 */
export function fitTiles(
  wished: Tiles,
  axes: readonly Axis[],
  { cores }: DeviceProfile,
  fit: TileFit,
): Tiles {
  let runs = wished;
  for (;;) {
    const tiles = deal(runs, axes);
    const count = workgroups(tiles, axes);
    if (count >= 2 * cores) return evenly(runs, tiles, axes, cores, fit);
    const shorter = count < fit.workgroups ? halveLongest(runs) : null;
    const smaller = halveWorkgroup(runs, fit.invocations);
    const lanes = tiles.reduce((n, t) => n * t.workgroup, count) / cores;
    const next = lanes < fit.lanesOfCore ? (shorter ?? smaller) : (smaller ?? shorter);
    if (next === null) return tiles;
    runs = next;
  }
}

/** Tiles, or those of half the workgroups where cores would idle at the end and then do not. */
function evenly(
  runs: Tiles,
  tiles: Tiles,
  axes: readonly Axis[],
  cores: number,
  fit: TileFit,
): Tiles {
  const half = halveWorkgroup(runs, fit.evenly);
  if (half === null) return tiles;
  const smaller = deal(half, axes);
  const [before, after] = [tiles, smaller].map((t) => balance(workgroups(t, axes), cores));
  return (after ?? 0) - (before ?? 1) >= mostIdleCores ? smaller : tiles;
}

/** Tiles with half the largest side of a workgroup that has more invocations than so many; null for others. */
export function halveWorkgroup(tiles: Tiles, least: number): Tiles | null {
  const sizes = tiles.map((t) => t.workgroup);
  const largest = Math.max(1, ...sizes);
  if (largest === 1 || sizes.reduce((a, b) => a * b, 1) <= least) return null;
  const at = sizes.indexOf(largest);
  return tiles.map((t, a) => (a === at ? { ...t, workgroup: t.workgroup / 2 } : t));
}

function halveLongest(tiles: Tiles): Tiles | null {
  const longest = Math.max(1, ...tiles.map((t) => t.thread));
  if (longest === 1) return null;
  const at = tiles.findIndex((t) => t.thread === longest);
  return tiles.map((t, a) => (a === at ? { ...t, thread: t.thread / 2 } : t));
}

/** Tiles of one point per invocation, but for the axes that are named. */
export function tilesWith(axes: readonly Axis[], special: ReadonlyMap<number, AxisTile>): Tiles {
  return axes.map((_, a) => special.get(a) ?? { workgroup: 1, thread: 1 });
}
