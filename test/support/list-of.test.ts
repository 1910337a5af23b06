import { expect, test } from "vitest";
import { listOf } from "../../src/support/list-of.ts";

test("listOf asks for every number from 0 to before the length, in order", () => {
  const asked: number[] = [];
  const made = listOf(3, (n) => {
    asked.push(n);
    return `item ${n}`;
  });
  expect(made).toEqual(["item 0", "item 1", "item 2"]);
  expect(asked).toEqual([0, 1, 2]);
  expect(listOf(0, (n) => n)).toEqual([]);
});
