import fc from "fast-check";
import { expect, test } from "vitest";
import { didYouMean, editDistance } from "../../src/support/edit-distance.ts";

test("the distance counts insertions, deletions, replacements and swaps", () => {
  expect(editDistance("", "abc")).toBe(3);
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("sclae", "scale")).toBe(1);
});

test("the distance is symmetric, 0 only for equal words, at most the longer length", () => {
  const word = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
    { seed: 6, numRuns: 200 },
  );
});

test("suggestions are near and never unrelated", () => {
  expect(didYouMean("hiden", ["input", "hidden"])).toBe("hidden");
  expect(didYouMean("n", ["N", "M"])).toBe("N");
  expect(didYouMean("x", ["y", "z"])).toBeUndefined();
  expect(didYouMean("input", ["output"])).toBeUndefined();
});
