import type { Layout } from "../../ir/layout.ts";
import type { Tensor } from "../../ir/program.ts";
import { elementBytes } from "../../support/scalar-type.ts";
import { elementsPerWord } from "../../support/words.ts";
import type { KernelArray } from "../kernel.ts";
import type { KernelContext } from "./scope.ts";
import { storageScalar } from "./shared-memories.ts";

/** Bytes at multiples of which buffers are bound: an offset of a view alone is below it. */
const bindingBytes = 256;

/** Bytes that shared memory may be thought to have: those of the smallest limit of a binding. */
const sharedBytes = 2 ** 27;

/** The array that holds a view of the caller: its own memory, or what it shares with others. */
export function viewArray(
  context: KernelContext,
  tensor: Tensor,
  layout: Extract<Layout, { kind: "whole" }>,
): KernelArray {
  const memory = context.memories.get(tensor.name);
  const scalar = storageScalar(tensor);
  const { stored, unpacked } = tensor;
  const per = stored === undefined || unpacked !== undefined ? 1 : elementsPerWord(stored);
  const before = layout.offsetMultiple === null ? 0 : bindingBytes / elementBytes(scalar);
  const own = Math.ceil(Math.ceil(layout.span / per + before) / 4) * 4;
  const several = memory !== undefined && memory.members.length > 1;
  const set = memory?.set ?? [tensor.name];
  const members = memory?.members ?? [tensor.name];
  const id = memory?.id ?? tensor.name;
  return {
    id,
    scalar,
    space: "storage",
    length: several ? sharedBytes / elementBytes(scalar) : own,
    buffer: id,
    access: set.some((name) => context.written.has(name)) ? "read_write" : "read",
    atomic: members.some((name) => context.atomic.has(name)),
    width: 1,
    view: true,
  };
}
