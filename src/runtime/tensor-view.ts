/** Views of tensors: other shapes, strides and offsets on the same memory, without a copy. */
import { elementCount, rowMajorStrides } from "../support/scalar-type.ts";
import { extentOfView, isRowMajor, type StridedView } from "../support/strided-view.ts";
import { RuntimeFault } from "./runtime-fault.ts";

/** What of a tensor a view shows, in elements. */
export interface ViewOptions {
  /** Of the view; by default that of the tensor. */
  readonly shape?: readonly number[];
  /**
   * From an element to its neighbour in each dimension: 0 shows one element again and again, a
   * negative one runs backwards. By default those of a row-major tensor of that shape, if the tensor
   * is one itself; of the tensor's own shape, its own.
   */
  readonly strides?: readonly number[];
  /** Of element (0, ..., 0) of the view, from that of the tensor; 0 by default. */
  readonly offset?: number;
}

/**
 * What a slice takes of a dimension: null all of it; a number the one index, and the dimension goes;
 * otherwise the indices `[from, to)`, each `step`th of them. A negative step takes them from the end
 * of the range on, backwards. `from` is 0 by default, `to` the extent.
 */
export type SliceRange = number | null | readonly [from?: number, to?: number, step?: number];

/**
 * The view that the options describe.
 * @throws RuntimeFault `argument` for what is no shape, no strides or no offset.
 */
export function viewOf(base: StridedView, options: ViewOptions): StridedView {
  const { shape = base.shape, offset = 0 } = options;
  checkExtents("view", shape);
  if (!Number.isSafeInteger(offset))
    fail("view", `its offset is ${offset}, not a number of elements`);
  const strides = options.strides ?? stridesFor(base, options.shape);
  const whole = Array.isArray(strides) && strides.every((stride) => Number.isSafeInteger(stride));
  if (!whole || strides.length !== shape.length) {
    fail("view", `shape [${shape.join(", ")}] has no strides [${String(strides)}]`);
  }
  return { shape: [...shape], strides: [...strides], offset: base.offset + offset };
}

function stridesFor(base: StridedView, shape: readonly number[] | undefined): readonly number[] {
  if (shape === undefined) return base.strides;
  if (isRowMajor(base.shape, base.strides)) return rowMajorStrides(shape);
  const lies = `the tensor has strides [${base.strides.join(", ")}]`;
  return fail("view", `${lies}: give strides for shape [${shape.join(", ")}]`);
}

/**
 * The dimensions in another order, by default the reverse.
 * @throws RuntimeFault `argument` unless `order` has every dimension once.
 */
export function transposed(base: StridedView, order?: readonly number[]): StridedView {
  const dims = [...base.shape.keys()];
  const taken = order ?? dims.reverse();
  const once = dims.every((d) => taken.includes(d));
  if (taken.length !== dims.length || !once) {
    fail("transpose", `[${taken.join(", ")}] is no order of ${dims.length} dimensions`);
  }
  return {
    shape: taken.map((d) => base.shape[d] ?? 1),
    strides: taken.map((d) => base.strides[d] ?? 0),
    offset: base.offset,
  };
}

/**
 * Ranges of the first dimensions; all of the others.
 * @throws RuntimeFault `argument` for ranges outside of the tensor, and for more than it has.
 */
export function sliced(base: StridedView, ranges: readonly SliceRange[]): StridedView {
  const rank = base.shape.length;
  if (ranges.length > rank) fail("slice", `${ranges.length} ranges of a tensor of rank ${rank}`);
  const shape: number[] = [];
  const strides: number[] = [];
  let { offset } = base;
  for (const [d, extent] of base.shape.entries()) {
    const stride = base.strides[d] ?? 0;
    const range = rangeOf(ranges[d] ?? null, d, extent);
    offset += stride * range.first;
    if (range.count === null) continue;
    shape.push(range.count);
    strides.push(stride * range.step);
  }
  return { shape, strides, offset };
}

/** `count` is null for a dimension that goes. */
function rangeOf(
  range: SliceRange,
  d: number,
  extent: number,
): { readonly first: number; readonly count: number | null; readonly step: number } {
  if (typeof range === "number") {
    if (Number.isInteger(range) && range >= 0 && range < extent) {
      return { first: range, count: null, step: 1 };
    }
    fail("slice", `dimension ${d} has the indices [0, ${extent}), not ${range}`);
  }
  const [from = 0, to = extent, step = 1] = range ?? [];
  const whole = [from, to, step].every((value) => Number.isSafeInteger(value));
  if (!whole || from < 0 || to > extent || from > to || step === 0) {
    const text = `[${from}, ${to}) by ${step}`;
    fail("slice", `${text} is no range of dimension ${d}, which has the indices [0, ${extent})`);
  }
  const count = Math.ceil((to - from) / Math.abs(step));
  return { first: step < 0 && count > 0 ? to - 1 : from, count, step };
}

/**
 * A larger shape: dimensions of one element, and those that are missing in front, repeat theirs.
 * @throws RuntimeFault `argument` for other shapes.
 */
export function broadcast(base: StridedView, shape: readonly number[]): StridedView {
  checkExtents("broadcastTo", shape);
  const more = shape.length - base.shape.length;
  const fits = base.shape.every((extent, d) => extent === 1 || extent === shape[d + more]);
  if (more < 0 || !fits) {
    const from = `[${base.shape.join(", ")}]`;
    fail("broadcastTo", `a tensor of shape ${from} does not repeat to [${shape.join(", ")}]`);
  }
  const strides = shape.map((_, d) => {
    const extent = base.shape[d - more];
    return extent === undefined || extent === 1 ? 0 : (base.strides[d - more] ?? 0);
  });
  return { shape: [...shape], strides, offset: base.offset };
}

/**
 * Refuses a view that leaves the elements `[first, end)` of its memory.
 * @throws RuntimeFault `argument` naming both.
 */
export function checkInside(
  who: string,
  view: StridedView,
  memory: { readonly first: number; readonly end: number },
): void {
  const extent = extentOfView(view.shape, view.strides);
  if (extent === null) return;
  const [first, last] = [view.offset + extent.first, view.offset + extent.last];
  if (first >= memory.first && last < memory.end) return;
  const shape = `[${view.shape.join(", ")}] with strides [${view.strides.join(", ")}]`;
  const there = `has the elements [${memory.first}, ${memory.end})`;
  fail(who, `${shape} takes elements ${first} to ${last}, the memory of the tensor ${there}`);
}

function checkExtents(who: string, shape: readonly number[]): void {
  const whole = Array.isArray(shape) && shape.every((e) => Number.isSafeInteger(e) && e >= 0);
  if (!whole || !Number.isSafeInteger(elementCount(shape))) {
    fail(who, `[${String(shape)}] is no shape`);
  }
}

function fail(who: string, what: string): never {
  throw new RuntimeFault("argument", `${who}: ${what}`);
}
