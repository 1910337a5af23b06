import { describe, expect, it } from "vitest";
import { nonnegative } from "../../../src/ir/affine.ts";
import { splitCandidates, splitDomain } from "../../../src/ir/algebraic/split-domain.ts";
import { state } from "../../../src/ir/expression.ts";
import { argMonoid, type Monoid, simpleMonoid } from "../../../src/ir/monoid.ts";
import type { Statement } from "../../../src/ir/program.ts";
import {
  affine,
  elman,
  matmul,
  program,
  reads,
  statement,
  tensor,
} from "../dependences/build-program.ts";
import { applied, lines, reason } from "./rewrites.ts";

describe("splitDomain", () => {
  it("runs the first rows before the others", () => {
    const p = splitDomain(matmul(4, 5, 6), { statement: "S", dim: "i", at: 1 });
    expect(lines(applied(p))).toEqual([
      "S.lo: { i in 0..1, j in 0..5, k in 0..6 } C(i, j) = sum[k] ((0 + A(i, k)) + B(k, j))",
      "S.hi: { i in 1..4, j in 0..5, k in 0..6 } C(i, j) = sum[k] ((0 + A(i, k)) + B(k, j))",
    ]);
  });

  it("continues a reduction from what the first part stored", () => {
    const p = splitDomain(matmul(4, 5, 6), { statement: "S", dim: "k", at: 4 });
    expect(lines(applied(p))).toEqual([
      "S.lo: { i in 0..4, j in 0..5, k in 0..4 } C(i, j) = sum[k] ((0 + A(i, k)) + B(k, j))",
      "S.hi: { i in 0..4, j in 0..5, k in 4..6 } C(i, j) = C(i, j) with sum[k] ((0 + A(i, k)) + B(k, j))",
    ]);
  });

  it("keeps the bounds of triangles as guards where they still cut", () => {
    const triangle = statement("S", {
      dims: [
        ["i", 8],
        ["j", ["i", 1]],
      ],
      write: ["C", "i", "j"],
      reads: [reads("A", "j")],
    });
    const p = program([tensor("A", [8], "input"), tensor("C", [8, 8])], [triangle]);
    expect(lines(applied(splitDomain(p, { statement: "S", dim: "j", at: 4 })))).toEqual([
      "S.lo: { i in 0..8, j in 0..4 | i - j >= 0 } C(i, j) = (0 + A(j))",
      "S.hi: { i in 0..8, j in 4..i + 1 } C(i, j) = (0 + A(j))",
    ]);
  });

  it("guards a program loop's variable instead of changing its bounds", () => {
    const p = applied(splitDomain(elman(5, 2, 3, 4), { statement: "added", dim: "t", at: 1 }));
    const [lo, hi] = p.statements.slice(2);
    expect(lo?.domain.guards).toEqual([nonnegative(affine([-1, "t"]))]);
    expect(hi?.domain.guards).toEqual([nonnegative(affine(["t", -1]))]);
    expect(lo?.domain.dims[0]).toEqual(hi?.domain.dims[0]);
  });

  it("refuses when the second half would read what the first has written", () => {
    const reverse = statement("S", {
      dims: [["i", 8]],
      write: ["x", "i"],
      reads: [reads("x", [7, -1, "i"])],
    });
    const p = program([tensor("x", [8], "inout")], [reverse]);
    expect(reason(splitDomain(p, { statement: "S", dim: "i", at: 4 }))).toBe(
      "the second half may read what the first writes",
    );
    expect(splitCandidates(p)).toEqual([]);
  });

  it("splits what reads its tensor only where the second half's reads are its own", () => {
    const shift = statement("S", {
      dims: [["i", 7]],
      write: ["x", "i"],
      reads: [reads("x", ["i", 1])],
    });
    const p = program([tensor("x", [8], "inout")], [shift]);
    expect(splitDomain(p, { statement: "S", dim: "i", at: 4 }).kind).toBe("rewritten");
  });

  const plain = simpleMonoid("+", "float32");
  const mean: Monoid = {
    ...plain,
    state: ["float32", "float32"],
    project: state("left", 0, "float32"),
  };
  for (const monoid of [argMonoid("max", "float32"), mean]) {
    it(`refuses to continue a reduction whose element is not its state: ${monoid.name}`, () => {
      const several: Statement = {
        ...statement("S", { dims: [["k", 8]], write: ["C"], reads: [reads("A", "k")], sum: ["k"] }),
        reduction: { monoid, dims: ["k"], init: null, projected: true },
      };
      const p = program([tensor("A", [8], "input"), tensor("C", [])], [several]);
      expect(reason(splitDomain(p, { statement: "S", dim: "k", at: 4 }))).toBe(
        "the element is not the state of the reduction",
      );
    });
  }

  it("refuses a value that leaves a half empty, and what does not exist", () => {
    const p = matmul(4, 5, 6);
    for (const at of [0, 4, -1, 1.5]) {
      expect(reason(splitDomain(p, { statement: "S", dim: "i", at }))).toBe(
        "one half would be empty",
      );
    }
    expect(reason(splitDomain(p, { statement: "S", dim: "z", at: 1 }))).not.toBe("");
  });

  it("offers peels, full tiles and the edges of guards", () => {
    const padded = statement("S", {
      dims: [["i", 11]],
      write: ["C", "i"],
      reads: [{ ...reads("A", ["i", -2]), guard: [nonnegative(affine(["i", -2]))] }],
    });
    const p = program([tensor("A", [11], "input"), tensor("C", [11])], [padded]);
    expect(splitCandidates(p)).toEqual([
      {
        path: "S/split/p0",
        statement: "S",
        dim: "i",
        at: [
          { name: "first", at: 1 },
          { name: "edge 0", at: 2 },
          { name: "tiles 4", at: 8 },
          { name: "last", at: 10 },
        ],
      },
    ]);
  });
});
