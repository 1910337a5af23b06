/** How long a plan takes: repeated samples, their median and their spread. */
import type { Clock, ClockKind, Sample } from "./clock.ts";

/** Microseconds for one execution of a plan. */
export interface Timing {
  /** The median of the samples. */
  readonly us: number;
  /** The median of the samples' absolute deviations from the median. */
  readonly mad: number;
  readonly n: number;
  /** How much longer the later half of the samples took than the first, as a part of that: 0.1 for a tenth. */
  readonly drift: number;
  readonly clock: ClockKind;
  /** The step of the clock in nanoseconds; each sample is many of them long. */
  readonly quantumNs: number;
}

export interface TimingOptions {
  /** Measure for at least so long, in milliseconds of device time; 50 by default. */
  readonly minMs?: number;
}

export const defaultMinMs = 50;
const fewestSamples = 10;
/** After so long, in nanoseconds, three samples will do. */
const longNs = 1e9;
const fewestLongSamples = 3;
/** A sample is at least so many steps of the clock, so that a step is within 2 % of it. */
export const quantaPerSample = 50;
/** The shortest sample of the host's clock, beside which the way to the device is small. */
const wallSampleNs = 2_000_000;
/** Executions in one pass: a bound on the length of a command buffer. */
const mostRepeats = 4096;
/** Device time of one submission, so that no driver takes it for hung. */
export const submissionNs = 50_000_000;

/**
 * Measures one execution. Short plans are executed several times in a sample, as many as the
 * clock's step needs; a first execution is not counted, because drivers compile in it, unless it is
 * known to be `warm`. Ten samples at least, three of a plan that takes seconds.
 */
export async function measurePlan(
  clock: Clock,
  once: Sample,
  options: TimingOptions = {},
  warm = false,
): Promise<Timing> {
  const minNs = (options.minMs ?? defaultMinMs) * 1e6;
  if (!warm) await clock.measure(once, 1);
  const { repeats, found } = await calibrate(clock, once);
  const sample = repeated(once, repeats);
  const perSubmission = Math.max(1, Math.floor(submissionNs / Math.max(1, median(found))));
  const samples = [...found];
  let spent = sumOf(found);
  while (!isEnough(samples.length, spent, minNs)) {
    const durations = await clock.measure(sample, perSubmission);
    samples.push(...durations);
    // A clock that shows nothing must not hold us here for ever.
    spent += Math.max(1e4, sumOf(durations));
  }
  const { us, mad } = spreadOf(samples.map((ns) => ns / repeats / 1000));
  const { kind, quantumNs } = clock;
  return { us, mad, n: samples.length, drift: driftOf(samples), clock: kind, quantumNs };
}

/** How much greater the median of the later half is than that of the first, as a part of that. */
export function driftOf(samples: readonly number[]): number {
  const half = Math.floor(samples.length / 2);
  const [first, last] = [median(samples.slice(0, half)), median(samples.slice(-half))];
  return half === 0 || first <= 0 ? 0 : last / first - 1;
}

/** Whether so many samples, which took so long, are enough where `minNs` of device time is wanted. */
export function isEnough(samples: number, spentNs: number, minNs: number): boolean {
  const fewest = spentNs > longNs ? fewestLongSamples : fewestSamples;
  return samples >= fewest && spentNs >= minNs;
}

/** The median, and the median of the absolute deviations from it. */
export function spreadOf(values: readonly number[]): { readonly us: number; readonly mad: number } {
  const us = median(values);
  return { us, mad: median(values.map((value) => Math.abs(value - us))) };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Executions per sample such that a sample is long enough for the clock, and samples of them. */
export async function calibrate(
  clock: Clock,
  once: Sample,
): Promise<{ readonly repeats: number; readonly found: readonly number[] }> {
  const least = clock.kind === "wall" ? wallSampleNs : 0;
  const shortest = Math.max(clock.quantumNs * quantaPerSample, least);
  let repeats = 1;
  for (;;) {
    const found = await clock.measure(repeated(once, repeats), 3);
    const ns = Math.max(1, median(found));
    if (ns >= shortest || repeats === mostRepeats) return { repeats, found };
    // Short samples are known badly: approach in steps of at most 16, at least 2.
    const factor = Math.min(16, Math.max(2, Math.ceil(shortest / ns)));
    repeats = Math.min(mostRepeats, repeats * factor);
  }
}

/** A sample of several executions, one after the other. */
export function repeated(once: Sample, repeats: number): Sample {
  return {
    before: once.before,
    encode: (pass) => {
      for (let i = 0; i < repeats; i++) once.encode(pass);
    },
  };
}

/** The median; the mean of the middle two of an even number; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}
