import fc from "fast-check";
import { expect, test } from "vitest";
import { flatMap } from "../../src/support/flat-map.ts";

const parts = fc.array(fc.oneof(fc.integer(), fc.array(fc.integer())));

test("flatMap gives what the method of arrays does, lists and single items alike", () => {
  fc.assert(
    fc.property(parts, (list) => {
      expect(flatMap(list, (part) => part)).toEqual(list.flat());
    }),
    { seed: 41, numRuns: 200 },
  );
});

test("flatMap numbers the items and flattens one level only", () => {
  expect(flatMap(["a", "b"], (item, n) => [[item], n])).toEqual([["a"], 0, ["b"], 1]);
});
