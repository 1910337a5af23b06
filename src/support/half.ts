/**
 * IEEE 754 binary16 in plain numbers: 1 sign, 5 exponent and 10 fraction bits. Normal from 2⁻¹⁴ to
 * 65504, subnormal in steps of 2⁻²⁴.
 */

/** The greatest finite float16. */
export const greatestHalf = 65504;

/** The least positive normal float16. */
export const leastNormalHalf: number = 2 ** -14;

/** From here on numbers round to infinity: halfway between 65504 and what would be next. */
const overflow = 65520;

/** 1.5 · 2⁵²: a float64 that is added to it loses its fraction, to nearest even. */
const magic = 6755399441055744;

/** The exponent of the power of two at or below a positive number. */
function exponentOf(size: number): number {
  const guess = Math.floor(Math.log2(size));
  if (2 ** guess > size) return guess - 1;
  return 2 ** (guess + 1) <= size ? guess + 1 : guess;
}

/** The nearest float16, halves to the even one; infinite from 65520 on. */
export function roundToHalf(x: number): number {
  const size = Math.abs(x);
  if (!(size < overflow)) return Number.isNaN(x) ? x : x < 0 ? -Infinity : Infinity;
  if (size === 0) return x;
  const step = 2 ** (Math.max(exponentOf(size), -14) - 10);
  const rounded = size + step * magic - step * magic;
  return x < 0 ? -rounded : rounded;
}

/** The 16 bits of the nearest float16; NaN is 0x7e00. */
export function halfToBits(x: number): number {
  const value = roundToHalf(x);
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === Infinity) return sign | 0x7c00;
  if (size < leastNormalHalf) return sign | (size * 2 ** 24);
  const exponent = exponentOf(size);
  return sign | ((exponent + 15) << 10) | (size * 2 ** (10 - exponent) - 1024);
}

/** The value of 16 bits. */
export function bitsToHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
