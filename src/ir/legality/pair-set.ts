/**
 * Sets of pairs of leaf instances, in terms of the loops around the two leaves.
 *
 * ```
 * pair := for a loop around both: its index `L` at the sink and the difference `>L`,
 *         sink minus source; for a loop around one: `a.L` or `b.L`;
 *         `@a`, `@b`: which of its team, where all of a team execute the leaf
 * ```
 * Differences make the usual case cheap: that both ends agree on a tiled dim is one equation over
 * differences, from which bounds alone show that every difference is 0.
 */
import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv, floorDiv } from "../../support/integer.ts";
import { remember } from "../../support/remember.ts";
import {
  type Affine,
  add,
  addConstant,
  type Constraint,
  constant,
  type Interval,
  intervalOf,
  nonnegative,
  scale,
  substitute,
  substituteConstraint,
  subtract,
  variable,
  zero,
} from "../affine.ts";
import { isEmpty } from "../integer-set/is-empty.ts";
import type { Loop } from "../schedule.ts";
import { localIndex, type Occurrence, sharedLoops } from "./occurrence.ts";

export interface PairSet {
  readonly source: Occurrence;
  readonly sink: Occurrence;
  readonly shared: readonly Loop[];
  readonly constraints: readonly Constraint[];
  /** Bounds of the variables, as far as they are known. */
  readonly box: ReadonlyMap<string, Interval>;
}

/** Pairs before their bounds are known. */
type Pairs = Omit<PairSet, "box">;

const anything: Interval = { lo: -Infinity, hi: Infinity };
const rounds = 6;

/** The name of a shared loop's difference. */
export function difference(loop: Loop): Affine {
  return loop.extent <= 1 ? constant(0) : variable(`>${loop.id}`);
}

/** A loop as a function of the variables of pairs. */
function loopAt(side: "a" | "b", loop: Loop, shared: boolean): Affine {
  if (loop.extent <= 1) return constant(0);
  if (!shared) return variable(`${side}.${loop.id}`);
  const sink = variable(loop.id);
  return side === "b" ? sink : subtract(sink, difference(loop));
}

/** An affine function of one end's loops, over the variables of the pairs. */
export function atEnd(pairs: PairSet, side: "a" | "b", a: Affine): Affine {
  const { loops } = side === "a" ? pairs.source : pairs.sink;
  return substitute(a, (name) => {
    const n = loops.findIndex((l) => l.id === name);
    const loop = loops[n];
    return loop === undefined ? undefined : loopAt(side, loop, n < pairs.shared.length);
  });
}

function boxOf(source: Occurrence, sink: Occurrence, shared: number): Map<string, Interval> {
  const box = new Map<string, Interval>();
  const range = (loop: Loop): Interval => ({ lo: 0, hi: loop.extent - 1 });
  for (const l of sink.loops.slice(0, shared)) {
    box.set(l.id, range(l));
    box.set(`>${l.id}`, { lo: 1 - l.extent, hi: l.extent - 1 });
  }
  if (source.replicated) box.set("@a", { lo: 0, hi: source.team - 1 });
  if (sink.replicated) box.set("@b", { lo: 0, hi: sink.team - 1 });
  for (const l of source.loops.slice(shared)) box.set(`a.${l.id}`, range(l));
  for (const l of sink.loops.slice(shared)) box.set(`b.${l.id}`, range(l));
  return box;
}

type Box = Map<string, Interval>;

/** Bounds the only variable of `affine >= 0` that leaves it unbounded, if there is one only. */
function boundOpen(affine: Affine, box: Box): void {
  const range = (name: string): Interval => box.get(name) ?? anything;
  const open = affine.terms.filter(({ variable: name, coefficient }) => {
    const { lo, hi } = range(name);
    return !Number.isFinite(coefficient > 0 ? hi : lo);
  });
  const [only, more] = open;
  if (only === undefined || more !== undefined) return;
  const rest = { ...affine, terms: affine.terms.filter((t) => t !== only) };
  const most = intervalOf(rest, range).hi;
  const { lo, hi } = range(only.variable);
  const c = only.coefficient;
  if (c > 0) box.set(only.variable, { lo: Math.max(lo, ceilDiv(-most, c)), hi });
  else box.set(only.variable, { lo, hi: Math.min(hi, floorDiv(most, -c)) });
}

/** Tightens the bounds of the variables of `affine >= 0`. False when there is no point. */
function tighten(affine: Affine, box: Box, range: (name: string) => Interval): boolean {
  const { hi } = intervalOf(affine, range);
  if (hi < 0) return false;
  if (!Number.isFinite(hi)) {
    boundOpen(affine, box);
    return true;
  }
  for (const { variable: name, coefficient } of affine.terms) {
    const { lo: least, hi: most } = range(name);
    const slack = floorDiv(hi, Math.abs(coefficient));
    const bound = coefficient > 0 ? most - slack : least + slack;
    if (coefficient > 0 && bound > least) box.set(name, { lo: bound, hi: most });
    if (coefficient < 0 && bound < most) box.set(name, { lo: least, hi: bound });
  }
  return true;
}

function widthOf(box: Box): number {
  let width = 0;
  for (const { lo, hi } of box.values()) width += Math.min(hi - lo, 1e9);
  return width;
}

/** Shrinks the box to what single constraints allow. False when there is no point. */
function propagate(constraints: readonly Constraint[], box: Box): boolean {
  const rows = flatMap(constraints, ({ kind, affine }) =>
    kind === "zero" ? [affine, scale(affine, -1)] : [affine],
  );
  const range = (name: string): Interval => box.get(name) ?? anything;
  let before = -1;
  for (let round = 0; round < rounds; round++) {
    if (!rows.every((affine) => tighten(affine, box, range))) return false;
    const width = widthOf(box);
    if (width === before) return true;
    before = width;
  }
  return true;
}

function implied(c: Constraint, range: (name: string) => Interval): boolean {
  const { lo, hi } = intervalOf(c.affine, range);
  return c.kind === "nonnegative" ? lo >= 0 : lo === 0 && hi === 0;
}

function shrink({ source, sink, shared, constraints }: Pairs, box: Box): PairSet | null {
  const range = (name: string): Interval => box.get(name) ?? anything;
  const open = constraints.filter((c) => !implied(c, range));
  if (open.length === 0) return { source, sink, shared, constraints: open, box };
  if (!propagate(open, box)) return null;
  const left = open.filter((c) => !implied(c, range));
  return { source, sink, shared, constraints: left, box };
}

/** The pairs that satisfy more constraints; null when bounds show that there are none. */
export function restrict(pairs: PairSet, more: readonly Constraint[]): PairSet | null {
  if (more.length === 0) return pairs;
  const { source, sink, shared } = pairs;
  const constraints = [...pairs.constraints, ...more];
  return shrink({ source, sink, shared, constraints }, new Map(pairs.box));
}

function boxConstraints(box: ReadonlyMap<string, Interval>): readonly Constraint[] {
  const list: Constraint[] = [];
  for (const [name, { lo, hi }] of box) {
    if (Number.isFinite(lo)) list.push(nonnegative(addConstant(variable(name), -lo)));
    if (Number.isFinite(hi)) list.push(nonnegative(addConstant(variable(name, -1), hi)));
  }
  return list;
}

/** False when bounds show that the source's index of a shared loop is never in its range. */
function sourcesInRange({ shared, box }: PairSet): boolean {
  return shared.every((loop) => {
    const at = loopAt("a", loop, true);
    const { lo, hi } = intervalOf(at, (name) => box.get(name) ?? anything);
    return hi >= 0 && lo < loop.extent;
  });
}

/** False only if it is proved that no pair satisfies `more` too. */
export function mayHold(pairs: PairSet, more: readonly Constraint[]): boolean {
  const some = restrict(pairs, more);
  if (some === null || !sourcesInRange(some)) return false;
  if (some.constraints.length === 0) return true;
  const names = new Set(flatMap(some.constraints, (c) => c.affine.terms.map((t) => t.variable)));
  const box = new Map([...some.box].filter(([name]) => names.has(name)));
  const inside = flatMap(pairs.shared, (l): readonly Constraint[] => {
    if (!names.has(`>${l.id}`)) return [];
    const at = loopAt("a", l, true);
    return [nonnegative(at), nonnegative(subtract(constant(l.extent - 1), at))];
  });
  return isEmpty([...some.constraints, ...inside, ...boxConstraints(box)]) !== "empty";
}

/** True unless it is proved that `a` is 0 for all pairs. */
export function mayDiffer(pairs: PairSet, a: Affine): boolean {
  const { lo, hi } = intervalOf(a, (name) => pairs.box.get(name) ?? anything);
  if (lo === 0 && hi === 0) return false;
  return (
    mayHold(pairs, [nonnegative(addConstant(a, -1))]) ||
    mayHold(pairs, [nonnegative(addConstant(scale(a, -1), -1))])
  );
}

/** The pairs for which `a` is 0; null when there are none. */
export function where(pairs: PairSet, a: Affine): PairSet | null {
  const { lo, hi } = intervalOf(a, (name) => pairs.box.get(name) ?? anything);
  if (lo === 0 && hi === 0) return pairs;
  return restrict(pairs, [zero(a)]);
}

/** The dims of an end: their names over pairs of which it is the source or the sink, and ranges. */
interface DimsOfEnd {
  readonly ranges: ReadonlyMap<string, Interval>;
  readonly bounds: ReadonlyMap<string, Affine>;
}

function dimsOfEnd(side: "a" | "b"): (end: Occurrence) => DimsOfEnd {
  return ({ leaf, loops }) => {
    const extents = new Map(loops.map((l) => [l.id, { lo: 0, hi: l.extent - 1 }]));
    const [ranges, bounds] = [new Map<string, Interval>(), new Map<string, Affine>()];
    for (const [dim, bound] of leaf.binding) {
      const name = `${side}.${dim}`;
      ranges.set(
        name,
        intervalOf(bound, (l) => extents.get(l) ?? single),
      );
      bounds.set(name, bound);
    }
    return { ranges, bounds };
  };
}

const single: Interval = { lo: 0, hi: 0 };
const dimsOfSource: (end: Occurrence) => DimsOfEnd = remember(dimsOfEnd("a"));
const dimsOfSink: (end: Occurrence) => DimsOfEnd = remember(dimsOfEnd("b"));

/** The invocation in the workgroup that executes an end, over the variables of the pairs. */
export function threadAt(
  pairs: PairSet,
  side: "a" | "b",
  strides: ReadonlyMap<string, number>,
): Affine {
  const end = side === "a" ? pairs.source : pairs.sink;
  const first = atEnd(pairs, side, localIndex(end, strides));
  return end.replicated ? add(first, variable(`@${side}`)) : first;
}

/**
 * The pairs of instances of two leaves that satisfy constraints over the dims of the source behind
 * "a." and of the sink behind "b."; null when bounds show that there are none.
 */
export function pairSet(
  constraints: readonly Constraint[],
  source: Occurrence,
  sink: Occurrence,
): PairSet | null {
  if ([...source.loops, ...sink.loops].some((l) => l.extent <= 0)) return null;
  const shared = sharedLoops(source, sink);
  const box = boxOf(source, sink, shared.length);
  const empty: PairSet = { source, sink, shared, constraints: [], box };
  // What the ranges of the dims imply needs no substitution: most bounds of dims.
  const [a, b] = [dimsOfSource(source), dimsOfSink(sink)];
  const range = (name: string): Interval => a.ranges.get(name) ?? b.ranges.get(name) ?? anything;
  const open = constraints.filter((c) => !implied(c, range));
  const dims = new Map<string, Affine>();
  const dimAt = (name: string): Affine | undefined => {
    const known = dims.get(name);
    if (known !== undefined) return known;
    const [ofSource, ofSink] = [a.bounds.get(name), b.bounds.get(name)];
    const bound = ofSource ?? ofSink;
    if (bound === undefined) return undefined;
    const at = atEnd(empty, ofSource === undefined ? "b" : "a", bound);
    dims.set(name, at);
    return at;
  };
  const bound = open.map((c) => substituteConstraint(c, dimAt));
  return shrink({ source, sink, shared, constraints: bound }, box);
}
