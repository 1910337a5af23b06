import { describe, expect, it } from "vitest";
import { constant, lessThan, nonnegative } from "../../../src/ir/affine.ts";
import { inlineCandidates, inlineTemporary } from "../../../src/ir/algebraic/inline.ts";
import { type Expression, read } from "../../../src/ir/expression.ts";
import type { Program, Statement } from "../../../src/ir/program.ts";
import {
  affine,
  loop,
  program,
  reads,
  run,
  type StatementSpec,
  statement,
  tensor,
} from "../dependences/build-program.ts";
import { applied, lines, reason } from "./rewrites.ts";

const tensors = [
  tensor("A", [8], "input"),
  tensor("X", [8], "inout"),
  tensor("T", [8], "temporary"),
  tensor("C", [8]),
  tensor("D", [8, 8]),
];
const produce: StatementSpec = { dims: [["i", 8]], write: ["T", "i"], reads: [reads("A", "i")] };
const consume: StatementSpec = { dims: [["i", 8]], write: ["C", "i"], reads: [reads("T", "i")] };
const target = { tensor: "T" };

function both(producer: StatementSpec, reader: StatementSpec, ...more: Statement[]): Program {
  return program(tensors, [statement("P", producer), ...more, statement("R", reader)]);
}

/** A statement whose body is its first read, unchanged. */
function copying(s: Statement): Statement {
  return { ...s, body: [read(0, "float32")] };
}

/** Reads T(i - 1) under a guard. */
const padded: StatementSpec = {
  ...consume,
  reads: [{ ...reads("T", ["i", -1]), guard: [nonnegative(affine(["i", -1]))], fill: 5 }],
};

describe("inlineTemporary", () => {
  it("computes the value where it is read, and removes the temporary", () => {
    const p = applied(inlineTemporary(both(produce, consume), target));
    expect(lines(p)).toEqual(["R: { i in 0..8 } C(i) = (0 + (0 + A(i)))"]);
    expect(p.tensors.map((t) => t.name)).toEqual(["A", "X", "C", "D"]);
  });

  it("solves the written index for the dims, reversed and shifted", () => {
    const reversed = { ...produce, write: ["T", [7, -1, "i"]] as const };
    const strided = { ...consume, dims: [["i", 4] as const], reads: [reads("T", [2, "i", 1])] };
    expect(lines(applied(inlineTemporary(both(reversed, strided), target)))).toEqual([
      "R: { i in 0..4 } C(i) = (0 + (0 + A(-2*i + 6)))",
    ]);
  });

  it("moves quotients along, under names of their own", () => {
    const halves: StatementSpec = {
      ...produce,
      quotients: [{ name: "q", numerator: affine("i"), divisor: 2 }],
      reads: [reads("A", "q")],
    };
    const reader: StatementSpec = {
      ...consume,
      quotients: [{ name: "q", numerator: affine("i"), divisor: 3 }],
      reads: [reads("T", "q"), reads("A", "q")],
    };
    expect(lines(applied(inlineTemporary(both(halves, reader), target)))).toEqual([
      "R: { i in 0..8 ; q = (i) / 3, q_ = (q) / 2 } C(i) = ((0 + (0 + A(q_))) + A(q))",
    ]);
  });

  it("selects the fill where the guard of a padded read fails", () => {
    expect(lines(applied(inlineTemporary(both(produce, padded), target)))).toEqual([
      "R: { i in 0..8 } C(i) = (0 + (([i - 1] >= 0) ? (0 + (i - 1 >= 0 ? A(i - 1) : 0)) : 5))",
    ]);
  });

  it("passes the guard on to a copied element", () => {
    const p = both(produce, padded);
    const statements = p.statements.map((s) => (s.id === "P" ? copying(s) : s));
    expect(lines(applied(inlineTemporary({ ...p, statements }, target)))).toEqual([
      "R: { i in 0..8 } C(i) = (0 + (i - 1 >= 0 ? A(i - 1) : 5))",
    ]);
  });

  it("replaces a read inside an index", () => {
    const p = both(produce, { ...consume, reads: [reads("T", "i"), reads("A", "i")] });
    const gather: Expression = read(0, "int32");
    const statements = p.statements.map((s): Statement => {
      if (s.id === "P") return copying(s);
      const [t, a] = s.reads;
      if (t === undefined || a === undefined) return s;
      const index = [{ kind: "opaque", expression: gather } as const];
      return { ...s, reads: [t, { ...a, index }], body: [read(1, "float32")] };
    });
    expect(lines(applied(inlineTemporary({ ...p, statements }, target)))).toEqual([
      "R: { i in 0..8 } C(i) = A(A(i))",
    ]);
  });

  it("takes all readers, also those in a deeper loop, or none", () => {
    const inner = statement("Q", {
      loops: ["t"],
      dims: [
        ["t", 8],
        ["j", 8],
      ],
      write: ["D", "t", "j"],
      reads: [reads("T", "j"), reads("T", "t")],
    });
    const p = both(produce, consume, inner);
    const tree = [run("P"), loop("t", 8, run("Q")), run("R")];
    expect(lines(applied(inlineTemporary({ ...p, tree }, target)))).toEqual([
      "Q: { t in 0..8, j in 0..8 } D(t, j) = ((0 + (0 + A(j))) + (0 + A(t)))",
      "R: { i in 0..8 } C(i) = (0 + (0 + A(i)))",
    ]);
    const before = [loop("t", 8, run("Q")), run("P"), run("R")];
    expect(reason(inlineTemporary({ ...p, tree: before }, target))).toBe(
      "a reader does not follow in the same iteration",
    );
  });

  it("refuses when a reader may see what was not written", () => {
    const part = { ...produce, dims: [["i", 7] as const] };
    expect(reason(inlineTemporary(both(part, consume), target))).toBe(
      "a reader reads elements that are not surely written",
    );
    const guarded = { ...produce, guards: [lessThan(affine("i"), constant(7))] };
    expect(reason(inlineTemporary(both(guarded, consume), target))).toBe(
      "a reader reads elements that are not surely written",
    );
    const seven = { ...consume, dims: [["i", 7] as const] };
    expect(inlineTemporary(both(guarded, seven), target).kind).toBe("rewritten");
  });

  it("refuses when what the value is made of changes in between", () => {
    const fromX = { ...produce, reads: [reads("X", "i")] };
    const change = statement("M", { dims: [["i", 8]], write: ["X", "i"], reads: [] });
    expect(reason(inlineTemporary(both(fromX, consume, change), target))).toBe(
      "what the value is made of is overwritten before it is read",
    );
    const atOnce = { ...consume, write: ["X", [7, -1, "i"]] as const };
    expect(inlineTemporary(both(fromX, atOnce), target).kind).toBe("rewritten");
  });

  it("refuses reductions, second definitions and what the caller sees", () => {
    const sum = {
      ...produce,
      dims: [
        ["i", 8],
        ["k", 8],
      ] as const,
      sum: ["k"],
    };
    expect(reason(inlineTemporary(both(sum, consume), target))).toBe(
      "it is the result of a reduction",
    );
    const again = statement("M", produce);
    expect(reason(inlineTemporary(both(produce, consume, again), target))).toBe(
      "not one statement defines it",
    );
    expect(reason(inlineTemporary(both(produce, consume), { tensor: "C" }))).toBe(
      "it is no temporary",
    );
    expect(inlineCandidates(both(sum, consume))).toEqual([]);
  });

  it("names candidates after the defining statement", () => {
    expect(inlineCandidates(both(produce, consume))).toEqual([{ path: "P/inline", tensor: "T" }]);
  });
});
