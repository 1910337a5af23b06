/**
 * The types of scalars in programs and kernels. A tensor's elements have one of them; each is
 * computed as itself and stored as one 32-bit word (`bool` as 0 or 1).
 */
export type ScalarType = "float32" | "int32" | "uint32" | "bool";

/** The typed arrays that carry tensors in and out; `bool` tensors are words 0 and 1. */
export type TensorData = Float32Array | Int32Array | Uint32Array;

/** True for the types whose arithmetic rounds. */
export function isFloat(type: ScalarType): boolean {
  return type === "float32";
}

/** A zeroed array of `length` elements of the type. */
export function allocate(type: ScalarType, length: number): TensorData {
  switch (type) {
    case "float32":
      return new Float32Array(length);
    case "int32":
      return new Int32Array(length);
    case "uint32":
    case "bool":
      return new Uint32Array(length);
  }
}

/** The number of elements of a dense shape; 1 for rank 0. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

/** Row-major strides in elements: `[3, 4, 5]` gives `[20, 5, 1]`. */
export function rowMajorStrides(shape: readonly number[]): readonly number[] {
  const strides: number[] = [];
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides.unshift(stride);
    stride *= shape[d] ?? 1;
  }
  return strides;
}
