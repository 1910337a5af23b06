/** The error functions in float64 that share nothing with src/. */

/** Maclaurin's series; alternating, so for arguments up to 2. */
function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

/**
 * `erfc x` for positive x by the trapezoidal rule with step 1/2 on Goodwin's integral, whose error
 * is known in closed form (C. Chiarella, A. Reichel, On the evaluation of integrals related to the
 * error function, 1968).
 */
function erfcTrapezoid(x: number): number {
  const h = 0.5;
  let sum = 1 / (x * x);
  for (let n = 1; n < 16; n++) {
    const t = (n * h) ** 2;
    sum += (2 * Math.exp(-t)) / (t + x * x);
  }
  const correction = x < Math.PI / h ? 2 / (1 - Math.exp((2 * Math.PI * x) / h)) : 0;
  return ((h * x * Math.exp(-x * x)) / Math.PI) * sum + correction;
}

/** `erf x`. */
export function erfReference(x: number): number {
  if (Math.abs(x) > 7) return Math.sign(x);
  if (Math.abs(x) < 2) return erfSeries(x);
  return x > 0 ? 1 - erfcTrapezoid(x) : erfcTrapezoid(-x) - 1;
}

/** `erfc x = 1 - erf x`. */
export function erfcReference(x: number): number {
  if (x < 1) return 1 - erfReference(x);
  return x > 28 ? 0 : erfcTrapezoid(x);
}
