import { describe, expect, it } from "vitest";
import { flattenCandidates, flattenDomains } from "../../../src/ir/algebraic/flatten-domain.ts";
import { applyLayouts } from "../../../src/ir/apply-layouts.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { appliedAll, lowered, type Sizes } from "./apply-all.ts";
import { lines, reason } from "./rewrites.ts";

/** Flattens all that can be; every step is well-formed and computes the same. */
function flat(source: string, sizes: Sizes): Program {
  return appliedAll(lowered(source, sizes), flattenCandidates, flattenDomains);
}

const map = "def f(float(N, M) x) -> (y) { y(i, j) = 2.0 * x(i, j) + 1.0 }";

describe("flattenDomains", () => {
  it("makes one dim of those of a map", () => {
    const program = flat(map, { N: 3, M: 5 });
    expect(lines(program)).toEqual(["y: { i_j in 0..15 } y(i_j) = ((2 * x(i_j)) + 1)"]);
    expect(printProgram(program)).toContain("input float32 x(15) of (3, 5)");
  });

  it.each([
    [1, 1],
    [1, 7],
    [7, 1],
    [13, 3],
    [2, 1021],
  ])("keeps the results of maps over %i by %i elements", (N, M) => {
    expect(lines(flat(map, { N, M }))).toHaveLength(1);
  });

  it("takes chains of maps together, with their temporaries and what they update", () => {
    const source = `def f(float(A, B, C) x, float s) -> (y) {
      t(i, j, k) = s * x(i, j, k)
      y(i, j, k) = t(i, j, k) * x(i, j, k)
      y(i, j, k) += t(i, j, k)
    }`;
    const program = flat(source, { A: 2, B: 3, C: 5 });
    expect(lines(program).every((line) => line.includes("{ i_j_k in 0..30 }"))).toBe(true);
  });

  it("makes one dim of those that a total reduction is over", () => {
    const source = "def f(float(N, M) x) -> (y) { y max=! x(i, j) }";
    expect(lines(flat(source, { N: 3, M: 5 }))).toEqual([
      "y: { i_j in 0..15 } y() = max[i_j] x(i_j)",
    ]);
  });

  it("does so with those of total reductions whatever the rows are", () => {
    const source = "def f(float(N, M) x, float(N, M) z) -> (y) { y +=! x(i, j) * z(i, j) }";
    expect(lines(flat(source, { N: 3, M: 8 }))).toEqual([
      "y: { i_j in 0..24 } y() = sum[i_j] (x(i_j) * z(i_j))",
    ]);
  });

  it("leaves those alone that share no tensor with the others", () => {
    const source = `def f(float(N, M) x, float(N, M) z) -> (y, s) {
      y(i, j) = -x(i, j)
      s(i) +=! z(i, j)
    }`;
    const [first, second] = lines(flat(source, { N: 3, M: 5 }));
    expect(first).toBe("y: { i_j in 0..15 } y(i_j) = -x(i_j)");
    expect(second).toContain("z(i, j)");
  });

  it.each([
    ["rows of whole vectors", map, { N: 3, M: 8 }],
    ["one dim", "def f(float(N) x) -> (y) { y(i) = x(i) }", { N: 5 }],
    ["a transpose", "def f(float(N, M) x) -> (y) { y(i, j) = x(j, i) }", { N: 5, M: 5 }],
    [
      "a broadcast",
      "def f(float(N, M) x, float(M) b) -> (y) { y(i, j) = x(i, j) + b(j) }",
      { N: 3, M: 5 },
    ],
    [
      "a shift",
      "def f(float(N, M) x) -> (y) { y(i, j) = x(i, j + 1) where j in 0:4 }",
      { N: 3, M: 5 },
    ],
    [
      "a part of a tensor",
      "def f(float(N, M) x) -> (y) { y(i, j) = x(i, j) where j in 0:3 }",
      { N: 3, M: 5 },
    ],
    [
      "a coordinate",
      "def f(float(N, M) x) -> (y) { y(i, j) = x(i, j) + float(j) }",
      { N: 3, M: 5 },
    ],
    ["sums of rows", "def f(float(N, M) x) -> (y) { y(i) +=! x(i, j) }", { N: 3, M: 5 }],
    [
      "sums of rows beside",
      "def f(float(N, M) x) -> (y, s) { y(i, j) = 2.0 * x(i, j)\n s(i) +=! y(i, j) }",
      { N: 3, M: 5 },
    ],
    [
      "another element beside",
      "def f(float(N, M) x) -> (y, s) { y(i, j) = 2.0 * x(i, j)\n s = y(2, 1) }",
      { N: 3, M: 5 },
    ],
    [
      "a triangle",
      "def f(float(N, M) x) -> (y) { y(i, j) = x(i, j) where i in 0:3, j in 0:i+1 }",
      { N: 3, M: 5 },
    ],
    [
      "a loop",
      "def f(float(N, M) x) -> (y) { y(i, j) = x(i, j)\n for t in 0:3 { y(i, j) = y(i, j) + x(i, j) } }",
      { N: 3, M: 5 },
    ],
  ] as const)("does not offer %s", (_, source, sizes) => {
    expect(flattenCandidates(lowered(source, sizes))).toEqual([]);
  });

  it("does not offer more points than an index can tell apart", () => {
    const count = "def f(float(N) u, float c) -> (s) { s +=! c where i in 0:N, j in 0:N }";
    expect(flattenCandidates(lowered(count, { N: 46_340 }))).toHaveLength(1);
    expect(flattenCandidates(lowered(count, { N: 46_341 }))).toEqual([]);
  });

  it("does not offer views", () => {
    const program = lowered(map, { N: 3, M: 5 });
    const x = { strides: [8, 1], offsetMultiple: null };
    const viewed = applyLayouts(program, { layouts: { x }, shared: [], float16: false });
    expect(viewed.ok && flattenCandidates(viewed.program)).toEqual([]);
  });

  it("refuses what is no candidate", () => {
    const [candidate] = flattenCandidates(lowered(map, { N: 3, M: 5 }));
    const turned = lowered("def f(float(N, M) x) -> (y) { y(i, j) = x(j, i) }", { N: 5, M: 5 });
    expect(candidate).toBeDefined();
    if (candidate === undefined) return;
    expect(reason(flattenDomains(turned, candidate))).toContain("element by element");
  });
});
