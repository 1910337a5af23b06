/** The operations and bytes of kernels, as one would count them by hand. */
import { describe, expect, it } from "vitest";
import { compile } from "../../src/index.ts";

function works(source: string, sizes: Readonly<Record<string, number>>, naive = true) {
  const options = naive ? "naive" : "default";
  const compiled = compile(source, { sizes, options });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join());
  return compiled.plan.kernels.map(({ work }) => work);
}

const matmul = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";

describe("the work of a kernel", () => {
  it("is two operations for each product of a sum, and each element once", () => {
    const wanted = { bytes: 4 * (64 * 32 + 32 * 16 + 64 * 16), operations: 2 * 64 * 32 * 16 };
    expect(works(matmul, { M: 64, K: 32, N: 16 })).toEqual([wanted]);
    expect(works(matmul, { M: 64, K: 32, N: 16 }, false)).toEqual([wanted]);
  });

  it("counts temporaries between kernels, and not those inside of one", () => {
    const source = `def f(float(N, D) x) -> (y) {
  s(n) +=! x(n, d)
  y(n, d) = x(n, d) / s(n)
}`;
    const bytes = 4 * 8 * 16;
    expect(works(source, { N: 8, D: 16 })).toEqual([
      { bytes: bytes + 4 * 8, operations: 8 * 16 },
      { bytes: 2 * bytes + 4 * 8, operations: 8 * 16 },
    ]);
    expect(works(source, { N: 8, D: 16 }, false)).toEqual([
      { bytes: 2 * bytes, operations: 2 * 8 * 16 },
    ]);
  });

  it("takes no more of a table than is looked up, and half of a triangle", () => {
    const gather = "def g(float(V, D) t, int(N) at) -> (y) { y(n, d) = t(at(n), d) }";
    const bytes = 4 * (5 * 4 + 5 + 5 * 4);
    expect(works(gather, { V: 1000, D: 4, N: 5 })).toMatchObject([{ bytes, operations: 0 }]);
    const triangle = "def t(float(N) x) -> (y) { y(i) +=! x(k) where i in 0:N, k in 0:i }";
    const [work] = works(triangle, { N: 101 });
    expect(work?.operations).toBe((101 * 100) / 2);
  });

  it("counts every dispatch of a loop", () => {
    const source = `def f(float(N) x) -> (y) {
  y(i) = x(i)
  for t in 0:10 { y(i) = 0.5 * y(i) }
}`;
    const [copy, step] = works(source, { N: 100 });
    expect(copy).toEqual({ bytes: 800, operations: 0 });
    expect(step).toEqual({ bytes: 8000, operations: 1000 });
  });

  it("counts narrow elements by their bytes, and no operations on integers", () => {
    const source = "def f(uint8(N) x) -> (uint8(N) y) { y(i) = x(i) + uint8(1) }";
    expect(works(source, { N: 64 }, false)).toEqual([{ bytes: 128, operations: 0 }]);
  });
});
