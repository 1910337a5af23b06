import { describe, expect, it } from "vitest";
import { variable } from "../../../src/ir/affine.ts";
import {
  factorCandidates,
  factorOrders,
  factorReduction,
} from "../../../src/ir/algebraic/factor-reduction.ts";
import { type Expression, read } from "../../../src/ir/expression.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { argMonoid, liftArg } from "../../../src/ir/monoid.ts";
import type { Statement } from "../../../src/ir/program.ts";
import { matmul, program, reads, statement, tensor } from "../dependences/build-program.ts";
import { applied, lines, reason } from "./rewrites.ts";

const scatter = program(
  [tensor("A", [8], "input"), tensor("C", [8], "inout")],
  [
    statement("S", {
      dims: [["k", 8]],
      write: ["C", "k"],
      reads: [reads("A", "k")],
      sum: ["k"],
    }),
  ],
);

describe("factorReduction", () => {
  it("deals every so-manieth value to a part, with a guard where parts differ in length", () => {
    const target = { statement: "S", dim: "k", order: "strided", size: 4 } as const;
    const p = applied(factorReduction(matmul(2, 3, 10), target));
    expect(lines(p)).toEqual([
      "S.part: { i in 0..2, j in 0..3, k_part in 0..4, k_in in 0..3 | -4*k_in - k_part + 9 >= 0 } C_part(i, j, k_part) = state of sum[k_in] ((0 + A(i, 4*k_in + k_part)) + B(4*k_in + k_part, j))",
      "S.combine: { i in 0..2, j in 0..3, k_part in 0..4 } C(i, j) = sum[k_part] C_part(i, j, k_part)",
    ]);
    const partial = p.tensors.find((t) => t.name === "C_part");
    expect(partial).toMatchObject({ shape: [2, 3, 4], role: "temporary", components: ["float32"] });
  });

  it("gives values in a row to a part, without a guard where they divide the range", () => {
    const target = { statement: "S", dim: "k", order: "blocked", size: 4 } as const;
    expect(lines(applied(factorReduction(matmul(2, 3, 8), target)))).toEqual([
      "S.part: { i in 0..2, j in 0..3, k_part in 0..2, k_in in 0..4 } C_part(i, j, k_part) = state of sum[k_in] ((0 + A(i, k_in + 4*k_part)) + B(k_in + 4*k_part, j))",
      "S.combine: { i in 0..2, j in 0..3, k_part in 0..2 } C(i, j) = sum[k_part] C_part(i, j, k_part)",
    ]);
  });

  it("gives values in a row to a slice, which lies as the result does", () => {
    const target = { statement: "S", dim: "k", order: "slices", size: 4 } as const;
    const p = applied(factorReduction(matmul(2, 3, 10), target));
    expect(lines(p)).toEqual([
      "S.part: { k_part in 0..3, i in 0..2, j in 0..3, k_in in 0..4 | -k_in - 4*k_part + 9 >= 0 } C_part(k_part, i, j) = state of sum[k_in] ((0 + A(i, k_in + 4*k_part)) + B(k_in + 4*k_part, j))",
      "S.combine: { i in 0..2, j in 0..3, k_part in 0..3 } C(i, j) = sum[k_part] C_part(k_part, i, j)",
    ]);
    expect(p.tensors.find((t) => t.name === "C_part")?.shape).toEqual([3, 2, 3]);
  });

  it("starts from the element in the combining statement only, and guards triangles", () => {
    const triangle = statement("S", {
      dims: [
        ["i", 1, 5],
        ["k", 0, ["i", 1]],
      ],
      write: ["C", "i"],
      reads: [reads("C", "i"), reads("A", "k")],
      sum: ["k"],
      init: [0],
    });
    const p = program([tensor("A", [6], "input"), tensor("C", [6], "inout")], [triangle]);
    const target = { statement: "S", dim: "k", order: "strided", size: 2 } as const;
    expect(lines(applied(factorReduction(p, target)))).toEqual([
      "S.part: { i in 1..5, k_part in 0..2, k_in in 0..3 | i - 2*k_in - k_part >= 0 } C_part(i - 1, k_part) = state of sum[k_in] (0 + A(2*k_in + k_part))",
      "S.combine: { i in 1..5, k_part in 0..2 } C(i) = (0 + C(i)) with sum[k_part] C_part(i - 1, k_part)",
    ]);
  });

  it("keeps all components of an arg reduction, ties to the smallest index", () => {
    const index: Expression = { kind: "coordinate", affine: variable("k"), type: "int32" };
    const plain = statement("S", {
      dims: [["k", 7]],
      write: ["C"],
      reads: [reads("A", "k")],
      sum: ["k"],
    });
    const arg: Statement = {
      ...plain,
      reduction: { monoid: argMonoid("max", "float32"), dims: ["k"], init: null, projected: true },
      body: liftArg(read(0, "float32"), index),
    };
    const result = { ...tensor("C", []), components: ["int32"] as const };
    const p = program([tensor("A", [7], "input"), result], [arg]);
    for (const order of factorOrders) {
      const q = applied(factorReduction(p, { statement: "S", dim: "k", order, size: 3 }));
      expect(q.tensors.find((t) => t.name === "C_part")?.components).toEqual(["float32", "int32"]);
      const { tensors } = interpret(q, { A: [1, 3, 9, 2, 9, 9, 0] });
      expect(tensors.get("C")?.data[0]).toBe(2);
    }
  });

  it("refuses scatters, parallel dims and sizes that are none", () => {
    const strided = { statement: "S", order: "strided" } as const;
    expect(reason(factorReduction(scatter, { ...strided, dim: "k", size: 2 }))).toBe(
      "a scatter has no element that parts could share",
    );
    const p = matmul(2, 3, 8);
    expect(reason(factorReduction(p, { ...strided, dim: "i", size: 2 }))).toBe(
      "the dim is not reduced",
    );
    for (const size of [0, -1, 1.5]) {
      expect(reason(factorReduction(p, { ...strided, dim: "k", size }))).toBe(
        "the size is not a positive integer",
      );
    }
  });

  it("offers the powers of two below the extent", () => {
    expect(factorCandidates(matmul(2, 3, 9))).toEqual([
      { path: "S/factor/r0", statement: "S", dim: "k", sizes: [2, 4, 8] },
    ]);
    expect(factorCandidates(scatter)).toEqual([]);
  });
});
