/**
 * The file format of NumPy arrays, `.npy`
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
 *
 * ```
 * file   := magic version length header data
 * magic  := 0x93 "NUMPY"     version := major minor     length := uint16 (major 1) | uint32
 * header := "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }" spaces "\n"
 * ```
 * Reading: versions 1.0 to 3.0, either byte order, either element order, booleans, integers of 8
 * to 64 bits and floats of 16 to 64. Writing: version 1.0, little-endian, C order.
 */
import { bitsToHalf, halfToBits } from "../support/half.ts";
import { type ElementType, elementCount, type TensorData } from "../support/scalar-type.ts";
import { failed, type Outcome, success } from "./failure.ts";

/** The elements of a file in C order. 64-bit integers are the nearest float64. */
export interface NpyArray {
  readonly shape: readonly number[];
  /** NumPy's name of the element type without the byte order, as `f8`. */
  readonly type: NpyType;
  readonly values: NpyValues;
}

export type NpyType =
  | "b1"
  | "i1"
  | "u1"
  | "i2"
  | "u2"
  | "i4"
  | "u4"
  | "i8"
  | "u8"
  | "f2"
  | "f4"
  | "f8";

export type NpyValues =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** How the bytes of each type, in the byte order of this machine, become numbers. */
const decoders: Readonly<Record<NpyType, (bytes: ArrayBuffer) => NpyValues>> = {
  b1: (b) => new Uint8Array(b).map((v) => (v === 0 ? 0 : 1)),
  i1: (b) => new Int8Array(b),
  u1: (b) => new Uint8Array(b),
  i2: (b) => new Int16Array(b),
  u2: (b) => new Uint16Array(b),
  i4: (b) => new Int32Array(b),
  u4: (b) => new Uint32Array(b),
  i8: (b) => Float64Array.from(new BigInt64Array(b), Number),
  u8: (b) => Float64Array.from(new BigUint64Array(b), Number),
  f2: (b) => Float32Array.from(new Uint16Array(b), bitsToHalf),
  f4: (b) => new Float32Array(b),
  f8: (b) => new Float64Array(b),
};

const littleEndianHost = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Reads a file's bytes; `name` is for messages. */
export function readNpy(bytes: Uint8Array, name: string): Outcome<NpyArray> {
  if (!magic.every((byte, i) => bytes[i] === byte)) {
    return failed(`${name} is not a .npy file`, "write it with numpy.save");
  }
  const split = splitHeader(bytes);
  if (split === null) return damaged(name, "its header is incomplete");
  const header = parseHeader(split.header);
  if (header === null) return damaged(name, `its header is not understood: ${split.header.trim()}`);
  const { order, type } = header;
  if (!isNpyType(type)) {
    return failed(
      `${name} has elements of type ${header.descr}, which no tensor can have`,
      "convert it in NumPy, for example with .astype(numpy.float32)",
    );
  }
  const width = Number(type.slice(1));
  const count = elementCount(header.shape);
  if (split.data.length < count * width) {
    return damaged(
      name,
      `its shape (${header.shape.join(", ")}) needs ${count * width} bytes, it has ${split.data.length}`,
    );
  }
  // A copy at the start of its own buffer; the slice of a Buffer would be a view.
  const raw = new Uint8Array(split.data.subarray(0, count * width));
  if (width > 1 && (order === "<") !== littleEndianHost) swapBytes(raw, width);
  const values = decoders[type](raw.buffer);
  return success({
    shape: header.shape,
    type,
    values: header.fortran ? toRowMajor(values, header.shape) : values,
  });
}

function damaged(name: string, what: string): ReturnType<typeof failed> {
  return failed(`${name} is damaged: ${what}`, "write it again with numpy.save");
}

function isNpyType(type: string): type is NpyType {
  return Object.hasOwn(decoders, type);
}

function splitHeader(bytes: Uint8Array): { header: string; data: Uint8Array } | null {
  const wide = (bytes[6] ?? 0) >= 2;
  const start = wide ? 12 : 10;
  if (bytes.length < start) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = wide ? view.getUint32(8, true) : view.getUint16(8, true);
  if (bytes.length < start + length) return null;
  const header = new TextDecoder().decode(bytes.subarray(start, start + length));
  return { header, data: bytes.subarray(start + length) };
}

interface Header {
  readonly descr: string;
  /** `<`, `>`, or `|` where the order does not matter. */
  readonly order: string;
  readonly type: string;
  readonly fortran: boolean;
  readonly shape: readonly number[];
}

/** Reads the Python literal; null unless it is one that NumPy writes. */
function parseHeader(text: string): Header | null {
  const descr = /'descr'\s*:\s*('([^']*)'|\[.*\])\s*,/s.exec(text);
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(text)?.[1];
  const shape = /'shape'\s*:\s*\(([\d,\sL]*)\)/.exec(text)?.[1];
  if (descr === null || fortran === undefined || shape === undefined) return null;
  const name = descr[2] ?? descr[1] ?? "";
  const order = /^[<>|=]/.test(name) ? name.slice(0, 1) : "=";
  return {
    descr: name,
    order: order === "=" ? (littleEndianHost ? "<" : ">") : order,
    type: name.replace(/^[<>|=]/, ""),
    fortran: fortran === "True",
    shape: (shape.match(/\d+/g) ?? []).map(Number),
  };
}

function swapBytes(bytes: Uint8Array, width: number): void {
  for (let at = 0; at < bytes.length; at += width) bytes.subarray(at, at + width).reverse();
}

/** Elements in Fortran order (first index fastest) put into C order (last index fastest). */
function toRowMajor(values: NpyValues, shape: readonly number[]): NpyValues {
  const result = values.slice();
  const index = shape.map(() => 0);
  const strides: number[] = [];
  let stride = 1;
  for (const extent of shape) {
    strides.push(stride);
    stride *= extent;
  }
  let from = 0;
  for (let to = 0; to < values.length; to++) {
    result[to] = values[from] ?? 0;
    for (let d = shape.length - 1; d >= 0; d--) {
      const [extent, step, i] = [shape[d] ?? 1, strides[d] ?? 1, (index[d] ?? 0) + 1];
      from += step;
      index[d] = i;
      if (i < extent) break;
      from -= step * extent;
      index[d] = 0;
    }
  }
  return result;
}

const written = {
  float32: { descr: "<f4", width: 4 },
  float16: { descr: "<f2", width: 2 },
  int32: { descr: "<i4", width: 4 },
  uint32: { descr: "<u4", width: 4 },
  bool: { descr: "|b1", width: 1 },
  int8: { descr: "|i1", width: 1 },
  uint8: { descr: "|u1", width: 1 },
  int16: { descr: "<i2", width: 2 },
  uint16: { descr: "<u2", width: 2 },
} as const satisfies Record<ElementType, { descr: string; width: number }>;

/** The elements as a file has them: `bool` words as bytes 0 and 1, `float16` as its bits. */
function fileElements(type: ElementType, data: TensorData): TensorData {
  if (type === "bool") return Uint8Array.from(data, (word) => (word === 0 ? 0 : 1));
  return type === "float16" ? Uint16Array.from(data, halfToBits) : data;
}

/** The bytes of a file with the elements of a dense tensor. */
export function writeNpy(
  type: ElementType,
  shape: readonly number[],
  data: TensorData,
): Uint8Array {
  const { descr, width } = written[type];
  const tuple = `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const start = Math.ceil((10 + text.length + 1) / 64) * 64;
  const bytes = new Uint8Array(start + data.length * width);
  bytes.set([...magic, 1, 0, (start - 10) & 0xff, (start - 10) >> 8]);
  bytes.set(new TextEncoder().encode(`${text.padEnd(start - 11)}\n`), 10);
  const { buffer, byteOffset, byteLength } = fileElements(type, data);
  const elements = new Uint8Array(buffer, byteOffset, byteLength).slice();
  if (!littleEndianHost && width > 1) swapBytes(elements, width);
  bytes.set(elements, start);
  return bytes;
}
