/**
 * Purpose: numbers the workgroups of a grid in bands (grid swizzle), so that those that run at the same
 * time read more of the same.
 *
 * ```
 * grid i in 0..5, grid j in 0..3            grid i in 0..5 in bands of 2, grid j in 0..3
 *    0  1  2                                   0  2  4
 *    3  4  5                         -->       1  3  5
 *    6  7  8                                   6  8 10
 *    9 10 11                                   7  9 11
 *   12 13 14                                  12 13 14
 * ```
 * Requires: one of the two innermost of the grid loops with several iterations. Ensures: the same
 * instances in the same workgroups of other numbers; as these run in any order, nothing can tell.
 */
import type { ScheduleNode } from "../schedule.ts";
import { mapBandOf } from "./map-node.ts";

/** Numbers the workgroups of a kernel in bands of `size` iterations of a grid loop. */
export function swizzle(node: ScheduleNode, id: string, size: number): ScheduleNode {
  return mapBandOf(node, id, (found) => ({
    ...found,
    loops: found.loops.map((l) => (l.id === id ? { ...l, bands: size } : l)),
  }));
}
