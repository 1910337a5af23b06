/**
 * The gamma function and its logarithm in float64.
 *
 * Both go to arguments of at least 20 by the recurrence Γ(x + 1) = x Γ(x), and use Stirling's series
 * there (Abramowitz and Stegun 6.1.40); negative arguments are reflected (6.1.17). Around 1 and 2,
 * where the logarithm is 0, it is the series 6.1.33, which keeps its relative accuracy.
 */

/** `1 / (n (2k - 1) x^(2k-1))` of Stirling's series: Bernoulli numbers over `2k (2k - 1)`. */
const stirlingTerms: readonly number[] = [
  1 / 12,
  -1 / 360,
  1 / 1260,
  -1 / 1680,
  1 / 1188,
  -691 / 360360,
  1 / 156,
];

const stirlingFrom = 20;

/** 1 less Euler's constant. */
const eulerComplement = 0.42278433509846713;

/** `ζ(n) - 1` for n from 2 on. */
const zetaLessOne: readonly number[] = [
  0.6449340668482264, 0.2020569031595943, 0.08232323371113819, 0.03692775514336993,
  0.01734306198444914, 0.008349277381922827, 0.00407735619794434, 0.0020083928260822143,
  0.0009945751278180853, 0.0004941886041194645, 0.0002460865533080483, 0.00012271334757848915,
  6.124813505870483e-5, 3.058823630702049e-5, 1.528225940865187e-5, 7.637197637899763e-6,
  3.81729326499984e-6, 1.908212716553939e-6, 9.539620338727962e-7, 4.769329867878064e-7,
  2.38450502727733e-7, 1.1921992596531106e-7, 5.960818905125948e-8, 2.980350351465228e-8,
  1.4901554828365043e-8, 7.45071178983543e-9, 3.725334024788457e-9, 1.862659723513049e-9,
];

/** What Stirling's series adds to `(x - 1/2) log x - x + log √(2π)`, for x of at least 20. */
function stirlingRest(x: number): number {
  const z = 1 / (x * x);
  return stirlingTerms.reduceRight((sum, term) => sum * z + term, 0) / x;
}

/** `x (x + 1) ⋯` up to the first factor that is 20 or more, and that factor. */
function rise(x: number): { readonly product: number; readonly top: number } {
  let product = 1;
  let top = x;
  for (; top < stirlingFrom; top++) product *= top;
  return { product, top };
}

/** `|sin πx|`, exact reduction included. */
function sineOfHalfTurns(x: number): number {
  return Math.abs(Math.sin(Math.PI * (x - Math.round(x))));
}

function gammaOfPositive(x: number): number {
  if (Number.isInteger(x) && x <= 23) {
    let factorial = 1;
    for (let n = 2; n < x; n++) factorial *= n;
    return factorial;
  }
  const { product, top } = rise(x);
  // In two halves, since the power overflows before the product with the exponential does.
  const half = top ** ((top - 0.5) / 2);
  const scale = Math.sqrt(2 * Math.PI) * Math.exp(stirlingRest(top) - top);
  return (half * scale * half) / product;
}

/** Γ(x); NaN for negative integers and at minus infinity, infinite with the sign of zero at 0. */
export function tgamma(x: number): number {
  if (x === 0) return 1 / x;
  if (x > 0) return x > 172 ? Number.POSITIVE_INFINITY : gammaOfPositive(x);
  if (!(Math.abs(x) < Infinity) || Number.isInteger(x)) return Number.NaN;
  const sign = Math.floor(x) % 2 === 0 ? 1 : -1;
  if (x < -184) return sign * 0;
  const a = -x;
  const half = gammaOfPositive(a / 2 + 0.5);
  // Γ(a) by the duplication formula, which does not overflow between its factors.
  const other = gammaOfPositive(a / 2) * 2 ** (a - 1);
  return (sign * (Math.PI ** 1.5 / (a * sineOfHalfTurns(a) * half))) / other;
}

/** `log Γ(2 + t)` for t of at most 1/2 in size. */
function aroundTwo(t: number): number {
  let sum = 0;
  for (let k = zetaLessOne.length - 1; k >= 0; k--) {
    const n = k + 2;
    sum = sum * -t + (zetaLessOne[k] ?? 0) / n;
  }
  return eulerComplement * t + sum * t * t;
}

function logGammaOfPositive(x: number): number {
  if (x < 0.5) return aroundTwo(x) - Math.log1p(x) - Math.log(x);
  if (x < 1.5) return aroundTwo(x - 1) - Math.log1p(x - 1);
  if (x < 2.5) return aroundTwo(x - 2);
  const { product, top } = rise(x);
  const main = (top - 0.5) * (Math.log(top) - 1) + (0.5 * Math.log(2 * Math.PI) - 0.5);
  return main + stirlingRest(top) - Math.log(product);
}

/** `log |Γ(x)|`; infinite at 0, negative integers and both infinities. */
export function lgamma(x: number): number {
  if (Number.isNaN(x)) return x;
  const a = Math.abs(x);
  if (a === Infinity || x === 0) return Number.POSITIVE_INFINITY;
  if (x > 0) return logGammaOfPositive(x);
  if (Number.isInteger(x)) return Number.POSITIVE_INFINITY;
  if (a < 0.5) return aroundTwo(x) - Math.log1p(x) - Math.log(a);
  return Math.log(Math.PI / sineOfHalfTurns(a)) - Math.log(a) - logGammaOfPositive(a);
}
