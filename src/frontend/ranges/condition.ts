import {
  type Affine,
  addConstant,
  type Constraint,
  nonnegative,
  scale,
  subtract,
  zero,
} from "../../ir/affine.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Typed } from "../names/typed.ts";
import { type AffineContext, affineOf } from "./affine-of.ts";

/** Constraints that hold together. */
export type Conjunction = readonly Constraint[];

/** What is known where a condition holds: one of the cases does. */
export interface Condition {
  readonly cases: readonly Conjunction[];
  /** True when the cases say all: the condition holds exactly where one of them does. */
  readonly exact: boolean;
}

/** The condition that always holds. */
export const always: Condition = { cases: [[]], exact: true };

/** More cases than this are given up as unknown. */
const caseLimit = 64;
const unknown: Condition = { cases: [[]], exact: false };

/** What follows from `e` being true (`holds`) or false; what is not affine follows nothing. */
export function conditionOf(e: Typed, holds: boolean, context: AffineContext): Condition {
  if (e.kind === "literal") {
    return (e.value !== 0) === holds ? always : { cases: [], exact: true };
  }
  if (e.kind === "unary" && e.operator === "not") return conditionOf(e.operand, !holds, context);
  if (e.kind !== "binary") return unknown;
  if (e.operator === "and" || e.operator === "or") {
    const left = conditionOf(e.left, holds, context);
    const right = conditionOf(e.right, holds, context);
    return (e.operator === "and") === holds ? both(left, right) : either(left, right);
  }
  const [left, right] = [affineOf(e.left, context), affineOf(e.right, context)];
  if (left === undefined || right === undefined) return unknown;
  return { cases: comparisonCases(e.operator, holds, subtract(right, left)), exact: true };
}

/** The cases of `left operator right`, or of its negation, given `right - left`. */
function comparisonCases(
  operator: string,
  holds: boolean,
  difference: Affine,
): readonly Conjunction[] {
  const less = [nonnegative(addConstant(difference, -1))];
  const greater = [nonnegative(addConstant(scale(difference, -1), -1))];
  const atMost = [nonnegative(difference)];
  const atLeast = [nonnegative(scale(difference, -1))];
  switch (operator) {
    case "<":
      return [holds ? less : atLeast];
    case "<=":
      return [holds ? atMost : greater];
    case ">":
      return [holds ? greater : atMost];
    case ">=":
      return [holds ? atLeast : less];
    case "==":
      return holds ? [[zero(difference)]] : [less, greater];
    case "!=":
      return holds ? [less, greater] : [[zero(difference)]];
    default:
      return [[]];
  }
}

/** Both hold. */
export function both(a: Condition, b: Condition): Condition {
  const cases = flatMap(a.cases, (x) => b.cases.map((y) => [...x, ...y]));
  return cases.length > caseLimit ? unknown : { cases, exact: a.exact && b.exact };
}

/** At least one holds. */
function either(a: Condition, b: Condition): Condition {
  const cases = [...a.cases, ...b.cases];
  return cases.length > caseLimit ? unknown : { cases, exact: a.exact && b.exact };
}

/** The same set as cases of which no two hold together. */
export function disjointCases(cases: readonly Conjunction[]): readonly Conjunction[] {
  return flatMap(cases, (own, i) =>
    cases
      .slice(0, i)
      .reduce<readonly Conjunction[]>(
        (pieces, before) => flatMap(pieces, (piece) => without(piece, before)),
        [own],
      ),
  );
}

/** `piece` and not all of `removed`, as disjoint cases. */
function without(piece: Conjunction, removed: Conjunction): readonly Conjunction[] {
  return flatMap(removed, (constraint, i) =>
    negate(constraint).map((no) => [...piece, ...removed.slice(0, i), no]),
  );
}

function negate(constraint: Constraint): readonly Constraint[] {
  const below = nonnegative(addConstant(scale(constraint.affine, -1), -1));
  if (constraint.kind === "nonnegative") return [below];
  return [below, nonnegative(addConstant(constraint.affine, -1))];
}
