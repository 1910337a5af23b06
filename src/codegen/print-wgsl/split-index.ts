/**
 * Division of index expressions by a vector width, done on the expression.
 *
 * Index arithmetic wraps modulo 2³² in between, so an expression stands for an integer polynomial
 * of its leaves; dividing each term keeps the value wherever the whole is in range. Literals from
 * 2³¹ on are negative numbers that wrapped.
 */
import { floorDiv } from "../../support/integer.ts";
import type { KernelExpression } from "../kernel.ts";

/** The largest power of two up to 4 that an immutable variable is known to be a multiple of. */
export type KnownMultiples = ReadonlyMap<string, number>;

/** `width * quotient + remainder`; the remainder is in [0, width). */
export interface SplitIndex {
  readonly quotient: KernelExpression;
  readonly remainder: number;
}

const indexType = { scalar: "uint32", width: 1 } as const;

function literal(value: number): KernelExpression {
  return { kind: "literal", value: value >>> 0, type: indexType };
}

function isLiteral(e: KernelExpression, value: number): boolean {
  return e.kind === "literal" && e.value === value;
}

type Arithmetic = "+" | "-" | "*" | "/" | "%" | "min" | "max";

function combine(
  operator: Arithmetic,
  left: KernelExpression,
  right: KernelExpression,
): KernelExpression {
  if (operator === "+" && isLiteral(left, 0)) return right;
  if ((operator === "+" || operator === "-") && isLiteral(right, 0)) return left;
  if (operator === "*" && isLiteral(left, 1)) return right;
  if ((operator === "*" || operator === "/") && isLiteral(right, 1)) return left;
  return { kind: "binary", operator, left, right, type: indexType };
}

/** `(a op b) / width`, where both sides can be divided. */
function divideBoth(
  operator: Arithmetic,
  e: KernelExpression & { kind: "binary" },
  width: number,
  known: KnownMultiples,
): KernelExpression | undefined {
  const left = divideIndex(e.left, width, known);
  const right = left === undefined ? undefined : divideIndex(e.right, width, known);
  if (left === undefined || right === undefined) return undefined;
  return combine(operator, left, right);
}

function divideProduct(
  e: KernelExpression & { kind: "binary" },
  width: number,
  known: KnownMultiples,
): KernelExpression | undefined {
  const right = divideIndex(e.right, width, known);
  if (right !== undefined) return combine("*", e.left, right);
  const left = divideIndex(e.left, width, known);
  return left === undefined ? undefined : combine("*", left, e.right);
}

function divideBinary(
  e: KernelExpression & { kind: "binary" },
  width: number,
  known: KnownMultiples,
): KernelExpression | undefined {
  switch (e.operator) {
    case "+":
    case "-":
    case "min":
    case "max":
    case "%":
      return divideBoth(e.operator, e, width, known);
    case "*":
      return divideProduct(e, width, known);
    default:
      return undefined;
  }
}

/** `e / width` when every term of `e` is a multiple of the width, otherwise undefined. */
export function divideIndex(
  e: KernelExpression,
  width: number,
  known: KnownMultiples,
): KernelExpression | undefined {
  switch (e.kind) {
    case "literal": {
      const quotient = (e.value | 0) / width;
      return Number.isInteger(quotient) ? literal(quotient) : undefined;
    }
    case "variable":
      return (known.get(e.name) ?? 1) % width === 0 ? combine("/", e, literal(width)) : undefined;
    case "binary":
      return divideBinary(e, width, known);
    case "select": {
      const whenTrue = divideIndex(e.whenTrue, width, known);
      const whenFalse = divideIndex(e.whenFalse, width, known);
      if (whenTrue === undefined || whenFalse === undefined) return undefined;
      return { ...e, whenTrue, whenFalse };
    }
    default:
      return undefined;
  }
}

/** The literal terms of a sum, and what is left. */
function splitConstant(e: KernelExpression): { rest: KernelExpression; constant: number } {
  if (e.kind === "literal") return { rest: literal(0), constant: e.value | 0 };
  if (e.kind !== "binary" || (e.operator !== "+" && e.operator !== "-")) {
    return { rest: e, constant: 0 };
  }
  const left = splitConstant(e.left);
  const right = splitConstant(e.right);
  const sign = e.operator === "+" ? 1 : -1;
  return {
    rest: combine(e.operator, left.rest, right.rest),
    constant: left.constant + sign * right.constant,
  };
}

/**
 * Splits an index into vector and component: undefined where the component is not a constant.
 * A sum of multiples of the width and literals can be split.
 */
export function splitIndex(
  e: KernelExpression,
  width: number,
  known: KnownMultiples,
): SplitIndex | undefined {
  const { rest, constant } = splitConstant(e);
  const quotient = divideIndex(rest, width, known);
  if (quotient === undefined) return undefined;
  const whole = floorDiv(constant, width);
  const shifted =
    whole < 0 && !isLiteral(quotient, 0)
      ? combine("-", quotient, literal(-whole))
      : combine("+", quotient, literal(whole));
  return { quotient: shifted, remainder: constant - whole * width };
}
