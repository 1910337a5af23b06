/**
 * Hyperbolic functions and their inverses. Below 5/8 `tanh` is the single precision approximation of
 * Cephes (S. Moshier, tanhf.c), relative error below 2⁻²³; `sinh` below 1 is a minimax polynomial.
 * The inverses are logarithms of 1 plus what does not cancel.
 */
export const hyperbolicTexts = {
  tanh: `fn @tanh(x: T) -> T {
  let size = abs(x);
  let a = select(size, T(10.0), size > T(10.0));
  let z = a * a;
  let p = (((T(-5.70498872745e-3) * z + 2.06390887954e-2) * z - 5.37397155531e-2) * z
      + 1.33314422036e-1) * z - 3.33332819422e-1;
  let large = 1.0 - 2.0 / (exp(a + a) + 1.0);
  return select(sign(x) * large, x + x * (z * p), a < T(0.625));
}`,
  sinh: `fn @sinh(x: f32) -> f32 {
  let a = abs(x);
  let z = x * x;
  let p = ((2.81744015e-6 * z + 1.98360662e-4) * z + 8.33335060e-3) * z;
  let near = a + a * (z * (p + 0.166666665));
  let h = @expTimes(min(a, 100.0), 0.0, 1.0, -1);
  let y = select(h - 0.25 / min(h, 1.0e9), near, a < 1.0);
  return @copysign(select(y, @infinity(), a > 89.5), x);
}`,
  cosh: `fn @cosh(x: f32) -> f32 {
  let a = abs(x);
  let h = @expTimes(min(a, 100.0), 0.0, 1.0, -1);
  return select(h + 0.25 / min(h, 1.0e9), @infinity(), a > 89.5);
}`,
  asinh: `fn @asinh(x: f32) -> f32 {
  let a = abs(x);
  let large = a > 4096.0;
  let c = min(a, 4096.0);
  let z = c * c;
  let near = @log1p(c + z / (1.0 + sqrt(z + 1.0)));
  return @copysign(select(near, @log(a) + 0.693147181, large), x);
}`,
  acosh: `fn @acosh(x: f32) -> f32 {
  let t = clamp(x - 1.0, 0.0, 4096.0);
  let near = @log1p(t + sqrt(t * (t + 2.0)));
  let y = select(near, @log(x) + 0.693147181, x > 4096.0);
  return select(@notANumber(), y, x >= 1.0);
}`,
  atanh: `fn @atanh(x: f32) -> f32 {
  let a = abs(x);
  let c = min(a, 0.99999994);
  let double = c + c;
  let q = select(double / (1.0 - c), double + double * c / (1.0 - c), c < 0.5);
  let y = select(0.5 * @log1p(q), @infinity(), a == 1.0);
  return select(@copysign(y, x), @notANumber(), a > 1.0);
}`,
} as const;
