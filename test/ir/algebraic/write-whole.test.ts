import { describe, expect, it } from "vitest";
import { writeWhole } from "../../../src/ir/algebraic/write-whole.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { difference, resultsOf } from "../support/same-results.ts";
import { lowered } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

const sizes = { N: 9, S: 4 };
const inputs = { x: Float64Array.from({ length: 9 }, (_, i) => ((i * 5) % 7) - 3) };

/** A state `u`, which is returned, and what happens to it in each of S steps. */
function programOf(body: string, out = "u") {
  return lowered(
    `def f(float(N) x, int S) -> (${out}) { u(i) = x(i)  for s in 0:S { ${body} }  v(i) = u(i) }`,
    sizes,
  );
}

const inside = "u(i) = u(i) + 0.25 * (u(i - 1) + u(i + 1)) where i in 1:N - 1";

const updates: Readonly<Record<string, string>> = {
  "a part whose neighbours are read": inside,
  "a part that depends on the step": "u(i) = 0.5 * u(i - 1) where i in s + 1:N",
  "what some steps alone update": "if s >= 2 { u(i) = u(N - 1 - i) where i in 0:N }",
  "all but the first element": "u(i) = u(i - 1) - 1.0 where i in 1:N",
  "shifted coordinates": "u(i + 2) = u(i) + u(i + 1) where i in 0:N - 3",
  "elements that a guard leaves": "if s % 2 == 0 { u(i) = u(i - 1) - 1.0 where i in 1:N }",
  "all of it": "u(i) = u(N - 1 - i) + x(i)",
};

describe("writeWhole", () => {
  it.each(Object.entries(updates))("keeps %s", (_name, body) => {
    const p = programOf(body);
    const before = resultsOf(p, inputs) ?? new Map();
    expect(before.size).toBe(1);
    const whole = applied(writeWhole(p, { statement: "u#1" }));
    expect(verifyProgram(whole), printProgram(whole)).toEqual([]);
    expect(difference(before, whole, inputs), printProgram(whole)).toBeNull();
  });

  it("writes every element of a temporary, those that were left alone with what they were", () => {
    expect(lines(applied(writeWhole(programOf(inside), { statement: "u#1" }))).slice(1, 4)).toEqual(
      [
        "u#1.in: { u#1.in.0 in 0..9 } u_in(u#1.in.0) = u(u#1.in.0)",
        "u#1: { s in 0..4, i in 0..9 } u_in(i) = ((([i - 1] >= 0) and ([-i + 7] >= 0)) ? (u_in(i) + (0.25 * ((i - 1 >= 0 and -i + 7 >= 0 ? u_in(i - 1) : 0) + (i - 1 >= 0 and -i + 7 >= 0 ? u_in(i + 1) : 0)))) : u_in(i))",
        "u#1.out: { u#1.out.0 in 0..9 } u(u#1.out.0) = u_in(u#1.out.0)",
      ],
    );
  });

  it("needs no copies of a temporary", () => {
    const whole = applied(writeWhole(programOf(inside, "v"), { statement: "u#1" }));
    expect(whole.statements.map((s) => s.id)).toEqual(["u", "u#1", "v"]);
  });

  it.each([
    [
      "a sum into a part",
      "u(i) += u(k) where i in 1:N - 1, k in 0:2",
      "a reduction writes a part of its tensor",
    ],
    ["one element", "u(0) = u(1) + u(2)", "the elements that it writes are no box"],
    [
      "every other place",
      "u(2 * i) = u(2 * i + 1) where i in 0:4",
      "the elements that it writes are no box",
    ],
  ])("refuses %s", (_name, body, why) => {
    expect(reason(writeWhole(programOf(body), { statement: "u#1" }))).toBe(why);
  });

  it("refuses quotients, which leave elements of their coordinate out", () => {
    const p = lowered(
      `def f(float(N, N) x, int S) -> (u) {
        u(i, j) = x(i, j)
        for s in 0:S { u((i + 1) / 3, i) = u(i, s) where i in 0:N }
      }`,
      sizes,
    );
    const found = reason(writeWhole(p, { statement: "u#1" }));
    expect(found).toBe("the elements that it writes are no box");
  });

  it("refuses statements outside of loops", () => {
    expect(reason(writeWhole(programOf(inside), { statement: "u" }))).toBe("it is in no loop");
  });
});
