import { expect, test } from "vitest";
import {
  figuresOf,
  isQuantised,
  median,
  medianError,
  quantile,
  rankOf,
} from "../../src/tuner/statistics.ts";

test("figures of samples, in the order in which they were taken", () => {
  expect(figuresOf([4, 1, 3, 2, 10])).toEqual({
    us: 3,
    mad: 1,
    mean: 4,
    variance: 12.5,
    min: 1,
    max: 10,
    n: 5,
    samples: [4, 1, 3, 2, 10],
  });
  expect(figuresOf([7])).toMatchObject({ us: 7, mad: 0, variance: 0, n: 1 });
});

test("quantiles lie between neighbours", () => {
  expect(quantile([4, 1, 3, 2], 0.25)).toBe(1.75);
  expect(median([1, 2])).toBe(1.5);
  expect(median([])).toBeNaN();
});

test("the error of a median shrinks with the root of the samples, and is unknown for two", () => {
  const few = [1, 2, 3, 4, 5];
  const many = [...few, ...few, ...few, ...few];
  expect(medianError(few) / medianError(many)).toBeCloseTo(2, 0);
  expect(medianError([1, 2])).toBe(Number.POSITIVE_INFINITY);
});

test("a quantised clock never ranks by the minimum, nor by any single sample", () => {
  const browser = { kind: "timestamp-query", quantumNs: 65_536 } as const;
  const exact = { kind: "timestamp-query", quantumNs: 1 } as const;
  expect(isQuantised(browser)).toBe(true);
  expect(isQuantised(exact)).toBe(false);
  // 40 and 60 microseconds on steps of 65.5: the slower one has zeros, too.
  const fast = [0, 65.5, 0, 65.5, 65.5, 0, 65.5, 0, 65.5, 65.5];
  const slow = [65.5, 65.5, 0, 65.5, 65.5, 65.5, 65.5, 65.5, 65.5, 65.5];
  expect(Math.min(...fast)).toBe(Math.min(...slow));
  expect(rankOf(fast, browser)).toBeLessThan(rankOf(slow, browser));
  expect(rankOf([5, 5, 5, 50], exact)).toBe(5);
});
