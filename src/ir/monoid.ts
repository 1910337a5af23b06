/**
 * Monoids: how a reduction combines. Whatever splits, reorders or trees a reduction works on any
 * of them; no other file knows the name of a reduction operator.
 *
 * ```
 * monoid := state types, identity, lift, combine(left, right), project(left)
 * ```
 * `combine` is associative and commutative up to float rounding, with `identity` as its unit.
 * `project` turns a state into the element that is stored.
 */
import {
  type ElementType,
  integerRange,
  isFloat,
  type ScalarType,
} from "../support/scalar-type.ts";
import { binary, type Expression, literal, select, state } from "./expression.ts";

export interface Monoid {
  /** For printing and for Decisions; never compared to choose behaviour. */
  readonly name: string;
  readonly state: readonly ScalarType[];
  /** One constant per component. */
  readonly identity: readonly Expression[];
  /** Over `state` nodes of both sides. */
  readonly combine: readonly Expression[];
  /** Over `state` nodes of the left side. */
  readonly project: Expression;
  /** Combining never rounds, so that every order gives the same bits. */
  readonly exact: boolean;
  /** The indivisible update of one element that is the same as `combine`; null if there is none. */
  readonly atomic: "+" | "*" | "min" | "max" | "and" | "or" | null;
}

type Simple = "+" | "*" | "min" | "max" | "and" | "or";

function extreme(type: ElementType, side: "least" | "greatest"): number {
  if (isFloat(type)) return side === "least" ? -Infinity : Infinity;
  const [least, greatest] = integerRange(type);
  return side === "least" ? least : greatest;
}

function identityOf(operator: Simple, type: ElementType): number {
  switch (operator) {
    case "+":
    case "or":
      return 0;
    case "*":
    case "and":
      return 1;
    case "min":
      return extreme(type, "greatest");
    case "max":
      return extreme(type, "least");
  }
}

const names: Readonly<Record<Simple, string>> = {
  "+": "sum",
  "*": "product",
  min: "min",
  max: "max",
  and: "all",
  or: "any",
};

/**
 * The monoid of a binary operator whose state is the element itself. `and`, `or`: bool only. Of narrow
 * elements the least and the greatest are those of their own type.
 */
export function simpleMonoid(
  operator: Simple,
  type: ScalarType,
  element: ElementType = type,
): Monoid {
  const [left, right] = [state("left", 0, type), state("right", 0, type)];
  return {
    name: names[operator],
    state: [type],
    identity: [literal(identityOf(operator, element), type)],
    combine: [binary(operator, left, right, type)],
    project: left,
    exact: !isFloat(type) || operator === "min" || operator === "max",
    atomic: operator,
  };
}

/**
 * Arg reductions: the state is (value, index, seen), the element is the index of the least or
 * greatest value, ties to the smallest index, -1 where nothing was reduced. A lifted state has the
 * candidate's value and index and `seen = true`; `seen` keeps an infinite value apart from the
 * identity.
 */
export function argMonoid(which: "min" | "max", type: ScalarType): Monoid {
  const value = (side: "left" | "right"): Expression => state(side, 0, type);
  const index = (side: "left" | "right"): Expression => state(side, 1, "int32");
  const seen = (side: "left" | "right"): Expression => state(side, 2, "bool");
  const better = binary(which === "min" ? "<" : ">", value("right"), value("left"), "bool");
  const tie = binary(
    "and",
    binary("==", value("right"), value("left"), "bool"),
    binary("<", index("right"), index("left"), "bool"),
    "bool",
  );
  const first: Expression = {
    kind: "unary",
    operator: "not",
    operand: seen("left"),
    type: "bool",
  };
  const wins = binary(
    "and",
    seen("right"),
    binary("or", first, binary("or", better, tie, "bool"), "bool"),
    "bool",
  );
  return {
    name: `arg${which}`,
    state: [type, "int32", "bool"],
    identity: [
      literal(extreme(type, which === "min" ? "greatest" : "least"), type),
      literal(-1, "int32"),
      literal(0, "bool"),
    ],
    combine: [
      select(wins, value("right"), value("left")),
      select(wins, index("right"), index("left")),
      binary("or", seen("left"), seen("right"), "bool"),
    ],
    project: index("left"),
    exact: true,
    atomic: null,
  };
}

/** The state of one candidate of an arg reduction: its value and its index. */
export function liftArg(value: Expression, index: Expression): readonly Expression[] {
  return [value, index, literal(1, "bool")];
}
