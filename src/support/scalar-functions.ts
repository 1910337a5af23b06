/**
 * The builtin functions of the language: what they take and what they mean in float64. Integer
 * and bool arguments come as numbers (bools as 0 and 1); who calls rounds or wraps the result to
 * the type that it stands for. At infinity the value is the limit.
 */
import { erf, erfc } from "./error-function.ts";

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

/** `x · Φ(x)` for the normal distribution Φ, the exact form, with its limit 0 at minus infinity. */
function gelu(x: number): number {
  return x === Number.NEGATIVE_INFINITY ? 0 : 0.5 * x * erfc(-x * Math.SQRT1_2);
}

/** As C has it: 1 whenever `y` is 0 or `x` is 1. JavaScript differs for `1 ** NaN` and `1 ** inf`. */
function power(x: number, y: number): number {
  return x === 1 ? 1 : x ** y;
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
  log: float(1, (x) => Math.log(x)),
  log2: float(1, (x) => Math.log2(x)),
  sin: float(1, (x) => Math.sin(x)),
  cos: float(1, (x) => Math.cos(x)),
  tan: float(1, (x) => Math.tan(x)),
  tanh: float(1, (x) => Math.tanh(x)),
  pow: float(2, power),
  sigmoid: float(1, sigmoid),
  relu: numeric(1, (x) => Math.max(x, 0)),
  gelu: float(1, gelu),
  silu: float(1, silu),
  erf: float(1, (x) => erf(x)),
  fma: float(3, (x, y, z) => x * y + z),
  isnan: test((x) => (Number.isNaN(x) ? 1 : 0)),
  isinf: test((x) => (Math.abs(x) === Number.POSITIVE_INFINITY ? 1 : 0)),
  select: { arity: 3, domain: "any", result: "same", evaluate: (f, t, c) => (c !== 0 ? t : f) },
};

/** The function of that name, or undefined; names of `Object.prototype` are no functions. */
export function scalarFunction(name: string): ScalarFunction | undefined {
  return Object.hasOwn(scalarFunctions, name) ? scalarFunctions[name] : undefined;
}
