/**
 * Purpose: cuts the reduced dims of a kernel's statements into tiles, of any number of levels, and puts
 * loops over tiles of the axes inside of them.
 *
 * ```
 * serial i.turn in 0..4                    sequence
 *   sequence                                 serial i.turn.0 in 0..4
 *     C.init(i)                                C.init(i)
 *     serial k in 0..64             -->      serial k.tile in 0..8, serial i.turn.1 in 0..4, serial k.point in 0..8
 *       C.update(i, k)                         C.update(i, k = 8*k.tile + k.point)
 *     C.finish(i)                            serial i.turn.2 in 0..4
 *                                              C.finish(i)
 * ```
 * Requires: a kernel's tree before unit loops are dropped. Ensures: the same instances; sums may be added
 * up in another order, since the loops over tiles of all reduced dims stand around those inside of tiles.
 * Whether it is legal is asked of verifySchedule.
 */
import { flatMap } from "../../../support/flat-map.ts";
import type { Loop, ScheduleNode } from "../../schedule.ts";
import { mapNode } from "../../scheduling/map-node.ts";
import { sink } from "../../scheduling/sink.ts";
import { tile } from "../../scheduling/tile.ts";

/** The loops that a reduced dim becomes where it is tiled: over the tiles, and inside a tile. */
export function reductionLoop(
  statement: string,
  reduced: number,
): { readonly id: string; readonly tile: string; readonly point: string } {
  const id = `${statement}.r${reduced}`;
  return { id, tile: `${id}.tile`, point: `${id}.point` };
}

/** Tiles of a level from the outside, counted from 0, and the rest of them. */
function levelLoops(id: string, level: number): { readonly over: string; readonly rest: string } {
  const suffix = level === 0 ? "" : level + 1;
  return { over: `${id}.tile${suffix}`, rest: `${id}.point${suffix}` };
}

/** A tree with some reduced loops tiled. */
export interface TiledReductions {
  readonly node: ScheduleNode;
  /** What is left of a reduced loop inside of its tiles, by the loop. */
  readonly points: ReadonlyMap<string, Loop>;
  /** The loops over tiles, with their level from the outside. */
  readonly tiles: ReadonlyMap<string, number>;
}

/**
 * Tiles the reduced loops of a statement, those in `loops`: by `sizes[r]` that of its reduced dim `r`,
 * the largest tiles first.
 */
export function tileReduction(
  before: TiledReductions,
  statement: string,
  loops: readonly string[],
  sizes: readonly (readonly number[])[],
): TiledReductions {
  let { node } = before;
  const points = new Map(before.points);
  const tiles = new Map(before.tiles);
  for (const [r, all] of sizes.entries()) {
    const { id } = reductionLoop(statement, r);
    if (!loops.includes(id)) continue;
    for (const [level, size] of all.entries()) {
      const { over, rest } = levelLoops(id, level);
      const from = level === 0 ? id : levelLoops(id, level - 1).rest;
      node = tile(node, from, size, over, rest);
      tiles.set(over, level);
      points.set(id, { id: rest, extent: size, on: "serial" });
    }
  }
  return { node, points, tiles };
}

/** A loop of a tree that was sunk to leaves, or one of its copies there. */
function isCopyOf(id: string, loop: string): boolean {
  return id.startsWith(`${loop}.`) && /^\d+$/.test(id.slice(loop.length + 1));
}

/** The loops of a kernel that are some loops over tiles of axes, or copies of them. */
export function copiesOfTurns(
  loops: Iterable<string>,
  turns: readonly string[],
): readonly string[] {
  return flatMap([...new Set(loops)], (id) =>
    turns.some((turn) => id === turn || isCopyOf(id, turn)) ? [id] : [],
  );
}

/** What {@link orderLevels} has to know of the loops of a tree. */
interface Levels {
  readonly tiles: ReadonlyMap<string, number>;
  /** Loops over tiles of the axes, sunk to the leaves, outermost first. */
  readonly turns: readonly string[];
  /** Of the statements: the names that all loops of reduced dims begin with. */
  readonly reduced: ReadonlySet<string>;
}

/** Where a loop stands among those of a band: null for one that stays where it is. */
function rankOf(id: string, { tiles, turns }: Levels): number | null {
  const level = tiles.get(id);
  if (level !== undefined) return level === 0 ? 0 : turns.length + level;
  const turn = turns.findIndex((t) => isCopyOf(id, t));
  return turn < 0 ? null : turn + 1;
}

/** Where the loops over tiles of a band go: before its reduced loops, else before what is written out. */
function placeOf(loops: readonly Loop[], { reduced }: Levels): number {
  const first = loops.findIndex(({ id }) => {
    const [, name] = /^(.*\.r\d+)(?:\.|$)/.exec(id) ?? [];
    return name !== undefined && reduced.has(name);
  });
  if (first >= 0) return first;
  return loops.findLastIndex((l) => l.on !== "unroll" && l.on !== "vector") + 1;
}

/** The loops of each band: tiles of the largest size, tiles of axes, smaller tiles, the others. */
function orderLevels(node: ScheduleNode, levels: Levels): ScheduleNode {
  return mapNode(node, (n) => {
    if (n.kind !== "band") return n;
    const ranked = flatMap(n.loops, (loop) => {
      const rank = rankOf(loop.id, levels);
      return rank === null ? [] : [{ loop, rank }];
    });
    if (ranked.length === 0) return n;
    const others = n.loops.filter((l) => rankOf(l.id, levels) === null);
    const at = placeOf(others, levels);
    const sorted = [...ranked].sort((a, b) => a.rank - b.rank).map((r) => r.loop);
    return { ...n, loops: [...others.slice(0, at), ...sorted, ...others.slice(at)] };
  });
}

/**
 * Puts the loops over tiles in their order, and those in `turns`, which are over tiles of axes, inside of
 * the largest tiles of reductions; `reduced` are all reduced loops of the kernel as they were.
 */
export function nestTiles(
  { node, tiles }: TiledReductions,
  turns: readonly string[],
  reduced: ReadonlySet<string>,
): ScheduleNode {
  if (tiles.size === 0 && turns.length === 0) return node;
  const sunk = turns.reduceRight(sink, node);
  return orderLevels(sunk, { tiles, turns, reduced });
}
