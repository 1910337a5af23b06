/**
 * What the builtin functions are in float64, written without anything of src/: by `Math` where it
 * has the function, else by another formula than the compiler's.
 */
import { erfcReference, erfReference } from "./error-function-reference.ts";
import { gammaReference, logGammaReference } from "./gamma-reference.ts";

type Reference = (a: number, b: number, c: number) => number;

/** The nearest even integer among the nearest. */
function nearestEven(x: number): number {
  if (Math.abs(x) >= 2 ** 52) return x;
  // Adding and subtracting this rounds to integers, as float64 rounds halves to even.
  const large = x < 0 ? -(2 ** 52) : 2 ** 52;
  return x + large - large;
}

/** The integer part. */
function whole(x: number): number {
  return Math.abs(x) === Infinity ? x : x - (x % 1);
}

/** A finite float32 in units that divide all of them. */
function inUnits(x: number): bigint {
  return BigInt(Math.trunc(x * 2 ** 300));
}

function fromUnits(n: bigint): number {
  return Number(n) * 2 ** -300;
}

function undefinedRemainder(x: number, y: number): boolean {
  return !Number.isFinite(x) || Number.isNaN(y) || y === 0;
}

function remainderReference(x: number, y: number): number {
  if (undefinedRemainder(x, y)) return Number.NaN;
  if (Math.abs(y) === Infinity) return x;
  const [a, b] = [inUnits(Math.abs(x)), inUnits(Math.abs(y))];
  let q = a / b;
  const twice = 2n * (a - q * b);
  if (twice > b || (twice === b && q % 2n === 1n)) q += 1n;
  return Math.sign(x) * fromUnits(a - q * b);
}

function modReference(x: number, y: number): number {
  if (undefinedRemainder(x, y)) return Number.NaN;
  if (Math.abs(y) === Infinity) return x;
  return fromUnits(inUnits(x) % inUnits(y));
}

function exponentReference(x: number): number {
  const size = Math.abs(x);
  if (size === 0 || size === Infinity) return size === 0 ? -Infinity : Infinity;
  const [, high = 0] = new Uint32Array(Float64Array.of(size).buffer);
  return (high >>> 20) - 1023;
}

function isNegative(x: number): boolean {
  return x < 0 || Object.is(x, -0);
}

function logistic(x: number): number {
  return x > 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}

/** Of the product with a distribution function, which goes to 0 faster than x grows. */
function weighted(x: number, weight: number): number {
  return weight === 0 ? 0 : x * weight;
}

function normal(x: number): number {
  return erfcReference(-x / Math.SQRT2) / 2;
}

/** By name. */
export const functionReferences: Readonly<Record<string, Reference>> = {
  abs: Math.abs,
  sign: Math.sign,
  min: (x, y) => Math.min(x, y),
  max: (x, y) => Math.max(x, y),
  clamp: (x, low, high) => Math.min(high, Math.max(low, x)),
  relu: (x) => Math.max(0, x),
  ceil: (x) => (whole(x) < x ? whole(x) + 1 : whole(x)),
  floor: (x) => (whole(x) > x ? whole(x) - 1 : whole(x)),
  trunc: whole,
  round: nearestEven,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  logb: exponentReference,
  pow: (x, y) => (Math.abs(x) === 1 && Math.abs(y) === Infinity ? 1 : x ** y),
  cbrt: Math.cbrt,
  hypot: (x, y) => Math.hypot(x, y),
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  atan2: Math.atan2,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  sigmoid: logistic,
  silu: (x) => weighted(x, logistic(x)),
  gelu: (x) => weighted(x, normal(x)),
  erf: erfReference,
  erfc: erfcReference,
  normcdf: normal,
  tgamma: gammaReference,
  lgamma: logGammaReference,
  fdim: (x, y) => (x > y ? x - y : 0),
  fmod: modReference,
  remainder: remainderReference,
  copysign: (x, y) => (isNegative(x) === isNegative(y) ? x : -x),
  fma: (x, y, z) => x * y + z,
  isnan: (x) => (x <= 0 || x > 0 ? 0 : 1),
  isinf: (x) => (x === Infinity || x === -Infinity ? 1 : 0),
  select: (no, yes, test) => (test === 0 ? no : yes),
};
