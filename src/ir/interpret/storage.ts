import { defined } from "../../support/assert.ts";
import { leastNormalHalf } from "../../support/half.ts";
import { own } from "../../support/own.ts";
import {
  type ElementType,
  elementCount,
  rowMajorStrides,
  toElement,
} from "../../support/scalar-type.ts";
import { callerShape, elementTypeOf, type Program, type Tensor } from "../program.ts";

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

function isSupplied(tensor: Tensor): boolean {
  return tensor.role === "input" || tensor.role === "inout";
}

/** The least positive number of a type that no device takes for 0. */
function leastKept(type: ElementType): number {
  if (type === "float16") return leastNormalHalf;
  return type === "float32" ? leastNormal : 0;
}

function load({ tensor, data, bounds }: TensorStorage, values: NumericArray): void {
  const type = elementTypeOf(tensor);
  const [make, least, per] = [toElement(type), leastKept(type), data.length];
  for (let n = 0; n < values.length; n++) {
    const value = make(defined(values[n], `element ${n} of ${tensor.name}`));
    const [c, i] = [n % per, Math.floor(n / per)];
    defined(data[c], "component")[i] = value;
    const bound = bounds[c];
    if (value !== 0 && Math.abs(value) < least && bound !== undefined) bound[i] = least;
  }
}

/** One array of the elements that the caller sees, from one for each component. */
export function callerElements(tensor: Tensor, parts: readonly Float64Array[]): Float64Array {
  const [first] = parts;
  const count = elementCount(callerShape(tensor));
  if (tensor.unpacked === undefined) {
    const all = defined(first, "component of", tensor.name);
    return all.length === count ? all : all.slice(0, count);
  }
  return Float64Array.from({ length: count }, (_, n) => {
    const part = defined(parts[n % parts.length], "component of", tensor.name);
    return part[Math.floor(n / parts.length)] ?? 0;
  });
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
    const expected = elementCount(callerShape(tensor));
    const values = own(inputs, tensor.name);
    if (values === undefined) faults.push(`input ${tensor.name} is missing`);
    else if (values.length !== expected) {
      faults.push(`input ${tensor.name} has ${values.length} elements instead of ${expected}`);
    } else load(made, values);
  }
  return { storage, faults };
}
