/** Integer division toward minus infinity: `floorDiv(-7, 2) = -4`. `b` must not be 0. */
export function floorDiv(a: number, b: number): number {
  return Math.floor(a / b);
}

/** Integer division toward plus infinity: `ceilDiv(7, 2) = 4`. `b` must not be 0. */
export function ceilDiv(a: number, b: number): number {
  return Math.ceil(a / b);
}

/** The remainder that goes with {@link floorDiv}; it has the sign of `b`. */
export function floorMod(a: number, b: number): number {
  return a - b * Math.floor(a / b);
}

/** The greatest common divisor, at least 0; `gcd(0, 0) = 0`. */
export function gcd(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** The exponent of the power of two, from 1 to 2³¹, that an integer is; undefined of others. */
export function binaryExponent(value: number): number | undefined {
  const exponent = 31 - Math.clz32(value);
  return value === 2 ** exponent ? exponent : undefined;
}
