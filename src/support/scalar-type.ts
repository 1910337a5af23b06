/**
 * The types of scalars.
 *
 * ```
 * element := scalar | narrow integer     what a tensor's elements are stored as
 * scalar  := what programs and kernels compute with; narrow integers as int32 or uint32
 * ```
 * In the memory of a device an element of 8 or 16 bits takes that much of a 32-bit word, the first
 * one the lowest bits; `bool` takes a word, 0 or 1.
 */
import { roundToHalf } from "./half.ts";

/** What is computed with. */
export type ScalarType = "float32" | "float16" | "int32" | "uint32" | "bool";

/** Integers that are stored in part of a word and computed as int32 or uint32. */
export type NarrowInteger = "int8" | "uint8" | "int16" | "uint16";

/** Types of less than 32 bits, several of which share a word. */
export type NarrowType = NarrowInteger | "float16";

/** What the elements of a tensor are stored as. */
export type ElementType = ScalarType | NarrowInteger;

/**
 * The typed arrays that carry tensors in and out: that of the element type; for `bool` words 0 and
 * 1, for `float16` the values as float32.
 */
export type TensorData =
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array;

/** The typed array of each element type. */
export interface TypedArrays {
  readonly float32: Float32Array;
  readonly float16: Float32Array;
  readonly int32: Int32Array;
  readonly uint32: Uint32Array;
  readonly bool: Uint32Array;
  readonly int8: Int8Array;
  readonly uint8: Uint8Array;
  readonly int16: Int16Array;
  readonly uint16: Uint16Array;
}

/** `Float16Array`, in engines that have it. */
export interface HalfArray extends ArrayBufferView {
  readonly [Symbol.toStringTag]: "Float16Array";
  readonly length: number;
  readonly [index: number]: number;
}

/** Every element type, in the order of messages. */
export const elementTypes: readonly ElementType[] = [
  "float32",
  "float16",
  "int32",
  "uint32",
  "bool",
  "int8",
  "uint8",
  "int16",
  "uint16",
];

/** True for the types whose arithmetic rounds. */
export function isFloat(type: ElementType): type is "float32" | "float16" {
  return type === "float32" || type === "float16";
}

/** True for the integers that are computed as another type. */
export function isNarrowInteger(type: ElementType): type is NarrowInteger {
  return type === "int8" || type === "uint8" || type === "int16" || type === "uint16";
}

/** The type that elements are computed as. */
export function computedAs(type: ElementType): ScalarType {
  switch (type) {
    case "int8":
    case "int16":
      return "int32";
    case "uint8":
    case "uint16":
      return "uint32";
    default:
      return type;
  }
}

/** Bytes of an element in the memory of a device. */
export function elementBytes(type: ElementType): 1 | 2 | 4 {
  switch (type) {
    case "int8":
    case "uint8":
      return 1;
    case "float16":
    case "int16":
    case "uint16":
      return 2;
    default:
      return 4;
  }
}

/** The least and greatest value of an integer type, both included; bools are 0 and 1. */
export function integerRange(
  type: Exclude<ElementType, "float32" | "float16">,
): readonly [number, number] {
  switch (type) {
    case "int8":
      return [-128, 127];
    case "uint8":
      return [0, 255];
    case "int16":
      return [-32768, 32767];
    case "uint16":
      return [0, 65535];
    case "int32":
      return [-2147483648, 2147483647];
    case "uint32":
      return [0, 4294967295];
    case "bool":
      return [0, 1];
  }
}

/**
 * Makes a number a value of the type: floats are rounded to nearest even, integers wrap, bools are
 * tests.
 */
export function toElement(type: ElementType): (value: number) => number {
  switch (type) {
    case "float32":
      return Math.fround;
    case "float16":
      return roundToHalf;
    case "int32":
      return (value) => value | 0;
    case "uint32":
      return (value) => value >>> 0;
    case "bool":
      return (value) => (value !== 0 ? 1 : 0);
    case "int8":
      return (value) => (value << 24) >> 24;
    case "uint8":
      return (value) => value & 0xff;
    case "int16":
      return (value) => (value << 16) >> 16;
    case "uint16":
      return (value) => value & 0xffff;
  }
}

/** A zeroed array of `length` elements of the type. */
export function allocate(type: ElementType, length: number): TensorData {
  switch (type) {
    case "float32":
    case "float16":
      return new Float32Array(length);
    case "int32":
      return new Int32Array(length);
    case "uint32":
    case "bool":
      return new Uint32Array(length);
    case "int8":
      return new Int8Array(length);
    case "uint8":
      return new Uint8Array(length);
    case "int16":
      return new Int16Array(length);
    case "uint16":
      return new Uint16Array(length);
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
