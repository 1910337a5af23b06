import { expect, test } from "vitest";
import { compile } from "../../../src/compile.ts";
import { given } from "../../support/given.ts";

const source = `def f(float(N, M, K) x) -> (y) {
  t(n, m, k) = 2.0 * x(n, m, k)
  y(n, m) +=! t(n, m, k) * t(n, m, K - 1 - k)
}`;

/** Bytes of private memory in which an invocation of `points` x `points` points keeps 32 elements for each. */
function privateBytesWith(points: number): number {
  const compiled = compile(source, {
    sizes: { N: 64, M: 64, K: 32 },
    profile: "gpu",
    options: given({
      "structure/statements/t/inline": false,
      "structure/statements/y/with": "t",
      "kernels/t/team": 1,
      "kernels/t/axes/0/workgroup": 4,
      "kernels/t/axes/0/points": points,
      "kernels/t/axes/1/workgroup": 4,
      "kernels/t/axes/1/points": points,
      "kernels/t/points": "serial",
      "kernels/t/places/t": "private",
    }),
  });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  const arrays = compiled.plan.kernels.flatMap(({ kernel }) => kernel.arrays);
  const own = arrays.filter(({ id, space }) => id === "t" && space === "private");
  return own.reduce((sum, { length }) => sum + 4 * length, 0);
}

test("temporaries of all points of an invocation have at most half of what WGSL promises it", () => {
  expect(privateBytesWith(4)).toBe(4 * 4 * 32 * 4);
  // 8 KiB, and the sums would be beside them.
  expect(privateBytesWith(8)).toBe(0);
});
