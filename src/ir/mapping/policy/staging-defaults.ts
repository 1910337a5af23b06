/**
 * The heuristic of staging: which operands of a kernel go through workgroup memory when nobody
 * chose, and how far the reduction is cut for that.
 */

import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { elementBytes } from "../../../support/scalar-type.ts";
import { coefficientOf } from "../../affine.ts";
import { findTensor, type Program, type Statement } from "../../program.ts";
import type { RunLength } from "../../scheduling/copy-run.ts";
import type { GroupShape } from "../build/map-group.ts";
import type { Axis } from "../group/axes.ts";
import {
  axisOfRows,
  extentsOf,
  footprintElements,
  nestedReducedDims,
  pointsOf,
  type TileOfDims,
} from "../group/footprints.ts";
import { windowDims } from "./window-defaults.ts";

/** Bytes of workgroup memory that a read's footprint takes in one tile. */
function footprintBytes(program: Program, s: Statement, read: number, tile: TileOfDims): number {
  const tensor = findTensor(program, s.reads[read]?.tensor ?? "");
  const element = (tensor?.components ?? []).reduce((sum, c) => sum + elementBytes(c), 0);
  return element * footprintElements(s, read, tile);
}

/** The fewest points of a reduction for which copies pay: each tile costs two barriers. */
const worthwhileReduction = 32;

/** How often each loaded element has to be used for staging to pay on a device with fast memory. */
const worthwhileReuse = 32;

/** The longest reduced dim that is not cut. */
const shortReduction = 8;

/** The most steps of a long reduced dim between two barriers. */
export const longTile = 16;

/** What a tile of a reduction has room for: bytes of copies, steps of a long dim. */
export interface TileRoom {
  readonly bytes: number;
  readonly steps: number;
}

/**
 * How many steps of each reduced dim a workgroup does between two barriers, so that the footprints
 * of some reads fit in the room: those of windows as a whole, of others so many together, the innermost first, since
 * rows of copies lie along that.
 */
export function preferredReductionTiles(
  program: Program,
  s: Statement,
  reads: readonly number[],
  tileWith: (reduced: readonly number[]) => TileOfDims,
  { bytes, steps }: TileRoom,
): readonly number[] {
  const extents = extentsOf(s);
  const windows = new Set(flatMap([...s.reads.keys()], (r) => windowDims(s, r)));
  let left = steps;
  const tiles = nestedReducedDims(s)
    .toReversed()
    .map((d) => {
      const extent = Math.max(1, extents.get(d) ?? 1);
      if (windows.has(d)) return extent <= shortReduction ? extent : Math.min(steps, extent);
      const tile = Math.min(left, extent);
      left = 2 ** Math.floor(Math.log2(left / tile));
      return tile;
    });
  const wish = tiles.reverse();
  const size = (): number =>
    reads.reduce((sum, r) => sum + footprintBytes(program, s, r, tileWith(wish)), 0);
  while (size() > bytes) {
    const longest = wish.indexOf(Math.max(...wish));
    const before = wish[longest] ?? 1;
    if (before <= 1) break;
    // Halving a power of two leaves one, and so does cutting a short dim to one below.
    wish[longest] = 2 ** Math.floor(Math.log2(before - 1));
  }
  return wish;
}

/** The axis along which something is read in rows, if `innermost` is not it; for maps alone. */
export function turnedAxis(
  statements: readonly Statement[],
  axes: readonly Axis[],
  innermost: number,
): number | undefined {
  if (statements.some((s) => s.reduction !== null)) return undefined;
  return flatMap(statements, (s) =>
    [...s.reads.keys()].map((r) => axisOfRows(s, r, axes, innermost)),
  ).find((axis) => axis !== undefined);
}

/**
 * Whether a read is to be staged by default: on devices whose workgroup memory is faster than the
 * other, if each element is used often or would be read across the rows. Software adapters keep
 * workgroup memory where all else is: there a copy is only a copy.
 */
export function prefersStage(
  program: Program,
  s: Statement,
  read: number,
  tile: TileOfDims,
  turned: boolean,
  profile: DeviceProfile,
): boolean {
  if (profile.class !== "gpu") return false;
  const { stagingBytes } = profile.costs;
  if (footprintBytes(program, s, read, tile) > stagingBytes) return false;
  const extents = extentsOf(s);
  const steps = nestedReducedDims(s).reduce((product, d) => product * (extents.get(d) ?? 1), 1);
  const usesOften = steps >= worthwhileReduction && s.reads.length >= 2;
  const reuse = pointsOf(tile) / footprintElements(s, read, tile);
  return (usesOften && reuse >= worthwhileReuse) || (turned && s.reduction === null);
}

/** Components of the vectors in which a statement reads along the rows of a tensor; 1 for none. */
function readVector(
  s: Statement,
  read: number,
  axes: readonly Axis[],
  { tiles, points, blocked }: GroupShape,
): RunLength {
  const dim = axes.at(-1)?.dims.get(s.id);
  const last = s.reads[read]?.index.at(-1);
  const { thread, step = 1 } = tiles.at(-1) ?? { thread: 1 };
  if (points !== "vector" || !blocked || step > 1 || dim === undefined) return 1;
  if (last?.kind !== "affine" || coefficientOf(last.affine, dim) !== 1) return 1;
  if (thread % 4 === 0) return 4;
  return thread === 2 ? 2 : 1;
}

/**
 * How many neighbours of an operand an invocation copies at once: as many as it reads later on, since
 * memory has vectors of one width; otherwise so many that each of the team has something to copy.
 */
export function preferredVector(
  s: Statement,
  read: number,
  axes: readonly Axis[],
  shape: GroupShape,
  tile: TileOfDims,
): RunLength {
  const own = readVector(s, read, axes, shape);
  if (own > 1) return own;
  const team = shape.tiles.reduce((product, t) => product * t.workgroup, shape.team);
  const elements = footprintElements(s, read, tile);
  return ([4, 2] as const).find((n) => elements >= n * team) ?? 1;
}
