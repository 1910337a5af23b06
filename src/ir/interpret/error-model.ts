/**
 * How far a float32 device may be from the float64 value: bounds on absolute errors.
 *
 * An operation on operands `a ± ea` and `b ± eb` has the error that the operands' errors can make
 * (intervals, so sound beyond first order) and its own, `4 · 2⁻²⁴ · |result|`: twice what WGSL allows
 * (either neighbour of the exact result), and what `4 · 2⁻²⁴ · depth` amounts to over a body without
 * cancellation. A result that float32 holds exactly has no error of its own when its operands have
 * none. An infinite bound says that nothing is known: a decision (comparison, integer from float)
 * that rounding may turn, an overflow, a NaN. Integers and bools are exact or unknown.
 *
 * Accuracy: WebGPU Shading Language, "Floating Point Accuracy".
 */
import { greatestHalf, leastNormalHalf, roundToHalf } from "../../support/half.ts";
import { isFloat, type ScalarType } from "../../support/scalar-type.ts";
import type { BinaryOperator } from "../expression.ts";
import { leastNormal } from "./storage.ts";

/** The allowance for one operation, relative to its result. */
export const operationUnit: number = 4 * 2 ** -24;

/** A bound on a WGSL ulp, relative to the value. */
export const ulp: number = 2 ** -23;

/**
 * The allowance for one operation on float16 and for each conversion to it, relative to its result:
 * to either neighbour, after a rounding to float32 where the device computes with that.
 */
const halfUnit = 2 ** -10 + operationUnit;

/** WGSL allows division 2.5 ulp, and any error where the divisor leaves `[2^-126, 2^126]`. */
export const divisionUnit: number = 2.5 * ulp;
const greatestDivisor = 2 ** 126;

const greatestFloat = 3.4028234663852886e38;

/** The error of an operation's result `v` from its operands' errors; NaN counts as infinite. */
export type Propagate = (a: number, ea: number, b: number, eb: number, v: number) => number;

/** True for values that a device holds as they are: float32, and not subnormal. */
function isHeld(v: number): boolean {
  return v === 0 || (Math.fround(v) === v && Math.abs(v) >= leastNormal);
}

/** Keeps infinite what is unknown: an error that is NaN, a value that is NaN or overflows. */
export function unlessUnknown(error: number, v: number): number {
  const size = Math.abs(v);
  if (!(error < Infinity) || Number.isNaN(v)) return Infinity;
  if (size === Infinity) return 0;
  return size > greatestFloat ? Infinity : error;
}

/** Adds the rounding of `v`, which is `unit` relative and 0 where `v` is held exactly. */
export function rounded(error: number, v: number, unit: number): number {
  if (error === 0 && isHeld(v)) return 0;
  // What comes from an infinite operand does not round.
  const own = Math.abs(v) === Infinity ? 0 : unit * Math.abs(v) + leastNormal;
  return unlessUnknown(error + own, v);
}

/** Adds the rounding of `v` to float16, which is 0 where that holds it exactly. */
export function roundedToHalf(error: number, v: number): number {
  const size = Math.abs(v);
  if (error === 0 && (v === 0 || (roundToHalf(v) === v && size >= leastNormalHalf))) return 0;
  const total = unlessUnknown(error + halfUnit * size + leastNormalHalf, v);
  return size !== Infinity && size + total > greatestHalf ? Infinity : total;
}

function roundedAlways(error: number, v: number, unit: number): number {
  return unlessUnknown(error + unit * Math.abs(v) + leastNormal, v);
}

function product(a: number, ea: number, b: number, eb: number): number {
  if (ea === 0 && eb === 0) return 0;
  return Math.abs(a) * eb + Math.abs(b) * ea + ea * eb;
}

function quotient(_a: number, ea: number, b: number, eb: number, v: number): number {
  const room = Math.abs(b) - eb;
  if (!(room >= leastNormal) || Math.abs(b) > greatestDivisor) return Infinity;
  return (ea + Math.abs(v) * eb) / room;
}

/** `a - b·floor(a/b)`: a floor that rounding may turn costs multiples of `b`. */
function remainder(a: number, ea: number, b: number, eb: number, v: number): number {
  const q = a / b;
  const eq = roundedAlways(quotient(a, ea, b, eb, q), q, divisionUnit);
  const multiple = Math.floor(q);
  const jumps = Math.floor(q + eq) - Math.floor(q - eq);
  const whole = Math.abs(multiple * b);
  return ea + Math.abs(multiple) * eb + Math.abs(b) * jumps + operationUnit * (whole + Math.abs(v));
}

/** Of two intervals the lesser: the error is that of the one which is surely less, or the larger. */
function lesser(a: number, ea: number, b: number, eb: number): number {
  if (a + ea < b - eb) return ea;
  if (b + eb < a - ea) return eb;
  return Math.max(ea, eb);
}

/** 0 when the order of the two is certain, else infinite. */
function decision(a: number, ea: number, b: number, eb: number): number {
  const error = ea + eb;
  return error === 0 || Math.abs(a - b) > error ? 0 : Infinity;
}

/** A bool that one operand may decide alone, by being `decisive`. */
function junction(decisive: number): Propagate {
  return (a, ea, b, eb) => {
    const decided = (ea === 0 && a === decisive) || (eb === 0 && b === decisive);
    return decided || ea + eb === 0 ? 0 : Infinity;
  };
}

function exactOrUnknown(_a: number, ea: number, _b: number, eb: number): number {
  return ea === 0 && eb === 0 ? 0 : Infinity;
}

const sum: Propagate = (_a, ea, _b, eb) => ea + eb;

const floatPropagation: Partial<Record<BinaryOperator, Propagate>> = {
  "+": sum,
  "-": sum,
  "*": product,
  "/": quotient,
  floorMod: remainder,
  min: lesser,
  max: (a, ea, b, eb) => lesser(-a, ea, -b, eb),
  "<": decision,
  "<=": decision,
  ">": decision,
  ">=": decision,
  "==": decision,
  "!=": decision,
};

/** What the operands' errors make of the result's, without the operation's own error. */
export function propagation(operator: BinaryOperator, type: ScalarType): Propagate {
  if (operator === "and") return junction(0);
  if (operator === "or") return junction(1);
  return (isFloat(type) ? floatPropagation[operator] : undefined) ?? exactOrUnknown;
}

/** The operation's own error, added to what was propagated; null for exact operations. */
export function ownError(
  operator: BinaryOperator,
  type: ScalarType,
): ((error: number, v: number) => number) | null {
  if (!isFloat(type)) return null;
  switch (operator) {
    case "+":
    case "-":
    case "*":
      if (type === "float16") return roundedToHalf;
      return (error, v) => rounded(error, v, operationUnit);
    case "/":
    case "floorMod":
      return (error, v) => roundedAlways(error, v, divisionUnit);
    default:
      return null;
  }
}
