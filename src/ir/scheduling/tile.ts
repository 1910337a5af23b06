/**
 * Purpose: splits a loop into a loop over tiles and a loop inside a tile.
 *
 * Requires: `size >= 1`; the new names are unused. Ensures: the same instances (the domain guards
 * those that the last tile has too many); the order is the same as long as the two loops stay
 * together.
 *
 * ```
 * serial i in 0..20              serial io in 0..3, serial ii in 0..8
 *   S(i = i)               -->     S(i = 8*io + ii)
 * ```
 */

import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv } from "../../support/integer.ts";
import { add, variable } from "../affine.ts";
import type { Loop, ScheduleNode } from "../schedule.ts";
import { mapNode, rebind } from "./map-node.ts";

/** Tiles loop `id`: the tile number is loop `outer`, the position in the tile loop `inner`. */
export function tile(
  node: ScheduleNode,
  id: string,
  size: number,
  outer: string,
  inner: string,
): ScheduleNode {
  const split = (loop: Loop): readonly Loop[] =>
    loop.id === id
      ? [
          { id: outer, extent: ceilDiv(loop.extent, size), on: loop.on },
          { id: inner, extent: Math.min(size, loop.extent), on: loop.on },
        ]
      : [loop];
  const index = add(variable(outer, size), variable(inner));
  return mapNode(node, (n) => {
    if (n.kind === "leaf") return rebind(n, (l) => (l === id ? index : undefined));
    if (n.kind === "band" && n.loops.some((l) => l.id === id)) {
      return { ...n, loops: flatMap(n.loops, split) };
    }
    return n;
  });
}
