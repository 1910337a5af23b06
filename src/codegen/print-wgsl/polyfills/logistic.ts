/** The logistic function and what is made of it; all divisors are in [1, 2]. */
export const logisticTexts = {
  sigmoid: `fn @sigmoid(x: T) -> T {
  let a = abs(x);
  let t = exp(-select(a, T(120.0), a > T(120.0)));
  return select(t, T(1.0), x >= T(0.0)) / (1.0 + t);
}`,
  /** With the square root of the exponential, which is no subnormal where the value is normal. */
  silu: `fn @silu(x: T) -> T {
  let a = abs(x);
  let t = exp(-0.5 * select(a, T(120.0), a > T(120.0)));
  let d = 1.0 / (1.0 + t * t);
  let low = select(x, T(-120.0), x < T(-120.0));
  return select(low * t * (t * d), x * d, x >= T(0.0));
}`,
} as const;
