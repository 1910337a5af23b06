/**
 * Exact remainders, by long division of the significands as integers, six bits at a time.
 */
export const remainderTexts = {
  /**
   * For positive finite `y` and finite `x` of at least `y`/4, both given as bits: in units of
   * `y`'s last place over 2, the remainder of x by y, and whether the quotient is odd.
   */
  longDivision: `fn @longDivision(x: u32, y: u32) -> vec2<u32> {
  let x_exponent = max(x >> 23u, 1u);
  let y_exponent = max(y >> 23u, 1u);
  let significand = select(0x00800000u, 0u, x < 0x00800000u) | (x & 0x007fffffu);
  let unit = select(0x00800000u, 0u, y < 0x00800000u) | (y & 0x007fffffu);
  let divisor = unit * 2u;
  var left = x_exponent + 1u - y_exponent;
  var rest = significand % divisor;
  var odd = (significand / divisor) & 1u;
  for (var n = 0; n < 44; n++) {
    if (left == 0u) { break; }
    let step = min(left, 6u);
    left = left - step;
    let digits = (rest << step) / divisor;
    rest = (rest << step) - digits * divisor;
    odd = digits & 1u;
  }
  return vec2<u32>(rest, odd);
}`,
  /** `n` units of half of the last place of the float with the bits `y`. */
  halfUnits: `fn @halfUnits(n: u32, y: u32) -> f32 {
  return @scale(f32(n), i32(max(y >> 23u, 1u)) - 151);
}`,
  fmod: `fn @fmod(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x) & 0x7fffffffu;
  let b = bitcast<u32>(y) & 0x7fffffffu;
  if ((a >= 0x7f800000u) | (b == 0u) | (b > 0x7f800000u)) { return @notANumber(); }
  if (a < b) { return x; }
  return @copysign(@halfUnits(@longDivision(a, b).x, b), x);
}`,
  remainder: `fn @remainder(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x) & 0x7fffffffu;
  let b = bitcast<u32>(y) & 0x7fffffffu;
  if ((a >= 0x7f800000u) | (b == 0u) | (b > 0x7f800000u)) { return @notANumber(); }
  if ((max(a >> 23u, 1u) + 1u < max(b >> 23u, 1u)) | (b == 0x7f800000u)) { return x; }
  let division = @longDivision(a, b);
  let unit = select(0x00800000u, 0u, b < 0x00800000u) | (b & 0x007fffffu);
  let up = (division.x > unit) | ((division.x == unit) & (division.y == 1u));
  let size = @halfUnits(select(division.x, 2u * unit - division.x, up), b);
  return select(size, -size, up != (x < 0.0));
}`,
} as const;
