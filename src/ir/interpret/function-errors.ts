/**
 * Errors of the builtin functions: what the arguments' errors make, and what the function adds
 * (function-accuracy.ts). See error-model.ts for what an error is.
 */

import { defined } from "../../support/assert.ts";
import { own } from "../../support/own.ts";
import { scalarFunction } from "../../support/scalar-functions.ts";
import { operationUnit, rounded, unlessUnknown } from "./error-model.ts";
import { type Accuracy, functionAccuracies } from "./function-accuracy.ts";
import { leastNormal } from "./storage.ts";

/** The error of `v = f(a, b, c)` whose arguments have the errors `ea`, `eb`, `ec`. */
export type FunctionError = (
  v: number,
  a: number,
  ea: number,
  b: number,
  eb: number,
  c: number,
  ec: number,
) => number;

type Evaluate3 = (a: number, b: number, c: number) => number;

/** Makes the error of a function of its value and its own accuracy. */
type Maker = (evaluate: Evaluate3, accuracy: Accuracy) => FunctionError;

/** How far apart two values are, 0 for equal infinities. */
function distance(x: number, y: number): number {
  return x === y ? 0 : Math.abs(x - y);
}

/** Adds a function's accuracy; at infinity its value is the limit, exactly. */
function withAccuracy(propagated: number, accuracy: Accuracy, x: number, v: number): number {
  if (Math.abs(x) === Infinity) return propagated === 0 && !Number.isNaN(v) ? 0 : Infinity;
  if (Math.abs(v) === Infinity) return Infinity;
  return unlessUnknown(propagated + accuracy(x, v) + leastNormal, v);
}

/** A function that only rises or only falls. */
const monotone: Maker = (evaluate, accuracy) => (v, a, ea) => {
  if (ea === 0) return withAccuracy(0, accuracy, a, v);
  const above = distance(evaluate(a + ea, 0, 0), v);
  const below = distance(evaluate(a - ea, 0, 0), v);
  return withAccuracy(Math.max(above, below), accuracy, a, v);
};

/** A function whose slope is nowhere steeper than `slope` and whose range is no wider than `range`. */
function bounded(slope: number, range: number): Maker {
  return (_evaluate, accuracy) => (v, a, ea) =>
    withAccuracy(Math.min(slope * ea, range), accuracy, a, v);
}

/** A function of one argument that falls to `least` and rises from there, right of `from`. */
function valley(from: number, at: number, least: number): Maker {
  return (evaluate, accuracy) => (v, a, ea) => {
    if (ea === 0) return withAccuracy(0, accuracy, a, v);
    if (!(a - ea > from)) return Infinity;
    const sides = [distance(evaluate(a - ea, 0, 0), v), distance(evaluate(a + ea, 0, 0), v)];
    if (a - ea < at && at < a + ea) sides.push(v - least);
    return withAccuracy(Math.max(...sides), accuracy, a, v);
  };
}

/** A function that does not round and rises, or falls, in all its arguments together. */
const exact: Maker = (evaluate) => (v, a, ea, b, eb, c, ec) => {
  if (ea + eb + ec === 0) return 0;
  const above = distance(evaluate(a + ea, b + eb, c + ec), v);
  const below = distance(evaluate(a - ea, b - eb, c - ec), v);
  const worst = Math.max(above, below);
  return worst === 0 ? 0 : unlessUnknown(worst, v);
};

/** A function of two arguments with slopes of at most 1 in each. */
const gentle: Maker = (_evaluate, accuracy) => (v, a, ea, b, eb) => {
  if (Math.abs(b) === Infinity) return ea + eb === 0 && !Number.isNaN(v) ? 0 : Infinity;
  return withAccuracy(ea + eb, accuracy, a, v);
};

const difference: Maker = () => (v, _a, ea, _b, eb) => rounded(ea + eb, v, operationUnit);

/** The exponent: known where rounding cannot cross a power of two, or 0. */
const exponent: Maker = (evaluate) => (v, a, ea) => {
  if (ea === 0) return 0;
  const [low, high] = [evaluate(Math.abs(a) - ea, 0, 0), evaluate(Math.abs(a) + ea, 0, 0)];
  return Math.abs(a) > ea
    ? unlessUnknown(Math.max(distance(low, v), distance(high, v)), v)
    : Infinity;
};

const tangent: Maker = (_evaluate, accuracy) => (v, x, ex) => {
  const slope = Math.abs(Math.cos(x)) - ex;
  if (ex !== 0 && !(slope > 0)) return Infinity;
  return withAccuracy(ex === 0 ? 0 : ex / (slope * slope), accuracy, x, v);
};

/** Below 0 on the second argument there is a cut along the first; zeros may have lost their signs. */
const angle: Maker = (_evaluate, accuracy) => (v, y, ey, x, ex) => {
  const e = Math.hypot(ex, ey);
  const size = Math.hypot(x, y);
  if (!(e < Infinity) || Number.isNaN(v)) return Infinity;
  const onCut = Math.abs(y) <= ey && x <= ex;
  if (onCut || size <= e) return 2 * Math.PI;
  const turned = e === 0 ? 0 : Math.asin(Math.min(1, e / size)) * 1.000001;
  return unlessUnknown(turned + accuracy(y, v) + leastNormal, v);
};

/** The sign of a zero may be lost. */
const signed: Maker = () => (_v, a, ea, b, eb) => (Math.abs(b) > eb ? ea : ea + 2 * Math.abs(a));

/** Remainders are exact; where rounding may turn the quotient they jump by the divisor. */
function remainderBy(quotient: (x: number) => number): Maker {
  return () => (v, a, ea, b, eb) => {
    if (Number.isNaN(v)) return Infinity;
    if (ea + eb === 0) return rounded(0, v, 0);
    const room = Math.abs(b) - eb;
    if (!(room > 0) || !(Math.abs(a) + ea < Infinity)) return Infinity;
    const most = quotient((Math.abs(a) + ea) / room);
    const least = quotient(Math.max(0, Math.abs(a) - ea) / (Math.abs(b) + eb));
    return unlessUnknown(ea + most * eb + (most - least) * (Math.abs(b) + eb) + leastNormal, v);
  };
}

/** The farthest from `v` when the base is surely positive: the power is monotone in each. */
function powerCorners(
  evaluate: Evaluate3,
  v: number,
  a: number,
  ea: number,
  b: number,
  eb: number,
): number {
  if (ea + eb === 0) return 0;
  const corners = [evaluate(a - ea, b - eb, 0), evaluate(a - ea, b + eb, 0)];
  corners.push(evaluate(a + ea, b - eb, 0), evaluate(a + ea, b + eb, 0));
  return Math.max(...corners.map((x) => distance(x, v)));
}

/** What the error of a base of any sign makes, under an integer exponent. */
function powerSlope(a: number, ea: number, b: number): number {
  if (ea === 0 || b === 0) return 0;
  const steepest = b > 0 ? Math.abs(a) + ea : Math.abs(a) - ea;
  return steepest > 0 ? ea * Math.abs(b) * steepest ** (b - 1) : Infinity;
}

/** Unknown where the base is not surely positive and the exponent not surely an integer. */
const power: Maker = (evaluate, accuracy) => (v, a, ea, b, eb) => {
  const positive = a - ea > 0;
  if (!positive && !(eb === 0 && Number.isInteger(b)) && !(a === 0 && ea === 0 && b > eb)) {
    return Infinity;
  }
  if (Math.abs(v) === Infinity) return Infinity;
  const spread = positive ? powerCorners(evaluate, v, a, ea, b, eb) : powerSlope(a, ea, b);
  return unlessUnknown(spread + accuracy(a, v) + leastNormal, v);
};

/** WGSL promises what rounding both the product and the sum gives. */
const fusedProduct: Maker = () => (v, a, ea, b, eb, _c, ec) => {
  const spread = ea + eb === 0 ? 0 : Math.abs(a) * eb + Math.abs(b) * ea + ea * eb;
  return rounded(rounded(spread, a * b, operationUnit) + ec, v, operationUnit);
};

/** Of tests for what is not finite: whatever is known to be finite stays so. */
const test: Maker = () => (_v, _a, ea) => (ea < Infinity ? 0 : Infinity);

const select: Maker = () => (_v, no, eNo, yes, eYes, test, eTest) =>
  test === 0 ? choiceError(no, eNo, yes, eYes, eTest) : choiceError(yes, eYes, no, eNo, eTest);

/** The error of a choice between a value that is taken and another, decided with error `eTest`. */
export function choiceError(
  taken: number,
  eTaken: number,
  other: number,
  eOther: number,
  eTest: number,
): number {
  if (eTest === 0) return eTaken;
  if (taken === other) return Math.max(eTaken, eOther);
  return unlessUnknown(Math.max(eTaken, Math.abs(taken - other) + eOther), taken);
}

const makers: Readonly<Record<string, Maker>> = {
  abs: () => (_v, _a, ea) => ea,
  sign: exact,
  min: exact,
  max: exact,
  clamp: exact,
  ceil: exact,
  floor: exact,
  trunc: exact,
  round: exact,
  relu: exact,
  sqrt: monotone,
  rsqrt: monotone,
  exp: monotone,
  exp2: monotone,
  exp10: monotone,
  expm1: monotone,
  log: monotone,
  log2: monotone,
  log10: monotone,
  log1p: monotone,
  logb: exponent,
  pow: power,
  cbrt: monotone,
  hypot: gentle,
  sin: bounded(1, 2),
  cos: bounded(1, 2),
  tan: tangent,
  asin: monotone,
  acos: monotone,
  atan: monotone,
  atan2: angle,
  sinh: monotone,
  cosh: valley(-Infinity, 0, 1),
  tanh: monotone,
  asinh: monotone,
  acosh: monotone,
  atanh: monotone,
  sigmoid: monotone,
  silu: bounded(1.1, Infinity),
  gelu: bounded(1.13, Infinity),
  erf: monotone,
  erfc: monotone,
  normcdf: monotone,
  // The least values of both right of 0, rounded down.
  tgamma: valley(0, 1.4616321449683622, 0.885603194410888),
  lgamma: valley(0, 1.4616321449683622, -0.12148629053585),
  fdim: difference,
  fmod: remainderBy(Math.floor),
  remainder: remainderBy((x) => Math.floor(x + 0.5)),
  copysign: signed,
  fma: fusedProduct,
  isnan: test,
  isinf: test,
  select,
};

/** The error of a builtin function on float arguments; each that exists has one. */
export function functionError(name: string): FunctionError {
  const { evaluate } = defined(scalarFunction(name), "function", name);
  const make = own(makers, name);
  const accuracy = functionAccuracies[name] ?? (() => 0);
  return defined(make, "error of", name)(evaluate, accuracy);
}
