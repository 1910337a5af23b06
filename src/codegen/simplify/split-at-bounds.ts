/**
 * Purpose: splits a loop where its conditions begin or cease to hold for all invocations of a workgroup:
 * index-set splitting.
 *
 * ```
 * loop k in 0..K                        loop k in 0..K to m + 1
 *   if m + j >= k                         s_j
 *     s_j                       -->     loop e in 0..J - 1
 *                                         k = m + 1 + e
 *                                         if m + j >= k
 *                                           s_j
 * ```
 * with `m` the same in all invocations, `j` in 0..J: trips at which no condition holds are not made,
 * where the rest of the body leaves nothing behind; at the trips at which all hold they are not tested.
 *
 * Requires: names of variables are unique in the kernel. Ensures: the other trips in the same order,
 * each instance guarded as before; names stay unique. The new ends of loops are the same for all
 * invocations. A kernel grows by at most `mostStatements` statements for each loop.
 */
import { flatMap } from "../../support/flat-map.ts";
import { listOf } from "../../support/list-of.ts";
import { addIndex, clampIndex, indexLiteral, indexType, literalOf, variableOf } from "../build.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { type NameSource, nameSource } from "../lower/block.ts";
import { originOf } from "../origin.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import {
  eachKernelStatement,
  expressionKey,
  someKernelExpression,
  statementExpressions,
  statementsOf,
} from "../walk-kernel.ts";
import { copyStatements, freshNames, keptNames } from "./copy-statements.ts";
import { decideConditions } from "./decide-conditions.ts";
import { decideTrips } from "./decide-trips.ts";
import { type IndexFacts, indexRange, rangeOfLoop, withRange } from "./index-range.ts";
import { declaredIn, namesIn } from "./kernel-names.ts";
import { addLinear, type LinearIndex, linearIndex, rangeOfLinear } from "./linear-index.ts";
import { activeRange, intersection, type LoopQuestion, sureConditions } from "./loop-conditions.ts";
import {
  alwaysBetween,
  boundExpression,
  differenceOrZero,
  greatestBound,
  leastBound,
  literalBound,
  mostBetween,
  type TripBound,
} from "./trip-bound.ts";

type Body = readonly KernelStatement[];
type Loop = Extract<KernelStatement, { kind: "loop" }>;

/** Trips below which a loop is left as it is. */
const leastTrips = 8;

/** Statements that may be written once more for one loop. */
const mostStatements = 384;

/** Where a statement stands. */
interface Place {
  readonly facts: IndexFacts;
  /** Immutable variables that have the same value in all invocations. */
  readonly uniform: ReadonlySet<string>;
  readonly names: NameSource;
}

function isUniform(e: KernelExpression, uniform: ReadonlySet<string>): boolean {
  return !someKernelExpression(e, (node) => {
    if (node.kind === "variable") return !uniform.has(node.name);
    if (node.kind === "builtin") return node.builtin === "local-index" || node.builtin === "lane";
    return node.kind === "load";
  });
}

/** The trips of a loop from a bound to before another. */
interface Segment {
  readonly from: TripBound;
  readonly to: TripBound;
  /** At these all conditions hold. */
  readonly isFull: boolean;
}

/** Where a loop is split: its segments in order, and the comparisons that hold in the full one. */
interface Split {
  readonly segments: readonly Segment[];
  readonly sure: ReadonlySet<string>;
}

function isNever({ from, to }: Segment): boolean {
  return mostBetween(from, to) <= 0;
}

/** The three segments of the trips from `start` to `end`, if most of a loop may be full. */
function threeSegments(
  { body }: Loop,
  [start, end]: readonly [TripBound, TripBound],
  full: { readonly from: TripBound | undefined; readonly to: TripBound | undefined },
): readonly Segment[] | undefined {
  const after = greatestBound([full.from ?? start, start]);
  const from = after === undefined ? undefined : leastBound([after, end]);
  if (from === undefined) return undefined;
  const later = greatestBound([full.to ?? end, from]);
  const to = later === undefined ? undefined : leastBound([later, end]);
  if (to === undefined || 4 * mostBetween(from, to) < mostBetween(start, end)) return undefined;
  const segments = [
    { from: start, to: from, isFull: false },
    { from, to, isFull: true },
    { from: to, to: end, isFull: false },
  ].filter((s) => !isNever(s));
  const size = eachKernelStatement(body).length;
  return size * (segments.length - 1) > mostStatements ? undefined : segments;
}

/** Where to split a loop; undefined if nothing is won. */
function splitOf(loop: Loop, { facts, uniform }: Place): Split | undefined {
  const { body, extent, variable } = loop;
  const question: LoopQuestion = {
    variable,
    facts: withRange(facts, variable, rangeOfLoop(loop, facts)),
    isFixed: (e) => isUniform(e, uniform),
  };
  const active = activeRange(body, question, new Set(declaredIn(body)));
  const start = active?.from ?? literalBound(0);
  const end = leastBound([active?.to ?? literalBound(extent), literalBound(extent)]);
  if (end === undefined) return undefined;
  const found = sureConditions(body, question);
  const full = found.length === 0 ? undefined : intersection(found.map((c) => c.range));
  const segments = full === undefined ? undefined : threeSegments(loop, [start, end], full);
  if (segments !== undefined) return { segments, sure: new Set(found.map((c) => c.key)) };
  const isWhole = start.range.hi === 0 && end.range.lo === extent;
  const all: Segment = { from: start, to: end, isFull: false };
  return isWhole || isNever(all) ? undefined : { segments: [all], sure: new Set() };
}

const always = literalOf(1, { scalar: "bool", width: 1 });

/** Statements in which some comparisons hold. */
function assuming(body: Body, sure: ReadonlySet<string>): Body {
  const assume = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) =>
      node.type.scalar === "bool" && sure.has(expressionKey(node)) ? always : undefined,
    );
  return body.map((s): KernelStatement => {
    const own = mapOwnExpressions(s, assume);
    if (own.kind === "loop") return { ...own, body: assuming(own.body, sure) };
    if (own.kind !== "if") return own;
    return { ...own, then: assuming(own.then, sure), else: assuming(own.else, sure) };
  });
}

/** How the body of a loop is copied for a segment. */
interface Copies {
  readonly loop: Loop;
  /** The only copy keeps its names. */
  readonly keeps: boolean;
  readonly place: Place;
}

/** The body for a trip, named `trip`, whose value may be known as a linear function. */
function copyFor(
  { loop, keeps, place }: Copies,
  trip: KernelExpression,
  value: LinearIndex | undefined,
  facts: IndexFacts,
): Body {
  const { body, variable } = loop;
  const inside = withRange(facts, variable, rangeOfLoop(loop, facts));
  const known = value === undefined ? body : decideTrips(body, { variable, value }, inside);
  return copyStatements(known, variable, trip, keeps ? keptNames : freshNames(body, place.names));
}

/** What stands in place of a loop or a segment of it. */
interface Applied {
  readonly parts: Body;
  /** The variables of the loops over segments. */
  readonly over: readonly string[];
}

/** A bound as it is, if it is never raised to 0 and not divided. */
function linearBound(bound: TripBound, facts: IndexFacts): LinearIndex | undefined {
  if (bound.kind !== "quotient" || bound.divisor !== 1) return undefined;
  return rangeOfLinear(bound.sum, facts).lo < 0 ? undefined : bound.sum;
}

const nothing: LinearIndex = { terms: new Map(), constant: 0 };

function plus(sum: LinearIndex | undefined, constant: number): LinearIndex | undefined {
  return sum === undefined ? undefined : addLinear(sum, { ...nothing, constant }, 1);
}

function declareIndex(name: string, value: KernelExpression): KernelStatement {
  return { kind: "declare", name, type: indexType, value, mutable: false };
}

/** The first trip of a segment, by its name. */
interface First {
  readonly expression: KernelExpression;
  /** The same as a linear function, if it is one. */
  readonly value: LinearIndex | undefined;
  /** Declares the name. */
  readonly before: Body;
}

function firstOf(from: TripBound, { loop, place }: Copies): First | undefined {
  const { facts, names } = place;
  const start = boundExpression(from, facts);
  if (start === undefined) return undefined;
  const value = linearBound(from, facts);
  if (start.kind === "literal") return { expression: start, value, before: [] };
  const name = names.fresh(`${loop.variable}_from`);
  const expression = variableOf(name, indexType);
  return { expression, value, before: [declareIndex(name, start)] };
}

/** A segment as a loop, or trip by trip; undefined if a bound cannot be computed. */
function applySegment({ from, to, isFull }: Segment, copies: Copies): Applied | undefined {
  const { loop, place } = copies;
  const first = firstOf(from, copies);
  const end = boundExpression(to, place.facts);
  if (first === undefined || end === undefined) return undefined;
  const count = alwaysBetween(from, to, place.facts);
  if (count === 1 || (count !== undefined && !isFull && isShort(loop, count))) {
    return tripByTrip(first, count, copies);
  }
  const extent = Math.min(loop.extent, count ?? mostBetween(from, to));
  const neverBelow = mostBetween(to, from) <= 0;
  const ends =
    count === undefined ? { end: differenceOrZero(end, first.expression, neverBelow) } : {};
  const reach = from.range.hi + extent;
  return overTrips(first, reach, { extent, ...ends }, copies);
}

function tripByTrip({ expression, value, before }: First, count: number, copies: Copies): Applied {
  const keeps = copies.keeps && count === 1;
  const trips = listOf(count, (n) => {
    const trip = addIndex(expression, indexLiteral(n));
    return copyFor({ ...copies, keeps }, trip, plus(value, n), copies.place.facts);
  });
  return { parts: [...before, ...trips.flat()], over: [] };
}

/** The loop over a segment, whose last trip is below `reach`. */
function overTrips(
  { expression, value, before }: First,
  reach: number,
  extents: Pick<Loop, "extent" | "end">,
  copies: Copies,
): Applied {
  const { loop, keeps, place } = copies;
  const { facts, names } = place;
  const variable = keeps ? loop.variable : names.fresh(loop.variable);
  const each = variableOf(variable, indexType);
  const from = originOf(loop);
  if (expression.kind === "literal" && expression.value === 0) {
    const body = copyFor(copies, each, undefined, facts);
    return { parts: [{ kind: "loop", variable, ...extents, body, ...from }], over: [variable] };
  }
  const name = names.fresh(`${loop.variable}_trip`);
  const trip = variableOf(name, indexType);
  const sum = addIndex(expression, trip);
  const at = declareIndex(variable, reach <= loop.extent ? sum : clampIndex(sum, loop.extent - 1));
  const known = withRange(facts, name, { lo: 0, hi: extents.extent - 1 });
  const moved = linearIndex(trip, known);
  const reached = value && moved && addLinear(value, moved, 1);
  const body = [at, ...copyFor(copies, each, reached, known)];
  const parts: Body = [...before, { kind: "loop", variable: name, ...extents, body, ...from }];
  return { parts, over: [name] };
}

/** Trips that are rather written one after the other, each with its own conditions. */
function isShort({ body }: Loop, count: number): boolean {
  return count <= leastTrips && count * eachKernelStatement(body).length <= mostStatements;
}

/** The loop in segments; undefined if a bound cannot be computed. */
function applySplit(loop: Loop, { segments, sure }: Split, place: Place): Applied | undefined {
  const keeps = segments.find((s) => s.isFull) ?? segments[0];
  const applied = segments.map((segment) => {
    const body = segment.isFull ? assuming(loop.body, sure) : loop.body;
    return applySegment(segment, { loop: { ...loop, body }, keeps: segment === keeps, place });
  });
  const all = applied.filter((part) => part !== undefined);
  if (all.length < applied.length) return undefined;
  const parts = decideConditions(
    flatMap(all, (part) => part.parts),
    place.facts,
  );
  return { parts, over: flatMap(all, (part) => part.over) };
}

/** The place behind a statement. */
function after(s: KernelStatement, place: Place): Place {
  if (s.kind !== "declare" || s.mutable) return place;
  const range = indexRange(s.value, place.facts);
  const facts = range === undefined ? place.facts : withRange(place.facts, s.name, range);
  if (!isUniform(s.value, place.uniform)) return { ...place, facts };
  return { ...place, facts, uniform: new Set(place.uniform).add(s.name) };
}

function inLoop(loop: Loop, place: Place): Loop {
  const facts = withRange(place.facts, loop.variable, rangeOfLoop(loop, place.facts));
  const uniform = new Set(place.uniform).add(loop.variable);
  return { ...loop, body: splitIn(loop.body, { ...place, facts, uniform }) };
}

/** The segments of a loop, with the loops in them split in turn. */
function splitLoop(loop: Loop, place: Place): Body {
  const split =
    loop.extent < leastTrips || loop.end !== undefined ? undefined : splitOf(loop, place);
  const applied = split === undefined ? undefined : applySplit(loop, split, place);
  if (applied === undefined) return [inLoop(loop, place)];
  return splitList(applied.parts, place, (s) => applied.over.includes(s.variable));
}

function splitList(body: Body, outer: Place, isSplit: (s: Loop) => boolean): Body {
  let place = outer;
  return flatMap(body, (s): Body => {
    place = after(s, place);
    if (s.kind === "if") {
      const then = splitIn(s.then, place);
      return [{ ...s, then, else: splitIn(s.else, place) }];
    }
    if (s.kind !== "loop") return [s];
    return isSplit(s) ? [inLoop(s, place)] : splitLoop(s, place);
  });
}

function splitIn(body: Body, place: Place): Body {
  return splitList(body, place, () => false);
}

/** Loops in segments, at bounds that all invocations of a workgroup have in common. */
export function splitAtBounds(kernel: Kernel): Kernel {
  const conditional = (s: KernelStatement): boolean =>
    s.kind === "if" || statementExpressions(s).some((e) => someKernelExpression(e, isSelect));
  if (!statementsOf(kernel).some(conditional)) return kernel;
  const place: Place = {
    facts: { kernel, variables: new Map() },
    uniform: new Set(),
    names: nameSource(namesIn(kernel)),
  };
  return { ...kernel, body: splitIn(kernel.body, place) };
}

function isSelect(e: KernelExpression): boolean {
  return e.kind === "select";
}
