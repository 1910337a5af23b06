/** What makes the first NaN or infinity, in float32 and in the order of the program. */
import { describe, expect, it } from "vitest";
import { findNonfinite } from "../../src/index.ts";

const of = (...values: readonly number[]): Float32Array => Float32Array.from(values);

describe("findNonfinite", () => {
  it("finds an overflow of float32 that float64 does not have, with its element and operands", () => {
    const source = `def f(float(N, D) x) -> (y) {
  s(n) +=! exp(x(n, d))
  y(n, d) = exp(x(n, d)) / s(n)
}`;
    const x = { data: of(1, 2, 3, 4, 100, 5), shape: [2, 3] };
    const { infinity, nan, searched, inputs } = findNonfinite(source, { x });
    expect(searched).toBe("program");
    expect(inputs).toEqual([]);
    expect(infinity).toMatchObject({
      tensor: "s",
      index: [1],
      at: { n: 1, d: 1 },
      operation: "exp(x(n, d))",
      value: Number.POSITIVE_INFINITY,
      operands: [{ text: "x(n, d)", value: 100 }],
    });
    expect(source.slice(infinity?.span.start, infinity?.span.end)).toContain("s(n) +=!");
    expect(nan).toMatchObject({
      tensor: "y",
      index: [1, 1],
      operation: "exp(x(n, d)) / s(n)",
      operands: [{ value: Number.POSITIVE_INFINITY }, { value: Number.POSITIVE_INFINITY }],
    });
  });

  it("finds what becomes 0 in float32 and then a divisor", () => {
    const source = "def f(float(N) x) -> (y) { y(n) = 1.0 / (x(n) * x(n)) }";
    const { infinity, nan } = findNonfinite(source, { x: of(1, 1e-30, 1e-30) });
    expect(infinity).toMatchObject({ index: [1], operands: [{ text: "x(n) * x(n)", value: 0 }] });
    expect(nan).toBeNull();
  });

  it("finds the term at which a sum overflows", () => {
    const source = "def f(float(N) x) -> (y) { y +=! x(n) }";
    const { infinity } = findNonfinite(source, { x: of(3e38, -3e38, 3e38, 2e38, -3e38) });
    expect(infinity).toMatchObject({
      tensor: "y",
      index: [],
      at: { n: 3 },
      operation: "(sum so far) + x(n)",
      operands: [{ value: Math.fround(3e38) }, { text: "x(n)", value: Math.fround(2e38) }],
    });
  });

  it("finds the iteration of a loop, and the element of a scatter", () => {
    const loop = `def f(float(N) x) -> (y) {
  y(n) = x(n)
  for t in 0:20 { y(n) = y(n) * y(n) }
}`;
    expect(findNonfinite(loop, { x: of(1, 10) }).infinity).toMatchObject({
      index: [1],
      at: { t: 5, n: 1 },
    });
    const scatter = "def g(int(N) at, float(N) x) -> (float(4) y) { y(at(n)) *=! x(n) }";
    const at = Int32Array.of(0, 3, 3, 1);
    const { infinity } = findNonfinite(scatter, { at, x: of(1, 1e30, 1e30, 1) });
    expect(infinity).toMatchObject({ tensor: "y", index: [3], at: { n: 2 } });
  });

  it("finds an overflow of half", () => {
    const source = "def f(half(N) x) -> (half(N) y) { y(n) = x(n) * x(n) }";
    const { infinity } = findNonfinite(source, { x: of(200, 300) });
    expect(infinity).toMatchObject({ index: [1], operands: [{ value: 300 }, { value: 300 }] });
  });

  it("passes over what only goes on, and sides that are not taken", () => {
    const goesOn = "def f(float(N) x) -> (y) { y(n) = exp(-x(n)) + max(x(n), 1.0) }";
    const { infinity, nan, inputs } = findNonfinite(goesOn, { x: of(1, Infinity, Infinity) });
    expect([infinity, nan]).toEqual([null, null]);
    expect(inputs).toEqual([{ tensor: "x", count: 2, index: [1], value: Infinity }]);
    const source = "def f(float(N) x) -> (y) { y(n) = x(n) > 0.0 ? log(x(n)) : 0.0 }";
    expect(findNonfinite(source, { x: of(0, 1, -1) })).toMatchObject({ infinity: null, nan: null });
  });

  it("searches what a wrong element needs where all would take too long", () => {
    const source = "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
    const [M, K, N] = [40, 50, 60];
    const A = { data: new Float32Array(M * K).fill(1), shape: [M, K] };
    const B = { data: new Float32Array(K * N).fill(1), shape: [K, N] };
    const C = { data: new Float32Array(M * N).fill(K), shape: [M, N] };
    A.data[7 * K + 9] = 2e38;
    B.data[9 * N + 11] = 2e38;
    C.data[7 * N + 11] = Infinity;
    const maxPoints = 1000;
    const found = findNonfinite(source, { A, B }, { outputs: { C }, maxPoints });
    expect(found.searched).toBe("element");
    expect(found.outputs).toEqual([{ tensor: "C", count: 1, index: [7, 11], value: Infinity }]);
    expect(found.infinity).toMatchObject({ index: [7, 11], at: { m: 7, n: 11, k: 9 } });
    expect(findNonfinite(source, { A, B }, { maxPoints }).searched).toBe("nothing");
  });
});
