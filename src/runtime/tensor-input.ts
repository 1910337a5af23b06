/** What callers may give for a tensor, and what it is. */
import { type HalfArray, rowMajorStrides, type TensorData } from "../support/scalar-type.ts";
import { elementPositions, extentOfView } from "../support/strided-view.ts";
import { RuntimeFault } from "./runtime-fault.ts";
import type { GpuTensor } from "./tensor.ts";

/** A typed array that says its shape, so that the shape is checked too. */
export interface ArrayInput {
  readonly data: TensorData | HalfArray | readonly number[];
  readonly shape: readonly number[];
  /** From an element to its neighbour in each dimension; by default those of a row-major tensor. */
  readonly strides?: readonly number[];
  /** Where element (0, ..., 0) is in `data`; 0 by default. */
  readonly offset?: number;
}

/** Rows of rows of numbers, all of one length: `[[1, 2], [3, 4]]`. Meant for small tensors. */
export interface NestedArray extends ReadonlyArray<number | boolean | NestedArray> {}

/** A tensor in a buffer of the same device, with STORAGE usage. */
export interface BufferInput {
  readonly buffer: GPUBuffer;
  /** Of element (0, ..., 0), in bytes, a multiple of those of an element; 0 by default. */
  readonly offset?: number;
  /**
   * Bytes from the offset on that are the tensor's; up to the end of the buffer by default, and with
   * strides all of it.
   */
  readonly size?: number;
  /** Needed where nothing else tells the sizes; checked if it is given. */
  readonly shape?: readonly number[];
  /** In elements, one per dimension; by default those of a row-major tensor. */
  readonly strides?: readonly number[];
}

/** A tensor of onnxruntime-web: on the device with `gpuBuffer`, else in the memory of the host. */
export interface OnnxTensor {
  readonly dims: readonly number[];
  readonly gpuBuffer: GPUBuffer;
  readonly location?: string;
  readonly type?: string;
}

/** What may be given for a tensor; a number or a boolean only for one of rank 0. */
export type TensorInput =
  | TensorData
  | HalfArray
  | number
  | boolean
  | NestedArray
  | ArrayInput
  | GpuTensor
  | BufferInput
  | OnnxTensor;

/** Tensors by the names that the source gives them. */
export type TensorInputs = Readonly<Record<string, TensorInput>>;

/** A tensor that was given, told apart. */
export type GivenTensor =
  | { readonly kind: "number"; readonly value: number }
  /** `shape` is null for a bare array. The array may be of any type. */
  | {
      readonly kind: "array";
      readonly data: TensorData | HalfArray;
      readonly shape: readonly number[] | null;
    }
  /** Elements in row-major order, as many as the shape has. */
  | {
      readonly kind: "elements";
      readonly elements: readonly number[];
      readonly shape: readonly number[];
    }
  | { readonly kind: "tensor"; readonly tensor: GpuTensor }
  | GivenBuffer;

/** A range of a caller's buffer; null for what the caller does not say. */
export interface GivenBuffer {
  readonly kind: "buffer";
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number | null;
  readonly shape: readonly number[] | null;
  readonly strides: readonly number[] | null;
  /** The type in the words of onnxruntime: `float32`. */
  readonly type: string | null;
}

/** The shape that a given tensor tells; null for a number, a bare array or a bare buffer. */
export function givenShape(given: GivenTensor): readonly number[] | null {
  switch (given.kind) {
    case "number":
      return [];
    case "tensor":
      return given.tensor.shape;
    default:
      return given.shape;
  }
}

/**
 * Tells what a caller gave for the tensor `name`.
 *
 * @param advice what to give instead, for the message: "give a number".
 * @throws RuntimeFault `argument` if it is nothing that could be a tensor of any type and shape.
 */
export function readTensorInput(name: string, value: unknown, advice: string): GivenTensor {
  const refuse = (what: string): never => {
    throw new RuntimeFault("argument", `tensor "${name}": ${what}`);
  };
  if (typeof value === "number") return { kind: "number", value };
  if (typeof value === "boolean") return { kind: "number", value: value ? 1 : 0 };
  if (ArrayBuffer.isView(value)) {
    return { kind: "array", data: value as TensorData, shape: null };
  }
  if (Array.isArray(value)) return readNested(value, refuse);
  if (typeof value !== "object" || value === null) {
    return refuse(`${advice}, got ${kindOf(value)}`);
  }
  if (isGpuTensor(value)) return { kind: "tensor", tensor: value };
  if (isGpuBuffer(value)) return refuse("give { buffer, shape }, got a bare GPUBuffer");
  if ("dims" in value) return readOnnx(value, refuse);
  if ("data" in value) return readArray(value, advice, refuse);
  if ("buffer" in value) return readBuffer(value, refuse);
  return refuse(`${advice}, got ${kindOf(value)}`);
}

type Refuse = (what: string) => never;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return `a value of type ${typeof value}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? "an object without members" : `{ ${keys.slice(0, 6).join(", ")} }`;
}

/** Whether a value is a tensor of a runtime. */
export function isGpuTensor(value: object): value is GpuTensor {
  return "read" in value && "dtype" in value;
}

function isGpuBuffer(value: unknown): value is GPUBuffer {
  return typeof value === "object" && value !== null && "mapAsync" in value && "usage" in value;
}

function readShape(shape: unknown, refuse: Refuse): readonly number[] {
  if (!Array.isArray(shape)) return refuse(`its shape is ${kindOf(shape)}, not an array`);
  const bad = shape.findIndex((extent) => !Number.isSafeInteger(extent) || extent < 0);
  if (bad >= 0) refuse(`dimension ${bad} of its shape [${shape.join(", ")}] is ${shape[bad]}`);
  return shape;
}

function readArray(
  value: {
    readonly data: unknown;
    readonly shape?: unknown;
    readonly strides?: unknown;
    readonly offset?: unknown;
  },
  advice: string,
  refuse: Refuse,
): GivenTensor {
  if (value.shape === undefined) refuse(`says no shape; ${advice}`);
  const shape = readShape(value.shape, refuse);
  const data = gather(value, shape, refuse);
  if (ArrayBuffer.isView(data)) return { kind: "array", data: data as TensorData, shape };
  if (!Array.isArray(data)) return refuse(`its data is ${kindOf(data)}, not a typed array`);
  const elements = data.map((element, i) => readElement(element, `element ${i}`, refuse));
  const count = shape.reduce((product, extent) => product * extent, 1);
  if (elements.length !== count) {
    refuse(`shape [${shape.join(", ")}] has ${count} elements, the array has ${elements.length}`);
  }
  return { kind: "elements", elements, shape };
}

/** The elements of a strided array in the order of its indices; a dense one as it is. */
function gather(
  {
    data,
    strides,
    offset = 0,
  }: { readonly data: unknown; readonly strides?: unknown; readonly offset?: unknown },
  shape: readonly number[],
  refuse: Refuse,
): unknown {
  if (strides === undefined && offset === 0) return data;
  const steps = strides === undefined ? rowMajorStrides(shape) : readStrides(strides, refuse);
  if (steps.length !== shape.length) {
    refuse(`shape [${shape.join(", ")}] has no strides [${steps.join(", ")}]`);
  }
  if (!Number.isSafeInteger(offset))
    refuse(`its offset is ${String(offset)}, not a number of elements`);
  const array = data as readonly number[];
  if (!Array.isArray(data) && !ArrayBuffer.isView(data)) return data;
  const view = { shape, strides: steps, offset: Number(offset) };
  const extent = extentOfView(shape, steps);
  const [first, last] = [view.offset + (extent?.first ?? 0), view.offset + (extent?.last ?? 0)];
  if (extent !== null && (first < 0 || last >= array.length)) {
    refuse(`it takes elements ${first} to ${last} of an array of ${array.length}`);
  }
  const positions = elementPositions(view);
  const result: number[] = Array.from(positions, (position) => array[position] ?? 0);
  if (Array.isArray(data)) return result;
  const Elements = data.constructor as new (elements: readonly number[]) => unknown;
  return new Elements(result);
}

function readElement(value: unknown, where: string, refuse: Refuse): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return refuse(`${where} is ${Array.isArray(value) ? "an array" : kindOf(value)}, not a number`);
}

/** Nested arrays; the shape is that along the first elements, and all others must have it. */
function readNested(value: readonly unknown[], refuse: Refuse): GivenTensor {
  const shape: number[] = [];
  for (let part: unknown = value; Array.isArray(part); part = part[0]) shape.push(part.length);
  const elements: number[] = [];
  const visit = (part: unknown, at: readonly number[]): void => {
    const where = at.length === 0 ? "it" : `element [${at.join(", ")}]`;
    const extent = shape[at.length];
    if (extent === undefined) {
      elements.push(readElement(part, where, refuse));
      return;
    }
    const inside: readonly unknown[] = Array.isArray(part)
      ? part
      : refuse(`${where} is no array, those before it are`);
    if (inside.length !== extent) {
      refuse(`${where} has ${inside.length} elements, those before it have ${extent}`);
    }
    for (const [i, inner] of inside.entries()) visit(inner, [...at, i]);
  };
  visit(value, []);
  return { kind: "elements", elements, shape };
}

/** The getters of what is elsewhere throw, so that only the right ones are touched. */
function readOnnx(
  value: { readonly dims: unknown; readonly location?: unknown; readonly type?: unknown },
  refuse: Refuse,
): GivenTensor {
  const shape = readShape(value.dims, refuse);
  const onHost = value.location === "cpu" || !("gpuBuffer" in value);
  if (onHost && "data" in value) return readArray({ data: value.data, shape }, "", refuse);
  if (!("gpuBuffer" in value) || onHost) {
    return refuse(`it is at "${String(value.location)}": give one on the device or on the host`);
  }
  if (!isGpuBuffer(value.gpuBuffer)) return refuse("its gpuBuffer is no GPUBuffer");
  const type = typeof value.type === "string" ? value.type : null;
  const whole = { offset: 0, size: null, strides: null };
  return { kind: "buffer", buffer: value.gpuBuffer, shape, type, ...whole };
}

function readBuffer(
  value: {
    readonly buffer: unknown;
    readonly offset?: unknown;
    readonly size?: unknown;
    readonly shape?: unknown;
    readonly strides?: unknown;
  },
  refuse: Refuse,
): GivenTensor {
  const { buffer, offset = 0, size, shape, strides } = value;
  if (!isGpuBuffer(buffer)) return refuse(`its buffer is ${kindOf(buffer)}, not a GPUBuffer`);
  return {
    kind: "buffer",
    buffer,
    offset: readBytes(offset, "offset", refuse),
    size: size === undefined ? null : readBytes(size, "size", refuse),
    shape: shape === undefined ? null : readShape(shape, refuse),
    strides: strides === undefined ? null : readStrides(strides, refuse),
    type: null,
  };
}

function readBytes(value: unknown, what: string, refuse: Refuse): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  return refuse(`its ${what} is ${String(value)}, not a number of bytes`);
}

function readStrides(strides: unknown, refuse: Refuse): readonly number[] {
  const are = Array.isArray(strides) && strides.every((stride) => Number.isSafeInteger(stride));
  return are ? strides : refuse("its strides are no array of integers");
}
