/** Tensors as a device stores them: 32-bit words, the first element in the lowest bits. */
import { bitsToHalf, halfToBits } from "./half.ts";
import {
  allocate,
  type ElementType,
  elementBytes,
  elementCount,
  type NarrowType,
  type TensorData,
  toElement,
} from "./scalar-type.ts";

/** Elements of the type that one word holds. */
export function elementsPerWord(type: ElementType): 1 | 2 | 4 {
  return elementBytes(type) === 1 ? 4 : elementBytes(type) === 2 ? 2 : 1;
}

/** Words that hold `count` elements of the type. */
export function wordCount(type: ElementType, count: number): number {
  return Math.ceil(count / elementsPerWord(type));
}

/** Bytes of a tensor on a device: whole words, and at least one, since WebGPU has no empty ranges. */
export function storedBytes(type: ElementType, shape: readonly number[]): number {
  return Math.max(4, 4 * wordCount(type, elementCount(shape)));
}

/** Bytes up to a multiple of 16: the memory of a tensor that kernels may take in whole vectors. */
export function paddedBytes(bytes: number): number {
  return 16 * Math.ceil(bytes / 16);
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The bits of one element, in the lowest ones of a number. */
function bitsOf(type: ElementType, value: number): number {
  const bytes = elementBytes(type);
  if (type === "float16") return halfToBits(value);
  return bytes === 1 ? value & 0xff : value & 0xffff;
}

/** The word of as many values as it holds; integers wrap, float16 is rounded to nearest even. */
export function packWord(type: NarrowType, values: readonly number[]): number {
  const bits = 32 / elementsPerWord(type);
  return values.reduce((word, value, n) => word | (bitsOf(type, value) << (n * bits)), 0) >>> 0;
}

/** The value at a position of a word, from 0. */
export function unpackPart(type: NarrowType, word: number, position: number): number {
  const bits = 32 / elementsPerWord(type);
  const part = (word >>> (position * bits)) & (2 ** bits - 1);
  return type === "float16" ? bitsToHalf(part) : toElement(type)(part);
}

/** Makes the words of elements; what the last word has more is 0. */
export function packWords(type: ElementType, data: TensorData): Uint32Array {
  const words = new Uint32Array(wordCount(type, data.length));
  const per = elementsPerWord(type);
  if (per === 1 || (type !== "float16" && littleEndian)) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    new Uint8Array(words.buffer).set(bytes);
    return words;
  }
  for (const [n, value] of data.entries()) {
    const word = Math.floor(n / per);
    const bits = bitsOf(type, value) << ((n % per) * (32 / per));
    words[word] = (words[word] ?? 0) | bits;
  }
  return words;
}

/** The first `count` elements of words. */
export function unpackWords(type: ElementType, words: Uint32Array, count: number): TensorData {
  const data = allocate(type, count);
  const per = elementsPerWord(type);
  if (per === 1 || (type !== "float16" && littleEndian)) {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, data.byteLength);
    new Uint8Array(data.buffer).set(bytes);
    return data;
  }
  const bits = 32 / per;
  for (let n = 0; n < count; n++) {
    const word = words[Math.floor(n / per)] ?? 0;
    const part = (word >>> ((n % per) * bits)) & (2 ** bits - 1);
    data[n] = type === "float16" ? bitsToHalf(part) : part;
  }
  return data;
}
