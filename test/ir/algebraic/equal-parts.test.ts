import { describe, expect, it } from "vitest";
import {
  equalParts,
  partsCandidates,
  refusedParts,
} from "../../../src/ir/algebraic/equal-parts.ts";
import { appliedAll, lowered } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

const sizes = { T: 3, B: 2, H: 4 };

function programOf(gates: string, update = "h(b, j) = z(b, j) * tanh(z(b, H + j)) where j in 0:H") {
  return lowered(
    `def f(float(T, B, H) x, float(2 * H, H) w, float(2, H, H) u, float(B, H) h) -> (h) {
      for t in T { ${gates}  ${update} }
    }`,
    sizes,
  );
}

const gates = "z(b, k) +=! w(k, j) * h(b, j)";

describe("equalParts", () => {
  it("computes gates beside each other, each over the range of the first", () => {
    const p = programOf(gates);
    expect(partsCandidates(p)).toEqual([
      { statement: "z", dim: "k", parts: 2, path: "z/parts/p1" },
    ]);
    const made = applied(equalParts(p, { statement: "z", dim: "k", parts: 2 }));
    expect(lines(made).slice(0, 2)).toEqual([
      "z.0: { t in 0..3, b in 0..2, k in 0..4, j in 0..4 } z(b, k) = sum[j] (w(k, j) * h(b, j))",
      "z.1: { t in 0..3, b in 0..2, k in 0..4, j in 0..4 } z(b, k + 4) = sum[j] (w(k + 4, j) * h(b, j))",
    ]);
  });

  it.each([
    ["a sum and what is added to it", `${gates}  z(b, k) += w(k, 0)`, undefined],
    [
      "gates with an index of their own",
      "z(b, g, j) +=! u(g, j, k) * h(b, k)",
      "h(b, j) = z(b, 0, j) * tanh(z(b, 1, j))",
    ],
  ])("computes the same: %s", (_name, body, update) => {
    const p = programOf(body, update);
    expect(partsCandidates(p).length).toBeGreaterThan(0);
    appliedAll(p, partsCandidates, equalParts);
  });

  it.each([
    ["reads of parts that differ", "h(b, j) = z(b, j) * z(b, H + 1 + j) where j in 0:H - 1"],
    ["reads of all of it", "h(b, j) = z(b, j) + z(b, H + j) + z(b, 2 * H - 1 - j) where j in 0:H"],
    ["reads of no other part", "h(b, j) = z(b, 0) where j in 0:H"],
  ])("is not offered for %s", (_name, update) => {
    expect(partsCandidates(programOf(gates, update))).toEqual([]);
  });

  it("refuses gates of which one waits for another: a planted dependence", () => {
    const p = programOf(`${gates}  z(b, k) = 0.5 * z(b, 2 * H - 1 - k)`);
    const target = { statement: "z#1", dim: "k", parts: 2 };
    expect(reason(equalParts(p, target))).toBe("z#1.1 may read what z#1.0 writes");
    expect(partsCandidates(p).map((c) => c.statement)).toEqual(["z"]);
    expect([...refusedParts(p)]).toEqual([["z#1", "z#1.1 may read what z#1.0 writes"]]);
  });

  it.each([
    ["of a sum", "j", 2, "it is no parallel dim"],
    ["of a loop", "t", 3, "it is no parallel dim"],
    ["that do not fit", "k", 3, "its range has no such equal parts"],
  ])("refuses parts %s", (_name, dim, parts, why) => {
    expect(reason(equalParts(programOf(gates), { statement: "z", dim, parts }))).toBe(why);
  });
});
