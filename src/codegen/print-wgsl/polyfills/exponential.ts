/**
 * Exponentials.
 *
 * `exp` and `exp2` are the device's. What they make of arguments that are too large is not used, those
 * that are too small are replaced: by a selection, because extrema of floats carry tests of NaN on some
 * devices. The others take the argument apart as `n log 2 + r` with r at most half of `log 2`, exactly
 * for the larger of two parts of `log 2`; the polynomials in r are minimax ones, relative error below
 * 2⁻²⁸.
 */
export const exponentialTexts = {
  exp: `fn @exp(x: T) -> T {
  let inside = exp(select(x, T(-120.0), x < T(-120.0)));
  return select(inside, @infinity(), x > T(88.722835));
}`,
  exp2: `fn @exp2(x: T) -> T {
  let inside = exp2(select(x, T(-160.0), x < T(-160.0)));
  return select(inside, @infinity(), x >= T(128.0));
}`,
  /** `c 2^k exp(x + rest)` for small `rest`. */
  expTimes: `fn @expTimes(x: f32, rest: f32, c: f32, k: i32) -> f32 {
  let inside = clamp(x, -250.0, 250.0);
  let n = round((inside + rest) * 1.44269504);
  let r = ((inside - n * 0.693359375) + n * 2.12194440e-4) + rest;
  let p = (((1.38144551e-3 * r + 8.36878084e-3) * r + 4.16683927e-2) * r + 1.66665196e-1) * r;
  return @scale(c + c * (r + r * r * (p + 0.49999994)), i32(n) + k);
}`,
  expm1: `fn @expm1(x: f32) -> f32 {
  let inside = clamp(x, -25.0, 90.0);
  let n = round(inside * 1.44269504);
  let r = (inside - n * 0.693359375) + n * 2.12194440e-4;
  let p = ((((1.99143315e-4 * r + 1.39411099e-3) * r + 8.33327276e-3) * r + 4.16663564e-2) * r
      + 1.66666668e-1) * r;
  let k = i32(n);
  let y = @scale((r + r * r * (p + 0.5)) + (1.0 - @scale(1.0, -k)), k);
  return select(y, @infinity(), x > 88.722835);
}`,
  exp10: `fn @exp10(x: f32) -> f32 {
  let inside = clamp(x, -60.0, 60.0);
  let n = round(inside * 3.32192809);
  let r = ((inside - n * 0.30078125) - n * 2.48745664e-4) * 2.30258509;
  let p = (((1.38144551e-3 * r + 8.36878084e-3) * r + 4.16683927e-2) * r + 1.66665196e-1) * r;
  let y = @scale(1.0 + (r + r * r * (p + 0.49999994)), i32(n));
  return select(y, @infinity(), x > 38.53184);
}`,
} as const;
