/**
 * Layouts: where the elements of tensors and accumulators lie while one kernel runs.
 *
 * A tensor without a place lies whole in its buffer, row by row or with the strides of its caller. A
 * placed one is a box around the part that the
 * leaves inside the loop `at` write: its base is an affine function of the loops around, its extents
 * are the range of the rest. Accumulators are boxes over the loops inside their three leaves.
 */

import { defined, invariant } from "../support/assert.ts";
import { rowMajorStrides } from "../support/scalar-type.ts";
import { spanOfView } from "../support/strided-view.ts";
import { elementsPerWord } from "../support/words.ts";
import { type Affine, affineEquals, intervalOf, substitute } from "./affine.ts";
import {
  findStatement,
  findTensor,
  type Program,
  parallelDims,
  type Statement,
  type Tensor,
} from "./program.ts";
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
      /** In elements of the shape; may be 0 or negative. */
      readonly strides: readonly number[];
      /** Elements from the first to the last. */
      readonly span: number;
      /** What the offset of the first element, known when it runs, is a multiple of; null for 0. */
      readonly offsetMultiple: number | null;
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

/** A box: where it begins, over loops, and its extents. */
export interface Box {
  readonly base: readonly Affine[];
  readonly extents: readonly number[];
}

/**
 * The smallest box around several maps (one affine function per dimension each); null when they move
 * differently with the loops around, so that no box has a fixed place among them.
 */
function boxAround(
  maps: readonly { readonly map: readonly Affine[]; readonly loops: readonly Loop[] }[],
  outer: ReadonlySet<string>,
): Box | null {
  const rank = maps[0]?.map.length ?? 0;
  const base: Affine[] = [];
  const extents: number[] = [];
  for (let d = 0; d < rank; d++) {
    const parts = maps.map(({ map, loops }) => splitOuter(defined(map[d], "map"), outer, loops));
    const first = defined(parts[0], "map");
    const origin = { ...first.base, constant: 0 };
    if (parts.some((p) => !affineEquals({ ...p.base, constant: 0 }, origin))) return null;
    const lo = Math.min(...parts.map((p) => p.base.constant + p.lo));
    const hi = Math.max(...parts.map((p) => p.base.constant + p.hi));
    base.push({ terms: first.base.terms, constant: lo });
    extents.push(hi - lo + 1);
  }
  return { base, extents };
}

/** The loops of a leaf up to and including `at`, the host and grid loops for null; null if absent. */
function loopsAround(context: LeafContext, at: string | null): ReadonlySet<string> | null {
  if (at === null) {
    const outer = context.loops.filter((l) => l.on === "host" || l.on === "grid");
    return new Set(outer.map((l) => l.id));
  }
  const end = context.loops.findIndex((l) => l.id === at);
  return end < 0 ? null : new Set(context.loops.slice(0, end + 1).map((l) => l.id));
}

/** The written coordinates over loops; null when one is a quotient or computed at run time. */
function boundMap(statement: Statement, context: LeafContext): readonly Affine[] | null {
  const map: Affine[] = [];
  for (const index of statement.write.index) {
    if (index.kind !== "affine") return null;
    if (index.affine.terms.some((t) => context.leaf.binding[t.variable] === undefined)) return null;
    map.push(substitute(index.affine, (dim) => context.leaf.binding[dim]));
  }
  return map;
}

/** The box of a tensor placed at a loop; null when what is written there is no box. */
export function placedBox(
  program: Program,
  leaves: readonly LeafContext[],
  tensor: string,
  at: string | null,
): Box | null {
  const maps: { map: readonly Affine[]; loops: readonly Loop[] }[] = [];
  let outer: ReadonlySet<string> | null = null;
  for (const context of leaves) {
    const { leaf, loops } = context;
    const statement = defined(findStatement(program, leaf.statement), leaf.statement);
    const writes = leaf.phase === "whole" || leaf.phase === "finish";
    if (!writes || statement.write.tensor !== tensor) continue;
    const map = boundMap(statement, context);
    outer ??= loopsAround(context, at);
    if (map === null || outer === null) return null;
    maps.push({ map, loops });
  }
  return outer === null ? null : boxAround(maps, outer);
}

/** The layout of a tensor in a kernel whose leaves are `leaves` (with the host loops around). */
export function layoutOf(
  program: Program,
  schedule: Schedule,
  leaves: readonly LeafContext[],
  tensor: string,
): Layout {
  const declared = defined(findTensor(program, tensor), `tensor ${tensor}`);
  const place = placeOfTensor(schedule, tensor);
  if (place === undefined || place.space === "storage") {
    return wholeLayout(declared, place?.fold ?? null);
  }
  const box = placedBox(program, leaves, tensor, place.at);
  invariant(box !== null, `${tensor} is placed, but what is written of it is no box`);
  return { kind: "box", space: place.space, ...box };
}

function wholeLayout(tensor: Tensor, fold: Place["fold"]): Layout {
  const { shape, layout, stored, unpacked } = tensor;
  const per = stored === undefined || unpacked === undefined ? 1 : elementsPerWord(stored);
  const last = shape.length - 1;
  // Rows of a tensor of words are whole words, so that all but the last stride can be divided.
  const strides =
    layout?.strides.map((s, d) => (d === last ? s : s / per)) ?? rowMajorStrides(shape);
  const multiple = layout?.offsetMultiple ?? null;
  return {
    kind: "whole",
    shape,
    strides,
    span: spanOfView(shape, strides),
    offsetMultiple: multiple === null ? null : multiple / per,
    fold,
  };
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
  return defined(boxAround(maps, outer) ?? undefined, `box of the accumulator of ${statement.id}`);
}

/** All leaves of a kernel, with the host loops around it prepended. */
export function kernelLeaves(kernel: ScheduleNode, host: readonly Loop[]): readonly LeafContext[] {
  return [...eachLeaf(kernel)].map((c) => ({ ...c, loops: [...host, ...c.loops] }));
}
