import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { copyRead } from "../../../src/ir/algebraic/copy-read.ts";
import { padCandidates, padReduction } from "../../../src/ir/algebraic/pad-reduction.ts";
import type { Program } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { difference, resultsOf } from "../support/same-results.ts";
import { applied, lines, reason } from "./rewrites.ts";

function lowered(source: string, sizes: Readonly<Record<string, number>>): Program {
  const result = lowerSource(source, { sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.program;
}

/** Small numbers in all inputs, of both signs in floats. */
function inputsOf(program: Program): Readonly<Record<string, Float64Array>> {
  const given = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  const entries = given.map(({ name, shape, components }, n) => {
    const count = shape.reduce((product, extent) => product * extent, 1);
    const shift = components[0] === "float32" ? 3 : 0;
    return [
      name,
      Float64Array.from({ length: count }, (_, i) => (((i + n) * 5) % 7) - shift),
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** Pads a dim of the last statement; the result is well-formed and computes the same. */
function padded(
  source: string,
  sizes: Readonly<Record<string, number>>,
  dim: string,
  multiple: number,
): readonly string[] {
  const before = lowered(source, sizes);
  const statement = before.statements.at(-1)?.id ?? "";
  const after = applied(padReduction(before, { statement, dim, multiple }));
  expect(verifyProgram(after)).toEqual([]);
  const inputs = inputsOf(before);
  const results = resultsOf(before, inputs);
  expect(results).not.toBeNull();
  expect(difference(results ?? new Map(), after, inputs)).toBeNull();
  return lines(after);
}

/** Why a dim of the last statement cannot be padded; empty if it can. */
function refusal(source: string, sizes: Readonly<Record<string, number>>, dim: string): string {
  const program = lowered(source, sizes);
  const statement = program.statements.at(-1)?.id ?? "";
  return reason(padReduction(program, { statement, dim, multiple: 8 }));
}

const matmul = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const neutral = "no fill makes more steps add nothing";

describe("padReduction", () => {
  it("rounds a range up, and fills what is read beyond it", () => {
    expect(padded(matmul, { M: 3, K: 5, N: 7 }, "k", 4)).toEqual([
      "C: { m in 0..3, n in 0..7, k in 0..8 } C(m, n) = sum[k] ((-k + 4 >= 0 ? A(m, k) : 0) * (-k + 4 >= 0 ? B(k, n) : 0))",
    ]);
  });

  it("leaves a range of whole tiles as long as it is", () => {
    expect(padded(matmul, { M: 3, K: 8, N: 1 }, "k", 4)[0]).toContain("k in 0..8");
  });

  it.each([1, 2, 3, 7, 13, 16])("keeps the products of matrices with %i steps", (K) => {
    for (const multiple of [1, 4, 8, 32]) padded(matmul, { M: 2, K, N: 3 }, "k", multiple);
  });

  it("fills with what is no least sum, no greatest one, no true one", () => {
    const least = "def f(float(M, K) a, float(K) b) -> (c) { c(m) min=! a(m, k) + b(k) }";
    expect(padded(least, { M: 2, K: 5 }, "k", 4)[0]).toContain("a(m, k) : Infinity)");
    const greatest = "def f(float(M, K) a) -> (c) { c(m) max=! a(m, k) }";
    expect(padded(greatest, { M: 2, K: 5 }, "k", 4)[0]).toContain("a(m, k) : -Infinity)");
    const whole = "def f(int(M, K) a) -> (c) { c(m) max=! a(m, k) }";
    expect(padded(whole, { M: 2, K: 5 }, "k", 4)[0]).toContain("a(m, k) : -2147483648)");
    const some = "def f(float(M, K) a) -> (c) { c(m) ||=! a(m, k) > 0 }";
    expect(padded(some, { M: 2, K: 5 }, "k", 4)[0]).toContain("a(m, k) : 0)");
    const product = "def f(int(M, K) a) -> (c) { c(m) *=! a(m, k) }";
    expect(padded(product, { M: 2, K: 5 }, "k", 4)[0]).toContain("a(m, k) : 1)");
  });

  it("keeps the fill of a border, if it adds nothing", () => {
    const source = `def f(float(C, N) x, float(C, 3) w) -> (y) {
      y(i) +=! pad(x(c, i + u - 1)) * w(c, u) where i in 0:N
    }`;
    expect(padded(source, { C: 3, N: 5 }, "c", 4)[0]).toContain("c in 0..4");
    expect(padded(source, { C: 3, N: 5 }, "u", 4)[0]).toContain("u in 0..4");
    const other = `def f(float(C, N) x) -> (y) {
      y(i) +=! pad(x(c, i - 1), 1.0) where i in 0:N
    }`;
    expect(refusal(other, { C: 3, N: 5 }, "c")).toBe(neutral);
  });

  it("starts from a range that does not begin at 0", () => {
    const source = "def f(float(M, K) a) -> (c) { c(m) +=! a(m, k) where k in 2:7 }";
    expect(padded(source, { M: 2, K: 9 }, "k", 4)[0]).toContain("k in 2..10");
  });

  it("fills rows that are chosen at run time", () => {
    const source = `def f(float(R, D) table, int(B, L) at) -> (y) {
      y(b, d) +=! table(at(b, l), d) where b in 0:B, l in 0:L, d in 0:D
    }`;
    expect(padded(source, { R: 9, D: 2, B: 3, L: 5 }, "l", 4)[0]).toContain("l in 0..8");
  });

  it("copies take the guards along", () => {
    const before = lowered(matmul, { M: 3, K: 5, N: 7 });
    const after = applied(padReduction(before, { statement: "C", dim: "k", multiple: 8 }));
    const copied = applied(copyRead(after, { statement: "C", read: 1, pitch: 4 }));
    expect(verifyProgram(copied)).toEqual([]);
    const [copy, reader] = lines(copied);
    expect(copy).toContain("C.B: { c0 in 0..8, c1 in 0..8 } B_copy(c0, c1) = (");
    expect(reader).toContain("* B_copy(k, n))");
    const inputs = inputsOf(before);
    expect(difference(resultsOf(before, inputs) ?? new Map(), copied, inputs)).toBeNull();
  });

  it("refuses what would not add nothing", () => {
    const shifted = "def f(float(M, K) a, float(M) b) -> (c) { c(m) +=! a(m, k) * a(m, k) + b(m) }";
    expect(refusal(shifted, { M: 2, K: 5 }, "k")).toBe(neutral);
    // 0 times what is infinite is no number.
    const scaled = "def f(float(M, K) a, float(M) s) -> (c) { c(m) +=! a(m, k) * s(m) }";
    expect(refusal(scaled, { M: 2, K: 5 }, "k")).toBe(neutral);
    const called = "def f(float(M, K) a) -> (c) { c(m) +=! exp(a(m, k)) }";
    expect(refusal(called, { M: 2, K: 5 }, "k")).toBe(neutral);
    const counted = "def f(float(M, K) a) -> (c) { c(m) +=! a(m, k) * float(k) }";
    expect(refusal(counted, { M: 2, K: 5 }, "k")).toBe(neutral);
    const place = "def f(float(M, K) a) -> (c) { c(m) argmax=! a(m, k) }";
    expect(refusal(place, { M: 2, K: 5 }, "k")).toBe(neutral);
    const wrapping = "def f(int(K) a, int(K) b) -> (c) { c max=! a(k) + b(k) }";
    expect(refusal(wrapping, { K: 5 }, "k")).toBe(neutral);
  });

  it("refuses a fill that is no value of what is read", () => {
    const truth = "def f(bool(K) a, uint32(K) b) -> (c) { c min=! uint32(a(k)) * b(k) }";
    expect(refusal(truth, { K: 5 }, "k")).toBe(neutral);
    const narrow = "def f(int8(K) a) -> (c) { c max=! int32(a(k)) }";
    expect(refusal(narrow, { K: 5 }, "k")).toBe(neutral);
  });

  it("refuses dims that others depend on, that are not reduced, that choose what is written", () => {
    expect(refusal(matmul, { M: 3, K: 5, N: 7 }, "m")).toBe("the dim is not reduced");
    expect(refusal(matmul, { M: 3, K: 5, N: 7 }, "z")).toBe("no such statement or dim");
    const bounds = "the range is not constant, or others depend on it";
    const triangle = `def f(float(M, M) a) -> (c) {
      c(m) +=! a(m, k) where m in 0:M, k in 0:m + 1
    }`;
    expect(refusal(triangle, { M: 5 }, "k")).toBe(bounds);
    const inner = `def f(float(M, M) a) -> (c) { c +=! a(k, l) where k in 0:M, l in 0:k + 1 }`;
    expect(refusal(inner, { M: 5 }, "k")).toBe(bounds);
    const program = lowered(matmul, { M: 3, K: 5, N: 7 });
    expect(reason(padReduction(program, { statement: "C", dim: "k", multiple: 0 }))).toBe(
      "the multiple is not a positive integer",
    );
  });

  it("offers powers of two that differ in what they add: not much, but for small ranges", () => {
    const offers = (K: number): readonly number[] =>
      padCandidates(lowered(matmul, { M: 3, K, N: 7 })).flatMap((c) => {
        expect(c.path).toBe("C/pad/r0");
        return c.multiples;
      });
    expect(offers(1)).toEqual([2]);
    expect(offers(2)).toEqual([4]);
    expect(offers(3)).toEqual([2]);
    expect(offers(40)).toEqual([]);
    expect(offers(43)).toEqual([2, 8]);
    expect(offers(505)).toEqual([2, 4, 8]);
    expect(offers(509)).toEqual([2, 4]);
    expect(offers(512)).toEqual([]);
    expect(offers(515)).toEqual([2, 8, 16, 32]);
  });
});
