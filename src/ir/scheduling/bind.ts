/**
 * Purpose: decides who runs the iterations of a loop.
 *
 * Requires: for levels whose iterations run at the same time, that no dependence between them goes
 * further than its reach allows (checked by verifySchedule). Ensures: the same instances.
 *
 * ```
 * serial i in 0..64        -->   workgroup i in 0..64
 *   S(i)                           S(i)
 * ```
 */
import type { Level, ScheduleNode } from "../schedule.ts";
import { mapBandOf } from "./map-node.ts";

/** Binds a loop to a level. */
export function bind(node: ScheduleNode, id: string, on: Level): ScheduleNode {
  return mapBandOf(node, id, (band) => ({
    ...band,
    loops: band.loops.map((l) => (l.id === id ? { ...l, on } : l)),
  }));
}
