import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Affine, add, constant, lessThan, scale } from "../../../src/ir/affine.ts";
import { blocksCandidates, searchBlocks } from "../../../src/ir/algebraic/search-blocks.ts";
import { type Expression, read } from "../../../src/ir/expression.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { argMonoid, liftArg } from "../../../src/ir/monoid.ts";
import { type Access, access, type Program, type Statement } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { argmin, dim, f32, matmul, program, statement, tensor, v } from "../../support/programs.ts";
import { applied, lines, reason } from "./rewrites.ts";

const [i, j] = [v("i"), v("j")];

/** `y(i)`: where `x(i, j + from)` is greatest for `j` in `from` to `to`; its index, plus `shift`. */
function argmax(rows: number, [from, to]: readonly [number, number], shift = 0): Program {
  const index: Expression = { kind: "coordinate", affine: add(j, constant(shift)), type: "int32" };
  return program(
    "argmax",
    [tensor("x", "input", [rows, to]), tensor("y", "output", [rows], "int32")],
    [
      statement("a", {
        dims: [dim("i", 0, rows), dim("j", from, to)],
        write: ["y", i],
        reads: [access("x", i, j)],
        monoid: argMonoid("max", "float32"),
        over: ["j"],
        body: liftArg(f32(0), index),
      }),
    ],
  );
}

/** The program with its only statement changed. */
function changed(p: Program, change: (s: Statement) => Statement): Program {
  return { ...p, statements: p.statements.map(change) };
}

function found(p: Program, x: readonly number[]): readonly number[] {
  return Array.from(interpret(p, { x }).tensors.get("y")?.data ?? []);
}

/** Where each row is greatest from a column on, by a plain loop; -1 where it has no numbers. */
function greatest(x: readonly number[], columns: number, from: number): readonly number[] {
  return Array.from({ length: x.length / columns }, (_, row) => {
    let best = -1;
    for (let c = from; c < columns; c++) {
      const value = x[row * columns + c] ?? 0;
      if (Number.isNaN(value)) continue;
      if (best < 0 || value > (x[row * columns + best] ?? 0)) best = c;
    }
    return best;
  });
}

function why(p: Program, size = 4): string {
  return reason(searchBlocks(p, { statement: p.statements[0]?.id ?? "", size }));
}

describe("searchBlocks", () => {
  it("finds the block first, then the place in it", () => {
    const p = applied(searchBlocks(argmax(3, [0, 10]), { statement: "a", size: 4 }));
    expect(lines(p)).toEqual([
      "a.blocks: { i in 0..3, j in 0..10 } y_block(i) = argmax/4[j] <x(i, j), [j]>",
      "a.candidates: { i in 0..3, j_in in 0..4 } y(i) = argmax[j_in] " +
        "<x(i, ((((y_block(i) max 0) * 4) + [j_in]) min 9)), ((((y_block(i) max 0) * 4) + [j_in]) min 9)>",
    ]);
    expect(p.tensors.at(-1)).toMatchObject({ name: "y_block", shape: [3], role: "temporary" });
    expect(verifyProgram(p)).toEqual([]);
  });

  it("gives the least of the best indices, whatever the sizes, ties, infinities and NaNs", () => {
    const value = fc.constantFrom(-Infinity, -1, -0, 0, 1, 2, Infinity, Number.NaN);
    const shape = fc.record({
      rows: fc.constantFrom(1, 2, 3),
      from: fc.constantFrom(0, 1, 5),
      extent: fc.constantFrom(1, 2, 3, 4, 5, 7, 8, 13, 16, 17),
      size: fc.constantFrom(2, 3, 4, 8, 16),
      shift: fc.constantFrom(0, 3),
    });
    const cases = shape.chain((s) => {
      const length = s.rows * (s.from + s.extent);
      return fc.record({
        shape: fc.constant(s),
        x: fc.array(value, { minLength: length, maxLength: length }),
      });
    });
    fc.assert(
      fc.property(cases, ({ shape: { rows, from, extent, size, shift }, x }) => {
        const p = argmax(rows, [from, from + extent], shift);
        const q = applied(searchBlocks(p, { statement: "a", size }));
        const expected = greatest(x, from + extent, from).map((c) => (c < 0 ? c : c + shift));
        expect(found(p, x)).toEqual(expected);
        expect(found(q, x)).toEqual(expected);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("stays in the block that was found where no candidate counts", () => {
    const q = applied(searchBlocks(argmax(1, [0, 9]), { statement: "a", size: 4 }));
    expect(
      found(
        q,
        Array.from({ length: 9 }, () => Number.NaN),
      ),
    ).toEqual([-1]);
  });

  it("reads other tensors, and computes with the index, for the candidates that are left", () => {
    const n: Affine = add(scale(j, 2), constant(1));
    const sum = (left: Expression, right: Expression): Expression => {
      return { kind: "binary", operator: "+", left, right, type: "float32" };
    };
    const p = changed(argmax(2, [0, 7]), (s) => ({
      ...s,
      reads: [...s.reads, access("w", n)],
      body: liftArg(
        sum(sum(f32(0), f32(1)), {
          kind: "cast",
          operand: { kind: "coordinate", affine: add(scale(j, 3), i), type: "int32" },
          type: "float32",
        }),
        { kind: "coordinate", affine: j, type: "int32" },
      ),
    }));
    const whole = { ...p, tensors: [...p.tensors, tensor("w", "input", [14])] };
    const inputs = {
      x: [9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      w: [0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 13, 0, 0],
    };
    const q = applied(searchBlocks(whole, { statement: "a", size: 4 }));
    expect(verifyProgram(q)).toEqual([]);
    // Row 0: 9 + 20 at 0 against 13 + 15 at 5; row 1: 20 + 1 at 0 against 13 + 16 at 5.
    expect(Array.from(interpret(q, inputs).tensors.get("y")?.data ?? [])).toEqual([0, 5]);
  });

  it("refuses what is no search of the same range for all elements", () => {
    const p = argmax(3, [0, 10]);
    const change = (by: (s: Statement) => Partial<Statement>): Program =>
      changed(p, (s) => ({ ...s, ...by(s) }));
    expect(why(matmul(2, 3, 8))).toBe("no state is the better one");
    expect(why(argmin(5))).toBe("the range depends on others");
    const guarded = change((s) => ({
      domain: { ...s.domain, guards: [lessThan(add(i, j), constant(9))] },
    }));
    expect(why(guarded)).toBe("not all candidates are compared for all elements");
    const padded = change((s) => ({
      reads: s.reads.map((r): Access => ({ ...r, guard: [lessThan(j, constant(8))] })),
    }));
    expect(why(padded)).toBe("not all candidates are compared for all elements");
    const other = change(() => ({
      body: liftArg(f32(0), { kind: "cast", operand: read(0, "float32"), type: "int32" }),
    }));
    expect(why(other)).toBe("what is stored is no index");
    const twice = change(() => ({
      body: liftArg(f32(0), { kind: "coordinate", affine: scale(j, 2), type: "int32" }),
    }));
    expect(why(twice)).toBe("what is stored is another index");
    const state = change((s) => ({
      reduction: s.reduction === null ? null : { ...s.reduction, projected: false },
    }));
    expect(why(state)).toBe("it is part of another reduction");
    expect(why(argmax(3, [4, 4]))).toBe("the domain is empty");
    for (const size of [1, 0, -4, 2.5]) expect(why(p, size)).toBe("the size is no integer above 1");
  });

  it("takes a reduction apart once", () => {
    const p = applied(searchBlocks(argmax(3, [0, 40]), { statement: "a", size: 4 }));
    expect(reason(searchBlocks(p, { statement: "a.blocks", size: 4 }))).toBe(
      "it is in blocks already",
    );
    expect(reason(searchBlocks(p, { statement: "a.candidates", size: 2 }))).toBe(
      "what is stored is no index",
    );
    expect(blocksCandidates(p)).toEqual([]);
  });

  it("offers blocks that are less than the whole range", () => {
    const offered = (to: number): unknown => blocksCandidates(argmax(3, [0, to]));
    expect(offered(17)).toEqual([{ path: "a/blocks/r0", statement: "a", sizes: [4, 8, 16] }]);
    expect(offered(8)).toEqual([{ path: "a/blocks/r0", statement: "a", sizes: [4] }]);
    expect(offered(4)).toEqual([]);
    expect(blocksCandidates(matmul(2, 3, 9))).toEqual([]);
  });
});
