import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { materialise } from "../../../src/ir/algebraic/materialise.ts";
import type { Expression } from "../../../src/ir/expression.ts";
import { printExpression } from "../../../src/ir/expression.ts";
import type { Program, Statement } from "../../../src/ir/program.ts";
import { eachPart } from "../../../src/ir/statement-parts.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { difference, resultsOf } from "../support/same-results.ts";
import { applied, lines, reason } from "./rewrites.ts";

function lowered(source: string, sizes: Readonly<Record<string, number>>): Program {
  const result = lowerSource(source, { sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.program;
}

/** The part of the first statement that prints so. */
function part(program: Program, text: string): { statement: string; value: Expression } {
  const [s] = program.statements as readonly [Statement];
  const name = (n: number): string => s.reads[n]?.tensor ?? "?";
  const roots = [...s.body, ...(s.reduction?.init ?? [])];
  const value = [...eachPart(s, roots)].find((e) => printExpression(e, name) === text);
  if (value === undefined) throw new Error(`no part ${text}`);
  return { statement: s.id, value };
}

/** Small numbers in all inputs. */
function inputsOf(program: Program): Readonly<Record<string, Float64Array>> {
  const given = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  const entries = given.map(({ name, shape }, n) => {
    const count = shape.reduce((product, extent) => product * extent, 1);
    return [name, Float64Array.from({ length: count }, (_, i) => ((i + n) * 5) % 4)] as const;
  });
  return Object.fromEntries(entries);
}

/** Applies the rewrite; the result is well-formed and computes the same. */
function rewritten(source: string, sizes: Record<string, number>, text: string): readonly string[] {
  const before = lowered(source, sizes);
  const after = applied(materialise(before, part(before, text)));
  expect(verifyProgram(after)).toEqual([]);
  const inputs = inputsOf(before);
  const results = resultsOf(before, inputs);
  expect(results).not.toBeNull();
  expect(difference(results ?? new Map(), after, inputs)).toBeNull();
  return lines(after);
}

describe("materialise", () => {
  it("computes a part of a sum beforehand", () => {
    const source = `def f(float(N) a, float(N) b, float(N) c) -> (y) { y(i) = a(i) + b(i) + c(i) }`;
    expect(rewritten(source, { N: 5 }, "(a + b)")).toEqual([
      "y.part: { i in 0..5 } y_part(i) = (a(i) + b(i))",
      "y: { i in 0..5 } y(i) = (y_part(i) + c(i))",
    ]);
  });

  it("leaves out dims that the part does not depend on, and begins at 0", () => {
    const source = `def f(float(N) a, float(N) b, float(M, N) c) -> (y) {
      y(m, i) = a(i - 1) * b(i) * c(m, i) where i in 2:N, m in 0:M
    }`;
    expect(rewritten(source, { N: 7, M: 3 }, "(a * b)")).toEqual([
      "y.part: { i in 2..7 } y_part(i - 2) = (a(i - 1) * b(i))",
      "y: { m in 0..3, i in 2..7 } y(m, i) = (y_part(i - 2) * c(m, i))",
    ]);
  });

  it("keeps the dims of triangles, and reduced dims", () => {
    const source = `def f(float(N) a, float(N) b, float(N) c) -> (y) {
      y(i) +=! a(i - j - 1) * b(j) * c(i) where i in 0:N, j in 0:i
    }`;
    expect(rewritten(source, { N: 6 }, "(a * b)")).toEqual([
      "y.part: { i in 0..6, j in 0..i } y_part(i, j) = (a(i - j - 1) * b(j))",
      "y: { i in 0..6, j in 0..i } y(i) = sum[j] (y_part(i, j) * c(i))",
    ]);
  });

  it("keeps the guards of reads with them", () => {
    const source = `def f(float(N) a, float(N) b, float(N) c) -> (y) {
      y(i) = (i > 0 ? a(i - 1) * b(i) : 1.0) + c(i)
    }`;
    const [first] = rewritten(source, { N: 4 }, "(a * b)");
    expect(first).toContain("y_part(i) = ");
  });

  it("computes the index of a gather beforehand", () => {
    const source = `def f(float(N) a, int(N) p, int(N) q) -> (y) { y(i) = a(p(q(i))) where i in 0:N }`;
    expect(rewritten(source, { N: 4 }, "p")[0]).toMatch(/^y\.part: .* y_part\(i\) = p\(/);
  });

  it("has no elements where a reduction is empty", () => {
    const source = `def f(float(N) a, float(N) b, float(N) c) -> (y) {
      y(i) +=! a(i) * b(k) * c(k) where k in 0:N - 1
    }`;
    expect(rewritten(source, { N: 1 }, "(a * b)")[0]).toContain("k in 0..0 } y_part(i, k) = ");
  });

  it("runs once per iteration of a program loop, in one buffer", () => {
    const source = `def f(float(N) a, float(T, N) b, float(N) c) -> (y) {
      for t in T { y(t, i) = a(i) * b(t, i) + c(i) }
    }`;
    const [first] = rewritten(source, { N: 4, T: 3 }, "(a * b)");
    expect(first).toMatch(/\{ t in 0\.\.3, i in 0\.\.4 \} y_part\(i\) = /);
  });

  it("refuses what is no part of the statement", () => {
    const program = lowered("def f(float(N) a) -> (y) { y(i) = a(i) + 1.0 }", { N: 2 });
    const target = part(program, "(a + 1)");
    const copy = { ...target, value: { ...target.value } };
    expect(reason(materialise(program, copy))).toBe("the value is no part of the statement");
    const missing = { ...target, statement: "?" };
    expect(reason(materialise(program, missing))).toBe("no such statement");
  });
});
