import { expect, test } from "vitest";
import { remember, rememberTexts } from "../../src/support/remember.ts";

test("an answer is computed once for each object, undefined and thrown ones apart", () => {
  const asked: object[] = [];
  const sizeOf = remember((list: readonly number[]) => {
    asked.push(list);
    if (list.length > 2) throw new RangeError("long");
    return list.length === 0 ? undefined : list.length;
  });
  const [none, one, same, long] = [[], [7], [7], [1, 2, 3]];
  expect([sizeOf(none), sizeOf(none), sizeOf(one), sizeOf(same), sizeOf(one)]).toEqual([
    undefined,
    undefined,
    1,
    1,
    1,
  ]);
  expect(asked).toEqual([none, one, same]);
  expect(() => sizeOf(long)).toThrow("long");
  expect(() => sizeOf(long)).toThrow("long");
  expect(asked).toHaveLength(5);
});

test("an answer about an object is kept by its text, so many of them at once", () => {
  const asked: string[] = [];
  const answers = rememberTexts<object, string>(2);
  const [a, b] = [{}, {}];
  const ask = (key: object, text: string): string =>
    answers(key, text, () => {
      asked.push(text);
      return `${text}!`;
    });
  expect(["x", "y", "x"].map((text) => ask(a, text))).toEqual(["x!", "y!", "x!"]);
  expect(ask(b, "x")).toBe("x!");
  expect(asked).toEqual(["x", "y", "x"]);
  // A third one has no room: what was kept goes.
  expect(["z", "z", "x"].map((text) => ask(a, text))).toEqual(["z!", "z!", "x!"]);
  expect(asked).toEqual(["x", "y", "x", "z", "x"]);
});
