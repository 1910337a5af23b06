/** The temporaries of a plan: memory from the pool, shared by those that are never live together. */
import { bytesOfBuffer, type Plan } from "../codegen/plan.ts";
import { shareMemory } from "../support/share-memory.ts";
import type { BoundBuffer } from "./encode-plan.ts";
import type { BufferPool } from "./pool.ts";

export interface Scratch {
  /** Places by buffer id, empty before `allocate`. */
  readonly places: ReadonlyMap<string, BoundBuffer>;
  /** Takes the memory; stand in an error scope when you call it. */
  allocate(): void;
  /** Gives the memory back. */
  release(): void;
  /** Destroys the memory, because it could not be had in full. */
  discard(): void;
}

/** The scratch of the plan, without memory yet. */
export function createScratch(plan: Plan, pool: BufferPool): Scratch {
  const temporaries = plan.buffers
    .filter((buffer) => buffer.role === "temporary")
    .map((buffer) => ({ id: buffer.id, live: buffer.live, bytes: bytesOfBuffer(buffer) }));
  const slots = shareMemory(temporaries);
  const places = new Map<string, BoundBuffer>();
  const taken: GPUBuffer[] = [];
  const giveBack = (how: (buffer: GPUBuffer) => void): void => {
    for (const buffer of taken) how(buffer);
    taken.length = 0;
    places.clear();
  };
  return {
    places,
    allocate: () => {
      for (const { bytes, members } of slots) {
        const buffer = pool.acquire(bytes, "storage");
        taken.push(buffer);
        for (const id of members) places.set(id, { buffer, offset: 0 });
      }
    },
    release: () => giveBack(pool.release),
    discard: () => giveBack(pool.discard),
  };
}
