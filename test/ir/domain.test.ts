import { expect, test } from "vitest";
import { constant, variable } from "../../src/ir/affine.ts";
import { boxVolume, type Domain } from "../../src/ir/domain.ts";

const plain: Domain = {
  dims: [
    { name: "i", lower: constant(-1), upper: constant(6), indices: ["i"] },
    { name: "j", lower: constant(0), upper: variable("i"), indices: ["j"] },
  ],
  guards: [],
  quotients: [],
};

test("the volume of a box has the widest range of each dim, and nothing of quotients", () => {
  expect(boxVolume(plain)).toBe(7 * 5);
  const quotients = [{ name: "q", numerator: variable("i"), divisor: 2 }];
  expect(boxVolume({ ...plain, quotients })).toBe(7 * 5);
  const none = { name: "j", lower: constant(3), upper: constant(1), indices: ["j"] };
  expect(boxVolume({ ...plain, dims: [...plain.dims.slice(0, 1), none] })).toBe(0);
});
