/** Planes of a tensor: two dimensions that are drawn, a third one side by side, the others held at an index. */
import { type Elements, elementOf } from "./summary.ts";

/** Which part of a tensor is drawn. `rows` is null for tensors of one dimension and of none. */
export interface View {
  readonly rows: number | null;
  readonly columns: number | null;
  /** The dimension of which all planes are drawn, side by side; null for one plane. */
  readonly facets: number | null;
  /** The index of each dimension that is not drawn; those of the drawn ones mean nothing. */
  readonly at: readonly number[];
}

/** The elements of a picture, row by row: one plane, or several with gaps between them. */
export interface Plane {
  readonly height: number;
  readonly width: number;
  /** NaN in the gaps: {@link cellAt} tells them from elements. */
  readonly values: Float64Array;
  /** Every so many rows and columns are shown, 1 where all are. */
  readonly step: readonly [number, number];
  readonly tiles: Tiles;
}

/** How planes lie side by side, row by row. */
export interface Tiles {
  readonly count: number;
  readonly across: number;
  /** Of one of them. */
  readonly height: number;
  readonly width: number;
  /** Rows, and columns, between them. */
  readonly gap: number;
}

/** More rows or columns are not drawn. */
const mostPixels = 1024;
/** More planes than these are not drawn side by side unless somebody asks. */
const mostFacets = 16;
/** No more planes than these are. */
export const mostTiles = 64;

/** The last two dimensions, side by side for the one before if there are few; the first index of the others. */
export function initialView(shape: readonly number[]): View {
  const rank = shape.length;
  const before = shape[rank - 3] ?? 0;
  return {
    rows: rank >= 2 ? rank - 2 : null,
    columns: rank >= 1 ? rank - 1 : null,
    facets: before > 1 && before <= mostFacets ? rank - 3 : null,
    at: shape.map(() => 0),
  };
}

/** The dimensions that a view holds at an index. */
export function heldDimensions(shape: readonly number[], view: View): readonly number[] {
  const drawn = [view.rows, view.columns, view.facets];
  return shape.flatMap((_, d) => (drawn.includes(d) ? [] : [d]));
}

/** The view with another dimension in a role: what had it takes the place of the one before. */
export function withAxis(view: View, which: "rows" | "columns", d: number): View {
  const roles = ["rows", "columns", "facets"] as const;
  const other = roles.find((role) => role !== which && view[role] === d);
  return { ...view, ...(other === undefined ? {} : { [other]: view[which] }), [which]: d };
}

/** Takes planes out of a row-major tensor. Of long dimensions every n-th index is taken. */
export function takePlane(elements: Elements, shape: readonly number[], view: View): Plane {
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  const along = (d: number | null): readonly [extent: number, stride: number] =>
    d === null ? [1, 0] : [shape[d] ?? 1, strides[d] ?? 0];
  const [rows, rowStride] = along(view.rows);
  const [columns, columnStride] = along(view.columns);
  const [count, tileStride] = along(view.facets);
  const held = heldDimensions(shape, view);
  const start = held.reduce((sum, d) => sum + (view.at[d] ?? 0) * (strides[d] ?? 0), 0);
  const across = acrossOf(count, rows, columns);
  const down = Math.ceil(count / across);
  const step = [stepOf(rows * down), stepOf(columns * across)] as const;
  const tiles = {
    count,
    across,
    height: Math.ceil(rows / step[0]),
    width: Math.ceil(columns / step[1]),
    gap: 0,
  };
  // Wide enough to be seen, at the size at which the whole picture is shown.
  const gap = count === 1 ? 0 : Math.max(1, Math.round((tiles.width * across) / 60));
  const height = down * (tiles.height + gap) - gap;
  const width = across * (tiles.width + gap) - gap;
  const values = new Float64Array(height * width).fill(Number.NaN);
  for (let tile = 0; tile < count; tile++) {
    const [top, left] = cornerOf({ ...tiles, gap }, tile);
    for (let r = 0; r < tiles.height; r++) {
      const from = start + tile * tileStride + r * step[0] * rowStride;
      for (let c = 0; c < tiles.width; c++) {
        values[(top + r) * width + left + c] = elementOf(
          elements,
          from + c * step[1] * columnStride,
        );
      }
    }
  }
  return { height, width, values, step, tiles: { ...tiles, gap } };
}

/** The row and the column of a picture where one of its planes begins. */
export function cornerOf(
  { across, height, width, gap }: Tiles,
  tile: number,
): readonly [row: number, column: number] {
  return [Math.floor(tile / across) * (height + gap), (tile % across) * (width + gap)];
}

/** How many planes lie in a row, so that the picture is about as high as wide. */
function acrossOf(count: number, rows: number, columns: number): number {
  const square = Math.ceil(Math.sqrt((count * Math.max(1, rows)) / Math.max(1, columns)));
  return Math.min(Math.max(1, square), Math.max(1, count));
}

function stepOf(extent: number): number {
  return Math.max(1, Math.ceil(extent / mostPixels));
}

/** Which plane a place of the picture is in, and where in it; null between planes, and behind the last one. */
export function cellAt(
  { count, across, height, width, gap }: Tiles,
  [row, column]: readonly [number, number],
): { readonly tile: number; readonly row: number; readonly column: number } | null {
  const [down, right] = [Math.floor(row / (height + gap)), Math.floor(column / (width + gap))];
  const inside = { row: row - down * (height + gap), column: column - right * (width + gap) };
  const tile = down * across + right;
  return inside.row < height && inside.column < width && right < across && tile < count
    ? { tile, ...inside }
    : null;
}

/** The next element from a place of the picture on, over gaps; the place itself where there is none. */
export function nextPlace(
  { height, width, tiles }: Plane,
  from: readonly [number, number],
  [down, right]: readonly [number, number],
): readonly [number, number] {
  let [row, column] = from;
  for (;;) {
    [row, column] = [row + down, column + right];
    if (row < 0 || row >= height || column < 0 || column >= width) return from;
    if (cellAt(tiles, [row, column]) !== null) return [row, column];
  }
}

/** The indices in the tensor of a place of the picture; null between planes. */
export function indicesOf(
  shape: readonly number[],
  view: View,
  plane: Plane,
  place: readonly [number, number],
): readonly number[] | null {
  const cell = cellAt(plane.tiles, place);
  if (cell === null) return null;
  return shape.map((_, d) => {
    if (d === view.rows) return cell.row * plane.step[0];
    if (d === view.columns) return cell.column * plane.step[1];
    if (d === view.facets) return cell.tile;
    return view.at[d] ?? 0;
  });
}
