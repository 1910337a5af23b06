/**
 * Purpose: tiles the axes of a kernel to workgroups, invocations and their points, with any number of
 * levels between, and binds the loops.
 *
 * ```
 * serial i in 0..128            grid i.grid in 0..2, workgroup i.workgroup in 0..4, serial i.turn in 0..4
 *   S(i)                  -->     unroll i.thread.0 in 0..4
 *                                   S(i = 64*i.grid + 16*i.turn + 4*i.workgroup + i.thread.0)
 * ```
 * Requires: the first band of the nest has the axes' loops and no others. Ensures: the same instances,
 * with the loops of the points of an invocation around each leaf; whether it is legal is asked of
 * verifySchedule.
 */
import { flatMap } from "../../../support/flat-map.ts";
import { eachLeaf, type ScheduleNode } from "../../schedule.ts";
import { bind } from "../../scheduling/bind.ts";
import { reorder } from "../../scheduling/reorder.ts";
import { sink } from "../../scheduling/sink.ts";
import { tile } from "../../scheduling/tile.ts";
import { type AxisTile, turnsOf } from "../group/axis-tile.ts";
import type { Nest } from "../group/nest.ts";
import { isBlockedAlong } from "../kernel-mapping.ts";

/** What is decided about the axes of a kernel. */
export interface AxesShape {
  readonly tiles: readonly AxisTile[];
  /**
   * The points of a thread are next to each other, or as a tile says, not a workgroup apart; or along the
   * last axis alone.
   */
  readonly blocked: boolean | "last";
  /** What the points of a thread become along the last axis. */
  readonly points: "serial" | "unroll" | "vector";
  /** Which axis is innermost among the invocations. */
  readonly innermost: number;
  /** The other axes among the invocations, outermost first; in their own order when left out. */
  readonly order?: readonly number[];
  /** The axes in the order of their loops over tiles, outermost first; their own when left out. */
  readonly turnOrder?: readonly number[];
  /** Write invocations as subgroups of so many lanes; 1 leaves them flat. */
  readonly lanes: number;
}

/** The loops that one axis becomes, from the outside. */
interface AxisLoops {
  readonly grid: string;
  /** Several where the points of an invocation are apart: over the blocks, and in one. */
  readonly workgroup: readonly string[];
  /** Of the invocations of a subgroup, where that is a block of them. */
  readonly subgroup: readonly string[];
  readonly thread: string;
}

/** The loop over the tiles of an axis that an invocation computes one after the other, by level. */
function turnLoop(axis: string, level: number): string {
  return level === 0 ? `${axis}.turn` : `${axis}.turn${level + 1}`;
}

/**
 * The loops over tiles of some axes, from the outside: those of the outer levels first, and in each
 * level in the order of the axes.
 */
export function turnLoops(
  axes: readonly string[],
  { tiles, turnOrder = [...axes.keys()] }: Pick<AxesShape, "tiles" | "turnOrder">,
): readonly string[] {
  const levels = tiles.map((t) => turnsOf(t).length);
  const order = [...Array(Math.max(0, ...levels)).keys()].reverse();
  return flatMap(order, (level) =>
    flatMap(turnOrder, (a) => (level < (levels[a] ?? 0) ? [turnLoop(axes[a] ?? "", level)] : [])),
  );
}

/** {@link turnLoops} of a kernel by the prefix of its loops. */
export function axisTurns(prefix: string, shape: AxesShape): readonly string[] {
  return turnLoops(
    shape.tiles.map((_, a) => `${prefix}.p${a}`),
    shape,
  );
}

/** Splits a loop over an axis into the grid, the loops over tiles, and `rest` inside a tile. */
function tileTurns(
  node: ScheduleNode,
  id: string,
  turns: readonly number[],
  size: number,
  rest: string,
): ScheduleNode {
  let left = turns.reduce((product, n) => product * n, size);
  const part = (level: number): string => (level < 0 ? rest : `${id}.part${level}`);
  let tiled = tile(node, id, left, `${id}.grid`, part(turns.length - 1));
  for (const [level, n] of [...turns.entries()].reverse()) {
    left /= n;
    tiled = tile(tiled, part(level), left, turnLoop(id, level), part(level - 1));
  }
  return tiled;
}

function tileAxis(
  node: ScheduleNode,
  id: string,
  axisTile: AxisTile,
  blocked: boolean,
): { readonly node: ScheduleNode; readonly loops: AxisLoops } {
  const { workgroup, thread, step = 1, subgroup = 1 } = axisTile;
  const turns = turnsOf(axisTile);
  const [grid, local, points] = [`${id}.grid`, `${id}.workgroup`, `${id}.thread`];
  const rest = `${id}.rest`;
  if (blocked && step > 1) {
    const [block, near] = [`${id}.block`, `${id}.near`];
    const size = Math.max(1, Math.floor(workgroup / step)) * step * thread;
    const tiled = tile(tileTurns(node, id, turns, size, rest), rest, step * thread, local, block);
    const loops = { grid, workgroup: [local, near], subgroup: [], thread: points };
    return { loops, node: tile(tiled, block, step, points, near) };
  }
  const tiled = tileTurns(node, id, turns, workgroup * thread, rest);
  const spread = blocked
    ? tile(tiled, rest, thread, local, points)
    : tile(tiled, rest, workgroup, points, local);
  if (subgroup === 1) {
    return { loops: { grid, workgroup: [local], subgroup: [], thread: points }, node: spread };
  }
  const [blocks, within] = [`${id}.subgroups`, `${id}.subgroup`];
  const loops = { grid, workgroup: [blocks], subgroup: [within], thread: points };
  return { loops, node: tile(spread, local, subgroup, blocks, within) };
}

/** The nest of a kernel with its axes tiled and bound; loops over tiles are outside of all leaves. */
export function mapAxes(nest: Nest, shape: AxesShape): ScheduleNode {
  const loops: AxisLoops[] = [];
  let node = nest.node;
  for (const [a, id] of nest.axes.entries()) {
    const t = shape.tiles[a] ?? { workgroup: 1, thread: 1 };
    const isBlocked = isBlockedAlong(shape, a, nest.axes.length);
    const tiled = tileAxis(node, id, t, isBlocked);
    node = tiled.node;
    loops.push(tiled.loops);
  }
  const order = shape.order ?? [...loops.keys()].filter((a) => a !== shape.innermost);
  const ordered = flatMap([...order, shape.innermost], (a) => loops[a] ?? []);
  const locals = [...flatMap(ordered, (l) => l.workgroup), ...flatMap(ordered, (l) => l.subgroup)];
  const [grids, threads] = [loops.map((l) => l.grid), loops.map((l) => l.thread)];
  node = reorder(node, [...grids, ...locals, ...turnLoops(nest.axes, shape), ...threads]);
  for (const l of loops) node = bind(node, l.grid, "grid");
  for (const id of locals) node = bind(node, id, "workgroup");
  for (const [a, l] of loops.entries()) {
    node = mapPoints(node, l.thread, shape, a);
  }
  return splitLanes(node, locals.toReversed(), shape.lanes);
}

/** Binds the loop over an invocation's points along an axis. */
function mapPoints(node: ScheduleNode, loop: string, shape: AxesShape, axis: number): ScheduleNode {
  const isLast = axis === shape.tiles.length - 1;
  const { thread: width, step = 1 } = shape.tiles[axis] ?? { thread: 1 };
  const isRow = isLast && shape.blocked !== false && step === 1;
  if (shape.points === "vector" && isRow) return mapRow(node, loop, width);
  return sink(bind(node, loop, shape.points === "vector" ? "unroll" : shape.points), loop);
}

/** Makes a loop over neighbours a vector, or several vectors of 4, if it has such a length. */
function mapRow(node: ScheduleNode, loop: string, width: number): ScheduleNode {
  if (width === 2 || width === 4) return sink(bind(node, loop, "vector"), loop);
  if (width % 4 !== 0) return sink(bind(node, loop, "unroll"), loop);
  const [vectors, component] = [`${loop}.vectors`, `${loop}.component`];
  const split = bind(tile(node, loop, 4, vectors, component), vectors, "unroll");
  return sink(sink(bind(split, component, "vector"), vectors), component);
}

/** Writes the innermost of some workgroup loops as subgroups of lanes, where it divides. */
export function splitLanes(
  node: ScheduleNode,
  loops: readonly string[],
  lanes: number,
): ScheduleNode {
  const sizes = new Map<string, number>();
  for (const { loops: around } of eachLeaf(node)) {
    for (const l of around) if (loops.includes(l.id)) sizes.set(l.id, l.extent);
  }
  const id = loops.find((l) => (sizes.get(l) ?? 1) > 1);
  const extent = sizes.get(id ?? "") ?? 1;
  if (id === undefined || lanes === 1 || extent % lanes !== 0) return node;
  const split = tile(node, id, lanes, `${id}.subgroup`, `${id}.lane`);
  return bind(bind(split, `${id}.subgroup`, "subgroup"), `${id}.lane`, "lane");
}
