/** What there is in all elements of a tensor, which may take longer than the page may be kept waiting. */
import type { TensorData } from "../../../src/index.ts";
import { type ColourScale, differenceScale, scaleOf } from "./colour-scale.ts";

/** Elements, or how far they are from others. */
export interface Elements {
  readonly data: TensorData;
  /** What they are compared with; null where they are shown themselves. */
  readonly minus: TensorData | null;
}

/** An element, or its difference: equal infinities and NaN beside NaN differ by nothing. */
export function elementOf({ data, minus }: Elements, n: number): number {
  const value = data[n] ?? Number.NaN;
  if (minus === null) return value;
  const other = minus[n] ?? Number.NaN;
  return Object.is(value, other) || value === other ? 0 : value - other;
}

/** What there is in some elements. */
export interface Statistics {
  /** Of the finite elements; NaN where there are none. */
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly nan: number;
  /** Positive infinities, and negative ones. */
  readonly infinite: readonly [number, number];
  readonly count: number;
}

export interface Summary {
  readonly statistics: Statistics;
  readonly scale: ColourScale;
  /** How many finite elements are in each of {@link histogramParts} equal parts of the scale, the last one with its end. */
  readonly histogram: readonly number[];
}

/** Parts of a histogram. */
export const histogramParts = 24;

/** Elements between two ends of a slice: about a millisecond. */
const sliceLength = 2 ** 17;

/** Work that may be interrupted wherever it yields. */
export type Work<T> = Generator<undefined, T>;

/** Summarises elements. */
export function* summaryOf(elements: Elements): Work<Summary> {
  const statistics = yield* statisticsOf(elements);
  const make = elements.minus === null ? scaleOf : differenceScale;
  const scale = make(statistics.min, statistics.max);
  return { statistics, scale, histogram: yield* histogramOf(elements, scale, histogramParts) };
}

function* visitAll(elements: Elements, visit: (value: number) => void): Work<void> {
  const { length } = elements.data;
  for (let from = 0; from < length; from += sliceLength) {
    if (from > 0) yield;
    const end = Math.min(length, from + sliceLength);
    for (let n = from; n < end; n++) visit(elementOf(elements, n));
  }
}

/** Least, greatest and mean of the finite elements, and how many others there are. */
export function* statisticsOf(elements: Elements): Work<Statistics> {
  let [min, max, sum, nan, above, below] = [Infinity, -Infinity, 0, 0, 0, 0];
  yield* visitAll(elements, (value) => {
    if (Number.isFinite(value)) {
      sum += value;
      min = Math.min(min, value);
      max = Math.max(max, value);
    } else if (Number.isNaN(value)) nan += 1;
    else if (value > 0) above += 1;
    else below += 1;
  });
  const count = elements.data.length;
  const finite = count - nan - above - below;
  const none = finite === 0;
  return {
    min: none ? Number.NaN : min,
    max: none ? Number.NaN : max,
    mean: none ? Number.NaN : sum / finite,
    nan,
    infinite: [above, below],
    count,
  };
}

/** How many finite elements are in each of so many equal parts of a scale, the last one with its end. */
export function* histogramOf(
  elements: Elements,
  { low, high }: Pick<ColourScale, "low" | "high">,
  parts: number,
): Work<readonly number[]> {
  const counts = new Array<number>(parts).fill(0);
  const scale = high > low ? parts / (high - low) : 0;
  yield* visitAll(elements, (value) => {
    // NaN is neither; an infinity is beyond every scale.
    if (!(value >= low && value <= high)) return;
    const part = Math.min(parts - 1, Math.floor((value - low) * scale));
    counts[part] = (counts[part] ?? 0) + 1;
  });
  return counts;
}

/** Works for about so many milliseconds; the result, or null where there is more to do. */
export function advance<T>(work: Work<T>, ms: number): T | null {
  const end = performance.now() + ms;
  do {
    const { done, value } = work.next();
    if (done) return value;
  } while (performance.now() < end);
  return null;
}
