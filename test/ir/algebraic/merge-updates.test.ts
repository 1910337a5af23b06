import { describe, expect, it } from "vitest";
import { mergeCandidates, mergeUpdates } from "../../../src/ir/algebraic/merge-updates.ts";
import { splitDomain } from "../../../src/ir/algebraic/split-domain.ts";
import { binary, read } from "../../../src/ir/expression.ts";
import { simpleMonoid } from "../../../src/ir/monoid.ts";
import type { Program, Statement } from "../../../src/ir/program.ts";
import {
  elman,
  program,
  reads,
  type StatementSpec,
  statement,
  tensor,
} from "../dependences/build-program.ts";
import { applied, lines, reason } from "./rewrites.ts";

const tensors = [
  tensor("A", [4, 6], "input"),
  tensor("B", [6, 6], "input"),
  tensor("b", [4], "input"),
  tensor("C", [4]),
  tensor("D", [4]),
];

function two(first: StatementSpec, second: StatementSpec, ...more: readonly Statement[]): Program {
  return program(tensors, [statement("S", first), ...more, fromOwn(statement("T", second))]);
}

/** A reduction that starts from exactly the element that it reads first. */
function fromOwn(s: Statement): Statement {
  const { reduction } = s;
  if (reduction === null || reduction.init === null) return s;
  return { ...s, reduction: { ...reduction, init: [read(0, "float32")] } };
}

const sum: StatementSpec = {
  dims: [
    ["i", 4],
    ["k", 6],
  ],
  write: ["C", "i"],
  reads: [reads("A", "i", "k")],
  sum: ["k"],
};

/** The same with other names, from what `C` holds. */
const sumOnto: StatementSpec = {
  dims: [
    ["m", 6],
    ["j", 4],
  ],
  write: ["C", "j"],
  reads: [reads("C", "j"), reads("B", "j", "m")],
  sum: ["m"],
  init: [0],
};

const bias: StatementSpec = { dims: [["i", 4]], write: ["C", "i"], reads: [reads("b", "i")] };
const target = { first: "S", second: "T" };

describe("mergeUpdates", () => {
  it("starts a reduction from what the first statement would have stored", () => {
    expect(lines(applied(mergeUpdates(two(bias, sumOnto), target)))).toEqual([
      "T: { m in 0..6, i in 0..4 } C(i) = (0 + b(i)) with sum[m] (0 + B(i, m))",
    ]);
  });

  it("makes one reduction of two over equal ranges, whatever their dims are called", () => {
    expect(lines(applied(mergeUpdates(two(sum, sumOnto), target)))).toEqual([
      "T: { i in 0..4, k in 0..6 } C(i) = sum[k] ((0 + A(i, k)) + (0 + B(i, k)))",
    ]);
  });

  it("keeps what the second reduction adds to the element before it begins", () => {
    const p = program(tensors, [statement("S", sum), statement("T", sumOnto)]);
    expect(lines(applied(mergeUpdates(p, target)))).toEqual([
      "T: { i in 0..4, k in 0..6 } C(i) = 0 with sum[k] ((0 + A(i, k)) + (0 + B(i, k)))",
    ]);
  });

  it("shifts the second range onto the first", () => {
    const shifted = { ...sumOnto, dims: [["m", 1, 7] as const, ["j", 4] as const] };
    const moved = { ...shifted, reads: [reads("C", "j"), reads("B", "j", ["m", -1])] };
    expect(lines(applied(mergeUpdates(two(sum, moved), target)))).toEqual([
      "T: { i in 0..4, k in 0..6 } C(i) = sum[k] ((0 + A(i, k)) + (0 + B(i, k)))",
    ]);
  });

  it("refuses reductions over ranges of other lengths", () => {
    const longer = { ...sumOnto, dims: [["m", 5] as const, ["j", 4] as const] };
    expect(reason(mergeUpdates(two(sum, longer), target))).toBe(
      "the reduced dims have other ranges",
    );
  });

  it("refuses reductions by different monoids", () => {
    const p = two(sum, sumOnto);
    const other = p.statements.map((s): Statement => {
      const { reduction } = s;
      if (s.id !== "T" || reduction === null) return s;
      return { ...s, reduction: { ...reduction, monoid: simpleMonoid("max", "float32") } };
    });
    const result = mergeUpdates({ ...p, statements: other }, target);
    expect(reason(result)).toBe("the reductions have different monoids");
  });

  for (const side of ["left", "right"] as const) {
    it(`takes an addition to a sum, the element on the ${side}, into its start`, () => {
      const p = two(sum, { ...bias, reads: [reads("C", "i"), reads("b", "i")] });
      const [own, other] = [read(0, "float32"), read(1, "float32")];
      const body = [
        side === "left" ? binary("+", own, other, "float32") : binary("+", other, own, "float32"),
      ];
      const statements = p.statements.map((s) => (s.id === "T" ? { ...s, body } : s));
      expect(lines(applied(mergeUpdates({ ...p, statements }, target)))).toEqual([
        "T: { i in 0..4, k in 0..6 } C(i) = b(i) with sum[k] (0 + A(i, k))",
      ]);
    });
  }

  it("refuses to take a product into the start of a sum", () => {
    const p = two(sum, { ...bias, reads: [reads("C", "i"), reads("b", "i")] });
    const body = [binary("*", read(0, "float32"), read(1, "float32"), "float32")];
    const statements = p.statements.map((s) => (s.id === "T" ? { ...s, body } : s));
    expect(reason(mergeUpdates({ ...p, statements }, target))).toBe(
      "the second statement does not combine with the first one's monoid",
    );
  });

  it("substitutes the first value in the second, and drops it when it is overwritten", () => {
    const update = { ...bias, reads: [reads("C", "i"), reads("D", "i")] };
    expect(lines(applied(mergeUpdates(two(bias, update), target)))).toEqual([
      "T: { i in 0..4 } C(i) = ((0 + (0 + b(i))) + D(i))",
    ]);
    expect(lines(applied(mergeUpdates(two(sum, bias), target)))).toEqual([
      "T: { i in 0..4 } C(i) = (0 + b(i))",
    ]);
  });

  it("refuses a second sum whose terms use the element", () => {
    const spec = { ...sumOnto, reads: [reads("C", "j"), reads("C", "j"), reads("B", "j", "m")] };
    expect(reason(mergeUpdates(two(sum, spec), target))).toBe("the second body reads the element");
    expect(reason(mergeUpdates(two(bias, spec), target))).toBe(
      "the second statement would compute the first one's value for each reduced point",
    );
  });

  it("refuses when the second statement reads other elements, or writes others", () => {
    const shifted = { ...bias, dims: [["i", 3] as const], reads: [reads("C", ["i", 1])] };
    expect(reason(mergeUpdates(two(bias, shifted), target))).toBe("they write different elements");
    const reversed = { ...bias, reads: [reads("C", [3, -1, "i"])] };
    expect(reason(mergeUpdates(two(bias, reversed), target))).toBe(
      "the second statement reads other elements of the tensor",
    );
  });

  it("moves the first past statements that do not touch it, and past no others", () => {
    const elsewhere = statement("M", { ...bias, write: ["D", "i"] });
    expect(mergeUpdates(two(bias, sumOnto, elsewhere), target).kind).toBe("rewritten");
    const between = statement("M", { ...bias, write: ["D", "i"], reads: [reads("C", "i")] });
    expect(reason(mergeUpdates(two(bias, sumOnto, between), target))).toBe(
      "they cannot be made neighbours",
    );
  });

  it("gives Elman's recurrence one reduction per step, after its added product is split", () => {
    const split = applied(splitDomain(elman(5, 2, 4, 4), { statement: "added", dim: "t", at: 1 }));
    const candidates = mergeCandidates(split);
    const merged = candidates.reduce((p, c) => applied(mergeUpdates(p, c)), split);
    expect(merged.statements.map((s) => s.id)).toEqual(["added.lo", "added.hi"]);
    expect(candidates).toEqual([
      { path: "added.lo/merge", first: "first", second: "added.lo" },
      { path: "added.hi/merge", first: "later", second: "added.hi" },
    ]);
  });
});
