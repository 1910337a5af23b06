import { expect, it } from "vitest";
import { indexClass, indexLooks } from "../../playground/src/editor/index-class.ts";
import { colourIndices } from "../../playground/src/editor/index-marks.ts";

it("32 indices look different, each two of the first eight in colour", () => {
  const looks = Array.from({ length: indexLooks }, (_, n) => indexClass(n));
  expect([indexLooks, new Set(looks).size]).toEqual([32, 32]);
  expect(new Set(looks.slice(0, 8).map((look) => look.split(" ")[0])).size).toBe(8);
});

it("the ninth index of a source looks as none before", () => {
  const indices = [..."abcdefghi"].map((name) => ({ name, lower: 0, upper: 2, role: "loop" }));
  const statements = [{ target: "y", span: { start: 0, end: 1 }, indices }];
  const colours = colourIndices(statements as unknown as Parameters<typeof colourIndices>[0]);
  const looks = [...colours.values()].map(indexClass);
  expect(new Set(looks).size).toBe(9);
});
