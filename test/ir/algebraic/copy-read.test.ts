import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { copyRead, copyReadCandidates } from "../../../src/ir/algebraic/copy-read.ts";
import type { Program } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { difference, resultsOf } from "../support/same-results.ts";
import { applied, lines, reason } from "./rewrites.ts";

function lowered(source: string, sizes: Readonly<Record<string, number>>): Program {
  const result = lowerSource(source, { sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.program;
}

/** Small numbers in all inputs. */
function inputsOf(program: Program): Readonly<Record<string, Float64Array>> {
  const given = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  const entries = given.map(({ name, shape }, n) => {
    const count = shape.reduce((product, extent) => product * extent, 1);
    return [name, Float64Array.from({ length: count }, (_, i) => ((i + n) * 5) % 7)] as const;
  });
  return Object.fromEntries(entries);
}

/** Copies the first read of a tensor; the result is well-formed and computes the same. */
function copied(
  source: string,
  sizes: Record<string, number>,
  tensor: string,
  pitch = 1,
): readonly string[] {
  const before = lowered(source, sizes);
  const s = before.statements.find((x) => x.reads.some((r) => r.tensor === tensor));
  const read = s?.reads.findIndex((r) => r.tensor === tensor) ?? -1;
  const after = applied(copyRead(before, { statement: s?.id ?? "", read, pitch }));
  expect(verifyProgram(after)).toEqual([]);
  const inputs = inputsOf(before);
  const results = resultsOf(before, inputs);
  expect(results).not.toBeNull();
  expect(difference(results ?? new Map(), after, inputs)).toBeNull();
  return lines(after);
}

const matmul = `def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }`;

describe("copyRead", () => {
  it("copies an operand whole when all of it is read", () => {
    expect(copied(matmul, { M: 3, K: 5, N: 7 }, "B")).toEqual([
      "C.B: { c0 in 0..5, c1 in 0..7 } B_copy(c0, c1) = B(c0, c1)",
      "C: { m in 0..3, n in 0..7, k in 0..5 } C(m, n) = sum[k] (A(m, k) * B_copy(k, n))",
    ]);
  });

  it("rounds the last extent up to a pitch, and fills what is added", () => {
    expect(copied(matmul, { M: 3, K: 5, N: 7 }, "B", 4)).toEqual([
      "C.B: { c0 in 0..5, c1 in 0..8 } B_copy(c0, c1) = (-c1 + 6 >= 0 ? B(c0, c1) : 0)",
      "C: { m in 0..3, n in 0..7, k in 0..5 } C(m, n) = sum[k] (A(m, k) * B_copy(k, n))",
    ]);
  });

  it("takes a border and its fill along, so that the reader needs no guard", () => {
    const source = `def conv(float(N) x, float(K) w) -> (y) {
      y(i) +=! pad(x(2 * i + k - 1)) * w(k) where i in 0:4
    }`;
    expect(copied(source, { N: 8, K: 3 }, "x")).toEqual([
      "y.x: { c0 in 0..9 } x_copy(c0) = (c0 - 1 >= 0 ? x(c0 - 1) : 0)",
      "y: { i in 0..4, k in 0..3 } y(i) = sum[k] (x_copy(2*i + k) * w(k))",
    ]);
  });

  it("takes out a step that all coordinates have", () => {
    const source =
      "def f(float(N) x, float(K) w) -> (y) { y(i) +=! x(4 * i + 1) * w(k) where i in 0:3 }";
    expect(copied(source, { N: 12, K: 2 }, "x")).toEqual([
      "y.x: { c0 in 0..3 } x_copy(c0) = x(4*c0 + 1)",
      "y: { i in 0..3, k in 0..2 } y(i) = sum[k] (x_copy(i) * w(k))",
    ]);
  });

  it("shares a copy between reads that are shifted", () => {
    const source = "def f(float(N) x) -> (y) { y(i) = x(i) + x(i + 1) * x(i + 3) where i in 2:6 }";
    expect(copied(source, { N: 9 }, "x")).toEqual([
      "y.x: { c0 in 0..7 } x_copy(c0) = x(c0 + 2)",
      "y: { i in 2..6 } y(i) = (x_copy(i - 2) + (x_copy(i - 1) * x_copy(i + 1)))",
    ]);
  });

  it("copies the part of one iteration inside a loop", () => {
    const source = `def f(float(T, N) x, float(N, N) w) -> (y) {
      for t in T { y(t, i) +=! x(t, j) * w(j, i) }
    }`;
    expect(copied(source, { T: 3, N: 4 }, "x")).toEqual([
      "y.x: { t in 0..3, c0 in 0..1, c1 in 0..4 } x_copy(c0, c1) = x(c0 + t, c1)",
      "y: { t in 0..3, i in 0..4, j in 0..4 } y(t, i) = sum[j] (x_copy(0, j) * w(j, i))",
    ]);
  });

  it("keeps guards that are about several coordinates with the reader", () => {
    const source = `def f(float(N, N) x) -> (y) {
      y(i) +=! (i + j < N ? x(i, j) : 0.0) where i in 0:N, j in 0:N
    }`;
    const [copy, reader] = copied(source, { N: 4 }, "x");
    expect(copy).toBe("y.x: { c0 in 0..4, c1 in 0..4 } x_copy(c0, c1) = x(c0, c1)");
    expect(reader).toContain("x_copy(i, j");
  });

  it("copies what an update in place reads before it writes", () => {
    const source = `def f(float(N) a, float(N) x) -> (x) { x(i) = x(N - 1 - i) * a(i) }`;
    expect(copied(source, { N: 5 }, "x")[0]).toContain("x_copy(c0) = x(c0)");
  });

  it("refuses reads at an index that is computed at run time, and of scalars", () => {
    const source = "def f(float(N) x, int(M) p, float s) -> (y) { y(i) = x(p(i)) * s }";
    const program = lowered(source, { N: 4, M: 3 });
    const [s] = program.statements;
    const reasons = (s?.reads ?? []).map((r, read) => [
      r.tensor,
      reason(copyRead(program, { statement: s?.id ?? "", read, pitch: 1 })),
    ]);
    const none = "the read has no affine footprint";
    expect(Object.fromEntries(reasons)).toEqual({ x: none, s: none, p: "" });
    expect(reason(copyRead(program, { statement: "?", read: 0, pitch: 1 }))).toBe(
      "no such statement",
    );
    expect(reason(copyRead(program, { statement: "y", read: 9, pitch: 1 }))).toBe(
      "the read has no affine footprint",
    );
  });

  it("refuses reads that never happen", () => {
    const source = "def f(float(N) x) -> (y) { y(i) +=! x(i + k) where i in 0:2, k in 0:N - 2 }";
    const program = lowered(source, { N: 2 });
    expect(reason(copyRead(program, { statement: "y", read: 0, pitch: 1 }))).toBe(
      "the read touches no element",
    );
    expect(copyReadCandidates(program)).toEqual([]);
  });

  it("tells how often elements are used", () => {
    const found = copyReadCandidates(lowered(matmul, { M: 3, K: 5, N: 7 }));
    expect(found.map((c) => [c.path, c.reuse, c.row])).toEqual([
      ["C/pack/read0", 7, 5],
      ["C/pack/read1", 3, 7],
    ]);
  });
});
