import { describe, expect, it } from "vitest";
import { ranges } from "../../src/index.ts";

/** `target: name lower:upper role, ...` of each statement. */
function said(source: string, request?: Parameters<typeof ranges>[1]): readonly string[] {
  return ranges(source, request).map(
    ({ target, indices }) =>
      `${target}: ${indices.map((i) => `${i.name} ${i.lower}:${i.upper} ${i.role}`).join(", ")}`,
  );
}

const matmul = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";

describe("ranges", () => {
  it("are those of all indices, with what they are for", () => {
    expect(said(matmul, { sizes: { M: 2, K: 3, N: 4 } })).toEqual([
      "C: m 0:2 parallel, n 0:4 parallel, k 0:3 reduced",
    ]);
  });

  it("come from shapes and from directives, too", () => {
    const shapes = { A: [5, 6], B: [6, 7] };
    expect(said(matmul, { shapes })).toEqual(["C: m 0:5 parallel, n 0:7 parallel, k 0:6 reduced"]);
    expect(said(`#! sizes M=1 K=2 N=3\n${matmul}`)).toEqual([
      "C: m 0:1 parallel, n 0:3 parallel, k 0:2 reduced",
    ]);
  });

  it("name the loops around a statement, and bounds that depend on them", () => {
    const source = `def f(float(N, N) x) -> (y) {
  y(i, j) = 0.0 where i in 0:N, j in 0:N
  for t in 1:N { y(t, j) = x(t, j) where j in 0:t }
}`;
    expect(said(source, { sizes: { N: 5 } })).toEqual([
      "y: i 0:5 parallel, j 0:5 parallel",
      "y: t 1:5 loop, j 0:t parallel",
    ]);
  });

  it("say where the statement is, and where each index is written", () => {
    const [statement] = ranges(matmul, { sizes: { M: 2, K: 3, N: 4 } });
    expect(matmul.slice(statement?.span.start, statement?.span.end)).toBe(
      "C(m, n) +=! A(m, k) * B(k, n)",
    );
    const [m] = statement?.indices ?? [];
    expect(matmul.slice(m?.span.start, m?.span.end)).toBe("m");
  });

  it("are none of a source with errors, or without sizes", () => {
    expect(ranges("def f(")).toEqual([]);
    expect(ranges(matmul)).toEqual([]);
  });
});
