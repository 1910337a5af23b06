import { expect, test } from "vitest";
import { remember } from "../../src/support/remember.ts";

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
