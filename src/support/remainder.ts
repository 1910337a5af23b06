/** Remainders of floats in float64, without rounding. */

/** `x - n y` for the integer n nearest to `x / y`, the even one of two; IEEE 754's remainder. */
export function nearestRemainder(x: number, y: number): number {
  const b = Math.abs(y);
  if (b === Infinity) return Math.abs(x) === Infinity ? Number.NaN : x;
  const r = Math.abs(x) % (2 * b);
  const sign = x < 0 || Object.is(x, -0) ? -1 : 1;
  if (!(r > b / 2)) return sign * r;
  return sign * (r < 1.5 * b ? r - b : r - 2 * b);
}
