/**
 * Purpose: executes copy statements inside the kernel of their reader, where the reader needs the
 * elements, all invocations of a workgroup together, into workgroup memory.
 *
 * Requires: the reader reads what the copies write at affine functions of its dims; the local loops
 * of the kernel are in its first band (checked by verifySchedule). Ensures: the same instances; those
 * of a copy are repeated by each workgroup that needs them.
 *
 * ```
 * grid io, workgroup il                    grid io
 *   sequence                                 sequence
 *     C.init(i = 8*io + il)                    workgroup il.0
 *     serial kt in 0..4                          C.init(i = 8*io + il.0)
 *       serial kp in 0..8         -->          serial kt in 0..4
 *         C.update(i, k = 8*kt + kp)             sequence
 *     C.finish(i)                                  workgroup A.c0.local in 0..8, ...
 *                                                    A(c0 = 8*io + A.c0.local, c1 = 8*kt + ...)
 *                                                  workgroup il.1, serial kp in 0..8
 *                                                    C.update(i = 8*io + il.1, k = 8*kt + kp)
 *                                              workgroup il.2
 *                                                C.finish(i = 8*io + il.2)
 *                                          place A_copy in workgroup at kt
 * ```
 */
import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv } from "../../support/integer.ts";
import {
  type Affine,
  add,
  affineEquals,
  constant,
  intervalOf,
  substitute,
  variable,
} from "../affine.ts";
import { mostHeld } from "../prefetched-copies.ts";
import { type Program, type Statement, statementOf, tensorOf } from "../program.ts";
import {
  type Band,
  band,
  isLocal,
  type Leaf,
  type Loop,
  type Place,
  type Schedule,
  type ScheduleNode,
  sequence,
  teamSize,
} from "../schedule.ts";
import { copyRun, type RunLength, rowCoordinate } from "./copy-run.ts";
import { mapNode, rebind } from "./map-node.ts";

/** A copy and its reader, both statements of the program. */
export interface StagedCopy {
  readonly copy: string;
  readonly reader: string;
  /** Elements between the rows of the copy that hold nothing. */
  readonly pad: number;
  /** Tiles that are held at the same time; 2 make a double buffer. */
  readonly slots: number;
  /** The most neighbours that an invocation copies at once, where they are vectors in memory or, with 4, of the copy. */
  readonly vector: RunLength;
}

/** What the walk through a kernel knows. */
interface Walk {
  readonly program: Program;
  readonly stages: readonly StagedCopy[];
  /** Loops of readers that belong around the copies. */
  readonly outer: ReadonlySet<string>;
  /** Loops over tiles are to prefetch. */
  readonly prefetch: boolean;
  /** The local loops of the kernel's first band. */
  readonly local: readonly Loop[];
  readonly team: number;
  readonly places: Place[];
  /** Copies of the local loops so far, for names. */
  copies: number;
}

/** The most trips of a copy's turns that are written out. */
const unrolledTurns = 8;

function leavesIn(node: ScheduleNode): readonly Leaf[] {
  switch (node.kind) {
    case "leaf":
      return [node];
    case "band":
      return leavesIn(node.child);
    case "sequence":
      return flatMap(node.children, leavesIn);
  }
}

/** The leaf of a reader that reads copies. */
function isReader(walk: Walk, leaf: Leaf): boolean {
  const reads = leaf.phase === "whole" || leaf.phase === "update";
  return reads && walk.stages.some((s) => s.reader === leaf.statement);
}

function holdsReader(walk: Walk, node: ScheduleNode): boolean {
  return leavesIn(node).some((leaf) => isReader(walk, leaf));
}

/** A node inside a copy of the kernel's local loops, of its own. */
function withLocalLoops(walk: Walk, node: ScheduleNode, more: readonly Loop[] = []): ScheduleNode {
  const suffix = walk.copies++;
  const names = new Map(walk.local.map((l) => [l.id, `${l.id}.${suffix}`]));
  const loops = walk.local.map((l) => ({ ...l, id: names.get(l.id) ?? l.id }));
  const inside = mapNode(node, (n) => {
    if (n.kind !== "leaf") return n;
    return rebind(n, (loop) => {
      const name = names.get(loop);
      return name === undefined ? undefined : variable(name);
    });
  });
  return band([...loops, ...more], inside);
}

/** Where a coordinate of a copy begins for given loops around, and how many values it takes. */
interface Footprint {
  readonly base: Affine;
  readonly extent: number;
}

/** What one coordinate of the copy's reads covers within the loops that are not around the copy. */
function coveredBy(
  maps: readonly Affine[],
  around: ReadonlySet<string>,
  loops: readonly Loop[],
  most: number,
): Footprint | null {
  const parts = maps.map((map) => {
    const inner = { terms: map.terms.filter((t) => !around.has(t.variable)), constant: 0 };
    const { lo, hi } = intervalOf(inner, (name) => ({
      lo: 0,
      hi: (loops.find((l) => l.id === name)?.extent ?? 1) - 1,
    }));
    const outer = { terms: map.terms.filter((t) => around.has(t.variable)), constant: 0 };
    return { outer, lo: lo + map.constant, hi: hi + map.constant };
  });
  const [first] = parts;
  if (first === undefined || parts.some((p) => !affineEquals(p.outer, first.outer))) return null;
  const lo = Math.min(...parts.map((p) => p.lo));
  const hi = Math.max(...parts.map((p) => p.hi));
  // Where nothing moves the tile, it need not be larger than the whole; rows that are rounded up are filled.
  if (first.outer.terms.length === 0) {
    const [from, to] = [
      Math.max(0, lo),
      lo <= 0 && most - hi <= 4 ? most - 1 : Math.min(hi, most - 1),
    ];
    return { base: constant(from), extent: Math.max(1, to - from + 1) };
  }
  const extent = hi - lo + 1 + gapBetween(first.outer, hi - lo, loops);
  return { base: add(first.outer, constant(lo)), extent };
}

/**
 * How much longer tiles that reach so far have to be to lie side by side, also where no read touches
 * what is between them: every element of the copy belongs to a tile.
 */
function gapBetween(outer: Affine, reach: number, loops: readonly Loop[]): number {
  let [gap, covered] = [0, reach];
  const steps = outer.terms
    .map((t) => ({
      step: Math.abs(t.coefficient),
      extent: loops.find((l) => l.id === t.variable)?.extent ?? 1,
    }))
    .sort((a, b) => a.step - b.step);
  for (const { step, extent } of steps) {
    if (extent <= 1) continue;
    const missing = Math.max(0, step - covered - 1);
    gap += missing;
    covered += missing + step * (extent - 1);
  }
  return gap;
}

/** The footprint of a copy under its reader's leaf; null if it is no box that moves with the loops. */
function footprintOf(
  walk: Walk,
  copy: Statement,
  leaf: Leaf,
  around: readonly Loop[],
  inside: readonly Loop[],
): readonly Footprint[] | null {
  const reader = statementOf(walk.program, leaf.statement);
  const tensor = tensorOf(walk.program, copy.write.tensor);
  const reads = reader.reads.filter((r) => r.tensor === tensor.name);
  const outer = new Set(around.map((l) => l.id));
  const found: Footprint[] = [];
  for (const [d, most] of tensor.shape.entries()) {
    const maps: Affine[] = [];
    for (const { index } of reads) {
      const at = index[d];
      if (at?.kind !== "affine") return null;
      if (at.affine.terms.some((t) => leaf.binding.get(t.variable) === undefined)) return null;
      maps.push(substitute(at.affine, (dim) => leaf.binding.get(dim)));
    }
    const part = coveredBy(maps, outer, [...around, ...inside], most);
    if (part === null) return null;
    found.push(part);
  }
  return found;
}

/** How one coordinate of a copy is dealt: `local` invocations, each `turns` values. */
interface Deal {
  readonly local: number;
  readonly turns: number;
}

/** Deals the last coordinates to the invocations first, so that neighbours copy neighbours. */
function deal(extents: readonly number[], team: number): readonly Deal[] {
  let room = team;
  return [...extents]
    .reverse()
    .map((extent): Deal => {
      const turns = ceilDiv(extent, Math.min(room, extent));
      const local = ceilDiv(extent, turns);
      room = Math.floor(room / local);
      return { local, turns };
    })
    .reverse();
}

/** The loops of a copy, over its footprint; vectors of so many neighbours at most. */
function copyNest(
  walk: Walk,
  copy: Statement,
  footprint: readonly Footprint[],
  leaf: Leaf,
  { vector, pad }: Pick<StagedCopy, "vector" | "pad">,
): ScheduleNode {
  const along = rowCoordinate(tensorOf(walk.program, copy.write.tensor));
  const row = footprint[along];
  const run = row === undefined ? 1 : copyRun(walk.program, copy, row, vector, pad);
  const runs = footprint.map((_, d) => (d === along ? run : 1));
  const deals = deal(
    footprint.map((f, d) => f.extent / (runs[d] ?? 1)),
    walk.team,
  );
  const turns = deals.reduce((product, d) => product * d.turns, 1);
  const on = turns <= (walk.prefetch ? mostHeld : unrolledTurns) ? "unroll" : "serial";
  const names = deals.map((_, d) => `${copy.id}.c${d}`);
  const own = copy.domain.dims.filter((d) => !copy.loops.includes(d.name));
  const binding = new Map<string, Affine>();
  for (const name of copy.loops) {
    binding.set(name, defined(leaf.binding.get(name), `loop ${name} of ${leaf.statement}`));
  }
  const all = flatMap(deals, ({ local, turns: extent }, d): readonly Loop[] => [
    { id: `${names[d]}.local`, extent: local, on: "workgroup" },
    { id: `${names[d]}.turn`, extent, on },
    { id: `${names[d]}.vector`, extent: runs[d] ?? 1, on: "vector" },
  ]);
  const loops = [...all.filter((l) => isLocal(l.on)), ...all.filter((l) => !isLocal(l.on))].filter(
    (l) => l.extent > 1,
  );
  const kept = new Set(loops.map((l) => l.id));
  const index = (id: string, coefficient: number): Affine =>
    kept.has(id) ? variable(id, coefficient) : constant(0);
  for (const [d, dim] of own.entries()) {
    const { local } = defined(deals[d], "deal of", dim.name);
    const { base } = defined(footprint[d], "footprint in", dim.name);
    const width = runs[d] ?? 1;
    const dealt = [index(`${names[d]}.turn`, local * width), index(`${names[d]}.local`, width)];
    binding.set(dim.name, add(base, ...dealt, index(`${names[d]}.vector`, 1)));
  }
  return band(loops, { kind: "leaf", statement: copy.id, phase: "whole", binding });
}

/** The leaf of a reader under loops that it may share with others, and the loops between. */
function readerIn(
  walk: Walk,
  node: ScheduleNode,
  reader: string,
  loops: readonly Loop[] = [],
): { readonly leaf: Leaf; readonly loops: readonly Loop[] } | null {
  switch (node.kind) {
    case "leaf":
      return node.statement === reader && isReader(walk, node) ? { leaf: node, loops } : null;
    case "band":
      return readerIn(walk, node.child, reader, [...loops, ...node.loops]);
    case "sequence":
      for (const child of node.children) {
        const found = readerIn(walk, child, reader, loops);
        if (found !== null) return found;
      }
      return null;
  }
}

/** Readers under one loop nest with their copies before it, inside the loops that they share. */
function stageReader(walk: Walk, node: ScheduleNode, around: readonly Loop[]): ScheduleNode | null {
  const [loops, body] = node.kind === "band" ? [node.loops, node.child] : [[], node];
  const outer = loops.filter((l) => walk.outer.has(l.id));
  const inner = loops.filter((l) => !walk.outer.has(l.id));
  const shared = [...around, ...outer];
  const copies = new Map<number, ScheduleNode[]>();
  for (const { copy: id, reader, pad, slots, vector } of walk.stages) {
    const found = readerIn(walk, body, reader);
    if (found === null) continue;
    const { leaf } = found;
    const copy = statementOf(walk.program, id);
    const own = [...inner, ...found.loops];
    const footprint = footprintOf(walk, copy, leaf, shared, [...walk.local, ...own]);
    if (footprint === null) return null;
    const depth = depthOf(footprint, outer);
    copies.set(depth, [
      ...(copies.get(depth) ?? []),
      copyNest(walk, copy, footprint, leaf, { vector, pad }),
    ]);
    const outside = [...around, ...outer.slice(0, depth)];
    const at = outside.filter((l) => l.on !== "grid" && l.on !== "host").at(-1);
    walk.places.push({
      target: { kind: "tensor", tensor: copy.write.tensor },
      space: "workgroup",
      at: at?.id ?? null,
      fold: at?.on === "serial" && slots > 1 ? { loop: at.id, slots } : null,
      ...(pad > 0 ? { pad } : {}),
    });
  }
  return nestCopies(walk, outer, copies, withLocalLoops(walk, body, inner));
}

/** How many of the loops around the copies a footprint needs around it: in the others it stays. */
function depthOf(footprint: readonly Footprint[], outer: readonly Loop[]): number {
  const moves = (l: Loop): boolean =>
    footprint.some(({ base }) => base.terms.some((t) => t.variable === l.id));
  return outer.findLastIndex(moves) + 1;
}

/**
 * The loops around copies, by how many of them the copies are inside of, and around their reader; the
 * innermost that holds copies prefetches them where that is wished.
 */
function nestCopies(
  walk: Walk,
  outer: readonly Loop[],
  copies: ReadonlyMap<number, readonly ScheduleNode[]>,
  reader: ScheduleNode,
): ScheduleNode {
  const deepest = Math.max(...copies.keys());
  const loops = outer.map((l, n): Loop => {
    const mayPrefetch = walk.prefetch && n === deepest - 1 && l.on === "serial";
    return mayPrefetch ? { ...l, prefetch: true } : l;
  });
  let [node, end] = [reader, outer.length];
  for (let depth = outer.length; depth >= 0; depth--) {
    const here = copies.get(depth);
    if (here === undefined) continue;
    node = sequence([...here, band(loops.slice(depth, end), node)]);
    end = depth;
  }
  return band(loops.slice(0, end), node);
}

/** The children of a sequence: readers apart, what is between them together. */
function stageChildren(
  walk: Walk,
  children: readonly ScheduleNode[],
  around: readonly Loop[],
): ScheduleNode | null {
  const result: ScheduleNode[] = [];
  let plain: ScheduleNode[] = [];
  const flush = (): void => {
    if (plain.length > 0) result.push(withLocalLoops(walk, sequence(plain)));
    plain = [];
  };
  for (const child of children) {
    if (!holdsReader(walk, child)) {
      plain.push(child);
      continue;
    }
    flush();
    const staged = stageNode(walk, child, around);
    if (staged === null) return null;
    result.push(staged);
  }
  flush();
  return sequence(result);
}

/** Whether a band's own loops are the innermost that copies belong into: what it holds runs in them together. */
function isJoined(walk: Walk, { loops, child }: Band): boolean {
  const holds = (n: ScheduleNode): boolean =>
    n.kind === "band"
      ? n.loops.some((l) => walk.outer.has(l.id)) || holds(n.child)
      : n.kind === "sequence" && n.children.some(holds);
  return loops.some((l) => walk.outer.has(l.id)) && !holds(child);
}

function stageNode(walk: Walk, node: ScheduleNode, around: readonly Loop[]): ScheduleNode | null {
  if (node.kind === "sequence") return stageChildren(walk, node.children, around);
  const isNest = node.kind === "leaf" || node.child.kind === "leaf" || isJoined(walk, node);
  if (isNest) return stageReader(walk, node, around);
  // What a team divides of all that is inside is of each part by itself, as the kernel's local loops are.
  const others = node.loops.filter((l) => !isLocal(l.on));
  const inside = { ...walk, local: [...walk.local, ...node.loops.filter((l) => isLocal(l.on))] };
  const child = stageNode(inside, node.child, [...around, ...others]);
  walk.copies = inside.copies;
  return child === null ? null : band(others, child);
}

/**
 * A kernel with copies inside. `outer` are the loops of the readers that are to be around the copies;
 * in each iteration a copy takes the elements that the reader's other loops and the whole workgroup
 * read. With `prefetch` the innermost of them load the copies of the next iteration ahead. Null where
 * the kernel has another form.
 */
export function stageCopies(
  program: Program,
  kernel: ScheduleNode,
  stages: readonly StagedCopy[],
  outer: ReadonlySet<string>,
  prefetch = false,
): Schedule | null {
  if (kernel.kind !== "band") return null;
  const grid = kernel.loops.filter((l) => l.on === "grid");
  const local = kernel.loops.filter((l) => isLocal(l.on));
  const turns = kernel.loops.filter((l) => l.on === "serial");
  if (grid.length + local.length + turns.length !== kernel.loops.length) return null;
  const walk: Walk = {
    program,
    stages,
    outer,
    prefetch,
    local,
    team: teamSize(kernel),
    places: [],
    copies: 0,
  };
  const child = stageNode(walk, band(turns, kernel.child), grid);
  if (child === null) return null;
  return { root: { kind: "band", loops: grid, child }, places: walk.places };
}
