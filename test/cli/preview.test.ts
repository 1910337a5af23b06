import { describe, expect, test } from "vitest";
import { preview, shapeText } from "../../src/cli/preview.ts";

const range = (n: number): Float32Array => Float32Array.from({ length: n }, (_, i) => i);

describe("preview", () => {
  test("scalars and vectors", () => {
    expect(preview("float32", [], Float32Array.of(2.5))).toBe("2.5");
    expect(preview("float32", [3], Float32Array.of(1, 2, 3))).toBe("[1. 2. 3.]");
    expect(preview("int32", [3], Int32Array.of(1, -20, 3))).toBe("[  1 -20   3]");
    expect(preview("bool", [2], Uint32Array.of(1, 0))).toBe("[ True False]");
    expect(preview("float32", [0, 3], new Float32Array(0))).toBe("[] (shape (0, 3))");
  });

  test("the middle of long dimensions is left out, where lines would be wide or there are many", () => {
    expect(preview("float32", [21], range(21))).toBe("[ 0.  1.  2. ... 18. 19. 20.]");
    expect(preview("float32", [8], range(8))).toBe("[0. 1. 2. 3. 4. 5. 6. 7.]");
    const wide = range(8).map((x) => 1e10 * (x + 1));
    expect(preview("float32", [8], wide)).toContain(" ... ");
    expect(preview("float32", [7], wide)).not.toContain("...");
    expect(preview("int32", [20, 20], new Int32Array(400)).split("\n")).toHaveLength(20);
    expect(preview("int32", [3, 20, 20], new Int32Array(1200)).split("\n")).toHaveLength(23);
  });

  test("matrices and blocks are aligned as in NumPy", () => {
    expect(preview("float32", [2, 2], Float32Array.of(1, 10.25, -3, 4))).toBe(
      "[[ 1.00 10.25]\n [-3.00  4.00]]",
    );
    expect(preview("int32", [2, 1, 2], Int32Array.of(1, 2, 3, 4))).toBe("[[[1 2]]\n\n [[3 4]]]");
    const rows = preview("int32", [21, 1], Int32Array.from(range(21))).split("\n");
    expect(rows).toEqual(["[[ 0]", " [ 1]", " [ 2]", " ...", " [18]", " [19]", " [20]]"]);
  });

  test("one notation for all numbers", () => {
    expect(preview("float32", [2], Float32Array.of(1e-9, 1))).toBe("[1.0000e-09 1.0000e+00]");
    expect(preview("float32", [4], Float32Array.of(NaN, Infinity, -Infinity, 0.5))).toBe(
      "[ nan  inf -inf  0.5]",
    );
  });

  test("shapes are written as in Python", () => {
    expect([[], [3], [3, 4]].map((s) => shapeText(s))).toEqual(["()", "(3,)", "(3, 4)"]);
  });
});
