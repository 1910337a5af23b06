import { expect, it } from "vitest";
import { inParts } from "../../playground/src/tune/page-store.ts";

it("records are sent in their order, as many at once as have room", () => {
  expect(inParts([], 5)).toEqual([]);
  expect(inParts(["ab", "cde", "f", "ghijklm", "n", "opqr"], 5)).toEqual([
    ["ab", "cde"],
    ["f"],
    ["ghijklm"],
    ["n", "opqr"],
  ]);
  const long = inParts(["a".repeat(2 ** 20), "b"]);
  expect(long.map((part) => part.length)).toEqual([1, 1]);
});
