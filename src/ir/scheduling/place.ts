/**
 * Purpose: decides where a tensor or an accumulator lives.
 *
 * Requires: every reader can reach the writer through that memory (checked by verifySchedule).
 * Ensures: the same instances in the same order.
 *
 * ```
 * grid i                           grid i
 *   workgroup l                      workgroup l
 *     P(i, l) = ...          -->       P(i, l) = ...
 *   C(i) = ... P(i, 0) ...           C(i) = ... P(i, 0) ...
 *                                  place P in workgroup at i
 * ```
 */
import type { Place, Schedule } from "../schedule.ts";

function sameTarget(a: Place, b: Place): boolean {
  return JSON.stringify(a.target) === JSON.stringify(b.target);
}

/** Adds a place, or changes the one that its target has. */
export function place(schedule: Schedule, added: Place): Schedule {
  const others = schedule.places.filter((p) => !sameTarget(p, added));
  return { ...schedule, places: [...others, added] };
}
