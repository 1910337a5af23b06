import { expect, test } from "vitest";
import type { CandidateKnob } from "../../src/tuner/candidate.ts";
import { sweepSizes, tilesOf } from "../../src/tuner/sweep-sizes.ts";

function knobs(values: Readonly<Record<string, number>>): readonly CandidateKnob[] {
  return Object.entries(values).map(([path, value]) => ({ path, value, values: [value] }));
}

const product = knobs({
  "kernels/c/axes/0/workgroup": 4,
  "kernels/c/axes/0/points": 4,
  "kernels/c/axes/1/workgroup": 8,
  "kernels/c/axes/1/points": 1,
  "kernels/c/reduced/0/steps": 5,
  "kernels/c/align": 1,
});

test("tiles are what a workgroup has of an axis, and what a step has of a reduction", () => {
  expect(tilesOf({ knobs: product })).toEqual([16, 8, 5]);
});

test("each size takes 1, the largest tile and its neighbours, odd and even numbers of tiles, and primes", () => {
  const problems = sweepSizes({ knobs: product }, { M: 512, K: 512 });
  expect(problems.length).toBeLessThanOrEqual(12);
  for (const name of ["M", "K"]) {
    const values = new Set(problems.map((p) => p[name]));
    for (const value of [1, 15, 16, 17, 32, 48, 49, 37]) expect(values).toContain(value);
  }
  const pairs = new Set(problems.map((p) => `${p["M"]} ${p["K"]}`));
  expect(pairs.size).toBe(problems.length);
  expect(problems.some((p) => p["M"] === 1 && p["K"] !== 1)).toBe(true);
});

test("what has no tiles is tried around 8, and what has no sizes nowhere", () => {
  expect(sweepSizes({ knobs: [] }, { N: 7 }).map((p) => p["N"])).toEqual(
    expect.arrayContaining([1, 7, 8, 9, 16, 24]),
  );
  expect(sweepSizes({ knobs: product }, {})).toEqual([]);
});
