/**
 * Purpose: changes the nesting order of the loops of one band.
 *
 * Requires: no dependence is turned around (checked by verifySchedule). Ensures: the same instances.
 *
 * ```
 * serial i, serial j       -->   serial j, serial i
 *   S(i, j)                        S(i, j)
 * ```
 */
import { flatMap } from "../../support/flat-map.ts";
import type { ScheduleNode } from "../schedule.ts";
import { mapBandOf } from "./map-node.ts";

/** Puts the named loops of a band in this order; its other loops stay in front of them. */
export function reorder(node: ScheduleNode, order: readonly string[]): ScheduleNode {
  const [first] = order;
  if (first === undefined) return node;
  return mapBandOf(node, first, (band) => {
    const others = band.loops.filter((l) => !order.includes(l.id));
    const moved = flatMap(order, (id) => band.loops.filter((l) => l.id === id));
    return { ...band, loops: [...others, ...moved] };
  });
}
