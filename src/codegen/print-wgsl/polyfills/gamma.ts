/**
 * The gamma function and its logarithm.
 *
 * `tgamma` moves arguments of at most 10 to [2, 3] by `Γ(x + 1) = x Γ(x)`, where it is a minimax
 * polynomial, relative error below 2⁻³²; larger ones take Stirling's series, with the logarithm of
 * power.ts. `lgamma` is a polynomial around 2, whose zero is kept, and Stirling's series from 8 on.
 * Negative arguments are reflected (Abramowitz and Stegun 6.1.17).
 */
export const gammaTexts = {
  /** `2^k Γ(x)` for x in [8, 60]. */
  gammaLarge: `fn @gammaLarge(x: f32, k: i32) -> f32 {
  let log_two = @logTwo(x);
  let a = x - 0.5;
  let a_head = @head(a);
  let x_head = @head(x);
  let main = a_head * log_two.x - x_head * 1.4423828125;
  let low = (a - a_head) * log_two.x + a * log_two.y;
  let rest = low - ((x - x_head) * 1.4423828125 + x * 3.12228389e-4);
  let z = 1.0 / x;
  let p = ((-2.29472094e-4 * z - 2.68132716e-3) * z + 3.47222222e-3) * z;
  return @exp2Times(main, rest, 2.50662827 + 2.50662827 * (z * (p + 8.33333333e-2)), k);
}`,
  /** Γ(x) for x in [-10, 10], but not at its poles. */
  gammaSmall: `fn @gammaSmall(x: f32) -> f32 {
  var t = x;
  var above = 1.0;
  var below = 1.0;
  for (var n = 0; n < 12; n++) {
    let less = t < 2.0;
    below = below * select(1.0, t, less);
    t = t + select(0.0, 1.0, less);
    let more = t > 3.0;
    t = t - select(0.0, 1.0, more);
    above = above * select(1.0, t, more);
  }
  let u = t - 2.5;
  let p = (((((((7.97720617e-4 * u + 1.60732168e-3) * u + 1.03820848e-2) * u + 2.83608450e-2) * u
      + 1.09674231e-1) * u + 2.53871247e-1) * u + 6.54558544e-1) * u + 9.34734521e-1) * u;
  return (p + 1.32934039) * above / below;
}`,
  tgamma: `fn @tgamma(x: f32) -> f32 {
  let a = abs(x);
  let whole = round(a);
  let pole = (a == whole) & (x <= 0.0);
  var y = 0.0;
  if (a <= 10.0) {
    y = @gammaSmall(select(x, 2.0, pole));
  } else if (x > 0.0) {
    y = @gammaLarge(min(a, 50.0), 0);
  } else {
    let s = abs(@sinOfHalfTurns(a - whole));
    let size = 3.14159265 / (min(a, 60.0) * max(s, 1.0e-9) * @gammaLarge(min(a, 60.0), -60));
    y = select(-1.0, 1.0, (i32(min(ceil(a), 60.0)) & 1) == 0) * size * 8.67361738e-19;
    y = select(y, 0.0, a > 50.0);
  }
  let finite = select(y, @infinity(), (x > 35.04010) | @isInfinite(x));
  let zero = @copysign(@infinity(), x);
  return select(select(finite, @notANumber(), pole | (x < -1.0e9)), zero, x == 0.0);
}`,
  /** `log Γ(2 + t)` for t in [-1/2, 1/2]. */
  lgammaNearTwo: `fn @lgammaNearTwo(t: f32) -> f32 {
  let p = (((((((-2.69835786e-4 * t + 5.69825449e-4) * t - 1.17784775e-3) * t
      + 2.87905510e-3) * t - 7.38742678e-3) * t + 2.05816021e-2) * t - 6.73522188e-2) * t
      + 3.22467019e-1) * t;
  return t * (p + 0.422784335);
}`,
  /** For x of at least -1/2: one polynomial and one logarithm, of what depends on x. */
  lgammaRight: `fn @lgammaRight(x: f32) -> f32 {
  var t = min(x, 8.0);
  var product = 1.0;
  for (var n = 0; n < 6; n++) {
    let more = t >= 2.5;
    t = t - select(0.0, 1.0, more);
    product = product * select(1.0, t, more);
  }
  let around_zero = x < 0.5;
  let around_one = x < 1.5;
  let large = x >= 8.0;
  let shift = select(select(t - 2.0, x - 1.0, around_one), x, around_zero);
  let other = select(product, x, around_one | large);
  let log_of = @log(select(other, abs(x + x * x), around_zero));
  let near = @lgammaNearTwo(shift) + select(log_of, -log_of, around_one);
  let z = 1.0 / clamp(x, 8.0, 1.0e9);
  let rest = 0.418938533 + z * (8.33333333e-2 - 2.77777778e-3 * z * z);
  return select(near, (x - 0.5) * (log_of - 1.0) + rest, large);
}`,
  lgamma: `fn @lgamma(x: f32) -> f32 {
  let a = abs(x);
  let whole = round(a);
  let left = x < -0.5;
  let right = @lgammaRight(select(x, a, left));
  let s = abs(@sinOfHalfTurns(a - whole));
  let y = select(right, (1.14472989 - @log(a * s)) - right, left);
  let pole = (x <= 0.0) & (a == whole);
  return select(y, @infinity(), pole | (a >= 1.0e37));
}`,
} as const;
