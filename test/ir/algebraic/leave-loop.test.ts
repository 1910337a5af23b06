import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keepHistory } from "../../../src/ir/algebraic/keep-history.ts";
import { leaveCandidates, leaveLoop } from "../../../src/ir/algebraic/leave-loop.ts";
import { splitTerms, termsCandidates } from "../../../src/ir/algebraic/split-terms.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { appliedAll, lowered, type Sizes } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

function example(name: string, sizes: Sizes): Program {
  return lowered(readFileSync(`examples/${name}.tc`, "utf8"), sizes);
}

/** The program after all that may leave its loops has left, each step with the same results. */
function distributed(before: Program): Program {
  return appliedAll(appliedAll(before, termsCandidates, splitTerms), leaveCandidates, leaveLoop);
}

/** What is inside of loops, by statement. */
function looped(program: Program): readonly string[] {
  return program.statements.filter((s) => s.loops.length > 0).map((s) => s.id);
}

describe("leaveLoop", () => {
  it("makes a loop that carries nothing parallel, with what its iterations hand on kept for each", () => {
    const p = distributed(
      lowered(
        `def scaled(float(T, N) x) -> (y) {
          for t in T { top(n) = x(t, n) * 2.0  y(t, n) = top(n) + x(t, n) }
        }`,
        { T: 3, N: 4 },
      ),
    );
    expect(looped(p)).toEqual([]);
    expect(lines(p)).toEqual([
      "top: { t in 0..3, n in 0..4 } top(t, n) = (x(t, n) * 2)",
      "y: { t in 0..3, n in 0..4 } y(t, n) = (top(t, n) + x(t, n))",
    ]);
  });

  it("takes the input's product out of an Elman network", () => {
    const p = distributed(example("elman", { T: 4, B: 2, Ci: 3, Co: 2 }));
    expect(looped(p)).toEqual(["hidden#1", "hidden#2"]);
    expect(lines(p)[1]).toBe(
      "hidden#2.fixed: { t in 0..4, b in 0..2, co in 0..2, ci in 0..3 } hidden_fixed(t, b, co) = sum[ci] (i2h(ci, co) * input(t, b, ci))",
    );
  });

  it("takes the input's product and the bias out of an LSTM", () => {
    const p = distributed(example("lstm", { T: 3, B: 2, I: 3, H: 2 }));
    expect(looped(p)).toEqual(["z#3", "c", "hidden"]);
    expect(lines(p)[0]).toBe(
      "z: { t in 0..3, b in 0..2, k in 0..8, i in 0..3 } z(t, b, k) = sum[i] (w_input(k, i) * x(t, b, i))",
    );
  });

  it("divides the loop of stacked layers, so that the second one's product is one as well", () => {
    const p = distributed(example("stacked_lstm", { T: 3, B: 2, I: 3, H: 2 }));
    expect(looped(p)).toEqual([
      ...["cell_gate#1", "c1#1", "h1#1"],
      ...["cell_gate_2#1", "c2#1", "h2#1"],
    ]);
    const text = printProgram(p);
    expect(text).toContain("for t in 0..3");
    expect(text).toContain("for t.rest in 0..3");
    expect(text).toContain("sum[i] (w2(g, j, i) * h1(t + 1, b, i))");
  });

  it("leaves the recurrence of a GRU alone, whose product of the input stands outside already", () => {
    const p = example("gru", { T: 3, B: 2, I: 3, H: 2 });
    const loop = { loop: "t" };
    expect(leaveCandidates(p)).toEqual([]);
    expect(reason(leaveLoop(p, { ...loop, statement: "own" }))).toBe(
      "own reads h, which h writes in an earlier iteration",
    );
  });

  it("keeps only those values of the loop that guards leave", () => {
    const p = lowered(
      "def f(float(T, N) x) -> (y) { for t in T { if t == 0 { y(t, n) = x(t, n) } else { y(t, n) = y(t - 1, n) + x(t, n) } } }",
      { T: 5, N: 2 },
    );
    const out = applied(leaveLoop(p, { statement: "y", loop: "t" }));
    expect(lines(out)[0]).toBe("y: { t in 0..1, n in 0..2 } y(t, n) = x(t, n)");
  });

  it.each([
    [
      "a flow",
      "y(t + 1, n) = y(t, n) + x(t, n)",
      "y#1 reads y, which y#1 writes in an earlier iteration",
    ],
    [
      "a flow over two iterations",
      "if t > 0 { y(t + 1, n) = y(t - 1, n) + x(t, n) }",
      "y#1 reads y, which y#1 writes in an earlier iteration",
    ],
    [
      "an old value",
      "y(t, n) = y(t + 1, n) + x(t, n)",
      "y#1 writes y, which y#1 reads in an earlier iteration",
    ],
    [
      "a cell that all write",
      "y(0, n) = x(t, n)",
      "y#1 writes y, which y#1 writes in an earlier iteration",
    ],
    [
      "a sum over iterations",
      "y(0, n) += x(t, n)",
      "y#1 reads y, which y#1 writes in an earlier iteration",
    ],
  ])("refuses %s", (_name, body, why) => {
    const p = lowered(
      `def f(float(T, N) x) -> (y) { y(t, n) = 1.0 where t in 0:T+1, n in 0:N  for t in T { ${body} } }`,
      { T: 5, N: 2 },
    );
    expect(reason(leaveLoop(p, { statement: "y#1", loop: "t" }))).toBe(why);
    expect(leaveCandidates(p)).toEqual([]);
  });

  it("refuses what waits for itself through another statement", () => {
    const p = lowered(
      `def f(float(T, N) x) -> (y, z) {
        y(t, n) = 0.0 where t in 0:T+1, n in 0:N
        for t in T { z(t, n) = y(t, n) * 2.0  y(t + 1, n) = z(t, n) + x(t, n) }
      }`,
      { T: 3, N: 2 },
    );
    expect(leaveCandidates(p)).toEqual([]);
    expect(reason(leaveLoop(p, { statement: "z", loop: "t" }))).toContain(
      "in an earlier iteration",
    );
  });
});

describe("splitTerms", () => {
  it("divides a sum whose terms are of both kinds", () => {
    const p = lowered(
      `def f(float(T, N) x, float(N) h0, float(N, N) w, float(N, N) u) -> (h) {
        h(0, n) = h0(n)
        for t in T { h(t + 1, n) +=! w(n, k) * x(t, k) + u(n, k) * h(t, k) }
      }`,
      { T: 3, N: 2 },
    );
    const out = distributed(p);
    expect(looped(out)).toEqual(["h#1"]);
    expect(lines(out).slice(1)).toEqual([
      "h#1.fixed: { t in 0..3, n in 0..2, k in 0..2 } h_fixed(t, n) = sum[k] (w(n, k) * x(t, k))",
      "h#1: { t in 0..3, n in 0..2, k in 0..2 } h(t + 1, n) = h_fixed(t, n) with sum[k] (u(n, k) * h(t, k))",
    ]);
  });

  it("refuses sums of which all or nothing waits, and maxima", () => {
    const sum = (op: string, e: string): string =>
      reason(
        splitTerms(
          lowered(
            `def f(float(T, N) x, float(N) h0) -> (h) { h(0, n) = h0(n)  for t in T { h(t + 1, n) ${op} ${e} } }`,
            { T: 3, N: 2 },
          ),
          { statement: "h#1", loop: "t" },
        ),
      );
    expect(sum("+=!", "x(t, n) * h(t, k)")).toBe("every term waits for the loop");
    expect(sum("+=!", "x(t, n) * x(t, k)")).toBe("no term waits for the loop");
    expect(sum("max=!", "x(t, n) + h(t, k)")).toBe("it is no sum");
  });
});

describe("keepHistory", () => {
  const state = (body: string): Program =>
    lowered(
      `def f(float(T, N) x) -> (y) {
        s(n) = 1.0 where n in 0:N
        for t in T { ${body} }
        y(t, n) = s(n) where t in 0:T
      }`,
      { T: 3, N: 2 },
    );

  it("numbers what a temporary holds before, in and after a loop", () => {
    const p = applied(keepHistory(state("s(n) = s(n) * x(t, n)"), { tensor: "s", loop: "t" }));
    expect(lines(p)).toEqual([
      "s: { n in 0..2 } s(0, n) = 1",
      "s#1: { t in 0..3, n in 0..2 } s(t + 1, n) = (s(t, n) * x(t, n))",
      "y: { t in 0..3, n in 0..2 } y(t, n) = s(3, n)",
    ]);
  });

  it("refuses what an iteration may not write whole", () => {
    const p = state("if t > 0 { s(n) = s(n) * x(t, n) }");
    expect(reason(keepHistory(p, { tensor: "s", loop: "t" }))).toBe(
      "an iteration may not write all of it",
    );
  });
});
