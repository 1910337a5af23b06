/** Where a tensor lies in a buffer of the device, against what its plan was compiled for. */
import type { PlanBuffer } from "../codegen/plan.ts";
import { type ElementType, elementBytes, rowMajorStrides } from "../support/scalar-type.ts";
import { canonicalStrides, extentOfView, isRowMajor } from "../support/strided-view.ts";
import { bindingAlignment } from "./gpu-flags.ts";

/** Where the elements of a tensor lie. */
export interface DevicePlace {
  readonly buffer: GPUBuffer;
  /** Of element (0, ..., 0), in bytes. */
  readonly offset: number;
  /** In elements, one per dimension. */
  readonly strides: readonly number[];
}

/**
 * The bytes from the first element in memory to the end of the word with the last one, `[first,
 * end)`. A tensor without elements has one word, since WebGPU binds no empty ranges.
 */
export function bytesOfPlace(
  type: ElementType,
  shape: readonly number[],
  { offset, strides }: Pick<DevicePlace, "offset" | "strides">,
): { readonly first: number; readonly end: number } {
  const bytes = elementBytes(type);
  const extent = extentOfView(shape, strides) ?? { first: 0, last: 0 };
  const end = offset + bytes * (extent.last + 1);
  return { first: offset + bytes * extent.first, end: 4 * Math.ceil(end / 4) };
}

/** What is wrong with strides and offset of a tensor for this plan; null if nothing is. */
export function placeFault(
  { type, shape, layout }: PlanBuffer,
  { offset, strides }: Pick<DevicePlace, "offset" | "strides">,
): string | null {
  const found = `[${strides.join(", ")}]`;
  const { first } = bytesOfPlace(type, shape, { offset, strides });
  if (layout === undefined) {
    const dense = rowMajorStrides(shape);
    if (!isRowMajor(shape, strides)) {
      return `has to be dense, with strides [${dense.join(", ")}]; got ${found}: copy it first`;
    }
    if (offset % bindingAlignment === 0) return null;
    return `offset ${offset} is no multiple of ${bindingAlignment}`;
  }
  const canonical = canonicalStrides(shape, strides);
  if (canonical.some((stride, d) => stride !== layout.strides[d])) {
    return `the plan is for strides [${layout.strides.join(", ")}], got ${found}: compile for these`;
  }
  const multiple =
    layout.offsetMultiple === null ? bindingAlignment : layout.offsetMultiple * elementBytes(type);
  if (first % multiple === 0) return null;
  return `the plan is for a first element at a multiple of ${multiple} bytes, it is at ${first}`;
}
