/** How the axes of a kernel are cut into tiles of workgroups, invocations and their points. */
import { type Axis, extentOf } from "./axes.ts";

/** How one axis is spread: `workgroup` invocations, each `thread` points. */
export interface AxisTile {
  readonly workgroup: number;
  readonly thread: number;
  /** How far apart the points of an invocation are, at most `workgroup`; neighbours when left out. */
  readonly step?: number;
  /**
   * Tiles of all invocations that they compute one after the other, as many at each level; the innermost
   * level first, each more than 1. None when left out.
   */
  readonly turns?: readonly number[];
  /** Invocations along the axis of a block of neighbours, a divisor of `workgroup`; none when left out. */
  readonly subgroup?: number;
}

/** How many tiles there are at each level, the innermost first. */
export function turnsOf({ turns = [] }: AxisTile): readonly number[] {
  return turns;
}

/** The points of an axis that one workgroup computes. */
export function tilePoints(tile: AxisTile): number {
  return turnsOf(tile).reduce((product, n) => product * n, tile.workgroup * tile.thread);
}

/** One for each axis. */
export type Tiles = readonly AxisTile[];

/** How many workgroups tiles make. */
export function workgroups(tiles: Tiles, axes: readonly Axis[]): number {
  return axes.reduce((product, axis, a) => {
    return (
      product * Math.ceil(extentOf(axis) / tilePoints(tiles[a] ?? { workgroup: 1, thread: 1 }))
    );
  }, 1);
}
