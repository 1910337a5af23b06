import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { flattenCandidates, flattenDomains } from "../../../src/ir/algebraic/flatten-domain.ts";
import { padMap, padMapCandidates } from "../../../src/ir/algebraic/pad-map.ts";
import { applyLayouts, padTensors } from "../../../src/ir/apply-layouts.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { appliedAll, lowered as lower, type Sizes } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

function lowered(source: string, sizes: Sizes): Program {
  return padTensors(lower(source, sizes));
}

/** Pads all that can be; every step is well-formed and computes the same. */
function padded(before: Program): Program {
  return appliedAll(before, padMapCandidates, padMap);
}

const map = "def f(float(N) x) -> (y) { y(i) = 2.0 * x(i) + 1.0 }";

describe("padMap", () => {
  it("rounds a map and its rows up to whole vectors", () => {
    const program = padded(lowered(map, { N: 1021 }));
    expect(lines(program)).toEqual(["y: { i in 0..1024 } y(i) = ((2 * x(i)) + 1)"]);
    expect(printProgram(program)).toContain("input float32 x(1024) of (1021)");
  });

  it.each([5, 6, 7, 9, 10, 11, 1023])("keeps the results of %i elements", (N) => {
    expect(lines(padded(lowered(map, { N })))[0]).toContain(`0..${4 * Math.ceil(N / 4)} }`);
  });

  it("comes after rows were made one", () => {
    const program = lowered("def f(float(N, M) x) -> (y) { y(i, j) = -x(i, j) }", { N: 3, M: 7 });
    const [candidate] = flattenCandidates(program);
    if (candidate === undefined) throw new Error("nothing to flatten");
    const after = padded(applied(flattenDomains(program, candidate)));
    expect(lines(after)).toEqual(["y: { i_j in 0..24 } y(i_j) = -x(i_j)"]);
    expect(printProgram(after)).toContain("output float32 y(24) of (3, 7)");
  });

  it("takes maps that share what they write together, and what they update", () => {
    const source =
      "def f(float(N) x, float s) -> (y, z) { y(i) = s * x(i)\n z(i) = y(i) + float(i)\n z(i) += y(i) }";
    const program = padded(lowered(source, { N: 7 }));
    expect(lines(program).every((line) => line.includes("{ i in 0..8 }"))).toBe(true);
  });

  it("takes maps apart that read the same, one after the other", () => {
    const source = "def f(float(N) x) -> (y, z) { y(i) = 2.0 * x(i)\n z(i) = x(i) + 1.0 }";
    expect(padMapCandidates(lowered(source, { N: 7 }))).toHaveLength(2);
    expect(lines(padded(lowered(source, { N: 7 })))).toHaveLength(2);
  });

  it("leaves reductions of what maps read to its elements", () => {
    const source = "def f(float(N) x) -> (y, s) { y(i) = exp(x(i))\n s +=! x(i) }";
    expect(lines(padded(lowered(source, { N: 7 })))).toEqual([
      "y: { i in 0..8 } y(i) = exp(x(i))",
      "s: { i in 0..7 } s() = sum[i] x(i)",
    ]);
  });

  it.each([
    ["whole vectors", map, { N: 8 }],
    ["less than a vector", map, { N: 3 }],
    ["one element", map, { N: 1 }],
    ["two dims", "def f(float(N, M) x) -> (y) { y(i, j) = x(i, j) }", { N: 3, M: 5 }],
    ["sums", "def f(float(N) x) -> (y) { y +=! x(i) }", { N: 7 }],
    ["what is summed", "def f(float(N) x) -> (y, s) { y(i) = -x(i)\n s +=! y(i) }", { N: 7 }],
    [
      "what is read elsewhere",
      "def f(float(N) x) -> (y, z) { y(i) = -x(i)\n z(i) = y(N - 1 - i) }",
      { N: 7 },
    ],
    ["a reversal", "def f(float(N) x) -> (y) { y(i) = x(N - 1 - i) }", { N: 7 }],
    ["a part", "def f(float(N) x) -> (y) { y(i) = x(i) where i in 0:5 }", { N: 7 }],
    ["a gather", "def f(float(N) x, int(M) i) -> (y) { y(n) = x(i(n)) }", { N: 7, M: 7 }],
    [
      "what is gathered from elsewhere",
      "def f(float(N) x, int(N) i) -> (y, z) { y(n) = 2.0 * x(n)\n z(n) = x(i(n)) }",
      { N: 7 },
    ],
    ["a scatter", "def f(float(N) x, int(N) i) -> (float(7) y) { y(i(n)) +=! x(n) }", { N: 7 }],
    [
      "a guarded read",
      "def f(float(N) x) -> (y) { y(i) = pad(x(i - 1)) where i in 0:7 }",
      { N: 7 },
    ],
    [
      "a loop",
      "def f(float(N) x) -> (y) { y(i) = x(i)\n for t in 0:3 { y(i) = y(i) + x(i) } }",
      { N: 7 },
    ],
  ] as const)("does not offer %s", (_, source, sizes) => {
    expect(padMapCandidates(lowered(source, sizes))).toEqual([]);
  });

  it("does not offer memory without padding, nor views", () => {
    const exact = lowerSource(map, { sizes: { N: 7 } });
    expect(exact.ok && padMapCandidates(exact.program)).toEqual([]);
    if (!exact.ok) return;
    const x = { strides: [2], offsetMultiple: null };
    const viewed = applyLayouts(exact.program, { layouts: { x }, shared: [], float16: false });
    expect(viewed.ok && padMapCandidates(padTensors(viewed.program))).toEqual([]);
  });

  it("refuses what is no candidate", () => {
    const [candidate] = padMapCandidates(lowered(map, { N: 7 }));
    if (candidate === undefined) throw new Error("nothing to pad");
    const turned = lowered("def f(float(N) x) -> (y) { y(i) = x(N - 1 - i) }", { N: 7 });
    expect(reason(padMap(turned, candidate))).toContain("with padding");
  });
});
