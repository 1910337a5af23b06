/**
 * Purpose: one kernel for a group of statements: tiles its axes, spreads the rest over a team, and
 * binds every loop, as a given shape says.
 *
 * Requires: the axes are the group's. Ensures: a kernel with all instances of the group; whether it
 * is legal is asked of verifySchedule.
 */
import { flatMap } from "../../../support/flat-map.ts";
import { ceilDiv } from "../../../support/integer.ts";
import { constant } from "../../affine.ts";
import type { Program, ProgramNode } from "../../program.ts";
import { band, eachLeaf, type Loop, type ScheduleNode } from "../../schedule.ts";
import { bind } from "../../scheduling/bind.ts";
import type { LoopPair } from "../../scheduling/fuse-loops.ts";
import { mapBandOf, mapNode, rebind } from "../../scheduling/map-node.ts";
import { reorder } from "../../scheduling/reorder.ts";
import { swizzle } from "../../scheduling/swizzle.ts";
import { tile } from "../../scheduling/tile.ts";
import type { Axis } from "../group/axes.ts";
import { type Nest, nestOf } from "../group/nest.ts";
import { lastFor } from "../group/shared-dims.ts";
import { joinLoops } from "./join-loops.ts";
import { type AxesShape, mapAxes, splitLanes, turnLoops } from "./map-axes.ts";
import { nestTiles, type TiledReductions, tileReduction } from "./tile-reductions.ts";

/** Everything that is decided about a group's kernel but its places. */
export interface GroupShape extends AxesShape {
  /** The workgroups are numbered in bands of so many along an axis. */
  readonly bands?: { readonly axis: number; readonly size: number };
  /** Invocations that share one point of the axes, for the dims that are not axes. */
  readonly team: number;
  /**
   * Reductions of what is inside one point of the axes are dealt to the team, and their parts combined
   * by subgroups of so many lanes, or by a tree for 1; null: each of the team reduces all.
   */
  readonly combine: number | null;
  /**
   * How many trips of the innermost reduced loop are written out; where it has fewer, the rest is of
   * the loops around it.
   */
  readonly unroll: number;
  /**
   * Components of a vector along the last dim of a map that is no axis, and neighbours that one of a
   * team has of it, or of a reduction, in a row: where it divides; 1: none.
   */
  readonly inner: number;
  /**
   * Steps of the tiles of each reduced dim, the largest first: the loops over the tiles of all dims
   * stand around those inside of them. Left out, or none: one loop.
   */
  readonly reductions?: readonly (readonly number[])[];
  /** How many of the innermost loops over tiles of the axes stand inside of those of reductions. */
  readonly inside?: number;
  /** The same as `unroll` for some statements, by id. */
  readonly unrolls?: ReadonlyMap<string, number>;
}

/** The shape that any legal group is legal under if it is under another: one point, one thread. */
export function plainShape(axes: readonly Axis[], team: number): GroupShape {
  return {
    tiles: axes.map(() => ({ workgroup: 1, thread: 1 })),
    blocked: true,
    points: "serial",
    innermost: Math.max(0, axes.length - 1),
    team,
    combine: null,
    lanes: 1,
    unroll: 1,
    inner: 1,
  };
}

/**
 * Deals to the team one loop of each statement: of its other parallel dims, else of its reduction; of one in tiles,
 * the steps of a tile, so that what all of the team do between two tiles stays outside.
 */
function mapTeams(tiled: TiledReductions, nest: Nest, shape: GroupShape): TiledReductions {
  if (shape.team === 1) return tiled;
  let current = tiled.node;
  const points = new Map(tiled.points);
  for (const [statement, inner] of openStatements(nest, () => current)) {
    const id = dealtLoop(current, inner, shape.team);
    if (id !== null) {
      const lanes = isReduced(current, statement, id) ? (shape.combine ?? 1) : shape.lanes;
      current = mapTeam(current, id, shape, "vector", lanes);
    } else if (inner.length === 0) {
      current = mapSum(current, nest, statement, shape, points);
    }
  }
  return { ...tiled, node: current, points };
}

/** Deals a loop of a statement's reduction to the team, if its parts are combined; `points` then has what is left. */
function mapSum(
  node: ScheduleNode,
  nest: Nest,
  statement: string,
  shape: GroupShape,
  points: Map<string, Loop>,
): ScheduleNode {
  if (shape.combine === null) return node;
  const whole = nest.reduced.get(statement) ?? [];
  const steps = whole.map((loop) => points.get(loop)?.id ?? loop);
  const dealt = dealtLoop(node, steps, shape.team);
  if (dealt === null || !isShareable(node, nest, dealt)) return node;
  const mapped = mapTeam(node, dealt, shape, "unroll", shape.combine);
  const turn = loopsOf(mapped).get(`${dealt}.turn`);
  if (turn !== undefined) points.set(whole[steps.indexOf(dealt)] ?? dealt, turn);
  return mapped;
}

/** The statements with their other loops, but those that are joined to a loop that the team divides by now. */
function* openStatements(
  { inner }: Nest,
  current: () => ScheduleNode,
): Generator<readonly [string, readonly string[]]> {
  for (const entry of inner) {
    const own = eachLeaf(current()).filter((c) => c.leaf.statement === entry[0]);
    if (!own.some((c) => c.loops.some((l) => l.id.endsWith(".team")))) yield entry;
  }
}

/** The loops of a tree by name. */
function loopsOf(node: ScheduleNode): ReadonlyMap<string, Loop> {
  return new Map(flatMap(eachLeaf(node), (c) => c.loops.map((l) => [l.id, l] as const)));
}

/** Which of some loops a team shares, by name; null for none. */
function dealtLoop(node: ScheduleNode, ids: readonly string[], team: number): string | null {
  const all = loopsOf(node);
  const loops = flatMap(ids, (id) => all.get(id) ?? []);
  return lastFor(team, loops)?.id ?? null;
}

/** Whether a loop of a statement is that of other statements' reductions, too. */
function isReduced(node: ScheduleNode, statement: string, id: string): boolean {
  const others = eachLeaf(node).filter((c) => c.leaf.statement !== statement);
  return others.some((c) => c.leaf.phase === "update" && c.loops.some((l) => l.id === id));
}

/** Whether only updates of reductions, and maps, are under a loop. */
function isShareable(node: ScheduleNode, nest: Nest, id: string): boolean {
  const under = eachLeaf(node).filter((c) => c.loops.some((l) => l.id === id));
  const isMap = (statement: string): boolean => (nest.reduced.get(statement) ?? []).length === 0;
  return (
    under.length > 0 && under.every(({ leaf }) => leaf.phase === "update" || isMap(leaf.statement))
  );
}

/** Deals a loop to the team; neighbours in it stay together, as many as the shape says. */
function mapTeam(
  node: ScheduleNode,
  id: string,
  shape: GroupShape,
  together: "vector" | "unroll",
  lanes: number,
): ScheduleNode {
  const [member, turn] = [`${id}.team`, `${id}.turn`];
  const extent = loopsOf(node).get(id)?.extent ?? 1;
  const rows = shape.inner > 1 && extent % shape.inner === 0 && extent / shape.inner >= shape.team;
  const units = rows ? tile(node, id, shape.inner, `${id}.units`, `${id}.unit`) : node;
  const tiled = tile(units, rows ? `${id}.units` : id, shape.team, turn, member);
  // The team's loop comes first, so that what is inside it runs in each invocation.
  const raised = mapNode(tiled, (n) => {
    if (n.kind !== "band" || !n.loops.some((l) => l.id === member)) return n;
    const mine = n.loops.filter((l) => l.id === member);
    return { ...n, loops: [...mine, ...n.loops.filter((l) => l.id !== member)] };
  });
  const bound = bind(raised, member, "workgroup");
  const whole = together === "unroll" ? roundUp(bound, member, lanes) : bound;
  const split = splitLanes(whole, [member], lanes);
  return rows ? mapUnit(split, `${id}.unit`, together) : split;
}

/** Makes the iterations of a loop a multiple; the domain guards those that are too many. */
function roundUp(node: ScheduleNode, id: string, multiple: number): ScheduleNode {
  return mapBandOf(node, id, (found) => {
    const whole = (l: Loop): Loop => ({ ...l, extent: ceilDiv(l.extent, multiple) * multiple });
    return { ...found, loops: found.loops.map((l) => (l.id === id ? whole(l) : l)) };
  });
}

/** Neighbours of one invocation: a vector innermost in the band of a map, else written out. */
function mapUnit(node: ScheduleNode, unit: string, together: "vector" | "unroll"): ScheduleNode {
  return mapBandOf(node, unit, (found) => {
    const isMap = found.child.kind === "leaf" && found.child.phase === "whole";
    const level = isMap && found.loops.every((l) => l.on !== "vector") ? together : "unroll";
    const placed = bind(found, unit, level);
    return placed.kind === "band" && isMap ? reorder(placed, [unit]) : placed;
  });
}

/** Makes vectors along the last other parallel loop of a map; reductions stay as they are. */
function mapInner(node: ScheduleNode, loops: readonly string[], width: number): ScheduleNode {
  const id = loops.at(-1);
  if (id === undefined || width === 1) return node;
  const [inner, outer] = [`${id}.vector`, `${id}.outer`];
  return mapBandOf(node, id, (found) => {
    const extent = found.loops.find((l) => l.id === id)?.extent ?? 0;
    const isMap = found.child.kind === "leaf" && found.child.phase === "whole";
    const plain = found.loops.every((l) => l.on !== "vector" && (l.id !== id || l.on === "serial"));
    if (!isMap || !plain || extent % width !== 0) return found;
    const tiled = bind(tile(found, id, width, outer, inner), inner, "vector");
    return tiled.kind === "band" ? reorder(tiled, [inner]) : tiled;
  });
}

/** The vectors inside of all maps of a group without a team. */
function mapInsides(node: ScheduleNode, nest: Nest, { team, inner }: GroupShape): ScheduleNode {
  if (team !== 1) return node;
  return [...nest.inner].reduce((current, [id, loops]) => {
    const isMap = (nest.reduced.get(id) ?? []).length === 0;
    return isMap ? mapInner(current, loops, inner) : current;
  }, node);
}

/** The loops of a reduction, the innermost first, and the statements that they reduce. */
interface ReductionLoops {
  readonly loops: readonly Loop[];
  readonly statements: readonly string[];
}

/** By the innermost loop: the loops of the reductions. */
function reductionLoops({ node, reduced }: Nest): ReadonlyMap<string, ReductionLoops> {
  const ids = new Set([...reduced.values()].flat());
  const found = new Map<string, ReductionLoops>();
  for (const { leaf, loops: around } of eachLeaf(node)) {
    const reduces = leaf.phase === "update" || leaf.phase === "whole";
    const last = around.at(-1);
    const any = (reduced.get(leaf.statement) ?? []).length > 0;
    if (!reduces || !any || last === undefined) continue;
    const loops = around.filter((l) => l === last || ids.has(l.id)).reverse();
    const statements = [...(found.get(last.id)?.statements ?? []), leaf.statement];
    found.set(last.id, { loops, statements });
  }
  return found;
}

/** Writes out so many trips of a reduction's loops, which are given from the inside. */
function mapReduction(node: ScheduleNode, loops: readonly Loop[], unroll: number): ScheduleNode {
  const [loop, ...around] = loops;
  if (unroll === 1 || loop === undefined) return node;
  const { id, extent } = loop;
  const trips = around.length > 0 ? Math.min(unroll, extent) : unroll;
  const written = bind(
    tile(node, id, trips, `${id}.outer`, `${id}.inner`),
    `${id}.inner`,
    "unroll",
  );
  return trips === unroll ? written : mapReduction(written, around, Math.floor(unroll / trips));
}

/** Removes loops with one iteration, but never the first of a kernel. */
export function dropUnitLoops(node: ScheduleNode): ScheduleNode {
  const unit = new Set<string>();
  const dropped = mapNode(node, (n) => {
    if (n.kind !== "band") return n;
    const keep = (l: Loop): boolean => l.extent !== 1 || l.on === "grid";
    for (const l of n.loops) if (!keep(l)) unit.add(l.id);
    return band(n.loops.filter(keep), n.child);
  });
  return mapNode(dropped, (n) =>
    n.kind === "leaf" ? rebind(n, (l) => (unit.has(l) ? constant(0) : undefined)) : n,
  );
}

/** The kernel of some nodes with one invocation for each point of the axes, each a workgroup. */
export function mapPlainly(
  program: Program,
  nodes: readonly ProgramNode[],
  axes: readonly Axis[],
  prefix: string,
): { readonly root: ScheduleNode; readonly axes: readonly string[] } {
  const nest = nestOf(program, nodes, axes, prefix);
  const one: Loop = { id: `${prefix}.one`, extent: 1, on: "grid" };
  const root =
    nest.node.kind === "band" && axes.length > 0
      ? { ...nest.node, loops: nest.node.loops.map((l): Loop => ({ ...l, on: "grid" })) }
      : band([one], nest.node);
  return { root, axes: nest.axes };
}

/** By statement: the tiles of each of its reduced dims, the largest first, instead of those of the shape. */
export type ReductionTiles = ReadonlyMap<string, readonly (readonly number[])[]>;

/** Tiles the reductions of all statements. */
function tileAll(
  node: ScheduleNode,
  nest: Nest,
  shape: GroupShape,
  given: ReductionTiles,
): TiledReductions {
  const start: TiledReductions = { node, points: new Map(), tiles: new Map() };
  return [...nest.reduced].reduce((tiled, [id, loops]) => {
    return tileReduction(tiled, id, loops, given.get(id) ?? shape.reductions ?? []);
  }, start);
}

/** The kernel of some nodes of the program tree, with some pairs of its loops joined. */
export function mapGroup(
  program: Program,
  nodes: readonly ProgramNode[],
  axes: readonly Axis[],
  shape: GroupShape,
  prefix: string,
  joins: readonly LoopPair[] = [],
  tiles: ReductionTiles = new Map(),
): ScheduleNode {
  const plain = nestOf(program, nodes, axes, prefix);
  const nest = { ...plain, node: joinLoops(program, plain.node, joins) };
  const tiled = mapTeams(tileAll(mapAxes(nest, shape), nest, shape, tiles), nest, shape);
  let node = mapInsides(tiled.node, nest, shape);
  for (const { loops, statements } of reductionLoops(nest).values()) {
    const [asked] = flatMap(statements, (s) => shape.unrolls?.get(s) ?? []);
    const inside = loops.map((l) => tiled.points.get(l.id) ?? l);
    node = mapReduction(node, inside, asked ?? shape.unroll);
  }
  const { bands } = shape;
  const turns = turnLoops(nest.axes, shape);
  const sunk = turns.slice(turns.length - (shape.inside ?? 0));
  node = nestTiles({ ...tiled, node }, sunk, new Set([...nest.reduced.values()].flat()));
  const dropped = dropUnitLoops(node);
  const inside =
    bands === undefined ? dropped : swizzle(dropped, `${nest.axes[bands.axis]}.grid`, bands.size);
  if (inside.kind === "band" && inside.loops[0]?.on === "grid") return inside;
  return { kind: "band", loops: [{ id: `${prefix}.one`, extent: 1, on: "grid" }], child: inside };
}
