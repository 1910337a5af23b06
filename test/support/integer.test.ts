import { expect, test } from "vitest";
import { binaryExponent } from "../../src/support/integer.ts";

test("powers of two have exponents, other integers none", () => {
  for (let n = 0; n < 32; n++) expect(binaryExponent(2 ** n)).toBe(n);
  for (const other of [0, -1, -4, 3, 6, 2 ** 31 - 1, 2 ** 32 - 1, -(2 ** 31)]) {
    expect(binaryExponent(other), `${other}`).toBeUndefined();
  }
});
