/**
 * What a step of a recurrence does to the value before it, as data that can be composed: so any number of
 * steps become one.
 *
 * ```
 * step := h * a + b | h + b | h * a | op(h, b)       op: min, max, and, or
 * ```
 * The composition of `(a, b)` and then `(c, d)` is `(c * a, c * b + d)`: linear recurrences of the first order are
 * prefix reductions of such pairs (Blelloch, Prefix Sums and Their Applications, 1990).
 */
import { isFloat, type ScalarType } from "../../support/scalar-type.ts";
import {
  binary,
  type Expression,
  eachExpression,
  literal,
  operands,
  select,
} from "../expression.ts";
import { type Monoid, simpleMonoid } from "../monoid.ts";
import { combineStates, sameExpression } from "./match-update.ts";

/** How steps are composed. What describes one are its coefficients, one or two expressions. */
export interface StepKind {
  readonly name: "affine" | "sum" | "product" | "extreme";
  readonly type: ScalarType;
  /** The coefficients of a step that does nothing. */
  readonly identity: readonly Expression[];
  /** The coefficients of two steps, the left one first. */
  compose(left: readonly Expression[], right: readonly Expression[]): readonly Expression[];
  /** The value after a step. */
  apply(value: Expression, step: readonly Expression[]): Expression;
}

/** A step: its kind and its coefficients. */
export interface StepFunction {
  readonly kind: StepKind;
  readonly coefficients: readonly Expression[];
  /** What the value before is multiplied by; null for nothing, or where that has no meaning. */
  readonly factor: Expression | null;
}

/** A sum of a multiple of the value before and the rest; null stands for 0. */
interface Linear {
  readonly factor: Expression | null;
  readonly rest: Expression | null;
}

type IsOwn = (e: Expression) => boolean;

function isLiteral(e: Expression, value: number): boolean {
  return e.kind === "literal" && e.value === value;
}

function plus(a: Expression | null, b: Expression | null): Expression | null {
  if (a === null || b === null) return a ?? b;
  return binary("+", a, b, a.type);
}

function minus(a: Expression | null, b: Expression | null): Expression | null {
  if (b === null) return a;
  return binary("-", a ?? literal(0, b.type), b, b.type);
}

function times(a: Expression | null, b: Expression | null): Expression | null {
  if (a === null || b === null) return null;
  if (isLiteral(a, 1)) return b;
  return isLiteral(b, 1) ? a : binary("*", a, b, a.type);
}

/** Of two parts the one that a condition says. */
function either(condition: Expression, a: Expression | null, b: Expression | null) {
  if (a === null && b === null) return null;
  if (a !== null && b !== null && sameExpression(a, b)) return a;
  const zero = literal(0, (a ?? b)?.type ?? "float32");
  return select(condition, a ?? zero, b ?? zero);
}

function mentions(e: Expression, isOwn: IsOwn): boolean {
  return eachExpression(e).some(isOwn);
}

function linearBinary(
  e: Extract<Expression, { kind: "binary" }>,
  isOwn: IsOwn,
): Linear | undefined {
  const left = linearIn(e.left, isOwn);
  const right = linearIn(e.right, isOwn);
  if (left === undefined || right === undefined) return undefined;
  switch (e.operator) {
    case "+":
      return { factor: plus(left.factor, right.factor), rest: plus(left.rest, right.rest) };
    case "-":
      return { factor: minus(left.factor, right.factor), rest: minus(left.rest, right.rest) };
    case "*": {
      if (left.factor !== null && right.factor !== null) return undefined;
      const [own, by] = left.factor === null ? [right, left] : [left, right];
      return { factor: times(own.factor, by.rest), rest: times(own.rest, by.rest) };
    }
    default:
      return undefined;
  }
}

/** An expression as a multiple of the own value and a rest; undefined where it is no such sum. */
function linearIn(e: Expression, isOwn: IsOwn): Linear | undefined {
  if (isOwn(e)) return { factor: literal(1, e.type), rest: null };
  if (!mentions(e, isOwn)) return { factor: null, rest: e };
  if (e.kind === "binary") return linearBinary(e, isOwn);
  if (e.kind === "unary" && e.operator === "negate") {
    const inner = linearIn(e.operand, isOwn);
    return inner && { factor: minus(null, inner.factor), rest: minus(null, inner.rest) };
  }
  if (e.kind === "call" && e.function === "fma") {
    const [x, y, z] = operands(e);
    if (x === undefined || y === undefined || z === undefined) return undefined;
    return linearIn(binary("+", binary("*", x, y, e.type), z, e.type), isOwn);
  }
  if (e.kind !== "select" || mentions(e.condition, isOwn)) return undefined;
  const yes = linearIn(e.whenTrue, isOwn);
  const no = linearIn(e.whenFalse, isOwn);
  if (yes === undefined || no === undefined) return undefined;
  const { condition } = e;
  return {
    factor: either(condition, yes.factor, no.factor),
    rest: either(condition, yes.rest, no.rest),
  };
}

function ofMonoid(monoid: Monoid, name: "sum" | "product" | "extreme"): StepKind {
  return {
    name,
    type: monoid.state[0] ?? "float32",
    identity: monoid.identity,
    compose: (left, right) => combineStates(monoid, left, right),
    apply: (value, step) => combineStates(monoid, [value], step)[0] ?? value,
  };
}

function affineKind(type: ScalarType): StepKind {
  const zero = literal(0, type);
  const next = (value: Expression, [factor = zero, rest = zero]: readonly Expression[]) =>
    binary("+", binary("*", factor, value, type), rest, type);
  return {
    name: "affine",
    type,
    identity: [literal(1, type), zero],
    compose: ([factor = zero, rest = zero], right) => [
      binary("*", right[0] ?? zero, factor, type),
      next(rest, right),
    ],
    apply: next,
  };
}

const extremes = ["min", "max", "and", "or"] as const;

/** `op(h, b)`, whatever stands on which side, once or several times. */
function extremeOf(e: Expression, isOwn: IsOwn): StepFunction | undefined {
  if (e.kind !== "binary") return undefined;
  const operator = extremes.find((o) => o === e.operator);
  if (operator === undefined) return undefined;
  const terms = termsOf(e, operator);
  const others = terms.filter((t) => !isOwn(t));
  const [first, ...more] = others;
  if (first === undefined || others.some((t) => mentions(t, isOwn))) return undefined;
  const rest = more.reduce((a, b) => binary(operator, a, b, e.type), first);
  const kind = ofMonoid(simpleMonoid(operator, e.type), "extreme");
  return { kind, coefficients: [rest], factor: null };
}

function termsOf(e: Expression, operator: string): readonly Expression[] {
  if (e.kind !== "binary" || e.operator !== operator) return [e];
  return [...termsOf(e.left, operator), ...termsOf(e.right, operator)];
}

/**
 * What an expression does to the value that `isOwn` finds in it; undefined where it is no step that composes with
 * others to one of its kind, or does not depend on the value.
 */
export function stepFunction(e: Expression, isOwn: IsOwn): StepFunction | undefined {
  if (!mentions(e, isOwn)) return undefined;
  const extreme = extremeOf(e, isOwn);
  if (extreme !== undefined) return extreme;
  const { type } = e;
  if (type === "bool" || type === "float16") return undefined;
  const linear = linearIn(e, isOwn);
  if (linear?.factor == null) return undefined;
  const { factor, rest } = linear;
  if (isLiteral(factor, 1)) {
    if (rest === null) return undefined;
    return { kind: ofMonoid(simpleMonoid("+", type), "sum"), coefficients: [rest], factor };
  }
  if (rest === null) {
    return { kind: ofMonoid(simpleMonoid("*", type), "product"), coefficients: [factor], factor };
  }
  return { kind: affineKind(type), coefficients: [factor, rest], factor };
}

/** Whether several steps as one round as they do one by one: integers wrap alike in any order. */
export function isExactStep({ kind }: StepFunction): boolean {
  return kind.name === "extreme" || !isFloat(kind.type);
}
