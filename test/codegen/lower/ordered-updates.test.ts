import { describe, expect, it } from "vitest";
import { type Affine, add, constant, lessThan, scale } from "../../../src/ir/affine.ts";
import { type Expression, read } from "../../../src/ir/expression.ts";
import { argMonoid, liftArg, ofBlocks } from "../../../src/ir/monoid.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import type { Loop, ScheduleNode } from "../../../src/ir/schedule.ts";
import { leaf, nest, on } from "../../ir/legality/build-schedule.ts";
import { argmin, dim, f32, program, statement, tensor, v } from "../../support/programs.ts";
import { bodyOf, runSchedule } from "../support/run-schedule.ts";

type Form = Parameters<typeof leaf>[1][string];

const [i, j, k] = [v("i"), v("j"), v("k")];

/** A loop that goes through the grid, one row of a result each, with all phases of `a` below. */
function byRow(
  rows: number,
  loops: readonly Loop[],
  reduced: Readonly<Record<string, Form>>,
): ScheduleNode {
  return nest(
    [on("grid", "g", rows)],
    leaf("a", { i: "g" }, "init"),
    nest(loops, leaf("a", { i: "g", ...reduced }, "update")),
    leaf("a", { i: "g" }, "finish"),
  );
}

async function textOf(p: Program, tree: ScheduleNode): Promise<string> {
  return bodyOf(await runSchedule(p, tree)).join("\n");
}

/** The greatest of `x(i, position)` over the last dims of `dims`, by that position. */
function argmax(
  rows: number,
  columns: number,
  dims: Parameters<typeof statement>[1]["dims"],
  position: Affine,
  guards: Parameters<typeof statement>[1]["guards"] = [],
): Program {
  const index: Expression = { kind: "coordinate", affine: position, type: "int32" };
  return program(
    "argmax",
    [tensor("x", "input", [rows, columns]), tensor("y", "output", [rows], "int32")],
    [
      statement("a", {
        dims: [dim("i", 0, rows), ...dims],
        guards,
        write: ["y", i],
        reads: [access("x", i, position)],
        monoid: argMonoid("max", "float32"),
        over: dims.map((d) => d.name),
        body: liftArg(f32(0), index),
      }),
    ],
  );
}

/** A candidate as good as the best so far is looked at by its index. */
const byIndex = /==/;

describe("the updates of an arg reduction", () => {
  it("compare values only where the candidates come by their index", async () => {
    const loops = [on("serial", "jo", 2), on("unroll", "ji", 4)];
    const text = await textOf(argmin(7), byRow(7, loops, { j: [4, "jo", "ji"] }));
    expect(text).not.toMatch(byIndex);
    expect(text).toContain("wins: bool = x_value < state");
    expect(text).not.toContain("2147483647");
  });

  it("start from the first index, or from -1 in rows that have none", async () => {
    const text = await textOf(argmin(5), byRow(5, [on("serial", "j", 4)], { j: "j" }));
    expect(text).toContain("select(workgroup-x >= 1u, 0i, -1i)");
  });

  it("know that there is a first one where the ranges say so", async () => {
    const p = argmax(3, 11, [dim("j", 4, 11)], j);
    const text = await textOf(p, byRow(3, [on("serial", "j", 7)], { j: ["j", 4] }));
    expect(text).not.toMatch(byIndex);
    expect(text).toContain("int32 = 4i");
  });

  it("stay in order under loops over other elements", async () => {
    const p = argmin(6);
    const row: Form = [2, "g", "m"];
    const tree = nest(
      [on("grid", "g", 3)],
      nest([on("unroll", "m", 2)], leaf("a", { i: row }, "init")),
      nest(
        [on("serial", "jo", 3), on("unroll", "m2", 2), on("unroll", "ji", 2)],
        leaf("a", { i: [2, "g", "m2"], j: [2, "jo", "ji"] }, "update"),
      ),
      nest([on("unroll", "m3", 2)], leaf("a", { i: [2, "g", "m3"] }, "finish")),
    );
    expect(await textOf(p, tree)).not.toMatch(byIndex);
  });

  it("are in order in a split range, whose last part is guarded", async () => {
    const position = add(scale(j, 4), k);
    const end = lessThan(position, constant(10));
    const p = argmax(3, 10, [dim("j", 0, 3), dim("k", 0, 4)], position, [end]);
    const loops = [on("serial", "jj", 3), on("unroll", "kk", 4)];
    expect(await textOf(p, byRow(3, loops, { j: "jj", k: "kk" }))).not.toMatch(byIndex);
    const back = [on("unroll", "kk", 4), on("serial", "jj", 3)];
    expect(await textOf(p, byRow(3, back, { j: "jj", k: "kk" }))).toMatch(byIndex);
  });

  it("compare indices too where the outer loop is the faster one", async () => {
    const loops = [on("serial", "jf", 4), on("unroll", "js", 2)];
    const text = await textOf(argmin(8), byRow(8, loops, { j: [4, "js", "jf"] }));
    expect(text).toMatch(byIndex);
    expect(text).toContain("2147483647i");
  });

  it("compare indices too where a range begins somewhere inside the loop", async () => {
    const p = argmax(5, 5, [dim("j", i, 5)], j);
    expect(await textOf(p, byRow(5, [on("serial", "j", 5)], { j: "j" }))).toMatch(byIndex);
  });

  it("compare indices too where these are not the loops' own", async () => {
    const p = argmin(4);
    const [a] = p.statements;
    const index: Expression = { kind: "cast", operand: read(0, "float32"), type: "int32" };
    const other = {
      ...p,
      statements: a === undefined ? [] : [{ ...a, body: liftArg(f32(0), index) }],
    };
    expect(await textOf(other, byRow(4, [on("serial", "j", 3)], { j: "j" }))).toMatch(byIndex);
  });
});

/** Like {@link argmax} over `j` in `0..columns`, but of the number of the block. */
function blockOf(rows: number, columns: number, size: number): Program {
  const monoid = ofBlocks(argMonoid("max", "float32"), size);
  const p = argmax(rows, columns, [dim("j", 0, columns)], j);
  const statements = p.statements.map((s) =>
    s.reduction === null || monoid === null ? s : { ...s, reduction: { ...s.reduction, monoid } },
  );
  return { ...p, statements };
}

/** How often a text compares values, and how often it sets an index. */
function choices(text: string): readonly number[] {
  return [/ wins\S*: bool/g, /^ *acc\.a_1\.0 = /gm].map((p) => text.match(p)?.length ?? 0);
}

describe("the updates of a block", () => {
  const step = [on("serial", "jo", 4), on("unroll", "ji", 4)];

  it("change values alone, and the index once behind them", async () => {
    const tree = byRow(5, step, { j: [4, "jo", "ji"] });
    const whole = await textOf(argmax(5, 16, [dim("j", 0, 16)], j), tree);
    expect(choices(whole)).toEqual([4, 4]);
    for (const size of [4, 8, 16]) {
      const text = await textOf(blockOf(5, 16, size), tree);
      expect(choices(text)).toEqual([5, 1]);
      expect(text).toContain(`floorDiv(state`);
    }
  });

  it("change the index each time where an iteration is of several blocks", async () => {
    for (const size of [2, 3, 6]) {
      const text = await textOf(blockOf(5, 16, size), byRow(5, step, { j: [4, "jo", "ji"] }));
      expect(choices(text)).toEqual([4, 4]);
    }
  });

  it("change the index each time where nothing is written out, or a loop is inside", async () => {
    const one = byRow(5, [on("serial", "j", 16)], { j: "j" });
    expect(choices(await textOf(blockOf(5, 16, 4), one))).toEqual([1, 1]);
    const inside = [on("unroll", "jo", 4), on("serial", "ji", 4)];
    const text = await textOf(blockOf(5, 16, 4), byRow(5, inside, { j: [4, "jo", "ji"] }));
    expect(choices(text)).toEqual([4, 4]);
  });

  it("are of blocks in a last part that is guarded, too", async () => {
    const text = await textOf(blockOf(5, 14, 8), byRow(5, step, { j: [4, "jo", "ji"] }));
    expect(choices(text)).toEqual([5, 1]);
  });
});
