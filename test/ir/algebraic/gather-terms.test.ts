import { describe, expect, it } from "vitest";
import {
  type GatherCandidate,
  type GatherTarget,
  gatherCandidates,
  gatherTerms,
  phaseOrders,
} from "../../../src/ir/algebraic/gather-terms.ts";
import { isScatter, type Program } from "../../../src/ir/program.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { appliedAll, lowered, type Sizes } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

const sizes = { C: 2, I: 5, K: 3, L: 30 };

/** A program over `x(C, I)`, `w(C, K)` and `y(L)`, which the caller has. */
function programOf(body: string, given: Sizes = {}): Program {
  return lowered(`def f(float(C, I) x, float(C, K) w, float(L) y) -> (y) { ${body} }`, {
    ...sizes,
    ...given,
  });
}

function gathered(p: Program, phases: GatherTarget["phases"] = "outside"): Program {
  return applied(gatherTerms(p, { statement: "y", phases }));
}

/** Checks that all scatters of a program are gathered, and that it computes the same. */
function checkGathers(p: Program): void {
  expect(p.statements.some(isScatter)).toBe(true);
  for (const phases of phaseOrders) {
    const apply = (q: Program, { statement }: GatherCandidate) =>
      gatherTerms(q, { statement, phases });
    expect(appliedAll(p, gatherCandidates, apply).statements.some(isScatter)).toBe(false);
  }
}

const operators = ["+=", "+=!", "max="];

/** All combinations of extents of both dims, dilations and operators. */
function along(
  I: readonly number[],
  K: readonly number[],
  d: readonly number[],
  all: readonly string[],
): readonly (readonly [number, number, number, string])[] {
  return I.flatMap((i) =>
    K.flatMap((k) => d.flatMap((dilation) => all.map((o) => [i, k, dilation, o] as const))),
  );
}

describe("gatherTerms", () => {
  it("numbers elements by places and phases, and sums over taps", () => {
    const p = programOf("y(2 * i + k) += x(c, i) * w(c, k)");
    expect(lines(gathered(p))[0]).toContain("{ k_phase in 0..2, i_place in 0..6, k_tap");
    expect(lines(gathered(p, "inside"))).toEqual([
      "y: { i_place in 0..6, k_phase in 0..2, k_tap in 0..2, c in 0..2 | i_place - k_tap >= 0, " +
        "-i_place + k_tap + 4 >= 0, -k_phase - 2*k_tap + 2 >= 0 } " +
        "y(2*i_place + k_phase) = y(2*i_place + k_phase) with sum[c, k_tap] " +
        "(x(c, i_place - k_tap) * w(c, k_phase + 2*k_tap))",
    ]);
  });

  it("is a mirrored convolution where the stride is 1", () => {
    expect(lines(gathered(programOf("y(i + k) += x(c, i) * w(c, k)")))).toEqual([
      "y: { i_place in 0..7, k in 0..3, c in 0..2 | i_place - k >= 0, -i_place + k + 4 >= 0 } " +
        "y(i_place) = y(i_place) with sum[c, k] (x(c, i_place - k) * w(c, k))",
    ]);
  });

  it("has no taps where the filter is shorter than the stride, and leaves what is not hit", () => {
    checkGathers(
      programOf(
        "y(4 * i + 2 * k) += x(c, i) * w(c, k)  y(6 * i + k) += x(c, 4 - i) * w(c, k) * w(c, 0)",
      ),
    );
  });

  it("starts from zero what nothing has written before", () => {
    const p = lowered("def f(float(I) x, float(K) w) -> (y) { y(i + k) +=! x(i) * w(k) }", {
      I: 5,
      K: 3,
    });
    const [s] = gathered(p).statements;
    expect(s?.reduction?.init).toBeNull();
    expect(s?.reads.map((r) => r.tensor)).toEqual(["x", "w"]);
    checkGathers(p);
  });

  it("solves for the index that leaves fewer terms", () => {
    const [wide, narrow] = [
      { I: 9, K: 2 },
      { I: 2, K: 9 },
    ].map((given) => gathered(programOf("y(i + k) += x(c, i) * w(c, k)", given)));
    expect(wide?.statements[0]?.reduction?.dims).toEqual(["c", "k"]);
    expect(narrow?.statements[0]?.reduction?.dims).toEqual(["c", "i"]);
  });

  it.each([1, 2, 3, -1, -2])("computes the same for stride %d, dilations and operators", (s) => {
    for (const [I, K, d, operator] of along([1, 2, 7], [1, 2, 3, 5], [1, 2, 3, -1], operators)) {
      const start = 1 + Math.max(0, -s * (I - 1)) + Math.max(0, -d * (K - 1));
      const L = start + 5 + Math.abs(s) * I + Math.abs(d) * K;
      const index = `${start} + ${s} * i + ${d} * k`;
      const p = programOf(`y(${index}) ${operator} x(c, i) * w(c, k)`, { I, K, L });
      if (p.statements.some(isScatter)) checkGathers(p);
    }
  });

  it("takes several dimensions, several indices in one, and loops around", () => {
    const three = `def f(float(C, A, B, D) x, float(C, K, K, K) w) -> (y) {
      y(2 * a + i, b + 2 * j, 3 * d + k) +=! x(c, a, b, d) * w(c, i, j, k)
    }`;
    checkGathers(lowered(three, { C: 2, A: 2, B: 3, D: 2, K: 3 }));
    const several =
      "def f(float(A) x, float(B) w, float(D) v) -> (y) { y(a + b + 2 * d) +=! x(a) * w(b) * v(d) }";
    checkGathers(lowered(several, { A: 4, B: 3, D: 3 }));
    const loop = `def f(float(T, I) x, float(K) w, float(L) y) -> (y) {
      for t in T { y(t + 2 * i + k) += x(t, i) * w(k) + y(t) }
    }`;
    checkGathers(lowered(loop, { T: 3, I: 4, K: 3, L: 12 }));
  });

  it("drops what would be written outside, and keeps conditions on indices", () => {
    const random = seededRandom(5);
    for (let n = 0; n < 40; n++) {
      const L = random.integer(1, 14);
      const shift = random.integer(0, 3);
      const condition = random.pick(["", "i + k > 2 ? ", "i * 2 < 7 ? "]);
      const value = "x(c, i) * w(c, k)";
      const terms = condition === "" ? value : `${condition}${value} : 0`;
      const p = lowered(
        `def f(float(C, I) x, float(C, K) w, float(L) y) -> (y) {
          y(2 * i + k + ${shift}) += ${terms} where k in 0:K, i in 0:I
        }`,
        { ...sizes, L: L + 20 },
      );
      const clip = (q: Program): Program => ({
        ...q,
        tensors: q.tensors.map((t) => (t.name === "y" ? { ...t, shape: [L] } : t)),
      });
      checkGathers(clip(p));
    }
  });

  it.each([
    ["no scatter", "y(i) += x(c, i)", "it is no scatter"],
    ["an index that data choose", "y(int(w(c, k))) += x(c, i)", "an index is computed at run time"],
    ["parts of an index", "y(i / 2 + k) += x(c, i)", "an index is computed at run time"],
    [
      "triangles",
      "y(i + k) += x(c, i) * w(c, k) where i in 0:5, k in 0:min(3, i + 1)",
      "no two indices can be solved for each other",
    ],
  ])("refuses %s", (_name, body, why) => {
    const p = programOf(body);
    expect(reason(gatherTerms(p, { statement: "y", phases: "inside" }))).toBe(why);
    expect(gatherCandidates(p)).toEqual([]);
  });
});
