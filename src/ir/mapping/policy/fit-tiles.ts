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

/**
 * Fits tiles. Where there are too few workgroups, a CPU makes them smaller, down to one vector of lanes;
 * after that, the longest runs of points give way.
 */
export function fitTiles(wished: Tiles, axes: readonly Axis[], profile: DeviceProfile): Tiles {
  let runs = wished;
  for (;;) {
    const tiles = deal(runs, axes);
    if (workgroups(tiles, axes) >= 2 * profile.cores) return tiles;
    const smaller = profile.class === "cpu" ? halveWorkgroup(runs, profile.lanes) : null;
    const next = smaller ?? halveLongest(runs);
    if (next === null) return tiles;
    runs = next;
  }
}

function halveWorkgroup(tiles: Tiles, least: number): Tiles | null {
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
