import { expect, it } from "vitest";
import { textHash } from "../../src/support/text-hash.ts";

it.each([
  ["", "cbf29ce484222325"],
  ["a", "af63dc4c8601ec8c"],
  ["foobar", "85944171f73967e8"],
])("gives FNV-1a's own test vector for `%s`", (text, hash) => {
  expect(textHash(text)).toBe(hash);
});

it("takes bytes, not UTF-16 units", () => {
  expect(textHash("é")).not.toBe(textHash("e"));
  expect(textHash("\u{1f600}")).toMatch(/^[0-9a-f]{16}$/);
});
