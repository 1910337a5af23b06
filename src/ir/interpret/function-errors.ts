/**
 * Errors of the builtin functions: what the arguments' errors make, and the accuracy that WGSL (or
 * the formula that stands in for a function that WGSL lacks) promises. See error-model.ts.
 */
import { defined } from "../../support/assert.ts";
import { scalarFunction } from "../../support/scalar-functions.ts";
import { operationUnit, rounded, ulp, unlessUnknown } from "./error-model.ts";
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

/** The absolute error of a function itself at an argument, where its value is `v`. */
type Accuracy = (x: number, v: number) => number;

type Evaluate3 = (a: number, b: number, c: number) => number;

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
function monotone(accuracy: Accuracy): (evaluate: Evaluate3) => FunctionError {
  return (evaluate) => (v, a, ea) => {
    if (ea === 0) return withAccuracy(0, accuracy, a, v);
    const above = distance(evaluate(a + ea, 0, 0), v);
    const below = distance(evaluate(a - ea, 0, 0), v);
    return withAccuracy(Math.max(above, below), accuracy, a, v);
  };
}

/** A function whose slope is nowhere steeper than `slope` and whose range is no wider than `range`. */
function bounded(slope: number, range: number, accuracy: Accuracy): () => FunctionError {
  return () => (v, a, ea) => withAccuracy(Math.min(slope * ea, range), accuracy, a, v);
}

/** A function that does not round and rises, or falls, in all its arguments together. */
function exact(evaluate: Evaluate3): FunctionError {
  return (v, a, ea, b, eb, c, ec) => {
    if (ea + eb + ec === 0) return 0;
    const above = distance(evaluate(a + ea, b + eb, c + ec), v);
    const below = distance(evaluate(a - ea, b - eb, c - ec), v);
    const worst = Math.max(above, below);
    return worst === 0 ? 0 : unlessUnknown(worst, v);
  };
}

const exponential: Accuracy = (x, v) => (3 + 2 * Math.abs(x)) * ulp * Math.abs(v);

const logarithm: Accuracy = (x, v) => (x >= 0.5 && x <= 2 ? 2 ** -21 : 3 * ulp * Math.abs(v));

/** WGSL promises this for [-π, π]; beyond, the reduction of the argument adds its rounding. */
const wave: Accuracy = (x) => 2 ** -11 + ulp * Math.abs(x);

/** From `1 / (1 + exp(-x))`. */
const logistic: Accuracy = (x, v) => v * ((1 - v) * (3 + 2 * Math.abs(x)) + 6) * ulp;

/** Of silu, the product of its argument and the logistic function, which may flush to 0. */
const weighted: Accuracy = (x, v) =>
  Math.abs(x) * (logistic(x, 1 / (1 + Math.exp(-x))) + leastNormal) + ulp * Math.abs(v);

/** Of approximations without cancellation: erf, tanh, powers by multiplication. */
const approximation = 16 * ulp;

const near: Accuracy = (_x, v) => approximation * Math.abs(v);

/**
 * From `x/2 · erfc(-x/√2)`: below 0 erfc first cancels, then is an exponential of x²/2, which
 * multiplies the rounding of its argument.
 */
const gaussian: Accuracy = (x, v) =>
  Math.abs(v) * (x < 0 ? 2 * approximation + 6 * x * x * ulp : approximation);

/** The quotient of sine and cosine. */
const tangent: Accuracy = (x, v) => {
  const room = Math.abs(Math.cos(x)) - wave(x, v);
  return room <= 0 ? Infinity : (wave(x, v) * (1 + Math.abs(v))) / room + 2.5 * ulp * Math.abs(v);
};

function tangentError(): FunctionError {
  return (v, x, ex) => {
    const slope = Math.abs(Math.cos(x)) - ex;
    if (ex !== 0 && !(slope > 0)) return Infinity;
    return withAccuracy(ex === 0 ? 0 : ex / (slope * slope), tangent, x, v);
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

/** Small integer exponents multiply; others are `exp2(y * log2(x))`. */
function powerAccuracy(a: number, b: number, v: number): number {
  if (a === 0) return 0;
  if (Number.isInteger(b) && Math.abs(b) <= 15) return approximation * Math.abs(v);
  const log = Math.log2(Math.abs(a));
  const t = b * log;
  const inexact = Math.abs(b) * logarithm(Math.abs(a), log) + operationUnit * Math.abs(t);
  return Math.abs(v) * (Math.expm1(inexact * Math.LN2) + (3 + 2 * Math.abs(t)) * ulp);
}

/** Unknown where the base is not surely positive and the exponent not surely an integer. */
function powerError(evaluate: Evaluate3): FunctionError {
  return (v, a, ea, b, eb) => {
    const positive = a - ea > 0;
    if (!positive && !(eb === 0 && Number.isInteger(b)) && !(a === 0 && ea === 0 && b > eb)) {
      return Infinity;
    }
    if (Math.abs(v) === Infinity) return Infinity;
    const spread = positive ? powerCorners(evaluate, v, a, ea, b, eb) : powerSlope(a, ea, b);
    return unlessUnknown(spread + powerAccuracy(a, b, v) + leastNormal, v);
  };
}

function fmaError(): FunctionError {
  return (v, a, ea, b, eb, _c, ec) => {
    const spread = ea + eb === 0 ? 0 : Math.abs(a) * eb + Math.abs(b) * ea + ea * eb;
    return rounded(rounded(spread, a * b, operationUnit) + ec, v, operationUnit);
  };
}

/** Of tests for what is not finite: whatever is known to be finite stays so. */
function testError(): FunctionError {
  return (_v, _a, ea) => (ea < Infinity ? 0 : Infinity);
}

function selectError(): FunctionError {
  return (_v, no, eNo, yes, eYes, test, eTest) =>
    test === 0 ? choiceError(no, eNo, yes, eYes, eTest) : choiceError(yes, eYes, no, eNo, eTest);
}

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

const makers: Readonly<Record<string, (evaluate: Evaluate3) => FunctionError>> = {
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
  sqrt: monotone((_x, v) => 4.5 * ulp * v),
  rsqrt: monotone((_x, v) => 2 * ulp * v),
  exp: monotone(exponential),
  exp2: monotone(exponential),
  log: monotone(logarithm),
  log2: monotone(logarithm),
  sin: bounded(1, 2, wave),
  cos: bounded(1, 2, wave),
  tan: tangentError,
  tanh: monotone(near),
  pow: powerError,
  sigmoid: monotone(logistic),
  silu: bounded(1.1, Infinity, weighted),
  gelu: bounded(1.13, Infinity, gaussian),
  erf: monotone(near),
  fma: fmaError,
  isnan: testError,
  isinf: testError,
  select: selectError,
};

/** The error of a builtin function on float arguments; each that exists has one. */
export function functionError(name: string): FunctionError {
  const { evaluate } = defined(scalarFunction(name), `function ${name}`);
  const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
  return defined(make, `error of ${name}`)(evaluate);
}
