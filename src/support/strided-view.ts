/**
 * Strided views: where the elements of a tensor lie in memory, as one stride per dimension.
 *
 * The element at index `i` lies `sum_d strides[d] * i[d]` elements after element (0, ..., 0).
 * Strides may be 0 (a dimension repeats its elements) and negative (it runs backwards).
 */
import { ceilDiv, floorDiv, gcd } from "./integer.ts";
import { elementCount, rowMajorStrides } from "./scalar-type.ts";

/** How a caller's tensor lies in its memory, as far as compiled text depends on it. */
export interface TensorLayout {
  /** In elements, one per dimension. */
  readonly strides: readonly number[];
  /**
   * Where the first of its elements in memory lies. Null: at the start of what is bound. A number:
   * so many elements after it as the caller says when it runs, a multiple of this.
   */
  readonly offsetMultiple: OffsetMultiple | null;
}

/** What may be known to divide an offset. */
export type OffsetMultiple = 1 | 2 | 4;

/** A tensor in memory; `offset` is where element (0, ..., 0) lies, in elements. */
export interface StridedView {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** The first and last element in memory, relative to element (0, ..., 0); null without elements. */
export function extentOfView(
  shape: readonly number[],
  strides: readonly number[],
): { readonly first: number; readonly last: number } | null {
  if (elementCount(shape) === 0) return null;
  let [first, last] = [0, 0];
  for (const [d, extent] of shape.entries()) {
    const reach = (strides[d] ?? 0) * (extent - 1);
    if (reach < 0) first += reach;
    else last += reach;
  }
  return { first, last };
}

/** Elements of memory from the first element of a view to its last one; 0 without elements. */
export function spanOfView(shape: readonly number[], strides: readonly number[]): number {
  const extent = extentOfView(shape, strides);
  return extent === null ? 0 : extent.last - extent.first + 1;
}

/**
 * Equal strides for equal memory: those of dimensions with one element, which are never used, become
 * those of a row-major tensor; without elements all do.
 */
export function canonicalStrides(
  shape: readonly number[],
  strides: readonly number[],
): readonly number[] {
  const dense = rowMajorStrides(shape);
  if (elementCount(shape) === 0) return dense;
  return shape.map((extent, d) => (extent === 1 ? dense[d] : strides[d]) ?? 1);
}

/** True if the elements lie in row-major order, with nothing between them. */
export function isRowMajor(shape: readonly number[], strides: readonly number[]): boolean {
  const dense = rowMajorStrides(shape);
  return canonicalStrides(shape, strides).every((stride, d) => stride === dense[d]);
}

/** A variable of a linear equation: its coefficient, and its closed range. */
interface Term {
  readonly coefficient: number;
  readonly lo: number;
  readonly hi: number;
}

/** Equations that need more steps than this count as solvable. */
const mostSteps = 200_000;

/**
 * Whether `sum coefficient * variable = target` has a solution in the ranges of the variables, other
 * than one that `isTrivial` accepts. Errs towards yes where the search is long.
 */
function isSolvable(
  terms: readonly Term[],
  target: number,
  isTrivial: (solution: readonly number[]) => boolean,
): boolean {
  const sorted = [...terms].sort((a, b) => b.coefficient - a.coefficient);
  const rest = sorted.map((_, n): Sums => {
    // Of the terms from n on.
    const after = sorted.slice(n);
    return {
      lo: after.reduce((sum, t) => sum + t.coefficient * t.lo, 0),
      hi: after.reduce((sum, t) => sum + t.coefficient * t.hi, 0),
      divisor: after.reduce((divisor, t) => gcd(divisor, t.coefficient), 0),
    };
  });
  let steps = 0;
  const search = (n: number, left: number, chosen: readonly number[]): boolean => {
    const term = sorted[n];
    const here = rest[n];
    if (term === undefined || here === undefined) return left === 0 && !isTrivial(chosen);
    if (!mayReach(here, left)) return false;
    const { from, to } = choices(term, left, rest[n + 1] ?? { lo: 0, hi: 0 });
    for (let value = from; value <= to; value++) {
      steps += 1;
      if (steps > mostSteps) return true;
      if (search(n + 1, left - value * term.coefficient, [...chosen, value])) return true;
    }
    return false;
  };
  return search(0, target, []);
}

/** What terms can add up to, and what divides it. */
interface Sums {
  readonly lo: number;
  readonly hi: number;
  readonly divisor: number;
}

function mayReach({ lo, hi, divisor }: Sums, target: number): boolean {
  return target >= lo && target <= hi && target % divisor === 0;
}

/** The values of a term that leave the terms after it a sum in their range. */
function choices(
  { coefficient, lo, hi }: Term,
  left: number,
  after: { readonly lo: number; readonly hi: number },
): { readonly from: number; readonly to: number } {
  return {
    from: Math.max(lo, ceilDiv(left - after.hi, coefficient)),
    to: Math.min(hi, floorDiv(left - after.lo, coefficient)),
  };
}

/** True if two indices of a view name one element: a result must not be written there. */
export function overlapsItself(shape: readonly number[], strides: readonly number[]): boolean {
  if (elementCount(shape) === 0) return false;
  const moving = shape.flatMap((extent, d) =>
    extent > 1 ? [{ extent, stride: strides[d] ?? 0 }] : [],
  );
  if (moving.some(({ stride }) => stride === 0)) return true;
  const terms = moving.map(({ extent, stride }) => ({
    coefficient: Math.abs(stride),
    lo: 1 - extent,
    hi: extent - 1,
  }));
  return isSolvable(terms, 0, (solution) => solution.every((value) => value === 0));
}

/** True if two views of one memory have an element in common. */
export function shareAnElement(a: StridedView, b: StridedView): boolean {
  if (elementCount(a.shape) === 0 || elementCount(b.shape) === 0) return false;
  // a.offset + sum a.strides * i = b.offset + sum b.strides * j, terms with one coefficient as one.
  const ranges = new Map<number, { lo: number; hi: number }>();
  const add = (coefficient: number, extent: number): void => {
    if (coefficient === 0 || extent === 1) return;
    const size = Math.abs(coefficient);
    const known = ranges.get(size) ?? { lo: 0, hi: 0 };
    if (coefficient > 0) known.hi += extent - 1;
    else known.lo -= extent - 1;
    ranges.set(size, known);
  };
  for (const [d, extent] of a.shape.entries()) add(a.strides[d] ?? 0, extent);
  for (const [d, extent] of b.shape.entries()) add(-(b.strides[d] ?? 0), extent);
  const terms = [...ranges].map(([coefficient, range]) => ({ coefficient, ...range }));
  return isSolvable(terms, b.offset - a.offset, () => false);
}

/** Where the elements of a view lie, in the order of its indices, row by row. */
export function elementPositions({ shape, strides, offset }: StridedView): Float64Array {
  const positions = new Float64Array(elementCount(shape)).fill(offset);
  let repeat = positions.length;
  for (const [d, extent] of shape.entries()) {
    repeat /= extent;
    const stride = strides[d] ?? 0;
    for (let n = 0; n < positions.length; n++) {
      positions[n] = (positions[n] ?? 0) + stride * (Math.floor(n / repeat) % extent);
    }
  }
  return positions;
}

/** The view whose first element in memory is at `first`. */
export function viewFrom(
  shape: readonly number[],
  strides: readonly number[],
  first: number,
): StridedView {
  const extent = extentOfView(shape, strides);
  return { shape, strides, offset: first - (extent?.first ?? 0) };
}
