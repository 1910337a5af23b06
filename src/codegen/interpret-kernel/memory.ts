/** The memory that kernels run on: words, which of them were written, and who touched them. */
import type { ScalarType, TensorData } from "../../support/scalar-type.ts";

/**
 * Who touched each word last. A stamp is a time multiplied by {@link stampStride}, plus who it was;
 * plus {@link severalReaders} instead when several have read it since that time began.
 */
export interface RaceShadow {
  /** By invocation, in times between barriers. */
  readonly write: Float64Array;
  readonly read: Float64Array;
  /** By workgroup, in times of one dispatch; absent for workgroup memory. */
  readonly groupWrite: Float64Array;
  readonly groupRead: Float64Array;
}

/** More than the invocations of a workgroup and than the workgroups of a dispatch. */
export const stampStride: number = 2 ** 26;

/** The part of a stamp that stands for more than one reader; no invocation has it. */
export const severalReaders = 0.5;

/** One buffer. `written` is 1 for every word that has a value; other words hold poison. */
export interface BufferMemory {
  readonly data: TensorData;
  readonly written: Uint8Array;
  readonly shadow: RaceShadow;
}

/** The word that fills memory without a value: no plausible number in any type. */
export const poisonWord = 0xdeadbeef;

function raceShadow(length: number, tracked: boolean): RaceShadow {
  const words = tracked ? length : 0;
  return {
    write: new Float64Array(words),
    read: new Float64Array(words),
    groupWrite: new Float64Array(words),
    groupRead: new Float64Array(words),
  };
}

/**
 * Memory that holds the data, which kernels then change. Words from `used` on have no value, by default
 * none. `races`: make room to detect them.
 */
export function initialisedMemory(
  data: TensorData,
  races: boolean,
  used: number = data.length,
): BufferMemory {
  new Uint32Array(data.buffer, data.byteOffset, data.length).fill(poisonWord, used);
  const written = new Uint8Array(data.length).fill(1, 0, used);
  return { data, written, shadow: raceShadow(data.length, races) };
}

/** Memory in which no word has a value. */
export function poisonedMemory(data: TensorData, races: boolean): BufferMemory {
  new Uint32Array(data.buffer, data.byteOffset, data.length).fill(poisonWord);
  const written = new Uint8Array(data.length);
  return { data, written, shadow: raceShadow(data.length, races) };
}

/** The same words as elements of a type. */
export function viewAs(data: TensorData, scalar: ScalarType): TensorData {
  const { buffer, byteOffset, length } = data;
  switch (scalar) {
    case "float32":
    case "float16":
      return new Float32Array(buffer, byteOffset, length);
    case "int32":
      return new Int32Array(buffer, byteOffset, length);
    case "uint32":
    case "bool":
      return new Uint32Array(buffer, byteOffset, length);
  }
}
