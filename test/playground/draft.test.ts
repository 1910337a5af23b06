import { expect, it } from "vitest";
import { linesWith } from "../../playground/src/share/draft.ts";

it("a draft takes the place of its older version, and lies beside those of other programs", () => {
  expect(linesWith([], "a", true)).toEqual(["a"]);
  expect(linesWith(["a"], "a, changed", false)).toEqual(["a, changed"]);
  expect(linesWith(["a"], "b", true)).toEqual(["a", "b"]);
  // One that is opened again is the latest, once.
  expect(linesWith(["a", "b"], "a", true)).toEqual(["b", "a"]);
  expect(linesWith(["a", "b", "c", "d"], "e", true)).toEqual(["b", "c", "d", "e"]);
});
