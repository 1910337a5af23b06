import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  factorCandidates,
  factorOrders,
  factorReduction,
} from "../../../src/ir/algebraic/factor-reduction.ts";
import { onePass, onePassCandidates } from "../../../src/ir/algebraic/one-pass.ts";
import { widenHalf } from "../../../src/ir/algebraic/widen-half.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import type { Program } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { lowered } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

const softmax = `def f(float(M, N) x) -> (top, sum, y) {
  top(m) max=! x(m, n)
  sum(m) +=! exp(x(m, n) - top(m))
  y(m, n) = exp(x(m, n) - top(m)) / sum(m)
}`;

function joined(program: Program): Program {
  const [candidate] = onePassCandidates(program);
  if (candidate === undefined) throw new Error("no candidate");
  const after = applied(onePass(program, candidate));
  expect(verifyProgram(after)).toEqual([]);
  return after;
}

/** The elements of a tensor. */
function values(program: Program, name: string, inputs: Record<string, readonly number[]>) {
  return Array.from(interpret(program, inputs).tensors.get(name)?.data ?? []);
}

/** Equal, but for the rounding of float64. */
function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  for (const [n, e] of expected.entries()) {
    if (Number.isFinite(e)) expect(found[n]).toBeCloseTo(e, 9);
    else expect(found[n]).toBe(e);
  }
}

/** Why the last two statements are refused. */
function why(source: string, sizes: Record<string, number> = { M: 2, N: 5 }): string {
  const program = lowered(source, sizes);
  const ids = program.statements.map((s) => s.id);
  return reason(onePass(program, { greatest: ids.at(-2) ?? "", sum: ids.at(-1) ?? "" }));
}

describe("onePass", () => {
  it("sums without the maximum, which only what is stored is put below", () => {
    const program = lowered(softmax, { M: 3, N: 10 });
    expect(onePassCandidates(program).map((c) => c.path)).toEqual(["sum/online"]);
    expect(lines(joined(program)).slice(1, 3)).toEqual([
      "sum.state: { m in 0..3, n in 0..10 } sum_state(m) = state of rescaled sum[n] <x(m, n), 1>",
      "sum: { m in 0..3 } sum(m) = ((abs(top(m)) < Infinity) ? " +
        "(sum_state(m).1 * exp((sum_state(m) - top(m)))) : sqrt(-abs(top(m))))",
    ]);
  });

  it("gives what two passes give, of infinite exponents, too", () => {
    const value = fc.oneof(
      { weight: 6, arbitrary: fc.double({ min: -40, max: 40, noNaN: true }) },
      { weight: 2, arbitrary: fc.constant(Number.NEGATIVE_INFINITY) },
      { weight: 1, arbitrary: fc.constantFrom(0, -0, 3, Number.POSITIVE_INFINITY) },
    );
    const rows = fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 9 }))
      .chain(([M, N]) =>
        fc.record({
          M: fc.constant(M),
          N: fc.constant(N),
          x: fc.array(value, { minLength: M * N, maxLength: M * N }),
        }),
      );
    fc.assert(
      fc.property(rows, ({ M, N, x }) => {
        const before = lowered(softmax, { M, N });
        const after = joined(before);
        for (const name of ["top", "sum", "y"]) {
          expectClose(values(after, name, { x }), values(before, name, { x }));
        }
      }),
      { numRuns: 200, seed: 5 },
    );
  });

  it("leaves masked terms out, and gives 0 where all are", () => {
    const before = lowered(
      `def f(float(M, N) x, int(M, N) on) -> (top, sum) {
  top(m) max=! on(m, n) > 0 ? x(m, n) : -inf
  sum(m) +=! on(m, n) > 0 ? exp(x(m, n) - top(m)) : 0.0
}`,
      { M: 5, N: 4 },
    );
    const inf = Number.POSITIVE_INFINITY;
    const rows = [
      [1, 2, 3, 4],
      [inf, 7, 8, 9],
      [-inf, -inf, 5, inf],
      [-inf, 1, 2, 3],
      [1, inf, 2, 3],
    ];
    const on = [
      [1, 0, 1, 1],
      [0, 0, 0, 0],
      [1, 0, 1, 0],
      [1, 0, 0, 0],
      [1, 1, 1, 1],
    ];
    const inputs = { x: rows.flat(), on: on.flat() };
    const after = joined(before);
    for (const name of ["top", "sum"]) {
      expectClose(values(after, name, inputs), values(before, name, inputs));
    }
    expect(values(after, "sum", inputs)[1]).toBe(0);
    expect(values(after, "sum", inputs).slice(3)).toEqual([Number.NaN, Number.NaN]);
  });

  it("knows the exponents by any names, in any order of the dims", () => {
    const before = lowered(
      `def f(float(K, B, N) x, float(N, K) v) -> (top, s) {
  top(b) max=! 2.0 * x(k, b, n) + v(n, k)
  s(c) +=! exp(2.0 * x(i, c, j) + v(j, i) - top(c))
}`,
      { K: 3, B: 2, N: 4 },
    );
    const inputs = {
      x: Array.from({ length: 24 }, (_, n) => ((n * 7) % 11) / 5 - 1),
      v: Array.from({ length: 12 }, (_, n) => ((n * 5) % 7) - 3),
    };
    expectClose(values(joined(before), "s", inputs), values(before, "s", inputs));
  });

  it("gives the same in parts, whatever the order: ascending, descending, far apart", () => {
    const N = 29;
    const before = lowered(softmax, { M: 4, N });
    const row = (value: (n: number) => number) => Array.from({ length: N }, (_, n) => value(n));
    const x = [
      row((n) => n / 9),
      row((n) => 7 * n),
      row((n) => -3 * n),
      row((n) => ((n * 11) % 29) - (n % 5 === 0 ? Number.POSITIVE_INFINITY : 0)),
    ].flat();
    const after = joined(before);
    const factors = factorCandidates(after).filter((c) => c.statement.endsWith(".state"));
    expect(factors.map((c) => c.sizes)).toEqual([[2, 4, 8, 16]]);
    for (const { statement, dim, sizes } of factors) {
      for (const order of factorOrders) {
        for (const size of sizes) {
          const parts = applied(factorReduction(after, { statement, dim, order, size }));
          expectClose(values(parts, "sum", { x }), values(before, "sum", { x }));
        }
      }
    }
  });

  it("keeps statements between that have to do with neither", () => {
    const before = lowered(
      `def f(float(M, N) x) -> (top, z, sum) {
  top(m) max=! x(m, n)
  z(m) = 2.0 * top(m)
  sum(m) +=! exp(x(m, n) - top(m))
}`,
      { M: 2, N: 3 },
    );
    const inputs = { x: [1, 2, 3, 9, 8, 7] };
    for (const name of ["z", "sum"]) {
      expectClose(values(joined(before), name, inputs), values(before, name, inputs));
    }
  });
});

describe("onePass refuses", () => {
  const two = (greatest: string, sum: string, more = ""): string =>
    `def f(float(M, N) x, float(M) b) -> (t, s) {\n  t(m) ${greatest}\n${more}  s(m) ${sum}\n}`;
  const sum = "+=! exp(x(m, n) - t(m))";

  it.each([
    ["a minimum", two("min=! x(m, n)", sum), "they are no maximum and sum"],
    ["a product", two("max=! x(m, n)", "*=! exp(x(m, n) - t(m))"), "they are no maximum and sum"],
    ["no exponential", two("max=! x(m, n)", "+=! x(m, n) - t(m)"), "not one of exponentials"],
    ["other exponents", two("max=! x(m, n)", "+=! exp(2.0 * x(m, n) - t(m))"), "of the exponents"],
    ["another element", two("max=! x(m, n)", "+=! exp(x(m, n) - b(m))"), "is not the maximum"],
    [
      "the maximum in the exponent, too",
      two("max=! x(m, n)", "+=! exp(x(m, n) + 0.0 * t(m) - t(m))"),
      "is not the maximum",
    ],
    [
      "exponents with another fill",
      two(
        "max=! pad(x(m, n - 1), inf) where m in 0:M, n in 0:N",
        "+=! exp(pad(x(m, n - 1), -inf) - t(m)) where m in 0:M, n in 0:N",
      ),
      "of the exponents",
    ],
    ["fewer points", two("max=! x(m, n)", `${sum} where m in 0:M, n in 1:N`), "over other points"],
    [
      "rows of several lengths",
      two("max=! x(m, n) where m in 0:M, n in 0:m + 1", `${sum} where m in 0:M, n in 0:m + 1`),
      "not all elements are reduced over the same points",
    ],
  ])("%s", (_, source, expected) => {
    expect(why(source)).toContain(expected);
  });

  it("a maximum that is stored with less precision", () => {
    const source = `def f(half(M, N) x) -> (t, s) {
  t(m) max=! 0.3 * x(m, n)
  s(m) +=! exp(0.3 * x(m, n) - t(m))
}`;
    const program = widenHalf(lowered(source, { M: 2, N: 3 }));
    const [greatest = "", sum = ""] = program.statements.map((s) => s.id);
    expect(program.tensors.find((t) => t.name === "t")?.stored).toBe("float16");
    expect(reason(onePass(program, { greatest, sum }))).toBe("they are no maximum and sum");
  });

  it("a maximum that is changed before it is subtracted", () => {
    const program = lowered(
      `def f(float(M, N) x) -> (t, s) {
  t(m) max=! x(m, n)
  t(m) = t(m) + 1.0
  s(m) +=! exp(x(m, n) - t(m))
}`,
      { M: 2, N: 3 },
    );
    expect(onePassCandidates(program)).toEqual([]);
    const ids = program.statements.map((s) => s.id);
    expect(reason(onePass(program, { greatest: ids[0] ?? "", sum: ids[2] ?? "" }))).toContain(
      "written between",
    );
  });

  it("statements that are not there", () => {
    const program = lowered(softmax, { M: 2, N: 3 });
    expect(reason(onePass(program, { greatest: "none", sum: "sum" }))).toBe("no such statement");
  });
});
