/**
 * The heuristic of staging: which operands of a kernel go through workgroup memory when nobody
 * chose, and how far the reduction is cut for that. A part of defaults.ts.
 */
import type { DeviceProfile } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { elementBytes } from "../../support/scalar-type.ts";
import { coefficientOf } from "../affine.ts";
import { boundingBox } from "../domain.ts";
import { findTensor, type Program, reducedDims, type Statement } from "../program.ts";
import type { RunLength } from "../scheduling/copy-run.ts";
import type { Axis } from "./axes.ts";
import type { AxisTile } from "./fit-tiles.ts";
import type { GroupShape } from "./map-group.ts";

/** The points of a statement that one workgroup handles between two barriers, by dim. */
export type TileOfDims = ReadonlyMap<string, number>;

/** The extent of every dim of a statement, program loops left out. */
export function extentsOf(s: Statement): ReadonlyMap<string, number> {
  const box = boundingBox(s.domain);
  const own = s.domain.dims.filter((d) => !s.loops.includes(d.name));
  return new Map(
    own.map(({ name }) => {
      const { lo, hi } = box.get(name) ?? { lo: 0, hi: -1 };
      return [name, Math.max(0, hi - lo + 1)];
    }),
  );
}

/** The reduced dims in the order of the loops that a nest gives them. */
export function nestedReducedDims(s: Statement): readonly string[] {
  const reduced = new Set(reducedDims(s));
  return s.domain.dims.map((d) => d.name).filter((name) => reduced.has(name));
}

/** The tile of a statement under the tiles of the axes, and `reduced` of each reduced dim. */
export function tileOfDims(
  s: Statement,
  axes: readonly Axis[],
  tiles: readonly AxisTile[],
  reduced: readonly number[],
): TileOfDims {
  const result = new Map(extentsOf(s));
  for (const [a, axis] of axes.entries()) {
    const dim = axis.dims.get(s.id);
    const t = tiles[a];
    if (dim === undefined || t === undefined) continue;
    result.set(dim, Math.min(t.workgroup * t.thread, result.get(dim) ?? 1));
  }
  for (const [r, dim] of nestedReducedDims(s).entries()) {
    result.set(dim, Math.min(reduced[r] ?? Infinity, result.get(dim) ?? 1));
  }
  return result;
}

/** The elements that a read touches in one tile: the box around them. */
function footprintElements(s: Statement, read: number, tile: TileOfDims): number {
  return (s.reads[read]?.index ?? []).reduce((product, index) => {
    if (index.kind !== "affine") return product;
    const span = index.affine.terms.reduce(
      (sum, t) => sum + Math.abs(t.coefficient) * ((tile.get(t.variable) ?? 1) - 1),
      1,
    );
    return product * span;
  }, 1);
}

function pointsOf(tile: TileOfDims): number {
  return [...tile.values()].reduce((product, n) => product * n, 1);
}

/** Bytes of workgroup memory that a read's footprint takes in one tile. */
function footprintBytes(program: Program, s: Statement, read: number, tile: TileOfDims): number {
  const tensor = findTensor(program, s.reads[read]?.tensor ?? "");
  const element = (tensor?.components ?? []).reduce((sum, c) => sum + elementBytes(c), 0);
  return element * footprintElements(s, read, tile);
}

/** The fewest points of a reduction for which copies pay: each tile costs two barriers. */
const worthwhileReduction = 32;

/** How often each loaded element has to be used for staging to pay on a device with fast memory. */
const worthwhileReuse = 8;

/** The longest reduced dim that is not cut. */
const shortReduction = 8;

/** The most steps of a long reduced dim between two barriers. */
const longTile = 16;

/**
 * How many steps of each reduced dim a workgroup does between two barriers, so that the footprints
 * of some reads fit in so many bytes: short dims as a whole, of long ones a power of two.
 */
export function preferredReductionTiles(
  program: Program,
  s: Statement,
  reads: readonly number[],
  tileWith: (reduced: readonly number[]) => TileOfDims,
  bytes: number,
): readonly number[] {
  const extents = extentsOf(s);
  const wish = nestedReducedDims(s).map((d) => {
    const extent = Math.max(1, extents.get(d) ?? 1);
    return extent <= shortReduction ? extent : Math.min(longTile, extent);
  });
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

/** The axis along which neighbours read neighbours, where along `innermost` they read rows apart. */
function axisOfRows(
  s: Statement,
  read: number,
  axes: readonly Axis[],
  innermost: number,
): number | undefined {
  const along = axes[innermost]?.dims.get(s.id);
  const index = s.reads[read]?.index ?? [];
  const last = index.at(-1);
  if (along === undefined || last?.kind !== "affine") return undefined;
  const strides = index
    .slice(0, -1)
    .some((i) => i.kind === "affine" && coefficientOf(i.affine, along) !== 0);
  if (!strides || coefficientOf(last.affine, along) !== 0) return undefined;
  const found = axes.findIndex((axis) => {
    const dim = axis.dims.get(s.id);
    return dim !== undefined && dim !== along && coefficientOf(last.affine, dim) !== 0;
  });
  return found < 0 ? undefined : found;
}

/**
 * Whether neighbouring invocations read far apart where they would read neighbours along another
 * axis: the read of a transposition.
 */
export function isTurned(
  s: Statement,
  read: number,
  axes: readonly Axis[],
  innermost: number,
): boolean {
  return axisOfRows(s, read, axes, innermost) !== undefined;
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
