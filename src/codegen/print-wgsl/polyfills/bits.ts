/**
 * What is made of a float's bits: infinity and NaN, which WGSL has no constants for, scaling by
 * powers of two, and the functions that look at sign and exponent.
 *
 * `head` keeps 12 of the 24 bits of a significand, so that the product of two heads is exact
 * whatever a device does to sums and products of floats.
 */
export const bitTexts = {
  /** Of a parameter, since as constants infinity and NaN would be errors. */
  fromBits: `fn @fromBits(bits: U) -> T {
  return bitcast<T>(bits);
}`,
  infinity: `fn @infinity() -> T {
  return @fromBits(U(0x7f800000u));
}`,
  notANumber: `fn @notANumber() -> T {
  return @fromBits(U(0x7fc00000u));
}`,
  isInfinite: `fn @isInfinite(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}`,
  /** `2^n` for n in [-126, 128). */
  powerOfTwo: `fn @powerOfTwo(n: i32) -> f32 {
  return bitcast<f32>(u32(n + 127) << 23u);
}`,
  /** `x 2^n` for any n, in two steps since `2^n` may be no float where the product is. */
  scale: `fn @scale(x: f32, n: i32) -> f32 {
  let all = clamp(n, -250, 250);
  let half = all / 2;
  return x * @powerOfTwo(half) * @powerOfTwo(all - half);
}`,
  head: `fn @head(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}`,
  copysign: `fn @copysign(x: T, y: T) -> T {
  let size = bitcast<U>(x) & U(0x7fffffffu);
  return bitcast<T>(size | (bitcast<U>(y) & U(0x80000000u)));
}`,
  fdim: `fn @fdim(x: T, y: T) -> T {
  return select(x - y, T(0.0), x <= y);
}`,
  logb: `fn @logb(x: f32) -> f32 {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  let normal = i32(bits >> 23u) - 127;
  let exponent = select(normal, i32(firstLeadingBit(bits)) - 149, bits < 0x00800000u);
  let finite = select(f32(exponent), @infinity(), bits >= 0x7f800000u);
  return select(finite, -@infinity(), bits == 0u);
}`,
} as const;
