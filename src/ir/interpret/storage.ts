import { defined } from "../../support/assert.ts";
import { roundToHalf } from "../../support/half.ts";
import { elementCount, rowMajorStrides, type ScalarType } from "../../support/scalar-type.ts";
import type { Program, Tensor } from "../program.ts";

/** Any array of numbers with a length: what the caller may give as an input. */
export interface NumericArray {
  readonly length: number;
  readonly [index: number]: number;
}

/** The contents of a tensor, one array for each component. */
export interface TensorStorage {
  readonly tensor: Tensor;
  readonly strides: readonly number[];
  readonly data: readonly Float64Array[];
  /** The error bounds beside the values; empty when none are computed. */
  readonly bounds: readonly Float64Array[];
}

/** All tensors of a program, by name. */
export type Storage = ReadonlyMap<string, TensorStorage>;

/** The least positive normal float32; a device may take anything smaller for 0. */
export const leastNormal: number = 2 ** -126;

/** Makes a number a value of the type: floats are rounded, integers wrap, bools are tests. */
export function toScalar(type: ScalarType, value: number): number {
  switch (type) {
    case "float32":
      return Math.fround(value);
    case "float16":
      return roundToHalf(value);
    case "int32":
      return value | 0;
    case "uint32":
      return value >>> 0;
    case "bool":
      return value !== 0 ? 1 : 0;
  }
}

function isSupplied(tensor: Tensor): boolean {
  return tensor.role === "input" || tensor.role === "inout";
}

function load(storage: TensorStorage, values: NumericArray): void {
  const [type, data, bound] = [storage.tensor.components[0], storage.data[0], storage.bounds[0]];
  if (type === undefined || data === undefined) return;
  for (let i = 0; i < data.length; i++) {
    const value = toScalar(type, defined(values[i], `element ${i} of ${storage.tensor.name}`));
    data[i] = value;
    const flushed = type === "float32" && value !== 0 && Math.abs(value) < leastNormal;
    if (flushed && bound !== undefined) bound[i] = leastNormal;
  }
}

/**
 * Zeroed tensors, with the inputs' values in them, made values of their types. What is wrong with
 * the inputs (missing, wrong length) comes back as `faults`.
 */
export function createStorage(
  program: Program,
  inputs: Readonly<Record<string, NumericArray>>,
  withBounds: boolean,
): { readonly storage: Storage; readonly faults: readonly string[] } {
  const storage = new Map<string, TensorStorage>();
  const faults: string[] = [];
  for (const tensor of program.tensors) {
    const count = elementCount(tensor.shape);
    const zeros = (): Float64Array[] => tensor.components.map(() => new Float64Array(count));
    const strides = rowMajorStrides(tensor.shape);
    const made = { tensor, strides, data: zeros(), bounds: withBounds ? zeros() : [] };
    storage.set(tensor.name, made);
    if (!isSupplied(tensor)) continue;
    const values = Object.hasOwn(inputs, tensor.name) ? inputs[tensor.name] : undefined;
    if (values === undefined) faults.push(`input ${tensor.name} is missing`);
    else if (values.length !== count) {
      faults.push(`input ${tensor.name} has ${values.length} elements instead of ${count}`);
    } else load(made, values);
  }
  return { storage, faults };
}
