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
  /** What is left of `combine` where states come in an order; null if that makes no difference. */
  readonly ordered: Ordered | null;
}

/**
 * The combination of states whose component `by` is not less on the right than on the left. The
 * identity with the `by` of the first state that is added is a unit of it, too: no state is worse.
 */
export interface Ordered {
  readonly by: number;
  /** As `combine`. */
  readonly combine: readonly Expression[];
  /** What `by` starts from where no state is added: `project` gives then what it gives of the identity. */
  readonly none: Expression;
  /** As `project`, of states that are put together in order from the first on. */
  readonly project: Expression;
  /**
   * `project` tells values of `by` apart by `floor(by / grain)` only. So of neighbours with the same
   * quotient the other components can be combined alone: if these are other ones then, `by` becomes that
   * of any of the neighbours, as if one state with their combination were added.
   */
  readonly grain: number;
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
    ordered: null,
  };
}

/** The index of no candidate: ties with any candidate are the candidate's. */
const noIndex = 2147483647;

/**
 * Arg reductions: the state is (value, index), the element is the index of the least or greatest
 * value, ties to the smallest index, -1 where nothing was reduced. A lifted state has the candidate's
 * value and index, which is less than 2³¹ - 1. That is the identity's: an infinite value, or an
 * extreme one, is no better than the identity's, but of a smaller index.
 */
export function argMonoid(which: "min" | "max", type: ScalarType): Monoid {
  const value = (side: "left" | "right"): Expression => state(side, 0, type);
  const index = (side: "left" | "right"): Expression => state(side, 1, "int32");
  const better = binary(which === "min" ? "<" : ">", value("right"), value("left"), "bool");
  const tie = binary(
    "and",
    binary("==", value("right"), value("left"), "bool"),
    binary("<", index("right"), index("left"), "bool"),
    "bool",
  );
  const takenIf = (wins: Expression): readonly Expression[] => [
    select(wins, value("right"), value("left")),
    select(wins, index("right"), index("left")),
  ];
  const none = binary("==", index("left"), literal(noIndex, "int32"), "bool");
  return {
    name: `arg${which}`,
    state: [type, "int32"],
    identity: [
      literal(extreme(type, which === "min" ? "greatest" : "least"), type),
      literal(noIndex, "int32"),
    ],
    combine: takenIf(binary("or", better, tie, "bool")),
    project: select(none, literal(-1, "int32"), index("left")),
    exact: true,
    atomic: null,
    ordered: {
      by: 1,
      combine: takenIf(better),
      none: literal(-1, "int32"),
      project: index("left"),
      grain: 1,
    },
  };
}

/** How far the reference of a rescaled sum may be below that of what is added without being raised. */
const headroom = 2;

/**
 * A sum of exponentials without a maximum to put them below: the state is (reference, sum), where `sum`
 * is that of `exp(e - reference)` and the reference one of the exponents; a lifted one has its exponent
 * and the weight, 0 or 1. A sum is scaled to a reference that is more than `headroom` above its own, not
 * to each that is greater: so its rounding errors do not add up where exponents ascend. In a chain no
 * term is greater than `exp(headroom)`, in a tree none than its power by the depth. Of equal references,
 * infinite ones, too, none is scaled. What has been added so far must be the left state: that of the right one
 * may be raised again and again. States in different orders have different references, but the same
 * element. (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018, without the
 * headroom.)
 */
export function rescaledSum(type: ScalarType): Monoid {
  const part = (component: number) =>
    [state("left", component, type), state("right", component, type)] as const;
  const [[left, right], [leftSum, rightSum]] = [part(0), part(1)];
  const isFar = binary("<", binary("+", left, literal(headroom, type), type), right, "bool");
  const [above, below] = [binary("-", right, left, type), binary("-", left, right, type)];
  const call = (name: string, e: Expression): Expression => {
    return { kind: "call", function: name, arguments: [e], type };
  };
  const exponential = call("exp", select(isFar, below, above));
  const scale = select(binary("==", left, right, "bool"), literal(1, type), exponential);
  const scaled = binary("*", select(isFar, leftSum, rightSum), scale, type);
  return {
    name: "rescaled sum",
    state: [type, type],
    identity: [literal(extreme(type, "least"), type), literal(0, type)],
    combine: [
      select(isFar, right, left),
      binary("+", select(isFar, rightSum, leftSum), scaled, type),
    ],
    project: binary("*", leftSum, call("exp", left), type),
    exact: false,
    atomic: null,
    ordered: null,
  };
}

/**
 * The monoid whose elements are those of another one divided by `size`, rounded down; null where no
 * component of the states comes in order, or elements are quotients already. Of an arg reduction: the
 * number of the block of `size` indices that the index is in, -1 where nothing was reduced.
 */
export function ofBlocks(monoid: Monoid, size: number): Monoid | null {
  const { ordered } = monoid;
  if (ordered === null || ordered.grain !== 1) return null;
  // What stores a narrower element converts it when the block is searched.
  const divide = (project: Expression): Expression => {
    const e = project.kind === "cast" ? project.operand : project;
    return binary("floorDiv", e, literal(size, e.type), e.type);
  };
  return {
    ...monoid,
    name: `${monoid.name}/${size}`,
    project: divide(monoid.project),
    ordered: { ...ordered, project: divide(ordered.project), grain: size },
  };
}

/** The state of one candidate of an arg reduction: its value and its index. */
export function liftArg(value: Expression, index: Expression): readonly Expression[] {
  return [value, index];
}
