/**
 * What the references are made of: plain loops over row-major arrays. Imports nothing: neither the
 * language nor the compiler has a part in what is expected of them.
 */

export type Sizes = Readonly<Record<string, number>>;
export type Arrays = Readonly<Record<string, ArrayLike<number>>>;

/** `length` values, at least `from`, below `to`; multiples of `step` when there is one. */
export interface Input {
  readonly length: number;
  readonly from: number;
  readonly to: number;
  readonly step?: number;
}

/** An example: sizes to try, its inputs, its results. */
export interface Reference {
  readonly sizes: readonly Sizes[];
  readonly inputs: (s: Sizes) => Readonly<Record<string, Input>>;
  readonly results: (s: Sizes, inputs: Arrays) => Arrays;
  /** How far results may be apart, relative to 1 and to the result; 1e-4, float32 sums. */
  readonly tolerance?: number;
}

export type References = Readonly<Record<string, Reference>>;

/** Numbers between -1 and 1, as many as a tensor of this shape has. */
export function unit(...shape: readonly number[]): Input {
  return reals(-1, 1, ...shape);
}

/** Numbers in [from, to). */
export function reals(from: number, to: number, ...shape: readonly number[]): Input {
  return { length: product(shape), from, to };
}

/** Whole numbers in [from, to). */
export function integers(from: number, to: number, ...shape: readonly number[]): Input {
  return { length: product(shape), from, to, step: 1 };
}

/** Numbers between -1 and 1 that 16 bits hold. */
export function halves(...shape: readonly number[]): Input {
  return { length: product(shape), from: -1, to: 1, step: 2 ** -8 };
}

function product(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}

/** The elements of a row-major array by their coordinates; reading outside throws. */
export function view(
  data: ArrayLike<number>,
  ...shape: readonly number[]
): (...at: readonly number[]) => number {
  return (...at) => data[placeOf(shape, at)];
}

/** Writes an element of a row-major array; writing outside throws. */
export function put(
  data: number[],
  shape: readonly number[],
  at: readonly number[],
  value: number,
): void {
  data[placeOf(shape, at)] = value;
}

function placeOf(shape: readonly number[], at: readonly number[]): number {
  let place = 0;
  for (let d = 0; d < shape.length; d++) {
    if (!(at[d] >= 0 && at[d] < shape[d])) throw new Error(`${at} is outside of ${shape}`);
    place = place * shape[d] + at[d];
  }
  return place;
}

/** A row-major array: the value for each of the coordinates. */
export function make(
  shape: readonly number[],
  value: (...at: readonly number[]) => number,
): number[] {
  const all: number[] = [];
  const fill = (at: readonly number[]): void => {
    if (at.length === shape.length) all.push(value(...at));
    else for (let n = 0; n < shape[at.length]; n++) fill([...at, n]);
  };
  fill([]);
  return all;
}

/** 0, 1, ..., n - 1. */
export function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

export function sum(n: number, term: (i: number) => number): number {
  let total = 0;
  for (let i = 0; i < n; i++) total += term(i);
  return total;
}

export function softmaxOf(row: readonly number[]): number[] {
  const largest = Math.max(...row);
  const e = row.map((x) => Math.exp(x - largest));
  const total = sum(e.length, (n) => e[n]);
  return e.map((x) => x / total);
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
