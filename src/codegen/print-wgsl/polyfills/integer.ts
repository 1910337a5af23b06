/** Integer division and remainder, conversions that saturate, and the float remainder `%`. */
export const integerTexts = {
  toInt: `fn @toInt(x: T) -> I {
  return select(I(x), I(2147483647), x >= T(2147483648.0));
}`,
  toUint: `fn @toUint(x: T) -> U {
  return select(U(max(x, T(0.0))), U(4294967295u), x >= T(4294967296.0));
}`,
  floorDiv: `fn @floorDiv(x: I, y: I) -> I {
  let d = select(y, I(1), y == I(0));
  let q = x / d;
  let r = x - q * d;
  let below = (r != I(0)) & ((r < I(0)) != (d < I(0)));
  return select(select(q, q - I(1), below), I(0), y == I(0));
}`,
  floorMod: `fn @floorMod(x: I, y: I) -> I {
  let d = select(y, I(1), y == I(0));
  let r = x - (x / d) * d;
  let below = (r != I(0)) & ((r < I(0)) != (d < I(0)));
  return select(select(r, r + d, below), I(0), y == I(0));
}`,
  unsignedDiv: `fn @unsignedDiv(x: U, y: U) -> U {
  return select(x / max(y, U(1u)), U(0u), y == U(0u));
}`,
  unsignedMod: `fn @unsignedMod(x: U, y: U) -> U {
  return select(x % max(y, U(1u)), U(0u), y == U(0u));
}`,
  floatMod: `fn @floatMod(x: T, y: T) -> T {
  return x - y * floor(x / y);
}`,
} as const;
