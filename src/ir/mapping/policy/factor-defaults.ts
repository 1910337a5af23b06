/**
 * The heuristic of factoring: which reductions are divided into partial results, and how far, when nobody
 * chose.
 */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { boundingBox } from "../../domain.ts";
import {
  findStatement,
  indexVariables,
  type Program,
  parallelDims,
  type Statement,
} from "../../program.ts";
import { widthOf } from "./cost-kernel.ts";
import { powerAbove } from "./fit-tiles.ts";
import { points, usesLoadsOften } from "./register-tile.ts";
import { largestTeam, mostShare, readsRowsAlong, teamOfLongRow } from "./team-defaults.ts";
import { leastLanes } from "./tile-policy.ts";

/**
 * How much of each row one team should reduce, so that there are invocations enough, and none of them has too
 * much; null for all of it: the largest teams may be enough, a row too short for another dispatch, or so long that it
 * keeps a core busy, and half of the cores have one.
 */
function blockOfTeams(
  rows: number,
  length: number,
  profile: DeviceProfile,
  sizes: readonly number[],
): number | null {
  const wanted = widthOf(profile);
  if (teamOfLongRow(length) !== null && 2 * rows >= profile.cores) return null;
  const shortest = 16 * largestTeam;
  const least = Math.ceil(length / (largestTeam * mostShare));
  const isFilled = 4 * rows * largestTeam >= wanted;
  if (length < shortest || (isFilled && least <= 1)) return null;
  const parts = Math.max(least, isFilled ? 1 : Math.ceil(wanted / (rows * largestTeam)));
  return sizes.filter((n) => n * parts <= Math.max(length, shortest)).at(-1) ?? null;
}

/** A reduced dim that may be factored, see `factorCandidates`. */
interface FactorQuestion {
  readonly statement: string;
  readonly dim: string;
  readonly sizes: readonly number[];
}

/** Few long reductions are dealt to many invocations first. */
export function prefersFactor(
  program: Program,
  candidate: FactorQuestion,
  profile: DeviceProfile,
): string {
  const statement = findStatement(program, candidate.statement);
  const dims = statement?.reduction?.dims ?? [];
  if (statement === undefined || dims[0] !== candidate.dim) return "no";
  if (profile.class === "gpu") return prefersFactorOfGpu(statement, candidate, profile);
  if (dims.length > 1) return "no";
  const wanted = widthOf(profile);
  const [rows, length] = [points(statement, "parallel"), points(statement, "reduced")];
  if (rows >= wanted || length < 256) return "no";
  // Each invocation of a CPU reads a piece of memory from one end to the other.
  const parts = Math.max(16, (8 * wanted) / Math.max(1, rows));
  const size = candidate.sizes.filter((n) => n * parts <= length).at(-1);
  return size === undefined ? "no" : `blocked ${size}`;
}

/**
 * Where a statement has so few points that a GPU is not filled, its reduction is divided among
 * workgroups, too: rows in blocks, what is read across rows or lives by a register tile in slices, whose
 * invocations lie along the last dim as without them.
 */
function prefersFactorOfGpu(
  s: Statement,
  { dim, sizes }: FactorQuestion,
  profile: DeviceProfile,
): string {
  const [rows, length] = [points(s, "parallel"), points(s, "reduced")];
  const wanted = widthOf(profile);
  if (length < 256) return "no";
  if (hasTile(s)) return sliceOfTiles(s, dim, sizes, profile);
  if (rows >= wanted || s.reduction?.dims.length !== 1) return "no";
  if (readsRowsAlong(s, dim)) {
    const size = blockOfTeams(rows, length, profile, sizes);
    return size === null ? "no" : `blocked ${size}`;
  }
  const last = parallelDims(s).at(-1);
  const isWide = last !== undefined && extentOf(s, last) >= profile.lanes;
  const size = isWide
    ? sliceOf(length, wanted / rows, shortestSlice, sizes)
    : (sizes.findLast((n) => n <= 64) ?? null);
  return size === null ? "no" : `${isWide ? "slices" : "strided"} ${size}`;
}

/** Slices of a product, of the outermost of its reduced dims. */
function sliceOfTiles(
  s: Statement,
  dim: string,
  sizes: readonly number[],
  profile: DeviceProfile,
): string {
  const [rows, length] = [points(s, "parallel"), points(s, "reduced")];
  const lanes = Math.max(widthOf(profile), leastLanes * profile.cores);
  if (rows >= mostFilled * lanes * pointsOfTile) return "no";
  const each = length / extentOf(s, dim);
  const parts = (2 * profile.cores * pointsOfTile * largestTeam) / rows;
  const size = sliceOf(length / each, parts, powerAbove(shortestSliceOfTiles / each), sizes);
  return size !== null && savesLaunch(length, size * each, profile) ? `slices ${size}` : "no";
}

/** The fewest steps that an invocation should have of a sum in slices. */
const shortestSlice = 64;

/** The same where it has a register tile of sums, whose operands are staged. */
const shortestSliceOfTiles = 256;

/** Nanoseconds that an invocation of a GPU waits in a step of a sum, if no other hides that: half a microsecond for eight. */
const waitOfStep = 60;

/** Steps of each of at least so many slices, a power of two; null for one slice. */
function sliceOf(
  length: number,
  parts: number,
  least: number,
  sizes: readonly number[],
): number | null {
  if (parts <= 1) return null;
  const wish = Math.max(least, length / parts);
  return sizes.findLast((n) => n >= least && n <= wish && 2 * n <= length) ?? null;
}

/** Whether it takes longer to wait for the steps that slices save than to launch their sum, twice. */
function savesLaunch(length: number, size: number, { costs }: DeviceProfile): boolean {
  return (length - size) * waitOfStep >= 2 * costs.launch;
}

/** The part of a device's invocations whose tiles fill it, that is, all but for what tiles are rounded up. */
const mostFilled = 15 / 16;

/** Points that an invocation of a GPU has of a product. */
const pointsOfTile = 16;

/** Whether an invocation of a GPU has several points of a statement: where two dims reuse what others load. */
function hasTile(s: Statement): boolean {
  const own = parallelDims(s).filter((d) => !s.loops.includes(d) && extentOf(s, d) > 1);
  const reuse = (dim: string): readonly number[] =>
    flatMap(s.reads, ({ index }, r) =>
      index.some((i) => indexVariables(s, i).has(dim)) ? [] : [r],
    );
  const reused = new Set(
    own
      .map(reuse)
      .filter((reads) => reads.length > 0)
      .map(String),
  );
  return usesLoadsOften(s) && reused.size > 1;
}

function extentOf(s: Statement, dim: string): number {
  const range = boundingBox(s.domain).get(dim);
  return range === undefined ? 1 : range.hi - range.lo + 1;
}
