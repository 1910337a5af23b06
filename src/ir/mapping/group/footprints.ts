/** The dims of a statement under tiles, and what its reads touch there. */
import { flatMap } from "../../../support/flat-map.ts";
import { coefficientOf } from "../../affine.ts";
import { boundingBox } from "../../domain.ts";
import { reducedDims, type Statement } from "../../program.ts";
import type { Axis } from "./axes.ts";
import type { AxisTile } from "./axis-tile.ts";

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

/** The extents of the box of elements that a read touches in one tile, affine coordinates alone. */
export function footprintExtents(s: Statement, read: number, tile: TileOfDims): readonly number[] {
  return flatMap(s.reads[read]?.index ?? [], (index) => {
    if (index.kind !== "affine") return [];
    const span = index.affine.terms.reduce(
      (sum, t) => sum + Math.abs(t.coefficient) * ((tile.get(t.variable) ?? 1) - 1),
      1,
    );
    return [span];
  });
}

/** The elements that a read touches in one tile: the box around them. */
export function footprintElements(s: Statement, read: number, tile: TileOfDims): number {
  return footprintExtents(s, read, tile).reduce((product, span) => product * span, 1);
}

/** How many points a tile has. */
export function pointsOf(tile: TileOfDims): number {
  return [...tile.values()].reduce((product, n) => product * n, 1);
}

/** The axis along which neighbours read neighbours, where along `innermost` they read rows apart. */
export function axisOfRows(
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
