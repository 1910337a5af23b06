/**
 * How far a device's builtin functions may be off by themselves, at exact arguments.
 *
 * Those that are WGSL's own have what WGSL promises (WebGPU Shading Language, section "Floating Point
 * Accuracy", table "Accuracy of concrete floating point built-in functions": `exp` and `exp2`
 * 3 + 2|x| ulp, to which 1 is added since SwiftShader's `exp2` needs 3.3 near 0; `inverseSqrt` 2 ulp;
 * `sqrt` inherits from `1.0 / inverseSqrt(x)`, whose division adds 2.5 ulp). Those of print-wgsl/polyfills have what was measured, and room for
 * devices that divide and take roots no better than that. docs/language.md has the same numbers; the
 * test of the functions' accuracy compares both and holds devices to them.
 */
import { ulp } from "./error-model.ts";

/** The absolute error of a function at `x`, the first of its arguments, where its value is `v`. */
export type Accuracy = (x: number, v: number) => number;

function units(count: number): Accuracy {
  return (_x, v) => count * ulp * Math.abs(v);
}

/** Of functions that use the device's exponential of their argument. */
function exponential(count: number): Accuracy {
  return (x, v) => (count + 2 * Math.abs(x)) * ulp * Math.abs(v);
}

/** Below -1/2 the logarithms of gamma functions are subtracted. */
const logGamma: Accuracy = (x, v) => 8 * ulp * Math.abs(v) + (x < -0.5 ? 2e-6 : 0);

/** By name, of all functions that round. */
export const functionAccuracies: Readonly<Record<string, Accuracy>> = {
  sqrt: units(4.5),
  rsqrt: units(2),
  exp: exponential(4),
  exp2: exponential(4),
  exp10: units(2),
  expm1: units(3),
  log: units(2),
  log2: units(3),
  log10: units(3),
  log1p: units(4),
  pow: units(4),
  cbrt: units(3),
  hypot: units(6),
  sin: units(4),
  cos: units(4),
  tan: units(8),
  asin: units(12),
  acos: units(8),
  atan: units(5),
  atan2: units(6),
  sinh: units(4),
  cosh: units(4),
  tanh: units(10),
  asinh: units(6),
  acosh: units(8),
  atanh: units(6),
  sigmoid: exponential(8),
  silu: exponential(10),
  gelu: (x, v) => (16 + x * x) * ulp * Math.abs(v),
  erf: units(4),
  erfc: units(8),
  normcdf: units(8),
  tgamma: units(16),
  lgamma: logGamma,
};
