import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { moveCandidates, moveUp } from "../../../src/ir/algebraic/move-up.ts";
import { eachStatementId, type Program } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { randomProgram } from "../support/random-program.ts";
import { difference, resultsOf } from "../support/same-results.ts";
import { applied, reason } from "./rewrites.ts";

function lowered(source: string): Program {
  const result = lowerSource(source, { sizes: { N: 5 } });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.program;
}

function order(program: Program): readonly string[] {
  return [...eachStatementId(program.tree)];
}

function offers(program: Program): readonly string[] {
  return moveCandidates(program).map((c) => `${c.path} ${c.most}`);
}

/** Numbers for the tensors that the caller supplies. */
function inputsOf(program: Program): Readonly<Record<string, Float64Array>> {
  const given = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  return Object.fromEntries(
    given.map(({ name, shape }, n) => {
      const count = shape.reduce((product, extent) => product * extent, 1);
      return [name, Float64Array.from({ length: count }, (_, i) => ((i + n) * 5) % 7)];
    }),
  );
}

describe("moveUp", () => {
  it("moves a statement over independent ones", () => {
    const p = lowered(`def f(float(N) a, float(N) b) -> (t, u, v) {
      t(i) = a(i) + 1.0
      u(i) = b(i) * 2.0
      v(i) = t(i) * 3.0
    }`);
    expect(offers(p)).toEqual(["u/up 1", "v/up 1"]);
    const moved = applied(moveUp(p, { statement: "v", places: 1 }));
    expect(order(moved)).toEqual(["t", "v", "u"]);
    expect(verifyProgram(moved)).toEqual([]);
  });

  it("moves a loop as a whole, and statements inside of one", () => {
    const p = lowered(`def f(float(N) a) -> (t, u) {
      t(i) = a(i)
      for s in 0:3 {
        u(s, i) = a(i) * float(s) where i in 0:N
        w(i) = a(i) + float(s) where i in 0:N
        t(i) = 1.0 where i in 0:N
      }
    }`);
    expect(offers(p)).toEqual(["w/up 1", "t#1/up 2"]);
    const q = lowered(`def f(float(N) a) -> (t, u) {
      t(i) = a(i)
      for s in 0:3 { u(s, i) = a(i) * float(s) where i in 0:N }
    }`);
    const moved = applied(moveUp(q, { statement: "u", places: 1 }));
    expect(order(moved)).toEqual(["u", "t"]);
  });

  it("stays behind what it reads, what reads it, and what writes the same elements", () => {
    const flow = lowered(`def f(float(N) a) -> (t, u) { t(i) = a(i)  u(i) = t(i) }`);
    const anti = lowered(`def f(float(N) a) -> (t, a) { t(i) = a(i)  a(i) = 2.0 * a(i) }`);
    const output = lowered(`def f(float(N) a) -> (t) { t(i) = a(i)  t(0) = 1.0 }`);
    for (const p of [flow, anti, output]) {
      expect(offers(p)).toEqual([]);
      const [, second = ""] = order(p);
      expect(reason(moveUp(p, { statement: second, places: 1 }))).toMatch(/same elements/);
    }
  });

  it("is refused farther than it may go, and by no or half a place", () => {
    const p = lowered(`def f(float(N) a) -> (t, u, v) {
      t(i) = a(i)
      u(i) = a(i)
      v(i) = t(i)
    }`);
    expect(reason(moveUp(p, { statement: "v", places: 2 }))).not.toBe("");
    expect(reason(moveUp(p, { statement: "v", places: 0 }))).not.toBe("");
    expect(reason(moveUp(p, { statement: "v", places: 0.5 }))).not.toBe("");
    expect(reason(moveUp(p, { statement: "nothing", places: 1 }))).not.toBe("");
  });

  it("keeps the results of random programs", () => {
    let moves = 0;
    for (let seed = 0; seed < 60; seed++) {
      const p = randomProgram(seed);
      const inputs = inputsOf(p);
      const before = resultsOf(p, inputs);
      if (before === null) continue;
      for (const { statement, most } of moveCandidates(p)) {
        for (let places = 1; places <= most; places++) {
          const after = applied(moveUp(p, { statement, places }));
          expect(verifyProgram(after), `seed ${seed}`).toEqual([]);
          expect(difference(before, after, inputs), `seed ${seed}, ${statement}`).toBeNull();
          moves++;
        }
      }
    }
    expect(moves).toBeGreaterThan(20);
  });
});
