/**
 * Sine, cosine and tangent, which WGSL promises only in [-π, π] and only to three digits.
 *
 * The argument is reduced as Payne and Hanek do: its significand is multiplied, as an integer, by
 * those 96 bits of 2/π that matter for its exponent. That is exact for every float and leaves 62
 * bits of the fraction of a quarter turn. The polynomials on [-π/4, π/4] are minimax ones, relative
 * error below 2⁻²⁸.
 */
export const trigonometricTexts = {
  /** The high word of the product of 24 bits and 32 bits. */
  mulHigh: `fn @mulHigh(m: u32, b: u32) -> u32 {
  let low = (m & 0xffffu) * (b & 0xffffu);
  let first = (m >> 16u) * (b & 0xffffu) + (low >> 16u);
  let second = (m & 0xffffu) * (b >> 16u) + (first & 0xffffu);
  return (m >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u);
}`,
  /** `r` in [-π/4, π/4] and the number of quarter turns modulo 4, for a of at least 1/2. */
  manyQuarterTurns: `fn @manyQuarterTurns(a: f32) -> vec2<f32> {
  let bits = bitcast<u32>(a);
  let m = (bits & 0x007fffffu) | 0x00800000u;
  let at = (bits >> 23u) - 120u;
  let far = (at & 128u) != 0u;
  let two = (at & 64u) != 0u;
  let one = (at & 32u) != 0u;
  let p0 = select(select(0u, 0x4e441529u, two), 0xf534ddc0u, far);
  let p1 = select(select(0xa2f9836eu, 0xfc2757d1u, two), 0xdb629599u, far);
  let p2 = select(select(0x4e441529u, 0xf534ddc0u, two), 0x3c439041u, far);
  let p3 = select(select(0xfc2757d1u, 0xdb629599u, two), 0xfe5163abu, far);
  let p4 = select(0xf534ddc0u, 0x3c439041u, two);
  let w0 = select(p0, p1, one);
  let w1 = select(p1, p2, one);
  let w2 = select(p2, p3, one);
  let w3 = select(p3, p4, one);
  let left = at & 31u;
  let right = 31u - left;
  let a0 = (w0 << left) | ((w1 >> 1u) >> right);
  let a1 = (w1 << left) | ((w2 >> 1u) >> right);
  let a2 = (w2 << left) | ((w3 >> 1u) >> right);
  let carried = @mulHigh(m, a2);
  let low = m * a1 + carried;
  let high = m * a0 + @mulHigh(m, a1) + select(0u, 1u, low < carried);
  let fraction = (high << 2u) | (low >> 30u);
  let tail = low << 2u;
  let above = (fraction >> 31u) == 1u;
  let f = select(fraction, ~fraction, above);
  let g = select(tail, ~tail, above);
  let r = (f32(f) * 3.65729520e-10 + f32(g) * 8.51530395e-20);
  let turns = (high >> 30u) + select(0u, 1u, above);
  return vec2<f32>(select(r, -r, above), f32(turns & 3u));
}`,
  /** The same for all of at least 0; the parts of π/2 have 8, 12, 12 and 24 bits. */
  quarterTurns: `fn @quarterTurns(a: f32) -> vec2<f32> {
  let n = round(a * 0.636619772);
  let r = ((a - n * 1.5703125) - n * 4.83751297e-4) - n * 7.54953362e-8;
  var p = vec2<f32>(r - n * 2.56334407e-12, n);
  for (var far = a > 1600.0; far; far = false) { p = @manyQuarterTurns(a); }
  return p;
}`,
  sinNear: `fn @sinNear(r: f32) -> f32 {
  let z = r * r;
  let p = ((2.71823698e-6 * z - 1.98393271e-4) * z + 8.33332936e-3) * z;
  return r + r * (z * (p - 0.166666666));
}`,
  cosNear: `fn @cosNear(r: f32) -> f32 {
  let z = r * r;
  let p = (2.44377851e-5 * z - 1.38873621e-3) * z;
  return 1.0 - (0.5 * z - z * z * (p + 4.16666468e-2));
}`,
  sin: `fn @sin(x: f32) -> f32 {
  let p = @quarterTurns(abs(x));
  let turns = u32(p.y);
  let v = select(@sinNear(p.x), @cosNear(p.x), (turns & 1u) == 1u);
  let y = select(v, -v, ((turns & 2u) == 2u) != (x < 0.0));
  return select(y, @notANumber(), @isInfinite(x));
}`,
  cos: `fn @cos(x: f32) -> f32 {
  let p = @quarterTurns(abs(x));
  let turns = u32(p.y) + 1u;
  let v = select(@sinNear(p.x), @cosNear(p.x), (turns & 1u) == 1u);
  let y = select(v, -v, (turns & 2u) == 2u);
  return select(y, @notANumber(), @isInfinite(x));
}`,
  tan: `fn @tan(x: f32) -> f32 {
  let p = @quarterTurns(abs(x));
  let odd = (u32(p.y) & 1u) == 1u;
  let s = @sinNear(p.x);
  let c = @cosNear(p.x);
  let v = select(s, -c, odd) / select(c, s, odd);
  let y = select(v, -v, x < 0.0);
  return select(y, @notANumber(), @isInfinite(x));
}`,
  /** `sin(π r)` for r in [-1/2, 1/2]. */
  sinOfHalfTurns: `fn @sinOfHalfTurns(r: f32) -> f32 {
  let z = r * r;
  let p = (((-7.02807167e-3 * z + 8.20506120e-2) * z - 5.99252383e-1) * z + 2.55016336) * z;
  return 3.14159274 * r + (r * (z * (p - 5.16771277)) - 8.74227766e-8 * r);
}`,
  /** The arc tangent on [0, 1]: a minimax polynomial, relative error below 2⁻³³. */
  atanNear: `fn @atanNear(r: f32) -> f32 {
  let z = r * r;
  let p = (((((((((-7.26438276e-4 * z + 5.08808240e-3) * z - 1.66977389e-2) * z
      + 3.50331246e-2) * z - 5.50032562e-2) * z + 7.28703541e-2) * z - 8.99558059e-2) * z
      + 1.10968575e-1) * z - 1.42844910e-1) * z + 1.99999504e-1) * z;
  return r + r * (z * (p - 0.333333328));
}`,
  atan: `fn @atan(x: f32) -> f32 {
  let a = min(abs(x), 1.0e30);
  let large = a > 1.0;
  let v = @atanNear(select(a, 1.0 / a, large));
  return @copysign(select(v, (1.57079637 - v) - 4.37113883e-8, large), x);
}`,
  /** Both arguments are scaled to where WGSL promises the quotient. */
  atan2: `fn @atan2(y: f32, x: f32) -> f32 {
  let a = abs(x);
  let b = abs(y);
  let large = max(a, b);
  let s = select(select(1.0, 1.15292150e18, large < 1.0e-18), 8.67361738e-19, large > 1.2e18);
  let quotient = (min(a, b) * s) / (large * s);
  let equal = select(0.0, 1.0, a == b);
  let r = select(select(quotient, equal, @isInfinite(large)), 0.0, large == 0.0);
  let v = @atanNear(r);
  let up = select(v, (1.57079637 - v) - 4.37113883e-8, b > a);
  let left = (bitcast<u32>(x) >> 31u) == 1u;
  return @copysign(select(up, (3.14159274 - up) - 8.74227766e-8, left), y);
}`,
  /** `asin(x) - x` over x, for `z = x²` of at most 1/4; relative error below 2⁻³¹. */
  asinRest: `fn @asinRest(z: f32) -> f32 {
  let p = ((((3.75799070e-2 * z + 1.43928093e-2) * z + 3.18199823e-2) * z + 4.45154699e-2) * z
      + 7.50051199e-2) * z;
  return z * (p + 0.166666599);
}`,
  asin: `fn @asin(x: f32) -> f32 {
  let a = abs(x);
  let small = a <= 0.5;
  let far = 0.5 * (1.0 - a);
  let root = sqrt(max(far, 0.0));
  let r = @asinRest(select(far, a * a, small));
  let v = (1.57079637 - 2.0 * (root + root * r)) - 4.37113883e-8;
  let y = @copysign(select(v, a + a * r, small), x);
  return select(y, @notANumber(), a > 1.0);
}`,
  acos: `fn @acos(x: f32) -> f32 {
  let a = abs(x);
  let small = a <= 0.5;
  let far = 0.5 * (1.0 - a);
  let root = sqrt(max(far, 0.0));
  let r = @asinRest(select(far, a * a, small));
  let v = 2.0 * (root + root * r);
  let side = select(v, (3.14159274 - v) - 8.74227766e-8, x < 0.0);
  let y = select(side, 1.57079637 - ((x + x * r) + 4.37113883e-8), small);
  return select(y, @notANumber(), a > 1.0);
}`,
} as const;
