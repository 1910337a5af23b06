/** The logistic function and what is made of it; all divisors are in [1, 2]. */
export const logisticTexts = {
  sigmoid: `fn @sigmoid(x: T) -> T {
  let t = exp(-min(abs(x), T(120.0)));
  return select(t, T(1.0), x >= T(0.0)) / (1.0 + t);
}`,
  /** With the square root of the exponential, which is no subnormal where the value is normal. */
  silu: `fn @silu(x: T) -> T {
  let t = exp(-0.5 * min(abs(x), T(120.0)));
  let d = 1.0 / (1.0 + t * t);
  return select(max(x, T(-120.0)) * t * (t * d), x * d, x >= T(0.0));
}`,
} as const;
