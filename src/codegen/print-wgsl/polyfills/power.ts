/**
 * Powers and roots.
 *
 * The power is `2^(y log2 x)`. The logarithm is a sum of two floats, the first of 12 bits, relative
 * error below 2⁻²⁹: `x = 2^k b m` with b one of 3/4, 1 and 3/2, so that `s = (m - 1) / (m + 1)` is at
 * most 0.101 and the series of logarithm.ts in s adds little to `2 s / log 2`; the quotient is
 * corrected by its remainder. Products of 12-bit parts are exact. Whole exponents from 2 to 4 multiply.
 */
export const powerTexts = {
  /** `log2 x` of a positive float as a 12-bit float and the rest. */
  logTwo: `fn @logTwo(x: f32) -> vec2<f32> {
  let p = @splitLog(x);
  let m = 1.0 + p.y;
  let above = m > 1.22474487;
  let below = m < 0.866025404;
  let base = select(select(1.0, 1.5, above), 0.75, below);
  let k = p.x + select(select(0.0, 0.5849609375, above), -0.4150390625, below);
  let k_rest = select(0.0, 1.56322119e-6, above | below);
  let d = m + base;
  let d_head = @head(d);
  let quotient = (m - base) / d;
  let s_head = @head(quotient);
  let s_rest = (((m - base) - s_head * d_head) - s_head * ((base - d_head) + m)) / d;
  let s = s_head + s_rest;
  let z = s * s;
  let r = z * ((2.98737705e-1 * z + 3.99774730e-1) * z + 6.66667759e-1);
  let main = 2.884765625 * s_head;
  let rest = 2.884765625 * s_rest + ((6.24456778e-4 * s + k_rest) + 1.44269504 * s * r);
  let sum = @head(k + (main + rest));
  return vec2<f32>(sum, ((k - sum) + main) + rest);
}`,
  /** `c 2^k 2^(x + rest)`. */
  exp2Times: `fn @exp2Times(x: f32, rest: f32, c: f32, k: i32) -> f32 {
  let inside = clamp(x, -300.0, 300.0);
  let n = round(inside);
  let f = clamp((inside - n) + rest, -1.0, 1.0);
  let p = ((((1.54768761e-4 * f + 1.34008161e-3) * f + 9.61800190e-3) * f + 5.55032642e-2) * f
      + 2.40226514e-1) * f;
  return @scale(c + c * (f * (p + 0.693147207)), i32(n) + k);
}`,
  /** `|x|^y` where both are finite and x is not 0. */
  powerOfSize: `fn @powerOfSize(x: f32, y: f32) -> f32 {
  let log_two = @logTwo(x);
  let inside = clamp(y, -4294967296.0, 4294967296.0);
  let head = @head(inside);
  let main = head * log_two.x;
  let rest = (inside - head) * log_two.x + inside * log_two.y;
  let v = @exp2Times(main, rest, 1.0, 0);
  return select(select(v, @infinity(), main > 130.0), 0.0, main < -160.0);
}`,
  pow: `fn @pow(x: f32, y: f32) -> f32 {
  if (y == 2.0) { return x * x; }
  if (y == 3.0) { return x * x * x; }
  if (y == 4.0) { return (x * x) * (x * x); }
  let a = abs(x);
  let size = abs(y);
  let endless = @isInfinite(x);
  let whole = (size >= 16777216.0) | (floor(y) == y);
  let odd = (size < 16777216.0) & whole & ((i32(min(size, 16777216.0)) & 1) == 1);
  let edge = select(0.0, @infinity(), endless == (y > 0.0));
  let v = select(@powerOfSize(a, y), edge, endless | (x == 0.0));
  let unsigned = select(v, 1.0, (a == 1.0) | (y == 0.0));
  let negative = (bitcast<u32>(x) >> 31u) == 1u;
  let undefined = (x < 0.0) & !whole & !endless;
  return select(select(unsigned, -unsigned, odd & negative), @notANumber(), undefined);
}`,
  /** A first guess from a third of the bits; one step of Halley's and one of Newton's method. */
  cbrt: `fn @cbrt(x: f32) -> f32 {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  let tiny = bits < 0x00800000u;
  let b = select(bits, bitcast<u32>(2.0 * f32(bits)), tiny);
  let e = i32(b >> 23u) - 127;
  let third = (e + 300) / 3 - 100;
  let m = bitcast<f32>((b & 0x007fffffu) | (u32(e - 3 * third + 127) << 23u));
  let guess = bitcast<f32>(bitcast<u32>(m) / 3u + 0x2a5137a0u);
  let cube = guess * guess * guess;
  let near = guess * ((cube + m + m) / (cube + cube + m));
  let root = near - (near - m / (near * near)) * 0.333333333;
  let y = @scale(root, third - select(0, 50, tiny));
  let finite = select(y, @infinity(), bits >= 0x7f800000u);
  return select(@copysign(finite, x), x, bits == 0u);
}`,
  hypot: `fn @hypot(x: f32, y: f32) -> f32 {
  let large = max(abs(x), abs(y));
  let k = select(select(0, 70, large < 1.0e-12), -70, large > 1.0e18);
  let a = @scale(x, k);
  let b = @scale(y, k);
  let v = @scale(sqrt(a * a + b * b), -k);
  return select(v, @infinity(), @isInfinite(x) | @isInfinite(y));
}`,
} as const;
