/**
 * Conversions to float16, to nearest even and infinite beyond its range, by integer arithmetic: of
 * those of WGSL, `pack2x16float` and `quantizeToF16`, devices may make anything at infinity, and
 * either neighbour elsewhere.
 *
 * A float32 below 2⁻¹⁴ plus 0.5 is rounded to multiples of 2⁻²⁴, the step of subnormal float16.
 */
export const halfTexts = {
  /** The 16 bits. */
  halfBits: `fn @halfBits(x: T) -> U {
  let bits = bitcast<U>(x);
  let size = bits & U(0x7fffffffu);
  let even = (size >> U(13u)) & U(1u);
  let normal = (size + U(0xc8000fffu) + even) >> U(13u);
  let small = bitcast<U>(bitcast<T>(size) + T(0.5)) - U(0x3f000000u);
  let special = select(U(0x7c00u), U(0x7e00u), size > U(0x7f800000u));
  let finite = select(normal, small, size < U(0x38800000u));
  return select(finite, special, size >= U(0x47800000u)) | ((bits >> U(16u)) & U(0x8000u));
}`,
  /** The value, as float32. */
  roundToHalf: `fn @roundToHalf(x: T) -> T {
  let bits = bitcast<U>(x);
  let size = bits & U(0x7fffffffu);
  let even = (size >> U(13u)) & U(1u);
  let normal = (size + U(0x00000fffu) + even) & U(0xffffe000u);
  let steps = bitcast<U>(bitcast<T>(size) + T(0.5)) - U(0x3f000000u);
  let small = bitcast<U>(T(steps) * T(5.9604644775390625e-8));
  let finite = select(normal, small, size < U(0x38800000u));
  let large = select(U(0x7f800000u), U(0x7fc00000u), size > U(0x7f800000u));
  let all = select(finite, large, (size >= U(0x47800000u)) | (finite >= U(0x47800000u)));
  return @fromBits(all | (bits & U(0x80000000u)));
}`,
} as const;
