import { expect, it } from "vitest";
import { changeTo } from "../../playground/src/editor/change-to.ts";

it.each([
  ["", "abc"],
  ["abc", ""],
  ["abc", "abc"],
  ["aaa", "aa"],
  ["aa", "aaaa"],
  ["abcba", "abba"],
  ["y(i)=x(i)\nz", "y(i) = x(i)\nz"],
])("a change makes %j to %j, and touches as little as it can", (before, after) => {
  const { from, to, insert } = changeTo(before, after);
  expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
  const [removed, added] = [before.slice(from, to), insert];
  expect(removed === "" || added === "" || removed[0] !== added[0]).toBe(true);
  expect(Math.abs(after.length - before.length)).toBe(Math.abs(removed.length - added.length));
});
