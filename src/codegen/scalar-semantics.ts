/**
 * What the operators of kernel IR do to numbers, exactly as the interpreter executes them and the
 * printer folds them. A float32 value is a number that `Math.fround` keeps, a float16 value one that
 * `roundToHalf` keeps, an int32 or uint32 value an integer of its range, a bool 0 or 1.
 */
import { assertNever, defined } from "../support/assert.ts";
import { roundToHalf } from "../support/half.ts";
import { floorDiv } from "../support/integer.ts";
import { scalarFunction } from "../support/scalar-functions.ts";
import { isFloat, type NarrowType, type ScalarType, toElement } from "../support/scalar-type.ts";
import type { BinaryOperator } from "./kernel.ts";

/** A function of two numbers of one scalar type. */
export type Binary = (a: number, b: number) => number;

/** Makes a number a value of the type: floats are rounded, integers wrap, bools are tests. */
export const toScalar: (type: ScalarType) => (value: number) => number = toElement;

function comparison(operator: BinaryOperator): Binary | undefined {
  switch (operator) {
    case "<":
      return (a, b) => (a < b ? 1 : 0);
    case "<=":
      return (a, b) => (a <= b ? 1 : 0);
    case ">":
      return (a, b) => (a > b ? 1 : 0);
    case ">=":
      return (a, b) => (a >= b ? 1 : 0);
    case "==":
      return (a, b) => (a === b ? 1 : 0);
    case "!=":
      return (a, b) => (a !== b ? 1 : 0);
    default:
      return undefined;
  }
}

function float32Arithmetic(operator: BinaryOperator): Binary | undefined {
  switch (operator) {
    case "+":
      return (a, b) => Math.fround(a + b);
    case "-":
      return (a, b) => Math.fround(a - b);
    case "*":
      return (a, b) => Math.fround(a * b);
    case "/":
      return (a, b) => Math.fround(a / b);
    case "floorMod":
      return (a, b) =>
        Math.fround(a - Math.fround(b * Math.fround(Math.floor(Math.fround(a / b)))));
    default:
      return undefined;
  }
}

/** Sums and products of two float16 are exact in float64, so that each result is rounded once. */
function float16Arithmetic(operator: BinaryOperator): Binary | undefined {
  const round = roundToHalf;
  switch (operator) {
    case "+":
      return (a, b) => round(a + b);
    case "-":
      return (a, b) => round(a - b);
    case "*":
      return (a, b) => round(a * b);
    case "/":
      return (a, b) => round(a / b);
    default:
      return undefined;
  }
}

function intArithmetic(operator: BinaryOperator): Binary | undefined {
  switch (operator) {
    case "+":
      return (a, b) => (a + b) | 0;
    case "-":
      return (a, b) => (a - b) | 0;
    case "*":
      return (a, b) => Math.imul(a, b);
    case "floorDiv":
      return (a, b) => (b === 0 ? 0 : floorDiv(a, b) | 0);
    case "floorMod":
      return (a, b) => (b === 0 ? 0 : (a - Math.imul(b, floorDiv(a, b))) | 0);
    default:
      return undefined;
  }
}

function uintArithmetic(operator: BinaryOperator): Binary | undefined {
  switch (operator) {
    case "+":
      return (a, b) => (a + b) >>> 0;
    case "-":
      return (a, b) => (a - b) >>> 0;
    case "*":
      return (a, b) => Math.imul(a, b) >>> 0;
    case "/":
    case "floorDiv":
      return (a, b) => (b === 0 ? 0 : Math.floor(a / b));
    case "%":
    case "floorMod":
      return (a, b) => (b === 0 ? 0 : a % b);
    default:
      return undefined;
  }
}

function boolArithmetic(operator: BinaryOperator): Binary | undefined {
  switch (operator) {
    case "and":
      return (a, b) => a & b;
    case "or":
      return (a, b) => a | b;
    case "==":
      return (a, b) => (a === b ? 1 : 0);
    case "!=":
      return (a, b) => (a !== b ? 1 : 0);
    default:
      return undefined;
  }
}

function arithmetic(operator: BinaryOperator, type: ScalarType): Binary | undefined {
  switch (type) {
    case "float32":
      return float32Arithmetic(operator);
    case "float16":
      return float16Arithmetic(operator);
    case "int32":
      return intArithmetic(operator);
    case "uint32":
      return uintArithmetic(operator);
    case "bool":
      return boolArithmetic(operator);
    default:
      return assertNever(type);
  }
}

/** The operator on operands of the type, or undefined where the type has no such operator. */
export function binarySemantics(operator: BinaryOperator, type: ScalarType): Binary | undefined {
  if (type === "bool") return boolArithmetic(operator);
  if (operator === "min") return (a, b) => Math.min(a, b);
  if (operator === "max") return (a, b) => Math.max(a, b);
  return comparison(operator) ?? arithmetic(operator, type);
}

/** True for the operators that compare, whose result is bool. */
export function isComparison(operator: BinaryOperator): boolean {
  return comparison(operator) !== undefined;
}

/** `-x`, wrapping for integers. */
export function negation(type: ScalarType): (value: number) => number {
  const wrap = toScalar(type);
  return isFloat(type) ? (value) => -value : (value) => wrap(-value);
}

function truncateTo(low: number, high: number): (value: number) => number {
  return (value) =>
    Number.isNaN(value) ? 0 : Math.trunc(Math.min(Math.max(value, low), high)) + 0;
}

/**
 * A cast: float to integer toward zero and saturating, NaN to 0; between integers modulo 2³². Then the
 * value is made one of the narrow type.
 */
export function castSemantics(
  from: ScalarType,
  to: ScalarType,
  narrow?: NarrowType,
): (value: number) => number {
  const convert = plainCast(from, to);
  if (narrow === undefined) return convert;
  const make = toElement(narrow);
  return (value) => make(convert(value));
}

function plainCast(from: ScalarType, to: ScalarType): (value: number) => number {
  if (isFloat(from) && to === "int32") return truncateTo(-2147483648, 2147483647);
  if (isFloat(from) && to === "uint32") return truncateTo(0, 4294967295);
  return toScalar(to);
}

/** A builtin function on values of the type: its float64 meaning, then made a value again. */
export function callSemantics(
  name: string,
  type: ScalarType,
): (a: number, b: number, c: number) => number {
  const { evaluate, result } = defined(scalarFunction(name), "function", name);
  const wrap = toScalar(result === "bool" ? "bool" : type);
  return (a, b, c) => wrap(evaluate(a, b, c));
}
