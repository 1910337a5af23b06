import { expect, it } from "vitest";
import { exactText } from "../../src/support/exact-text.ts";

it("numbers that JSON lacks have texts of their own", () => {
  const numbers = [0, -0, 1, Infinity, -Infinity, Number.NaN];
  const texts = numbers.map((value) => exactText({ value }));
  expect(new Set(texts).size).toBe(numbers.length);
  expect(exactText({ value: 1 })).toBe('{"value":1}');
});

it("maps have their entries, and replacements stand in for values", () => {
  expect(exactText({ dims: new Map([["i", 2]]) })).toBe('{"dims":[["i",2]]}');
  expect(exactText({ a: 1, b: 2 }, (key, value) => (key === "a" ? undefined : value))).toBe(
    '{"b":2}',
  );
});
