/** The operators of expressions on float64 numbers that stand for values of a scalar type. */
import { defined } from "../support/assert.ts";
import { floorMod } from "../support/integer.ts";
import { isFloat, type ScalarType, toElement } from "../support/scalar-type.ts";
import type { BinaryOperator, Expression } from "./expression.ts";

/** A function of two numbers. */
export type Binary = (a: number, b: number) => number;

const anyType: Partial<Record<BinaryOperator, Binary>> = {
  "<": (a, b) => (a < b ? 1 : 0),
  "<=": (a, b) => (a <= b ? 1 : 0),
  ">": (a, b) => (a > b ? 1 : 0),
  ">=": (a, b) => (a >= b ? 1 : 0),
  "==": (a, b) => (a === b ? 1 : 0),
  "!=": (a, b) => (a !== b ? 1 : 0),
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
};

const byType: Readonly<Record<ScalarType, Partial<Record<BinaryOperator, Binary>>>> = {
  float32: {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
    "/": (a, b) => a / b,
    floorMod: (a, b) => a - b * Math.floor(a / b),
  },
  // Without quotients and functions: they are computed in float32.
  float16: {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
  },
  int32: {
    "+": (a, b) => (a + b) | 0,
    "-": (a, b) => (a - b) | 0,
    "*": (a, b) => Math.imul(a, b),
    floorDiv: (a, b) => (b === 0 ? 0 : Math.floor(a / b) | 0),
    floorMod: (a, b) => (b === 0 ? 0 : floorMod(a, b) | 0),
  },
  uint32: {
    "+": (a, b) => (a + b) >>> 0,
    "-": (a, b) => (a - b) >>> 0,
    "*": (a, b) => Math.imul(a, b) >>> 0,
    floorDiv: (a, b) => (b === 0 ? 0 : Math.floor(a / b)),
    floorMod: (a, b) => (b === 0 ? 0 : a % b),
  },
  bool: {},
};

/** True when the operator exists for operands of the type. */
export function hasOperator(operator: BinaryOperator, type: ScalarType): boolean {
  if (type !== "bool") {
    return operator !== "and" && operator !== "or" && operatorOn(operator, type) !== undefined;
  }
  return ["and", "or", "==", "!="].includes(operator);
}

function operatorOn(operator: BinaryOperator, type: ScalarType): Binary | undefined {
  return anyType[operator] ?? byType[type][operator];
}

/** The operator on operands of the type; integers wrap, and dividing one by 0 gives 0. */
export function binaryFunction(operator: BinaryOperator, type: ScalarType): Binary {
  return defined(operatorOn(operator, type), `operator ${operator} on ${type}`);
}

/**
 * The conversion of one type's values to another's: from float toward zero and saturating, NaN to
 * 0; between integers modulo 2³². Null when the value stays as it is.
 */
export function castFunction(from: ScalarType, to: ScalarType): ((x: number) => number) | null {
  if (from === to || isFloat(to) || from === "bool") return null;
  if (to === "bool") return (x) => (x !== 0 ? 1 : 0);
  const [lo, hi] = to === "int32" ? [-2147483648, 2147483647] : [0, 4294967295];
  if (isFloat(from)) {
    return (x) => (Number.isNaN(x) ? 0 : Math.trunc(Math.min(Math.max(x, lo), hi)) + 0);
  }
  return to === "int32" ? (x) => x | 0 : (x) => x >>> 0;
}

/**
 * What a cast does: {@link castFunction}, then narrow integers wrap. Floats are not rounded: that is
 * part of the error.
 */
export function conversion(
  e: Extract<Expression, { kind: "cast" }>,
): ((x: number) => number) | null {
  const convert = castFunction(e.operand.type, e.type);
  if (e.narrow === undefined || e.narrow === "float16") return convert;
  const wrap = toElement(e.narrow);
  return convert === null ? wrap : (x) => wrap(convert(x));
}

/** What overflow of an integer type does; null for floats and bools. */
export function wrapFunction(type: ScalarType): ((x: number) => number) | null {
  switch (type) {
    case "int32":
      return (x) => x | 0;
    case "uint32":
      return (x) => x >>> 0;
    case "float32":
    case "float16":
    case "bool":
      return null;
  }
}
