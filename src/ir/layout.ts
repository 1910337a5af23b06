/**
 * Layouts: where the elements of tensors and accumulators lie while one kernel runs.
 *
 * A tensor without a place lies whole in its buffer, row by row or with the strides of its caller. A
 * placed one is a box around the part that the
 * leaves inside the loop `at` write: its base is an affine function of the loops around, its extents
 * are the range of the rest. In the space of lanes, lane loops belong to the rest. Accumulators are
 * boxes over the loops inside their three leaves.
 */

import { defined, invariant } from "../support/assert.ts";
import { flatMap } from "../support/flat-map.ts";
import { ceilDiv, gcd } from "../support/integer.ts";
import { rowMajorStrides } from "../support/scalar-type.ts";
import { spanOfView } from "../support/strided-view.ts";
import { elementsPerWord } from "../support/words.ts";
import {
  type Affine,
  affineEquals,
  coefficientOf,
  constant,
  intervalOf,
  rename,
  substitute,
} from "./affine.ts";
import {
  type Program,
  parallelDims,
  type Statement,
  statementOf,
  type Tensor,
  tensorOf,
} from "./program.ts";
import {
  type Digit,
  eachLeaf,
  isLocal,
  type Leaf,
  type LeafContext,
  type Loop,
  localDigits,
  type Place,
  placeOfTensor,
  type Schedule,
  type ScheduleNode,
  type Space,
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
      readonly space: "scratch" | "workgroup" | "private" | "lanes";
      /** Over loops, one per dimension. */
      readonly base: readonly Affine[];
      readonly extents: readonly number[];
      /** How the elements are dealt to lanes; null for other spaces. */
      readonly deal: Deal | null;
      /** Iteration `t` of the loop has the box number `t mod slots`; null for one box. */
      readonly turns: Place["fold"];
    };

/** Along one dimension of a box, element `e` is in register `floor(e / lanes)` of lane `e mod lanes`. */
export interface Deal {
  readonly dimension: number;
  readonly lanes: number;
}

/** A box over the parallel dims of a reduction: offsets relative to the loops around its leaves. */
export interface AccumulatorLayout extends Box {
  /**
   * Per parallel dim: how the dim minus its base is made of digits, the one of the smallest stride first;
   * the element's place along the dim is the number that these digits are, its extent their product.
   */
  readonly digits: readonly (readonly Digit[])[];
}

/** A coordinate over loops: a part over the outer ones, and what the others add to it. */
interface SplitMap {
  readonly base: Affine;
  readonly lo: number;
  readonly hi: number;
  /** Of the others: what an iteration adds, and how many there are. */
  readonly terms: readonly Digit[];
}

/** The digits of a sum of loops, each times its coefficient; null where they overlap. */
function digitsOf(terms: readonly Digit[]): readonly Digit[] | null {
  const digits: Digit[] = [];
  let span = 0;
  for (const { stride, extent } of [...terms].sort((a, b) => a.stride - b.stride)) {
    if (extent <= 1) continue;
    const last = digits.at(-1);
    if (last === undefined || stride > span) {
      const follows = last !== undefined && stride === last.stride * last.extent;
      if (follows) digits[digits.length - 1] = { ...last, extent: last.extent * extent };
      else digits.push({ stride, extent });
    } else return null;
    span += stride * (extent - 1);
  }
  return digits;
}

/** Splits an affine function of loops: the part over `outer`, and the interval and digits of the rest. */
function splitOuter(a: Affine, outer: ReadonlySet<string>, loops: readonly Loop[]): SplitMap {
  const base: Affine = {
    terms: a.terms.filter((t) => outer.has(t.variable)),
    constant: a.constant,
  };
  const inner: Affine = { terms: a.terms.filter((t) => !outer.has(t.variable)), constant: 0 };
  const extentOf = (name: string): number =>
    defined(
      loops.find((l) => l.id === name),
      "loop",
      name,
    ).extent;
  const { lo, hi } = intervalOf(inner, (name) => ({ lo: 0, hi: extentOf(name) - 1 }));
  const terms = inner.terms.map((t) => ({
    stride: Math.abs(t.coefficient),
    extent: extentOf(t.variable),
  }));
  return { base, lo, hi, terms };
}

/** A box: where it begins, over loops and digits of the local index, and its extents. */
export interface Box {
  readonly base: readonly Affine[];
  readonly extents: readonly number[];
}

/** A box, and per dimension the maps that it is around. */
interface SplitBox extends Box {
  readonly splits: readonly (readonly SplitMap[])[];
}

/**
 * The smallest box around several maps (one affine function per dimension each); null when they move
 * differently with the loops around, so that no box has a fixed place among them.
 */
function boxAround(
  maps: readonly { readonly map: readonly Affine[]; readonly loops: readonly Loop[] }[],
  outer: ReadonlySet<string>,
): SplitBox | null {
  const rank = maps[0]?.map.length ?? 0;
  const base: Affine[] = [];
  const extents: number[] = [];
  const splits: (readonly SplitMap[])[] = [];
  for (let d = 0; d < rank; d++) {
    const parts = maps.map(({ map, loops }) => splitOuter(defined(map[d], "map"), outer, loops));
    const first = defined(parts[0], "map");
    const origin = { ...first.base, constant: 0 };
    if (parts.some((p) => !affineEquals({ ...p.base, constant: 0 }, origin))) return null;
    const lo = Math.min(...parts.map((p) => p.base.constant + p.lo));
    const hi = Math.max(...parts.map((p) => p.base.constant + p.hi));
    base.push({ terms: first.base.terms, constant: lo });
    extents.push(hi - lo + 1);
    splits.push(parts);
  }
  return { base, extents, splits };
}

/** The digits that all of some coordinates have; one digit with steps in common if these differ. */
function commonDigits(parts: readonly SplitMap[], extent: number): readonly Digit[] {
  const starts = parts.map((p) => p.base.constant + p.lo);
  const [digits = null, ...others] = parts.map((p) => digitsOf(p.terms));
  const text = JSON.stringify([digits, starts[0]]);
  const same = others.every((d, n) => JSON.stringify([d, starts[n + 1]]) === text);
  if (digits !== null && same) return digits;
  const strides = flatMap(parts, (p) => p.terms.map((t) => t.stride));
  const apart = starts.map((n) => n - Math.min(...starts));
  const stride = Math.max(1, [...strides, ...apart].reduce(gcd, 0));
  return [{ stride, extent: ceilDiv(extent, stride) }];
}

/** The box without what lies between its digits, which nobody touches. */
function withoutGaps({ base, extents, splits }: SplitBox): AccumulatorLayout {
  const digits = splits.map((parts, d) => commonDigits(parts, extents[d] ?? 1));
  const packed = digits.map((all) => all.reduce((product, g) => product * g.extent, 1));
  return { base, extents: packed, digits };
}

/** The loops of a leaf up to and including `at`, the host and grid loops for null; null if absent. */
function loopsAround(
  context: LeafContext,
  at: string | null,
  space: Space,
): ReadonlySet<string> | null {
  if (at === null) {
    const outer = context.loops.filter((l) => l.on === "host" || l.on === "grid");
    return new Set(outer.map((l) => l.id));
  }
  const end = context.loops.findIndex((l) => l.id === at);
  if (end < 0) return null;
  const around = context.loops.slice(0, end + 1);
  const copies = space === "lanes" ? around.filter((l) => l.on !== "lane") : around;
  return new Set(copies.map((l) => l.id));
}

/** The written coordinates over loops; null when one is a quotient or computed at run time. */
function boundMap(statement: Statement, context: LeafContext): readonly Affine[] | null {
  const map: Affine[] = [];
  for (const index of statement.write.index) {
    if (index.kind !== "affine") return null;
    if (index.affine.terms.some((t) => context.leaf.binding.get(t.variable) === undefined))
      return null;
    map.push(substitute(index.affine, (dim) => context.leaf.binding.get(dim)));
  }
  return map;
}

function storesInto(statement: Statement, { phase }: Leaf, tensor: string): boolean {
  return (phase === "whole" || phase === "finish") && statement.write.tensor === tensor;
}

/** The dimension and the lane loop by which a leaf deals what it writes; null if it is not dealt. */
function dealOf(statement: Statement, context: LeafContext): Deal | null {
  const map = boundMap(statement, context);
  const [loop, more] = context.loops.filter((l) => l.on === "lane" && l.extent > 1);
  if (map === null || loop === undefined || more !== undefined) return null;
  const moved = [...map.keys()].filter((d) => coefficientOf(map[d] ?? constant(0), loop.id) !== 0);
  const [dimension, other] = moved;
  if (dimension === undefined || other !== undefined) return null;
  if (coefficientOf(map[dimension] ?? constant(0), loop.id) !== 1) return null;
  return { dimension, lanes: loop.extent };
}

/**
 * How the elements of a tensor in lanes are dealt: by all that write it alike, one element per lane;
 * null if they do not.
 */
export function placedDeal(
  program: Program,
  leaves: readonly LeafContext[],
  tensor: string,
): Deal | null {
  let found: Deal | null = null;
  for (const context of leaves) {
    const { leaf } = context;
    const statement = statementOf(program, leaf.statement);
    if (!storesInto(statement, leaf, tensor)) continue;
    const deal = dealOf(statement, context);
    if (deal === null) return null;
    const differs =
      found !== null && (deal.dimension !== found.dimension || deal.lanes !== found.lanes);
    if (differs) return null;
    found = deal;
  }
  return found;
}

/** The registers of a box in each lane, per dimension. */
export function registerExtents(extents: readonly number[], deal: Deal): readonly number[] {
  return extents.map((n, d) => (d === deal.dimension ? ceilDiv(n, deal.lanes) : n));
}

/** The box of a tensor placed at a loop; null when what is written there is no box. */
export function placedBox(
  program: Program,
  leaves: readonly LeafContext[],
  tensor: string,
  at: string | null,
  space: Space = "workgroup",
): Box | null {
  const maps: { map: readonly Affine[]; loops: readonly Loop[] }[] = [];
  let outer: ReadonlySet<string> | null = null;
  for (const context of leaves) {
    const { leaf, loops } = context;
    const statement = statementOf(program, leaf.statement);
    if (!storesInto(statement, leaf, tensor)) continue;
    const map = boundMap(statement, context);
    outer ??= loopsAround(context, at, space);
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
  const declared = tensorOf(program, tensor);
  const place = placeOfTensor(schedule, tensor);
  if (place === undefined || place.space === "storage") {
    return wholeLayout(declared, place?.fold ?? null);
  }
  const { space } = place;
  const box = placedBox(program, leaves, tensor, place.at, space);
  invariant(box !== null, `${tensor} is placed, but what is written of it is no box`);
  invariant(space !== "fragment", `${tensor} is no accumulator, and in fragments`);
  if (space !== "lanes") {
    // Coordinates of one value behind a row are of it.
    const row = box.extents.findLastIndex((e) => e > 1);
    const extents = box.extents.map((e, d) => (d === row ? e + (place.pad ?? 0) : e));
    return { kind: "box", space, base: box.base, extents, deal: null, turns: place.fold };
  }
  const deal = placedDeal(program, leaves, tensor);
  invariant(deal !== null, `${tensor} is in lanes, but not dealt to them`);
  return { kind: "box", space, ...box, deal, turns: null };
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

/** The name in a box's base of a digit of the local index. */
export function digitName({ stride, extent }: Digit): string {
  return `@${stride}x${extent}`;
}

/** The bindings of a reduction's leaves, the inner local loops as digits; null when digits differ. */
function digitMaps(
  contexts: readonly LeafContext[],
  dims: readonly string[],
  shared: number,
  strides: ReadonlyMap<string, number>,
): { readonly names: ReadonlySet<string>; readonly maps: readonly Affine[][] } | null {
  const all = contexts.map(({ loops }) => localDigits(loops.slice(shared), strides));
  const texts = all.map((digits) =>
    [...(digits ?? new Map<string, Digit>()).values()].map(digitName),
  );
  const [first = []] = texts;
  if (all.includes(null) || texts.some((t) => t.join() !== first.join())) return null;
  const maps = contexts.map(({ leaf }, n) =>
    dims.map((d) =>
      rename(defined(leaf.binding.get(d), "binding of", d), (loop) => {
        const digit = all[n]?.get(loop);
        return digit === undefined ? undefined : digitName(digit);
      }),
    ),
  );
  return { names: new Set(first), maps };
}

/**
 * The layout of the accumulator of a statement's reduction. Each invocation has its own: what the
 * local loops around a leaf decide is part of the base, as digits of the local index if all three
 * leaves have the same. `strides` are those of the kernel's local loops.
 */
export function accumulatorLayoutOf(
  statement: Statement,
  leaves: readonly LeafContext[],
  strides: ReadonlyMap<string, number>,
): AccumulatorLayout {
  const contexts = leaves.filter((c) => c.leaf.statement === statement.id);
  const common = commonLoops(contexts);
  const outer = new Set(common.map((l) => l.id));
  const dims = parallelDims(statement);
  const shared = common.some((l) => isLocal(l.on) && l.extent > 1);
  const digits = shared ? null : digitMaps(contexts, dims, common.length, strides);
  if (digits !== null) {
    const maps = contexts.map(({ loops }, n) => ({ map: digits.maps[n] ?? [], loops }));
    const box = boxAround(maps, new Set([...outer, ...digits.names]));
    if (box !== null) return withoutGaps(box);
  }
  const maps = contexts.map(({ leaf, loops }) => ({
    map: dims.map((d) => defined(leaf.binding.get(d), "binding of", d)),
    loops,
  }));
  const box = boxAround(maps, outer) ?? undefined;
  return withoutGaps(defined(box, "box of the accumulator of", statement.id));
}

/** All leaves of a kernel, with the host loops around it prepended. */
export function kernelLeaves(kernel: ScheduleNode, host: readonly Loop[]): readonly LeafContext[] {
  return eachLeaf(kernel).map((c) => ({ ...c, loops: [...host, ...c.loops] }));
}
