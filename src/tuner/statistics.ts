/** Statistics of samples: what a tuning run ranks by and reports. */
import type { BenchClock } from "./bench.ts";
import type { Figures } from "./events.ts";

/** The `q`-quantile of some numbers, 0 <= q <= 1, interpolated between neighbours; NaN for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** The middle of some numbers; NaN for none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The arithmetic mean; NaN for none. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, v) => sum + v, 0) / values.length;
}

/** The median of the absolute deviations from the median; NaN for none. */
export function medianDeviation(values: readonly number[]): number {
  const middle = median(values);
  return median(values.map((v) => Math.abs(v - middle)));
}

/** Samples in microseconds, at least one, summed up; the variance is that of a sample (n - 1), 0 for one. */
export function figuresOf(samples: readonly number[]): Figures {
  const average = mean(samples);
  const squares = samples.reduce((sum, v) => sum + (v - average) ** 2, 0);
  return {
    us: median(samples),
    mad: medianDeviation(samples),
    mean: average,
    variance: samples.length > 1 ? squares / (samples.length - 1) : 0,
    min: Math.min(...samples),
    max: Math.max(...samples),
    n: samples.length,
    samples,
  };
}

/**
 * The standard error of a median, from the median deviation: 1.4826 of these are a standard deviation of normal
 * noise, and a median of n samples is sqrt(pi / 2) times as uncertain as their mean. Infinite for fewer than 3.
 */
export function medianError(values: readonly number[]): number {
  if (values.length < 3) return Number.POSITIVE_INFINITY;
  return (1.2533 * 1.4826 * medianDeviation(values)) / Math.sqrt(values.length);
}

/** From which step on a clock is a quantised one, in nanoseconds. */
const quantisedNs = 1_000;

/** Whether a clock has steps that samples can be seen to lie on. */
export function isQuantised({ quantumNs }: BenchClock): boolean {
  return quantumNs >= quantisedNs;
}

/** The mean of what is left without the lowest and the highest tenth. */
function trimmedMean(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 10);
  return mean(sorted.slice(cut, sorted.length - cut));
}

/**
 * What candidates are ranked by in races. On an exact clock the lower quartile: what disturbs a measurement only adds
 * to it. On a quantised one the trimmed mean: an order statistic of multiples of a step is such a multiple again, and
 * the minimum of short spans is 0 for all.
 */
export function rankOf(samples: readonly number[], clock: BenchClock): number {
  return isQuantised(clock) ? trimmedMean(samples) : quantile(samples, 0.25);
}
