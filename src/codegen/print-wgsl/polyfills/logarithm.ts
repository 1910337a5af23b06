/**
 * Logarithms, which WGSL promises near 1 only up to an absolute error.
 *
 * `x = 2^k (1 + f)` with f in [√½ - 1, √2 - 1), taken from the bits, and `log(1 + f)` is
 * `f - f²/2 + s (f²/2 + R)` with `s = f / (2 + f)`, where R is a polynomial in s² for the rest of
 * `2 artanh s`: the reduction of fdlibm's e_log.c with a minimax polynomial, relative error below 2⁻³⁰.
 */
export const logarithmTexts = {
  /** `(k, f)` of a positive float. */
  splitLog: `fn @splitLog(x: f32) -> vec2<f32> {
  let bits = bitcast<u32>(x);
  let tiny = bits < 0x00800000u;
  let b = select(bits, bitcast<u32>(f32(bits)), tiny);
  let k = (bitcast<i32>(b) - 0x3f3504f3) >> 23u;
  let m = bitcast<f32>(b - (bitcast<u32>(k) << 23u));
  return vec2<f32>(f32(k) - select(0.0, 149.0, tiny), m - 1.0);
}`,
  /** `log(1 + f)`. */
  logNearOne: `fn @logNearOne(f: f32) -> f32 {
  let s = f / (2.0 + f);
  let z = s * s;
  let r = z * ((2.98737705e-1 * z + 3.99774730e-1) * z + 6.66667759e-1);
  let half = 0.5 * f * f;
  return f - (half - s * (half + r));
}`,
  /** The value `y` of a logarithm of `x`, or what it is where `x` is not positive and finite. */
  logEdges: `fn @logEdges(x: f32, y: f32) -> f32 {
  let above = select(y, @infinity(), bitcast<u32>(x) == 0x7f800000u);
  return select(select(@notANumber(), -@infinity(), x == 0.0), above, x > 0.0);
}`,
  log: `fn @log(x: f32) -> f32 {
  let p = @splitLog(x);
  let y = p.x * 0.693359375 + (@logNearOne(p.y) - p.x * 2.12194440e-4);
  return @logEdges(x, y);
}`,
  log2: `fn @log2(x: f32) -> f32 {
  let p = @splitLog(x);
  let v = @logNearOne(p.y);
  return @logEdges(x, p.x + (v + v * 0.44269504));
}`,
  log10: `fn @log10(x: f32) -> f32 {
  let p = @splitLog(x);
  let y = p.x * 0.30078125 + (p.x * 2.48745664e-4 + @logNearOne(p.y) * 0.434294482);
  return @logEdges(x, y);
}`,
  /** Where `1 + x` rounds, the first order of what it lost is added. */
  log1p: `fn @log1p(x: f32) -> f32 {
  let u = 1.0 + x;
  let p = @splitLog(u);
  let near = (x > -0.29) & (x < 0.41);
  let k = select(p.x, 0.0, near);
  let f = select(p.y, x, near);
  let lost = select(x - (u - 1.0), 1.0 - (u - x), k >= 1.0);
  let c = select(lost / min(u, 1.0e9), 0.0, near | (x > 1.0e9));
  let y = k * 0.693359375 + (@logNearOne(f) + (c - k * 2.12194440e-4));
  return @logEdges(u, y);
}`,
} as const;
