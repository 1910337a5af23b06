/**
 * Bounds on the trips of a loop that are known when the loop begins.
 *
 * ```
 * bound := max(0, floor(sum / divisor))     linear in values that are the same for all invocations
 *        | min of bounds | max of bounds
 * ```
 */
import type { Interval } from "../../ir/affine.ts";
import { flatMap } from "../../support/flat-map.ts";
import { floorDiv } from "../../support/integer.ts";
import { divideIndex, indexLiteral, indexType, subtractIndex } from "../build.ts";
import type { KernelExpression } from "../kernel.ts";
import { type IndexFacts, indexRange } from "./index-range.ts";
import { type LinearIndex, rangeOfLinear, sidesOf } from "./linear-index.ts";

/** One bound, with its closed range. */
export type TripBound =
  | {
      readonly kind: "quotient";
      readonly sum: LinearIndex;
      readonly divisor: number;
      readonly range: Interval;
    }
  | {
      readonly kind: "min" | "max";
      readonly of: readonly TripBound[];
      readonly range: Interval;
    };

type Quotient = Extract<TripBound, { kind: "quotient" }>;

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? Math.abs(a) : greatestDivisor(b, a % b);
}

/** `max(0, floor(sum / divisor))`, with a divisor as small as possible. */
export function tripBound(sum: LinearIndex, divisor: number, facts: IndexFacts): TripBound {
  const common = [...sum.terms.values()].reduce((g, t) => greatestDivisor(g, t.factor), divisor);
  const terms = [...sum.terms].map(
    ([key, t]) => [key, { ...t, factor: t.factor / common }] as const,
  );
  const reduced: LinearIndex = {
    terms: new Map(terms),
    constant: floorDiv(sum.constant, common),
  };
  const { lo, hi } = rangeOfLinear(reduced, facts);
  const d = divisor / common;
  const range = { lo: Math.max(0, Math.floor(lo / d)), hi: Math.max(0, Math.floor(hi / d)) };
  return { kind: "quotient", sum: reduced, divisor: d, range };
}

/** A bound that is known. */
export function literalBound(value: number): TripBound {
  const sum = { terms: new Map(), constant: value };
  return { kind: "quotient", sum, divisor: 1, range: { lo: value, hi: value } };
}

function isSameUpToConstant(a: Quotient, b: Quotient): boolean {
  const [left, right] = [a.sum.terms, b.sum.terms];
  if (a.divisor !== b.divisor || left.size !== right.size) return false;
  return [...left].every(([key, t]) => right.get(key)?.factor === t.factor);
}

/** The most that `b` can be above `a`; may be below 0. */
export function mostBetween(a: TripBound, b: TripBound): number {
  const apart = b.range.hi - a.range.lo;
  if (a.kind === "quotient" && b.kind === "quotient") {
    if (!isSameUpToConstant(a, b)) return apart;
    const steps = Math.ceil((b.sum.constant - a.sum.constant) / a.divisor);
    // Below 0 both are raised to it, which brings them nearer.
    return Math.min(Math.max(0, steps), apart);
  }
  // A maximum is one of its parts, and at least each of them.
  if (b.kind === "max") return Math.min(apart, Math.max(...b.of.map((p) => mostBetween(a, p))));
  if (a.kind === "min") return Math.min(apart, Math.max(...a.of.map((p) => mostBetween(p, b))));
  const [ofA, ofB] = [a, b].map((x) => (x.kind === "quotient" ? [] : x.of));
  const parts = [
    ...(ofB ?? []).map((p) => mostBetween(a, p)),
    ...(ofA ?? []).map((p) => mostBetween(p, b)),
  ];
  return Math.min(apart, ...parts);
}

/** What `b` always is above `a`; undefined if that varies, or is not known. */
export function alwaysBetween(a: TripBound, b: TripBound, facts: IndexFacts): number | undefined {
  if (a.range.lo === a.range.hi && b.range.lo === b.range.hi) return b.range.lo - a.range.lo;
  if (a.kind !== "quotient" || b.kind !== "quotient" || !isSameUpToConstant(a, b)) return undefined;
  const raised = [a, b].some(({ sum }) => rangeOfLinear(sum, facts).lo < 0);
  return raised || a.divisor !== 1 ? undefined : b.sum.constant - a.sum.constant;
}

function isAtMost(a: TripBound, b: TripBound): boolean {
  return mostBetween(b, a) <= 0;
}

/** How many bounds, that cannot be compared, are kept in a minimum or maximum. */
const mostParts = 3;

function extreme(
  kind: "min" | "max",
  bounds: readonly TripBound[],
  limit: Interval,
): TripBound | undefined {
  const all = flatMap(bounds, (b) => (b.kind === kind ? b.of : [b]));
  const wins = (a: TripBound, b: TripBound): boolean =>
    kind === "min" ? isAtMost(a, b) : isAtMost(b, a);
  const kept = all.filter(
    (b, n) => !all.some((a, m) => m !== n && wins(a, b) && (m < n || !wins(b, a))),
  );
  const [only] = kept;
  if (kept.length <= 1) return only;
  return kept.length > mostParts ? undefined : { kind, of: kept, range: limit };
}

/** The least of the bounds, of which there is one; undefined if that takes too many comparisons. */
export function leastBound(bounds: readonly TripBound[]): TripBound | undefined {
  const lo = Math.min(...bounds.map((b) => b.range.lo));
  return extreme("min", bounds, { lo, hi: Math.min(...bounds.map((b) => b.range.hi)) });
}

/** The greatest of the bounds, of which there is one; undefined if that takes too many comparisons. */
export function greatestBound(bounds: readonly TripBound[]): TripBound | undefined {
  const lo = Math.max(...bounds.map((b) => b.range.lo));
  return extreme("max", bounds, { lo, hi: Math.max(...bounds.map((b) => b.range.hi)) });
}

function larger(
  operator: "min" | "max",
  left: KernelExpression,
  right: KernelExpression,
): KernelExpression {
  return { kind: "binary", operator, left, right, type: indexType };
}

/** `a - b`, or 0 where that is below. */
export function differenceOrZero(
  a: KernelExpression,
  b: KernelExpression,
  neverBelow: boolean,
): KernelExpression {
  if (b.kind === "literal" && b.value === 0) return a;
  return subtractIndex(neverBelow ? a : larger("max", a, b), b);
}

/** The bound as an expression; undefined if it may wrap. */
export function boundExpression(bound: TripBound, facts: IndexFacts): KernelExpression | undefined {
  if (bound.range.lo === bound.range.hi) return indexLiteral(bound.range.lo);
  if (bound.kind !== "quotient") {
    const parts = bound.of.map((b) => boundExpression(b, facts));
    const known = parts.filter((e) => e !== undefined);
    const all = known.length === parts.length;
    return all ? known.reduce((a, b) => larger(bound.kind, a, b)) : undefined;
  }
  const { plus, minus } = sidesOf(bound.sum);
  if ([plus, minus].some((e) => indexRange(e, facts) === undefined)) return undefined;
  const neverBelow = rangeOfLinear(bound.sum, facts).lo >= 0;
  return divideIndex(differenceOrZero(plus, minus, neverBelow), bound.divisor);
}
