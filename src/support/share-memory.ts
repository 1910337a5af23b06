/** Which temporaries of a plan may use the same memory, one after the other. */
import { invariant } from "./assert.ts";

/** A temporary of a plan: its bytes, and the first and last step that touch it, both included. */
export interface Lifetime {
  readonly id: string;
  readonly bytes: number;
  readonly live: readonly [number, number];
}

/** Memory that several temporaries take in turn. */
export interface SharedSlot {
  readonly bytes: number;
  readonly members: readonly string[];
}

/**
 * Slots such that temporaries of one slot are never live together. Greedy, by size and by start;
 * the smaller total is taken. Separate buffers, not parts of one: a dispatch may not read one part
 * of a buffer through a read-only binding and write another.
 */
export function shareMemory(temporaries: readonly Lifetime[]): readonly SharedSlot[] {
  const bySize = [...temporaries].sort((a, b) => b.bytes - a.bytes);
  const byStart = [...temporaries].sort((a, b) => a.live[0] - b.live[0] || b.bytes - a.bytes);
  const [first, second] = [assignSlots(bySize), assignSlots(byStart)];
  return totalBytes(first) <= totalBytes(second) ? first : second;
}

function totalBytes(slots: readonly SharedSlot[]): number {
  return slots.reduce((sum, slot) => sum + slot.bytes, 0);
}

function assignSlots(ordered: readonly Lifetime[]): readonly SharedSlot[] {
  const slots: { bytes: number; members: Lifetime[] }[] = [];
  for (const temporary of ordered) {
    const open = slots.filter((slot) => slot.members.every((other) => !overlap(other, temporary)));
    // The slot that grows least, and of those that need not grow, the smallest.
    open.sort(
      (a, b) => growth(a.bytes, temporary) - growth(b.bytes, temporary) || a.bytes - b.bytes,
    );
    const slot = open[0];
    if (slot === undefined) {
      slots.push({ bytes: temporary.bytes, members: [temporary] });
    } else {
      slot.bytes = Math.max(slot.bytes, temporary.bytes);
      slot.members.push(temporary);
    }
  }
  const result = slots.map(({ bytes, members }) => ({ bytes, members: members.map((m) => m.id) }));
  invariant(
    result.reduce((n, slot) => n + slot.members.length, 0) === ordered.length,
    "each temporary has one slot",
  );
  return result;
}

function growth(bytes: number, temporary: Lifetime): number {
  return Math.max(0, temporary.bytes - bytes);
}

function overlap(a: Lifetime, b: Lifetime): boolean {
  return a.live[0] <= b.live[1] && b.live[0] <= a.live[1];
}
