/**
 * The builtin functions of the language: what they take and what they mean in float64. Integer
 * and bool arguments come as numbers (bools as 0 and 1); who calls rounds or wraps the result to
 * the type that it stands for. At infinity the value is the limit.
 */

import { erf, erfc } from "./error-function.ts";
import { lgamma, tgamma } from "./gamma-function.ts";
import { own } from "./own.ts";
import { nearestRemainder } from "./remainder.ts";

export interface ScalarFunction {
  /** The number of arguments. */
  readonly arity: number;
  /**
   * What the arguments may be: `float` floats only, `number` no bools, `any` everything. All have
   * one type, but the last argument of `select` is bool.
   */
  readonly domain: "float" | "number" | "any";
  /** `same`: the type of the first argument. */
  readonly result: "same" | "bool";
  /** The value in float64; takes `arity` arguments. */
  readonly evaluate: (a: number, b: number, c: number) => number;
}

/** To the nearest integer, halves to the even one. */
export function roundToEven(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  if (rest < 0.5 || !Number.isFinite(x)) return low;
  if (rest > 0.5) return low + 1;
  return low % 2 === 0 ? low : low + 1;
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** `x · sigmoid(x)`, with its limit 0 at minus infinity. */
function silu(x: number): number {
  return x === Number.NEGATIVE_INFINITY ? 0 : x * sigmoid(x);
}

/** The normal distribution Φ. */
function normalDistribution(x: number): number {
  return 0.5 * erfc(-x * Math.SQRT1_2);
}

/** `x · Φ(x)`, the exact form, with its limit 0 at minus infinity. */
function gelu(x: number): number {
  return x === Number.NEGATIVE_INFINITY ? 0 : x * normalDistribution(x);
}

/** The positive difference; 0 also for equal infinities. */
function positiveDifference(x: number, y: number): number {
  return x <= y ? 0 : x - y;
}

/** The size of `x` with the sign of `y`, also of its zeros. */
function copySign(x: number, y: number): number {
  const negative = y < 0 || Object.is(y, -0);
  return negative ? -Math.abs(x) : Math.abs(x);
}

/** The exponent of the power of two that is not above `|x|`. */
function binaryExponent(x: number): number {
  const size = Math.abs(x);
  if (size === 0 || !(size < Infinity)) return size === 0 ? Number.NEGATIVE_INFINITY : size;
  const near = Math.floor(Math.log2(size));
  if (2 ** near > size) return near - 1;
  return 2 ** (near + 1) <= size ? near + 1 : near;
}

/**
 * As C has it: 1 whenever `y` is 0 or `x` is 1, or `x` is -1 and `y` infinite. JavaScript has NaN for
 * `1 ** NaN` and infinite powers of 1 and -1.
 */
function power(x: number, y: number): number {
  const one = x === 1 || (x === -1 && Math.abs(y) === Number.POSITIVE_INFINITY);
  return one ? 1 : x ** y;
}

function float(arity: number, evaluate: ScalarFunction["evaluate"]): ScalarFunction {
  return { arity, domain: "float", result: "same", evaluate };
}

function numeric(arity: number, evaluate: ScalarFunction["evaluate"]): ScalarFunction {
  return { arity, domain: "number", result: "same", evaluate };
}

function test(evaluate: ScalarFunction["evaluate"]): ScalarFunction {
  return { arity: 1, domain: "float", result: "bool", evaluate };
}

/** The least and the greatest result of functions that have such, whatever they are of. */
export const functionRanges: ReadonlyMap<string, { readonly lo: number; readonly hi: number }> =
  new Map([
    ["sigmoid", { lo: 0, hi: 1 }],
    ["tanh", { lo: -1, hi: 1 }],
    ["sin", { lo: -1, hi: 1 }],
    ["cos", { lo: -1, hi: 1 }],
    ["erf", { lo: -1, hi: 1 }],
    ["normcdf", { lo: 0, hi: 1 }],
  ]);

/** By name; see {@link scalarFunction}. */
export const scalarFunctions: Readonly<Record<string, ScalarFunction>> = {
  abs: numeric(1, (x) => Math.abs(x)),
  sign: numeric(1, (x) => Math.sign(x)),
  min: numeric(2, (x, y) => Math.min(x, y)),
  max: numeric(2, (x, y) => Math.max(x, y)),
  clamp: numeric(3, (x, low, high) => Math.min(Math.max(x, low), high)),
  ceil: float(1, (x) => Math.ceil(x)),
  floor: float(1, (x) => Math.floor(x)),
  trunc: float(1, (x) => Math.trunc(x)),
  round: float(1, (x) => roundToEven(x)),
  sqrt: float(1, (x) => Math.sqrt(x)),
  rsqrt: float(1, (x) => 1 / Math.sqrt(x)),
  exp: float(1, (x) => Math.exp(x)),
  exp2: float(1, (x) => 2 ** x),
  exp10: float(1, (x) => 10 ** x),
  expm1: float(1, (x) => Math.expm1(x)),
  log: float(1, (x) => Math.log(x)),
  log2: float(1, (x) => Math.log2(x)),
  log10: float(1, (x) => Math.log10(x)),
  log1p: float(1, (x) => Math.log1p(x)),
  logb: float(1, binaryExponent),
  pow: float(2, power),
  cbrt: float(1, (x) => Math.cbrt(x)),
  hypot: float(2, (x, y) => Math.hypot(x, y)),
  sin: float(1, (x) => Math.sin(x)),
  cos: float(1, (x) => Math.cos(x)),
  tan: float(1, (x) => Math.tan(x)),
  asin: float(1, (x) => Math.asin(x)),
  acos: float(1, (x) => Math.acos(x)),
  atan: float(1, (x) => Math.atan(x)),
  atan2: float(2, (y, x) => Math.atan2(y, x)),
  sinh: float(1, (x) => Math.sinh(x)),
  cosh: float(1, (x) => Math.cosh(x)),
  tanh: float(1, (x) => Math.tanh(x)),
  asinh: float(1, (x) => Math.asinh(x)),
  acosh: float(1, (x) => Math.acosh(x)),
  atanh: float(1, (x) => Math.atanh(x)),
  sigmoid: float(1, sigmoid),
  relu: numeric(1, (x) => Math.max(x, 0)),
  gelu: float(1, gelu),
  silu: float(1, silu),
  erf: float(1, (x) => erf(x)),
  erfc: float(1, (x) => erfc(x)),
  normcdf: float(1, normalDistribution),
  tgamma: float(1, (x) => tgamma(x)),
  lgamma: float(1, (x) => lgamma(x)),
  fdim: float(2, positiveDifference),
  fmod: float(2, (x, y) => x % y),
  remainder: float(2, (x, y) => nearestRemainder(x, y)),
  copysign: float(2, copySign),
  fma: float(3, (x, y, z) => x * y + z),
  isnan: test((x) => (Number.isNaN(x) ? 1 : 0)),
  isinf: test((x) => (Math.abs(x) === Number.POSITIVE_INFINITY ? 1 : 0)),
  select: { arity: 3, domain: "any", result: "same", evaluate: (f, t, c) => (c !== 0 ? t : f) },
};

/** The function of that name, or undefined; names of `Object.prototype` are no functions. */
export function scalarFunction(name: string): ScalarFunction | undefined {
  return own(scalarFunctions, name);
}
