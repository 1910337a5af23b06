/** A plane of a tensor: two dimensions that are drawn, the others held at an index. */
import type { TensorData } from "../../../src/index.ts";

/** Which part of a tensor is drawn. `rows` is null for tensors of one dimension and of none. */
export interface View {
  readonly rows: number | null;
  readonly columns: number | null;
  /** The index of each dimension that is not drawn; those of the drawn ones mean nothing. */
  readonly at: readonly number[];
}

/** The elements of a plane, row by row. */
export interface Plane {
  readonly height: number;
  readonly width: number;
  readonly values: Float64Array;
  /** Every so many rows and columns are shown, 1 where all are. */
  readonly step: readonly [number, number];
}

/** More rows or columns are not drawn. */
const mostPixels = 1024;

/** The last two dimensions, the first index of the others. */
export function initialView(shape: readonly number[]): View {
  const rank = shape.length;
  return {
    rows: rank >= 2 ? rank - 2 : null,
    columns: rank >= 1 ? rank - 1 : null,
    at: shape.map(() => 0),
  };
}

/** The dimensions that a view holds at an index. */
export function heldDimensions(shape: readonly number[], view: View): readonly number[] {
  return shape.flatMap((_, d) => (d === view.rows || d === view.columns ? [] : [d]));
}

/** Takes a plane out of a row-major tensor. Of long dimensions every n-th index is taken. */
export function takePlane(
  data: TensorData | Float64Array,
  shape: readonly number[],
  view: View,
): Plane {
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  const along = (d: number | null): readonly [extent: number, stride: number] =>
    d === null ? [1, 0] : [shape[d] ?? 1, strides[d] ?? 0];
  const [rows, rowStride] = along(view.rows);
  const [columns, columnStride] = along(view.columns);
  const held = heldDimensions(shape, view);
  const start = held.reduce((sum, d) => sum + (view.at[d] ?? 0) * (strides[d] ?? 0), 0);
  const [rowStep, columnStep] = [stepOf(rows), stepOf(columns)];
  const [height, width] = [Math.ceil(rows / rowStep), Math.ceil(columns / columnStep)];
  const values = new Float64Array(height * width);
  for (let r = 0; r < height; r++) {
    for (let c = 0; c < width; c++) {
      const place = start + r * rowStep * rowStride + c * columnStep * columnStride;
      values[r * width + c] = data[place] ?? Number.NaN;
    }
  }
  return { height, width, values, step: [rowStep, columnStep] };
}

function stepOf(extent: number): number {
  return Math.max(1, Math.ceil(extent / mostPixels));
}

/** The indices of a cell of the plane in the tensor. */
export function indicesOf(
  shape: readonly number[],
  view: View,
  plane: Plane,
  [row, column]: readonly [number, number],
): readonly number[] {
  return shape.map((_, d) => {
    if (d === view.rows) return row * plane.step[0];
    if (d === view.columns) return column * plane.step[1];
    return view.at[d] ?? 0;
  });
}

/** What there is in some elements. */
export interface Statistics {
  /** Of the finite elements; NaN where there are none. */
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly nan: number;
  readonly infinite: number;
  readonly count: number;
}

/** Least, greatest and mean of the finite elements, and how many others there are. */
export function statisticsOf(data: TensorData | Float64Array): Statistics {
  let [min, max, sum, nan, infinite] = [Infinity, -Infinity, 0, 0, 0];
  for (const value of data) {
    if (Number.isNaN(value)) nan += 1;
    else if (!Number.isFinite(value)) infinite += 1;
    else {
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  const finite = data.length - nan - infinite;
  const none = finite === 0;
  return {
    min: none ? Number.NaN : min,
    max: none ? Number.NaN : max,
    mean: none ? Number.NaN : sum / finite,
    nan,
    infinite,
    count: data.length,
  };
}

/** `found - expected`, element by element; equal infinities and NaN beside NaN differ by nothing. */
export function differenceOf(found: TensorData, expected: TensorData): Float64Array {
  return Float64Array.from(found, (value, n) => {
    const other = expected[n] ?? Number.NaN;
    return Object.is(value, other) || value === other ? 0 : value - other;
  });
}
