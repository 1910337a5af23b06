/** Which loops go along rows that begin anywhere in vectors of memory. */
import { describe, expect, it } from "vitest";
import {
  addConstant,
  type Constraint,
  lessThan,
  nonnegative,
  scale,
} from "../../../src/ir/affine.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { simpleMonoid } from "../../../src/ir/monoid.ts";
import { type Access, access, type Program, type Tensor } from "../../../src/ir/program.ts";
import {
  type Band,
  type Loop,
  printSchedule,
  type ScheduleNode,
} from "../../../src/ir/schedule.ts";
import { markAligned, oddRowLoops } from "../../../src/ir/scheduling/mark-aligned.ts";
import { dim, f32, program, statement, tensor, v } from "../../support/programs.ts";
import { leaf, nest, on } from "../legality/build-schedule.ts";

const [i, j] = [v("i"), v("j")];

function asBand(node: ScheduleNode): Band {
  if (node.kind !== "band") throw new Error("no kernel");
  return node;
}

interface Rows {
  readonly read?: Access;
  readonly x?: Partial<Tensor>;
  readonly upper?: Parameters<typeof dim>[2];
  readonly guards?: readonly Constraint[];
}

/** `y(i)` as a sum over the first `m` of `pitch` elements of each row of `x`. */
function rowSums(n: number, m: number, pitch: number, rows: Rows = {}): Program {
  const { read = access("x", i, j), x = {}, upper = m, guards = [] } = rows;
  const s = statement("s", {
    dims: [dim("i", 0, n), dim("j", 0, upper)],
    guards,
    write: ["y", i],
    reads: [read],
    body: f32(0),
    monoid: simpleMonoid("+", "float32"),
    over: ["j"],
  });
  const tensors = [{ ...tensor("x", "input", [n, pitch]), ...x }, tensor("y", "output", [n])];
  return program("rows", tensors, [s]);
}

/** Each of 4 invocations has rows of its own. */
function byRows(n: number, m: number, inner: readonly Loop[] = [on("serial", "r", m)]): Band {
  const at = { i: [4, "g", "w"] as const };
  const update = leaf("s", { ...at, j: ["r"] }, "update");
  return asBand(
    nest(
      [on("grid", "g", Math.ceil(n / 4)), on("workgroup", "w", 4)],
      leaf("s", at, "init"),
      nest(inner, update),
      leaf("s", at, "finish"),
    ),
  );
}

const found = (p: Program, kernel: Band): readonly string[] => [...oddRowLoops(p, kernel, [])];

describe("loops along rows are found", () => {
  it.each([9, 10, 11, 509])("of %d elements, which are no whole vectors", (m) => {
    expect(found(rowSums(8, m, m), byRows(8, m))).toEqual(["r"]);
  });

  it("of whole vectors, where rows begin anywhere", () => {
    expect(found(rowSums(8, 16, 17), byRows(8, 16))).toEqual(["r"]);
    const shifted = access("x", i, addConstant(j, 1));
    expect(found(rowSums(8, 16, 20, { read: shifted }), byRows(8, 16))).toEqual(["r"]);
  });

  it("and none of whole vectors that begin where vectors do, whoever has them", () => {
    expect(found(rowSums(8, 16, 16), byRows(8, 16))).toEqual([]);
    expect(found(rowSums(8, 16, 20), byRows(8, 16))).toEqual([]);
    // Rows of two and a half vectors, of which one begins at every fifth.
    const everyOther = access("x", scale(i, 2), j);
    expect(found(rowSums(16, 8, 10, { read: everyOther }), byRows(8, 8))).toEqual([]);
  });
});

describe("loops are left alone", () => {
  it("if they are too short to have a whole vector wherever they begin", () => {
    expect(found(rowSums(8, 7, 7), byRows(8, 7))).toEqual([]);
  });

  it("along columns, and where every other element is read", () => {
    expect(found(rowSums(8, 9, 9, { read: access("x", j, i) }), byRows(8, 9))).toEqual([]);
    const apart = access("x", i, scale(j, 2));
    expect(found(rowSums(8, 9, 19, { read: apart }), byRows(8, 9))).toEqual([]);
  });

  it("where memory may end within a vector", () => {
    expect(found(rowSums(7, 9, 9), byRows(7, 9))).toEqual([]);
    expect(found(rowSums(7, 9, 9, { x: { padded: true } }), byRows(7, 9))).toEqual(["r"]);
    expect(found(rowSums(7, 9, 9, { x: { role: "temporary" } }), byRows(7, 9))).toEqual(["r"]);
  });

  it("of views, of parts of words, and of what has no vectors in memory", () => {
    const layout = { strides: [9, 1], offsetMultiple: null };
    expect(found(rowSums(8, 9, 9, { x: { layout } }), byRows(8, 9))).toEqual([]);
    expect(found(rowSums(8, 9, 9, { x: { stored: "float16" } }), byRows(8, 9))).toEqual([]);
    expect(found(rowSums(8, 9, 9, { x: { components: ["bool"] } }), byRows(8, 9))).toEqual([]);
  });

  it("where the kernel writes what it reads", () => {
    const own = rowSums(8, 9, 9);
    const [first] = own.statements;
    if (first === undefined) throw new Error("no statement");
    const write = { ...first.write, tensor: "x" };
    expect(found({ ...own, statements: [{ ...first, write }] }, byRows(8, 9))).toEqual([]);
  });

  it("where reads are padded, or the domain has not all of the row", () => {
    const guard = [nonnegative(addConstant(j, -1))];
    const padded = { ...access("x", i, j), guard };
    expect(found(rowSums(8, 9, 9, { read: padded }), byRows(8, 9))).toEqual([]);
    expect(found(rowSums(8, 9, 9, { upper: addConstant(i, 1) }), byRows(8, 9))).toEqual([]);
    const guards = [lessThan(j, addConstant(i, 3))];
    expect(found(rowSums(8, 9, 9, { guards }), byRows(8, 9))).toEqual([]);
  });

  it("that are written out, or have others in them", () => {
    const inner = [on("serial", "r", 3), on("unroll", "u", 3)];
    const kernel = byRows(8, 9, inner);
    expect(found(rowSums(8, 9, 9), kernel)).toEqual([]);
  });
});

it("a mark changes nothing about legality, and is in the text", () => {
  const p = rowSums(8, 9, 9);
  const kernel = byRows(8, 9);
  const root = markAligned(kernel, oddRowLoops(p, kernel, []));
  expect(verifySchedule(p, { root, places: [] })).toEqual([]);
  expect(printSchedule({ root, places: [] })).toContain("serial r in 0..9, aligned\n");
  expect(printSchedule({ root: markAligned(kernel, new Set()), places: [] })).toBe(
    printSchedule({ root: kernel, places: [] }),
  );
});
