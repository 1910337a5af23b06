/**
 * The error function and the normal distribution.
 *
 * Up to 1/2, `erf x` is x times a minimax polynomial in x²; from there on `erfc x` is
 * `exp(-x²) Q(u) / (x + 2)` with a minimax polynomial in `u = (x - 2) / (x + 2)`, relative error below
 * 2⁻³³ up to 10.6. The square is exact in its larger part.
 */
export const errorFunctionTexts = {
  erfNear: `fn @erfNear(x: f32) -> f32 {
  let z = x * x;
  let p = ((4.73207316e-3 * z - 2.67649142e-2) * z + 1.12829627e-1) * z;
  return x + x * (z * (p - 0.376126177) + 0.128379167);
}`,
  /** `exp(x²) erfc(x)` for x in [0.49, 10.6]. */
  erfcScaled: `fn @erfcScaled(x: f32) -> f32 {
  let t = 1.0 / (x + 2.0);
  let u = (x - 2.0) * t;
  let p = (((((((((1.21886143e-4 * u + 5.96504461e-5) * u - 6.54420641e-4) * u
      - 8.45545519e-4) * u + 3.08910622e-3) * u + 6.48042992e-3) * u - 2.15105460e-2) * u
      - 3.64423097e-2) * u + 2.79472089e-1) * u - 6.87160683e-1) * u;
  return t * (p + 1.02158271);
}`,
  /** `c erfc(x)` for x of at least 0.49. */
  erfcTimes: `fn @erfcTimes(x: f32, c: f32) -> f32 {
  let a = min(x, 10.6);
  let h = @head(a);
  return @expTimes(-h * h, -(a - h) * (a + h), c * @erfcScaled(a), 0);
}`,
  erf: `fn @erf(x: f32) -> f32 {
  let a = abs(x);
  let far = 1.0 - @erfcTimes(max(a, 0.5), 1.0);
  return select(@copysign(far, x), @erfNear(x), a < 0.5);
}`,
  erfc: `fn @erfc(x: f32) -> f32 {
  let a = abs(x);
  let tail = @erfcTimes(max(a, 0.5), 1.0);
  let far = select(tail, 2.0 - tail, x < 0.0);
  return select(far, 1.0 - @erfNear(x), a < 0.5);
}`,
  /** `c Φ(-a)` of the normal distribution for a of at least 0.7. */
  normalTail: `fn @normalTail(a: f32, c: f32) -> f32 {
  let inside = min(a, 14.9);
  let h = @head(inside);
  let q = @erfcScaled(inside * 0.707106781);
  return @expTimes(-0.5 * h * h, -0.5 * (inside - h) * (inside + h), 0.5 * c * q, 0);
}`,
  normcdf: `fn @normcdf(x: f32) -> f32 {
  let a = abs(x);
  let tail = @normalTail(max(a, 0.7), 1.0);
  let far = select(1.0 - tail, tail, x < 0.0);
  return select(far, 0.5 + 0.5 * @erfNear(x * 0.707106781), a < 0.7);
}`,
  /**
   * With the device's exponential, since there are many of these: `max(x, 0) - a erfc(a/√2) / 2` for
   * the size a of x. The polynomial is that of `erfc` from 0 on, relative error below 2⁻²⁵, and the
   * exponential of the rest of a² its first terms.
   */
  gelu: `fn @gelu(x: T) -> T {
  let size = abs(x);
  let a = select(size, T(14.9), size > T(14.9));
  let h = bitcast<T>((bitcast<U>(a) + U(0x800u)) & U(0xfffff000u));
  let d = -0.5 * (a - h) * (a + h);
  let z = a * 0.707106781;
  let t = 1.0 / (z + 2.0);
  let u = (z - 2.0) * t;
  let p = ((((((((-4.11375475e-5 * u - 5.20127918e-4) * u - 7.28386818e-4) * u
      + 3.03515515e-3) * u + 6.43453634e-3) * u - 2.15006841e-2) * u - 3.64356413e-2) * u
      + 2.79471327e-1) * u - 6.87160939e-1) * u;
  let q = a * (t * (p + 1.02158272));
  let power = exp(-0.5 * h * h) * (1.0 + d * (1.0 + 0.5 * d));
  return select(x, T(0.0), x < T(0.0)) - 0.5 * (q * power);
}`,
} as const;
