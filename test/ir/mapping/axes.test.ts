import { describe, expect, it } from "vitest";
import { addConstant, scale } from "../../../src/ir/affine.ts";
import { read } from "../../../src/ir/expression.ts";
import { axesOf, spreadableDims } from "../../../src/ir/mapping/group/axes.ts";
import { argMonoid } from "../../../src/ir/monoid.ts";
import { access, type Statement } from "../../../src/ir/program.ts";
import {
  dim,
  f32,
  lu,
  matmul,
  opaque,
  scatterAdd,
  softmax,
  statement,
  sum,
  v,
} from "../../support/programs.ts";

const [i, j] = [v("i"), v("j")];

/** Axes as text: the range, and each statement's dim. */
function text(statements: readonly Statement[]): readonly string[] {
  return axesOf(statements).map(
    ({ lower, upper, dims }) =>
      `${lower}..${upper}: ${[...dims].map(([s, d]) => `${s}.${d}`).join(" ")}`,
  );
}

/** A statement over `i in 0..6, j in 0..4` that writes one tensor and reads another. */
function over(
  id: string,
  write: Statement["write"]["index"],
  reads: Statement["reads"],
): Statement {
  const [name, ...index] = [id.toUpperCase(), ...write];
  return statement(id, {
    dims: [dim("i", 0, 6), dim("j", 0, 4)],
    write: [name, ...index],
    reads,
    body: f32(0),
  });
}

function at(a: Parameters<typeof addConstant>[0]): Statement["write"]["index"][number] {
  return { kind: "affine", affine: a };
}

describe("the axes of one statement", () => {
  it("are its parallel dims", () => {
    expect(text(matmul(5, 7, 3).statements)).toEqual(["0..5: c.i", "0..7: c.j"]);
  });

  it("leave program loops out, and begin where the dims do", () => {
    expect(text(lu(4).statements.slice(1))).toEqual(["1..4: update.i", "1..4: update.j"]);
  });

  it("of a scatter are all its dims where additions can be indivisible", () => {
    expect(text(scatterAdd(6, 3, 4).statements)).toEqual(["0..6: g.i", "0..3: g.j"]);
  });

  it("of a scatter without an indivisible update are the parallel ones", () => {
    const [s] = scatterAdd(6, 3, 4).statements;
    if (s?.reduction === null || s === undefined) throw new Error("no scatter");
    const monoid = argMonoid("max", "float32");
    expect(spreadableDims({ ...s, reduction: { ...s.reduction, monoid } })).toEqual(["j"]);
  });

  it("of no statement are none", () => {
    expect(axesOf([])).toEqual([]);
  });
});

describe("the axes of a group", () => {
  it("are the coordinates in which what one writes is read by another", () => {
    // The maximum and the sum of a row have the row only.
    expect(text(softmax(3, 8).statements)).toEqual(["0..3: m.i e.i s.i y.i"]);
    const [, e, , y] = softmax(3, 8).statements;
    expect(text(e === undefined || y === undefined ? [] : [e, y])).toEqual([
      "0..3: e.i y.i",
      "0..8: e.j y.j",
    ]);
  });

  it("follow transposed reads", () => {
    const a = over("a", [at(i), at(j)], [access("X", i, j)]);
    const b = { ...over("b", [at(i), at(j)], [access("A", j, i)]), id: "b" };
    expect(text([a, b])).toEqual(["0..6: a.i b.j", "0..6: a.j b.i"]);
  });

  it("do not follow reads of neighbours, other strides or computed indices", () => {
    const a = over("a", [at(i), at(j)], [access("X", i, j)]);
    for (const read0 of [
      access("A", addConstant(i, 1), j),
      access("A", scale(i, 2), j),
      { ...access("A", i, j), index: [opaque(read(0, "int32")), at(j)] },
    ]) {
      expect(text([a, over("b", [at(i), at(j)], [read0])])).toEqual(["0..4: a.j b.j"]);
    }
  });

  it("need a dim of every statement, and one only", () => {
    const a = over("a", [at(i), at(j)], [access("X", i, j)]);
    const diagonal = statement("d", {
      dims: [dim("i", 0, 4)],
      write: ["D", i],
      reads: [access("A", i, i)],
      body: f32(0),
    });
    expect(text([a, diagonal])).toEqual([]);
    const total = statement("t", {
      dims: [dim("i", 0, 6), dim("j", 0, 4)],
      write: ["T", j],
      reads: [access("A", i, j)],
      monoid: sum,
      over: ["i"],
      body: f32(0),
    });
    expect(text([a, total])).toEqual(["0..4: a.j t.j"]);
  });

  it("are as long as the longest of their dims", () => {
    const part = (id: string, lower: number, upper: number, from: string): Statement =>
      statement(id, {
        dims: [dim("i", lower, upper)],
        write: [id.toUpperCase(), i],
        reads: [access(from, i)],
        body: f32(0),
      });
    expect(text([part("a", 2, 9, "X"), part("b", 0, 5, "A"), part("c", 3, 4, "B")])).toEqual([
      "0..9: a.i b.i c.i",
    ]);
  });
});

describe("the axes of statements that no tensor connects", () => {
  const read = (tensor: string, ...dims: Parameters<typeof access>[1][]): Statement["reads"] => [
    access(tensor, ...dims),
  ];

  it("are the dims at which they read one tensor", () => {
    const turned = over("b", [at(i), at(j)], read("x", i, j));
    expect(text([over("a", [at(i), at(j)], read("x", i, j)), turned])).toEqual([
      "0..6: a.i b.i",
      "0..4: a.j b.j",
    ]);
  });

  it("are else the dims of equal ranges, in the order of both", () => {
    const a = over("a", [at(i), at(j)], read("x", i, j));
    const b = statement("b", {
      dims: [dim("k", 0, 9), dim("l", 0, 6), dim("m", 0, 4)],
      write: ["B", v("k"), v("l"), v("m")],
      reads: read("z", v("k"), v("l"), v("m")),
      body: f32(0),
    });
    expect(text([a, b])).toEqual(["0..6: a.i b.l", "0..4: a.j b.m"]);
    const crossed = statement("c", {
      dims: [dim("k", 0, 4), dim("l", 0, 6)],
      write: ["C", v("k"), v("l")],
      reads: read("z", v("k"), v("l")),
      body: f32(0),
    });
    expect(text([a, crossed])).toEqual(["0..6: a.i c.l"]);
  });

  it("are none where the ranges differ", () => {
    const b = statement("b", {
      dims: [dim("k", 1, 6)],
      write: ["B", v("k")],
      reads: read("z", v("k")),
      body: f32(0),
    });
    expect(text([over("a", [at(i), at(j)], read("x", i, j)), b])).toEqual([]);
  });

  it("are those of a third that connects them", () => {
    const a = over("a", [at(i), at(j)], read("x", i, j));
    const b = over("b", [at(i), at(j)], read("y", i, j));
    // The third reads the second turned around.
    const c = over("c", [at(i), at(j)], [access("A", i, j), access("B", j, i)]);
    expect(text([a, b, c])).toEqual(["0..6: a.i b.j c.i", "0..6: a.j b.i c.j"]);
    expect(text([a, b])).toEqual(["0..6: a.i b.i", "0..4: a.j b.j"]);
  });
});
