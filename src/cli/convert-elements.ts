import {
  allocate,
  type ElementType,
  integerRange,
  isFloat,
  type TensorData,
  toElement,
} from "../support/scalar-type.ts";
import { failed, type Outcome, success } from "./failure.ts";
import type { NpyArray, NpyType, NpyValues } from "./npy.ts";

/** The elements as a tensor stores them, and what its user should know about the conversion. */
export interface Converted {
  readonly data: TensorData;
  /** `null` where nothing was converted. */
  readonly note: string | null;
}

const names: Readonly<Record<NpyType, string>> = {
  b1: "bool",
  i1: "int8",
  u1: "uint8",
  i2: "int16",
  u2: "uint16",
  i4: "int32",
  u4: "uint32",
  i8: "int64",
  u8: "uint64",
  f2: "float16",
  f4: "float32",
  f8: "float64",
};

/** Types whose every value is a value of the tensor's type: nothing to check, nothing to say. */
const exact: Readonly<Record<ElementType, readonly NpyType[]>> = {
  float32: ["f4", "f2", "i1", "u1", "i2", "u2", "b1"],
  float16: ["f2", "i1", "u1", "b1"],
  int32: ["i4", "i1", "u1", "i2", "u2", "b1"],
  uint32: ["u4", "u1", "u2", "b1"],
  bool: ["b1"],
  int8: ["i1", "b1"],
  uint8: ["u1", "b1"],
  int16: ["i2", "i1", "u1", "b1"],
  uint16: ["u2", "u1", "b1"],
};

/**
 * Elements of a file as elements of a tensor of `type`. Floats are rounded to that type, and it is a
 * failure if a finite one becomes infinite. Integers and booleans must be whole and in range: the
 * failure names the first that is not.
 */
export function convertElements(
  array: NpyArray,
  type: ElementType,
  name: string,
): Outcome<Converted> {
  const { values } = array;
  const data = allocate(type, values.length);
  const round = isFloat(type) ? toElement(type) : (value: number) => value;
  for (let i = 0; i < values.length; i++) data[i] = round(values[i] ?? 0);
  if (exact[type].includes(array.type)) return success({ data, note: null });
  const from = names[array.type];
  const bad = values.findIndex((value, i) => !fits(value, type, data[i] ?? 0));
  if (bad >= 0) {
    const place = indexOf(bad, array.shape);
    return failed(
      `${name} holds ${values[bad]} at ${place}, which is not ${article(type)}`,
      `convert the ${from} file in NumPy, or declare the tensor with another type`,
    );
  }
  const changed = countChanged(values, data);
  const lossy = isFloat(type) && changed > 0;
  const detail = lossy ? `, ${changed} of ${values.length} values rounded` : ", exactly";
  return success({ data, note: `${name}: ${from} converted to ${type}${detail}` });
}

function countChanged(values: NpyValues, data: TensorData): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) count += Object.is(values[i], data[i]) ? 0 : 1;
  return count;
}

function fits(value: number, type: ElementType, stored: number): boolean {
  if (isFloat(type)) return Number.isFinite(stored) || !Number.isFinite(value);
  const [lo, hi] = integerRange(type);
  return Number.isInteger(value) && value >= lo && value <= hi;
}

function article(type: ElementType): string {
  return type.startsWith("int") ? `an ${type}` : `a ${type}`;
}

/** `[2, 0]`: the indices of an element by its place in C order. */
function indexOf(place: number, shape: readonly number[]): string {
  const indices: number[] = [];
  let rest = place;
  for (const extent of [...shape].reverse()) {
    indices.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return `[${indices.join(", ")}]`;
}
