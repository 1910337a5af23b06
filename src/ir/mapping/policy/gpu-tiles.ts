/** The tiles of GPUs' kernels: many invocations hide latency, points of each use loads again. */
import type { Statement } from "../../program.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import type { AxisTile, Tiles } from "../group/axis-tile.ts";
import { powerAbove, tilesWith } from "./fit-tiles.ts";
import { hasOddRows } from "./product-defaults.ts";
import { reusedReads, secondAxis } from "./register-tile.ts";
import { turnedAxis } from "./staging-defaults.ts";
import { tilesOfLeaps, tilesOfWindows } from "./window-defaults.ts";

/** Invocations and points along each axis of a product. */
const productTile = { workgroup: 16, thread: 4 };

/** The same where copies have no vectors: scalars of workgroup memory are enough for more points alone. */
const scalarTile = { workgroup: 8, thread: 8 };

/** The tile of some statements along each axis. */
function tileOf(statements: readonly Statement[]): AxisTile {
  return hasOddRows(statements) ? scalarTile : productTile;
}

/** The most of a tile along rows whose points are beyond them. */
const mostIdle = 1 / 16;

/**
 * The tiles of a product along its rows: of one row, or of several where rows do not fill tiles and another axis
 * reuses the same, as the lines of a picture do.
 */
function besideRows(
  axes: readonly Axis[],
  second: number,
  statements: readonly Statement[],
): ReadonlyMap<number, AxisTile> {
  const last = axes.length - 1;
  const tile = tileOf(statements);
  const whole = new Map([[last, tile]]);
  const [row, { workgroup, thread }] = [axes[last], tile];
  if (row === undefined) return whole;
  const extent = extentOf(row);
  const size = workgroup * thread;
  if (1 - extent / (Math.ceil(extent / size) * size) <= mostIdle) return whole;
  let lanes = 1;
  while (lanes < workgroup && extent % (2 * lanes * thread) === 0) lanes *= 2;
  const known = [...reusedReads(row, statements)].sort().join();
  const other = axes.findLastIndex(
    (axis, a) =>
      a !== last &&
      a !== second &&
      extentOf(axis) % (workgroup / lanes) === 0 &&
      [...reusedReads(axis, statements)].sort().join() === known,
  );
  if (other < 0 || extent % thread !== 0) return whole;
  return new Map([
    [other, { workgroup: workgroup / lanes, thread: 1 }],
    [last, { workgroup: lanes, thread }],
  ]);
}

/**
 * The tiles of a product across its rows: along one axis, and where that is short along another one that reuses the same,
 * as the batch and the steps of a sequence do.
 */
function acrossRows(
  axes: readonly Axis[],
  second: number,
  statements: readonly Statement[],
): ReadonlyMap<number, AxisTile> {
  const tile = tileOf(statements);
  const whole = new Map([[second, tile]]);
  const axis = axes[second];
  if (axis === undefined) return whole;
  const { workgroup, thread } = tile;
  const lanes = Math.min(workgroup, powerAbove(Math.ceil(extentOf(axis) / thread)));
  const known = [...reusedReads(axis, statements)].sort().join();
  const other = axes.findLastIndex(
    (one, a) =>
      a < axes.length - 1 &&
      a !== second &&
      extentOf(one) >= workgroup / lanes &&
      [...reusedReads(one, statements)].sort().join() === known,
  );
  if (lanes === workgroup || other < 0) return whole;
  return new Map([
    [second, { workgroup: lanes, thread }],
    [other, { workgroup: workgroup / lanes, thread: 1 }],
  ]);
}

/** A GPU hides latency with many invocations; a register tile where loads are used many times. */
export function tilesOfGpu(axes: readonly Axis[], statements: readonly Statement[]): Tiles {
  const last = axes.length - 1;
  const second = secondAxis(axes, statements);
  if (second !== undefined) {
    const windows = tilesOfWindows(axes, second, statements);
    if (windows !== undefined) return windows;
    const along = besideRows(axes, second, statements);
    return tilesWith(axes, new Map([...along, ...acrossRows(axes, second, statements)]));
  }
  // A square that is read along its rows and written along its columns.
  const turned = turnedAxis(statements, axes, last);
  if (turned !== undefined) {
    const tiles = new Map([[last, { workgroup: 32, thread: 1 }]]);
    return tilesWith(axes, tiles.set(turned, { workgroup: 8, thread: 4 }));
  }
  const row = new Map([[last, { workgroup: 64, thread: 1 }]]);
  return tilesOfLeaps(axes, statements) ?? tilesWith(axes, row);
}
