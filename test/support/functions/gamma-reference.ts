/** Gamma functions in float64 that share nothing with src/: Lanczos, and a telescoped Stirling sum. */

const lanczos: readonly number[] = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
  12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** `sin πx`, exactly reduced. */
export function sinPi(x: number): number {
  const whole = Math.round(x);
  const sine = Math.sin(Math.PI * (x - whole));
  return whole % 2 === 0 ? sine : -sine;
}

/** Γ(x), with Lanczos' approximation for g = 7 and 9 terms. */
export function gammaReference(x: number): number {
  if (x === 0) return 1 / x;
  if (x > 180) return Infinity;
  if (x === -Infinity || (x < 0 && Number.isInteger(x))) return Number.NaN;
  if (x < -180) return 0;
  if (x < 0.5) return Math.PI / sinPi(x) / gammaReference(1 - x);
  const sum = lanczos.reduce((s, c, n) => (n === 0 ? c : s + c / (x - 1 + n)), 0);
  const t = x + 6.5;
  const power = t ** ((x - 0.5) / 2);
  return Math.sqrt(2 * Math.PI) * power * Math.exp(-t) * power * sum;
}

function stirling(y: number): number {
  return 1 / (12 * y) - 1 / (360 * y ** 3) + 1 / (1260 * y ** 5) - 1 / (1680 * y ** 7);
}

/** `log Γ(1 + t) - log Γ(1)` by the recurrence to 31 and the difference of Stirling's formula there. */
function aroundOne(t: number): number {
  const top = 31;
  let sum = 0;
  for (let k = top - 1; k >= 1; k--) sum += Math.log1p(t / k);
  const main = (top + t - 0.5) * Math.log1p(t / top) + t * (Math.log(top) - 1);
  return main + (stirling(top + t) - stirling(top)) - sum;
}

/** `log |Γ(x)|`. */
export function logGammaReference(x: number): number {
  if (Math.abs(x) === Infinity || (x <= 0 && Number.isInteger(x))) return Infinity;
  if (x > 60) return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + stirling(x);
  if (x > 0.1) return aroundOne(x - 1);
  if (x > -0.5) return aroundOne(x) - Math.log(Math.abs(x));
  return Math.log(Math.PI) - Math.log(Math.abs(sinPi(x))) - logGammaReference(1 - x);
}
