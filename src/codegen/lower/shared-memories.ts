import { findTensor, type Program, type Tensor, tensorOf } from "../../ir/program.ts";
import { defined } from "../../support/assert.ts";
import type { ScalarType } from "../../support/scalar-type.ts";

/** Memory of the caller that holds several tensors, of which some are written. */
export interface SharedMemory {
  /** Of the array and the buffer: that of the only tensor, or one for all. */
  readonly id: string;
  /** The tensors in it: those that a kernel addresses as one type. */
  readonly members: readonly string[];
  /** All tensors in the same buffer, whatever their types. */
  readonly set: readonly string[];
}

/** The type that kernels address a tensor of the caller as. */
export function storageScalar({ components, stored, name }: Tensor): ScalarType {
  return stored === undefined ? defined(components[0], "component of", name) : "uint32";
}

/** The name of the only member, or one that no tensor has. */
function memoryName(program: Program, members: readonly string[]): string {
  let name = members.join("_and_");
  while (members.length > 1 && findTensor(program, name) !== undefined) name += "_";
  return name;
}

/**
 * The shared memories of a program, by tensor. WebGPU refuses a buffer that one dispatch both reads
 * and writes by different bindings, and two writable bindings that overlap: so the tensors of one
 * type in one buffer are one binding, with an offset for each, and where one of the buffer is
 * written, all bindings of it are writable.
 */
export function sharedMemories(program: Program): ReadonlyMap<string, SharedMemory> {
  const memories = new Map<string, SharedMemory>();
  for (const set of program.shared ?? []) {
    const scalars = new Map<ScalarType, string[]>();
    for (const name of set) {
      const scalar = storageScalar(tensorOf(program, name));
      scalars.set(scalar, [...(scalars.get(scalar) ?? []), name]);
    }
    for (const members of scalars.values()) {
      const memory = { id: memoryName(program, members), members, set };
      for (const name of members) memories.set(name, memory);
    }
  }
  return memories;
}
