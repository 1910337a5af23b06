import { describe, expect, it } from "vitest";
import { skewCandidates, skewLoops } from "../../../src/ir/algebraic/skew-loops.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { difference, resultsOf } from "../support/same-results.ts";
import { appliedAll, lowered } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

const sizes = { M: 5, N: 7 };
const inputs = { x: Float64Array.from({ length: 35 }, (_, i) => ((i * 5) % 7) - 3) };

function programOf(body: string) {
  const edges = "c(i, 0) = i where i in 0:M + 1  c(0, j) = 2 * j where j in 1:N + 1";
  return lowered(`def f(float(M, N) x) -> (c) { ${edges}  ${body} }`, sizes);
}

const nests: Readonly<Record<string, string>> = {
  "elements of above and to the left":
    "for i in 1:M + 1 { for j in 1:N + 1 { c(i, j) = min(c(i - 1, j), min(c(i, j - 1), c(i - 1, j - 1))) + x(i - 1, j - 1) } }",
  "two tables that wait for each other":
    "e(i, j) = 0.0 where i in 0:M + 1, j in 0:N + 1  for i in 1:M + 1 { for j in 1:N + 1 { e(i, j) = max(e(i, j - 1), c(i, j - 1) + 1.0)  c(i, j) = max(c(i - 1, j - 1) - 0.5, e(i, j)) + x(i - 1, j - 1) } }",
  "a part of the table":
    "for i in 2:M + 1 { for j in 3:N { c(i, j) = c(i - 1, j) - c(i - 2, j - 1) + c(i, j - 2) } }",
};

describe("skewLoops", () => {
  it.each(Object.entries(nests))("keeps %s", (_name, body) => {
    const p = programOf(body);
    const before = resultsOf(p, inputs) ?? new Map();
    expect(before.size).toBe(1);
    expect(skewCandidates(p).map((c) => c.loop)).toEqual(["i"]);
    const skewed = applied(skewLoops(p, { loop: "i" }));
    expect(verifyProgram(skewed), printProgram(skewed)).toEqual([]);
    expect(difference(before, skewed, inputs), printProgram(skewed)).toBeNull();
  });

  it("makes the outer index a parallel dim of each wavefront", () => {
    const body = "for i in 1:M + 1 { for j in 1:N + 1 { c(i, j) = c(i - 1, j) + c(i, j - 1) } }";
    const skewed = applied(skewLoops(programOf(body), { loop: "i" }));
    expect(lines(skewed).at(-1)).toBe(
      "c#2: { i.front in 2..13, i in 1..6 | -i + i.front - 1 >= 0, i - i.front + 7 >= 0 } c(i, -i + i.front) = (c(i - 1, -i + i.front) + c(i, -i + i.front - 1))",
    );
  });

  it("has rows along the shorter loop, so that a tall table is not much larger", () => {
    const p = lowered(
      `def f(float(M, N) x) -> (d) {
        c(i, 0) = i where i in 0:M + 1  c(0, j) = 2 * j where j in 1:N + 1
        for i in 1:M + 1 { for j in 1:N + 1 { c(i, j) = c(i - 1, j) - c(i, j - 1) + x(i - 1, j - 1) } }
        d(j) = c(M, j) where j in 0:N + 1
      }`,
      { M: 40, N: 3 },
    );
    const skewed = applied(skewLoops(p, { loop: "i" }));
    expect(skewed.tensors.find((t) => t.name === "c")?.shape).toEqual([44, 4]);
    appliedAll(p, skewCandidates, skewLoops);
  });

  it.each([
    ["rows of the outer loop", "i, j", "j, i"],
    ["columns of it", "j, i", "i, j"],
  ])("gives a temporary with %s a row for each wavefront", (_name, here, there) => {
    const at = (i: string, j: string) => here.replace(/[ij]/g, (name) => (name === "i" ? i : j));
    const p = lowered(
      `def f(float(M, N) x) -> (d, e) {
        c(${at("i", "0")}) = i where i in 0:M + 1  c(${at("0", "j")}) = 2 * j where j in 1:N + 1
        for i in 1:M + 1 { for j in 1:N + 1 {
          c(${here}) = min(c(${at("i - 1", "j")}), c(${at("i", "j - 1")})) + x(i - 1, j - 1)
        } }
        d(k) = c(${at("M", "N")}) where k in 0:1
        e(${there}) = c(${here})
      }`,
      sizes,
    );
    const skewed = applied(skewLoops(p, { loop: "i" }));
    expect(lines(skewed)[2]).toContain("c(i.front, i) = ");
    expect(skewed.tensors.find((t) => t.name === "c")?.shape).toEqual([
      sizes.M + sizes.N + 1,
      sizes.M + 1,
    ]);
    appliedAll(p, skewCandidates, skewLoops);
  });

  it.each([
    [
      "an element to the right of the row above, on the same wavefront",
      "for i in 1:M + 1 { for j in 1:N { c(i, j) = c(i - 1, j + 1) + c(i, j - 1) } }",
      "c#2 may wait for c#2, through c, on its own wavefront or one behind",
    ],
    [
      "a planted dependence on a later wavefront",
      "for i in 1:M + 1 { for j in 1:N - 1 { c(i, j) = c(i - 1, j + 2) + c(i, j - 1) } }",
      "c#2 may wait for c#2, through c, on its own wavefront or one behind",
    ],
    [
      "statements between the loops",
      "for i in 1:M + 1 { c(i, 0) = 1.0  for j in 1:N + 1 { c(i, j) = c(i - 1, j) + c(i, j - 1) } }",
      "there is more in it than a loop",
    ],
    [
      "bounds that depend on the outer loop",
      "c(i, j) = 0.0 where i in 1:M + 1, j in 1:N + 1  for i in 1:M + 1 { for j in 1:i { c(i, j) = c(i - 1, j) + c(i, j - 1) } }",
      "the bounds of a loop are no constants",
    ],
  ])("refuses %s", (_name, body, why) => {
    const p = programOf(body);
    expect(reason(skewLoops(p, { loop: "i" }))).toBe(why);
    expect(skewCandidates(p)).toEqual([]);
  });
});
