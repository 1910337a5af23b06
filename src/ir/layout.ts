/**
 * Layouts: where the elements of tensors and accumulators lie while one kernel runs.
 *
 * A tensor without a place lies whole in its buffer. A placed one is a box around the part that the
 * leaves inside the loop `at` write: its base is an affine function of the loops around, its extents
 * are the range of the rest. Accumulators are boxes over the loops inside their three leaves.
 */

import { defined, invariant } from "../support/assert.ts";
import {
  type Affine,
  affineEquals,
  intervalOf,
  printAffine,
  substitute,
  subtract,
} from "./affine.ts";
import { findStatement, type Program, parallelDims, type Statement } from "./program.ts";
import {
  eachLeaf,
  type LeafContext,
  type Loop,
  type Place,
  placeOfTensor,
  type Schedule,
  type ScheduleNode,
} from "./schedule.ts";

export type Layout =
  | {
      readonly kind: "whole";
      readonly shape: readonly number[];
      readonly fold: Place["fold"];
    }
  | {
      readonly kind: "box";
      readonly space: "scratch" | "workgroup" | "private";
      /** Over loops, one per dimension. */
      readonly base: readonly Affine[];
      readonly extents: readonly number[];
    };

/** A box over the parallel dims of a reduction: offsets relative to the loops around its leaves. */
export interface AccumulatorLayout {
  /** Per parallel dim: what to subtract from the dim, over the loops around. */
  readonly base: readonly Affine[];
  readonly extents: readonly number[];
}

/** Splits an affine function of loops: the part over `outer`, and the interval of the rest. */
function splitOuter(
  a: Affine,
  outer: ReadonlySet<string>,
  loops: readonly Loop[],
): { readonly base: Affine; readonly lo: number; readonly hi: number } {
  const base: Affine = {
    terms: a.terms.filter((t) => outer.has(t.variable)),
    constant: a.constant,
  };
  const inner: Affine = { terms: a.terms.filter((t) => !outer.has(t.variable)), constant: 0 };
  const { lo, hi } = intervalOf(inner, (name) => {
    const loop = defined(
      loops.find((l) => l.id === name),
      `loop ${name}`,
    );
    return { lo: 0, hi: loop.extent - 1 };
  });
  return { base, lo, hi };
}

interface Box {
  readonly base: readonly Affine[];
  readonly extents: readonly number[];
}

/** The smallest box around several maps (one affine function per dimension each). */
function boxAround(
  maps: readonly { readonly map: readonly Affine[]; readonly loops: readonly Loop[] }[],
  outer: ReadonlySet<string>,
  what: string,
): Box {
  const rank = maps[0]?.map.length ?? 0;
  const base: Affine[] = [];
  const extents: number[] = [];
  for (let d = 0; d < rank; d++) {
    const parts = maps.map(({ map, loops }) => splitOuter(defined(map[d], what), outer, loops));
    const first = defined(parts[0], what);
    for (const p of parts) {
      const same = affineEquals({ ...p.base, constant: 0 }, { ...first.base, constant: 0 });
      invariant(
        same,
        `${what} is written at ${printAffine(p.base)} and ${printAffine(first.base)}`,
      );
    }
    const lo = Math.min(...parts.map((p) => p.base.constant + p.lo));
    const hi = Math.max(...parts.map((p) => p.base.constant + p.hi));
    base.push({ terms: first.base.terms, constant: lo });
    extents.push(hi - lo + 1);
  }
  return { base, extents };
}

/** The loops of a leaf up to and including `at`; the host and grid loops when `at` is null. */
function loopsAround(context: LeafContext, at: string | null): ReadonlySet<string> {
  if (at === null) {
    const outer = context.loops.filter((l) => l.on === "host" || l.on === "grid");
    return new Set(outer.map((l) => l.id));
  }
  const end = context.loops.findIndex((l) => l.id === at);
  invariant(end >= 0, `a placed value is used outside loop ${at}`);
  return new Set(context.loops.slice(0, end + 1).map((l) => l.id));
}

function boundMap(statement: Statement, context: LeafContext): readonly Affine[] {
  return statement.write.index.map((index) => {
    invariant(index.kind === "affine", `${statement.write.tensor} is placed but scattered into`);
    return substitute(index.affine, (dim) => context.leaf.binding[dim]);
  });
}

/** The layout of a tensor in a kernel whose leaves are `leaves` (with the host loops around). */
export function layoutOf(
  program: Program,
  schedule: Schedule,
  leaves: readonly LeafContext[],
  tensor: string,
): Layout {
  const shape = defined(
    program.tensors.find((t) => t.name === tensor),
    `tensor ${tensor}`,
  ).shape;
  const place = placeOfTensor(schedule, tensor);
  if (place === undefined || place.space === "storage") {
    return { kind: "whole", shape, fold: place?.fold ?? null };
  }
  const writers = leaves.flatMap((context) => {
    const { leaf } = context;
    const statement = defined(findStatement(program, leaf.statement), leaf.statement);
    const writes = leaf.phase === "whole" || leaf.phase === "finish";
    return writes && statement.write.tensor === tensor ? [{ context, statement }] : [];
  });
  const first = defined(writers[0], `writer of ${tensor}`);
  const outer = loopsAround(first.context, place.at);
  const maps = writers.map(({ context, statement }) => ({
    map: boundMap(statement, context),
    loops: context.loops,
  }));
  return { kind: "box", space: place.space, ...boxAround(maps, outer, tensor) };
}

/** The loops around all three leaves of a reduction: the common prefix of their loops. */
function commonLoops(contexts: readonly LeafContext[]): readonly Loop[] {
  const [first, ...others] = contexts;
  if (first === undefined) return [];
  let length = first.loops.length;
  for (const other of others) {
    let n = 0;
    while (n < length && other.loops[n]?.id === first.loops[n]?.id) n++;
    length = n;
  }
  return first.loops.slice(0, length);
}

/** The layout of the accumulator of a statement's reduction. */
export function accumulatorLayoutOf(
  statement: Statement,
  leaves: readonly LeafContext[],
): AccumulatorLayout {
  const contexts = leaves.filter((c) => c.leaf.statement === statement.id);
  const outer = new Set(commonLoops(contexts).map((l) => l.id));
  const maps = contexts.map(({ leaf, loops }) => ({
    map: parallelDims(statement).map((d) => defined(leaf.binding[d], `binding of ${d}`)),
    loops,
  }));
  return boxAround(maps, outer, `accumulator of ${statement.id}`);
}

/** All leaves of a kernel, with the host loops around it prepended. */
export function kernelLeaves(kernel: ScheduleNode, host: readonly Loop[]): readonly LeafContext[] {
  return [...eachLeaf(kernel)].map((c) => ({ ...c, loops: [...host, ...c.loops] }));
}

/** An element's coordinates in a box: `map - base`. */
export function relativeTo(map: Affine, base: Affine): Affine {
  return subtract(map, base);
}
