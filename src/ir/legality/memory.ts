/** The memory that tensors and accumulators live in under a schedule, and who shares it. */

import { placeOfTensor, type Schedule, type Space } from "../schedule.ts";
import type { Occurrence, Occurrences } from "./occurrence.ts";
import { leavesOf, sharedLoops } from "./occurrence.ts";

export interface Memory {
  /** For messages. */
  readonly name: string;
  readonly space: Space;
  /** The loop at which it is allocated; null for the kernel. */
  readonly at: string | null;
  /** The statement whose accumulator it is: allocated at the loops around all of its leaves. */
  readonly accumulatorOf: string | null;
}

/** Where a tensor lives. */
export function memoryOfTensor(schedule: Schedule, tensor: string): Memory {
  const place = placeOfTensor(schedule, tensor);
  const space = place?.space ?? "storage";
  return { name: tensor, space, at: place?.at ?? null, accumulatorOf: null };
}

/** Where a reduction accumulates: private memory. */
export function memoryOfAccumulator(statement: string): Memory {
  const name = `the accumulator of ${statement}`;
  return { name, space: "private", at: null, accumulatorOf: statement };
}

/** True for memory that outlives a kernel. */
export function isStorage(memory: Memory): boolean {
  return memory.space === "storage";
}

/** The loops of a leaf for each iteration of which local memory is allocated anew. */
export function outerLoops(
  memory: Memory,
  leaf: Occurrence,
  occurrences: Occurrences,
): ReadonlySet<string> {
  if (memory.accumulatorOf !== null) {
    const own = leavesOf(memory.accumulatorOf, occurrences);
    const all = own.filter((o) => o.kernel === leaf.kernel);
    const common = Math.min(...all.map((o) => sharedLoops(leaf, o).length));
    return new Set(leaf.loops.slice(0, common).map((l) => l.id));
  }
  if (memory.at === null) {
    const around = leaf.loops.filter((l) => l.on === "host" || l.on === "grid");
    return new Set(around.map((l) => l.id));
  }
  const end = leaf.loops.findIndex((l) => l.id === memory.at);
  const around = leaf.loops.slice(0, end + 1);
  const copies = memory.space === "lanes" ? around.filter((l) => l.on !== "lane") : around;
  return new Set(copies.map((l) => l.id));
}

/** True for memory in registers, of one invocation or spread over those of a subgroup. */
export function isInRegisters({ space }: Pick<Memory, "space">): boolean {
  return space === "private" || space === "lanes";
}
