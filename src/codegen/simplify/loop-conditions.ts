/**
 * For which trips of a loop its conditions may hold, and for which they do in all invocations: those
 * of a range, if they are linear in the loop's variable and the rest is known when the loop begins.
 */
import { flatMap } from "../../support/flat-map.ts";
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import {
  eachKernelExpression,
  expressionKey,
  innerStatements,
  statementExpressions,
} from "../walk-kernel.ts";
import { type IndexFacts, rangeOfLoop, withRange } from "./index-range.ts";
import { addLinear, type LinearIndex, linearIndex, rangeOfLinear } from "./linear-index.ts";
import { greatestBound, leastBound, type TripBound, tripBound } from "./trip-bound.ts";

type Body = readonly KernelStatement[];
type Loop = Extract<KernelStatement, { kind: "loop" }>;

/** Trips from `from` to before `to`; a side that is undefined has no bound. */
export interface TripRange {
  readonly from: TripBound | undefined;
  readonly to: TripBound | undefined;
}

/** A loop's variable, and what is known inside of it. */
export interface LoopQuestion {
  readonly variable: string;
  readonly facts: IndexFacts;
  /** Whether an expression has the same value in all invocations, and in all trips. */
  isFixed(e: KernelExpression): boolean;
}

const everywhere: TripRange = { from: undefined, to: undefined };

/** Linear functions that are at least 0 exactly where a comparison holds; none if there are none. */
export function linearParts(e: KernelExpression, facts: IndexFacts): readonly LinearIndex[] {
  if (e.kind !== "binary") return [];
  const [left, right] = [linearIndex(e.left, facts), linearIndex(e.right, facts)];
  if (left === undefined || right === undefined) return [];
  const above = (a: LinearIndex, b: LinearIndex, least: 0 | 1): LinearIndex => {
    const difference = addLinear(a, b, -1);
    return { ...difference, constant: difference.constant - least };
  };
  switch (e.operator) {
    case ">=":
      return [above(left, right, 0)];
    case ">":
      return [above(left, right, 1)];
    case "<=":
      return [above(right, left, 0)];
    case "<":
      return [above(right, left, 1)];
    case "==":
      return [above(left, right, 0), above(right, left, 0)];
    default:
      return [];
  }
}

/** The trips at which a linear function may be, or surely is, at least 0; undefined for all. */
function rangeOfPart(
  part: LinearIndex,
  question: LoopQuestion,
  holds: "possibly" | "surely",
): TripRange | undefined {
  const { facts, variable } = question;
  let factor = 0;
  const fixed = new Map(part.terms);
  const varying = new Map(part.terms);
  for (const [key, { expression: e, factor: f }] of part.terms) {
    const isTrip = e.kind === "variable" && e.name === variable;
    if (isTrip) factor = f;
    if (isTrip || !question.isFixed(e)) fixed.delete(key);
    if (isTrip || question.isFixed(e)) varying.delete(key);
  }
  if (factor === 0) return undefined;
  const rest = rangeOfLinear({ terms: varying, constant: part.constant }, facts);
  const constant = holds === "possibly" ? rest.hi : rest.lo;
  if (!Number.isSafeInteger(constant)) return everywhere;
  // factor * trip + sum >= 0
  const sum: LinearIndex = { terms: fixed, constant };
  if (factor < 0) {
    const above = { ...sum, constant: constant - factor };
    return { from: undefined, to: tripBound(above, -factor, facts) };
  }
  const negative = addLinear({ terms: new Map(), constant: factor - 1 }, sum, -1);
  return { from: tripBound(negative, factor, facts), to: undefined };
}

function boundsIn(ranges: readonly TripRange[], side: "from" | "to"): readonly TripBound[] {
  return flatMap(ranges, (r) => r[side] ?? []);
}

/** The trips in all of the ranges. */
export function intersection(ranges: readonly TripRange[]): TripRange | undefined {
  const [from, to] = [boundsIn(ranges, "from"), boundsIn(ranges, "to")];
  const [start, end] = [greatestBound(from), leastBound(to)];
  if (from.length > 0 && start === undefined) return undefined;
  return to.length > 0 && end === undefined ? undefined : { from: start, to: end };
}

/** A range with all trips that are in one of the ranges. */
function hull(ranges: readonly TripRange[]): TripRange {
  const [from, to] = [boundsIn(ranges, "from"), boundsIn(ranges, "to")];
  return {
    from: from.length === ranges.length ? leastBound(from) : undefined,
    to: to.length === ranges.length ? greatestBound(to) : undefined,
  };
}

/** The conditions that hold where all of a condition does. */
export function conjuncts(e: KernelExpression): readonly KernelExpression[] {
  const both = e.kind === "binary" && e.operator === "and";
  return both ? [...conjuncts(e.left), ...conjuncts(e.right)] : [e];
}

/** A range that holds all trips at which the condition may hold. */
function possibleRange(condition: KernelExpression, question: LoopQuestion): readonly TripRange[] {
  return flatMap(
    flatMap(conjuncts(condition), (c) => linearParts(c, question.facts)),
    (part) => rangeOfPart(part, question, "possibly") ?? [],
  );
}

/** A comparison, by its key, that holds at least at some trips. */
export interface SureCondition {
  readonly key: string;
  readonly range: TripRange;
}

/** Statements, and those inside them, with what is known where each stands. */
function eachInside(
  body: Body,
  question: LoopQuestion,
): readonly (readonly [KernelStatement, LoopQuestion])[] {
  return flatMap(body, (s): readonly (readonly [KernelStatement, LoopQuestion])[] => {
    const inside = s.kind === "loop" ? insideLoop(s, question) : question;
    return [[s, question], ...eachInside(innerStatements(s), inside)];
  });
}

/** The comparisons of order in statements that depend on the trip, and where they surely hold. */
export function sureConditions(body: Body, question: LoopQuestion): readonly SureCondition[] {
  const found = new Map<string, TripRange>();
  for (const [s, inside] of eachInside(body, question)) {
    for (const e of conditionsIn(s)) {
      const [part, more] = linearParts(e, inside.facts);
      if (part === undefined || more !== undefined) continue;
      const range = rangeOfPart(part, inside, "surely");
      if (range !== undefined) found.set(expressionKey(e), range);
    }
  }
  return [...found].map(([key, range]) => ({ key, range }));
}

/** The comparisons in conditions of a statement and of the selections in it. */
function conditionsIn(s: KernelStatement): readonly KernelExpression[] {
  const nodes = flatMap(statementExpressions(s), (e) => eachKernelExpression(e));
  const conditions = flatMap(nodes, (e) => (e.kind === "select" ? [e.condition] : []));
  const all = s.kind === "if" ? [s.condition, ...conditions] : conditions;
  return flatMap(all, (c) => eachKernelExpression(c)).filter((e) => e.type.width === 1);
}

function insideLoop(loop: Loop, question: LoopQuestion): LoopQuestion {
  const range = rangeOfLoop(loop, question.facts);
  return { ...question, facts: withRange(question.facts, loop.variable, range) };
}

/**
 * A range with all trips that leave something behind: in memory, or in a variable that is not of the
 * trip itself, one of `own`. Undefined if no trip does.
 */
export function activeRange(
  body: Body,
  question: LoopQuestion,
  own: ReadonlySet<string>,
): TripRange | undefined {
  const ranges = flatMap(body, (s) => rangesOf(s, question, own));
  return ranges.length === 0 ? undefined : hull(ranges);
}

function rangesOf(
  s: KernelStatement,
  question: LoopQuestion,
  own: ReadonlySet<string>,
): readonly TripRange[] {
  switch (s.kind) {
    case "declare":
    case "exchange":
      return [];
    case "assign":
      return own.has(s.name) ? [] : [everywhere];
    case "loop": {
      const inner = activeRange(s.body, insideLoop(s, question), own);
      return inner === undefined ? [] : [inner];
    }
    case "if":
      return rangesOfIf(s, question, own);
    case "store":
    case "atomic":
    case "barrier":
    case "fragment":
    case "multiply":
    case "store-fragment":
      return [everywhere];
  }
}

function rangesOfIf(
  s: Extract<KernelStatement, { kind: "if" }>,
  question: LoopQuestion,
  own: ReadonlySet<string>,
): readonly TripRange[] {
  const otherwise = activeRange(s.else, question, own);
  const then = activeRange(s.then, question, own);
  const both = then === undefined ? [] : [then, ...possibleRange(s.condition, question)];
  const inside = both.length === 0 ? [] : [intersection(both) ?? everywhere];
  return otherwise === undefined ? inside : [...inside, otherwise];
}
