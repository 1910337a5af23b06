import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { copyOfRead } from "../../../src/ir/algebraic/copy-read.ts";
import { synchronise } from "../../../src/ir/legality/synchronise.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { mapGroup, plainShape } from "../../../src/ir/mapping/build/map-group.ts";
import { axesOf } from "../../../src/ir/mapping/group/axes.ts";
import type { Program, ProgramNode } from "../../../src/ir/program.ts";
import { type Place, printSchedule, type Schedule } from "../../../src/ir/schedule.ts";
import { type StagedCopy, stageCopies } from "../../../src/ir/scheduling/stage.ts";

function lowered(source: string, sizes: Readonly<Record<string, number>>): Program {
  const result = lowerSource(source, { sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.program;
}

interface Wish {
  readonly source: string;
  readonly sizes: Readonly<Record<string, number>>;
  /** Of each axis, the invocations of a workgroup. */
  readonly workgroup: readonly number[];
  /** Of each reduced dim, the steps between two barriers. */
  readonly tiles: readonly number[];
  readonly reads: readonly number[];
  readonly slots?: number;
  readonly vector?: 1 | 2 | 4;
}

interface Staged {
  readonly program: Program;
  readonly schedule: Schedule | null;
}

/** Stages reads of the only statement of a program. */
function staged({ source, sizes, workgroup, tiles, reads, slots = 1, vector = 1 }: Wish): Staged {
  let program = lowered(source, sizes);
  const [statement] = program.statements;
  if (statement === undefined) throw new Error("no statement");
  const { id } = statement;
  const axes = axesOf([statement]);
  const copies: StagedCopy[] = [];
  for (const read of reads) {
    const copied = copyOfRead(program, { statement: id, read, pitch: 1 });
    if (typeof copied === "string") throw new Error(copied);
    program = copied.program;
    copies.push({ copy: copied.copy, reader: id, pad: 0, slots, vector });
  }
  const shape = {
    ...plainShape(axes, 1),
    tiles: axes.map((_, a) => ({ workgroup: workgroup[a] ?? 1, thread: 1 })),
  };
  const nodes: readonly ProgramNode[] = [{ kind: "statement", statement: id }];
  const kernel = mapGroup(
    program,
    nodes,
    axes,
    shape,
    "k",
    [],
    new Map([[id, tiles.map((size) => [size])]]),
  );
  const outer = new Set(tiles.map((_, r) => `${id}.r${r}.tile`));
  return { program, schedule: stageCopies(program, kernel, copies, outer) };
}

/** The text of a legal schedule, and where its barriers stand. */
function legal(wish: Wish): { readonly text: readonly string[]; readonly barriers: unknown } {
  const { program, schedule } = staged(wish);
  if (schedule === null) throw new Error("not staged");
  expect(verifySchedule(program, schedule)).toEqual([]);
  const barriers = synchronise(program, schedule).map((b) => [b.kind, b.memory]);
  return { text: printSchedule(schedule).trimEnd().split("\n"), barriers };
}

const product: Wish = {
  source: "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }",
  sizes: { M: 8, K: 12, N: 10 },
  workgroup: [4, 4],
  tiles: [4],
  reads: [0, 1],
};

describe("stageCopies", () => {
  it("copies tiles of both operands between barriers, dealt to all invocations", () => {
    const { text, barriers } = legal(product);
    expect(text).toEqual([
      "grid k.p0.grid in 0..2, grid k.p1.grid in 0..3",
      "  sequence",
      "    workgroup k.p0.workgroup.0 in 0..4, workgroup k.p1.workgroup.0 in 0..4",
      "      C.init(m = 4*k.p0.grid + k.p0.workgroup.0, n = 4*k.p1.grid + k.p1.workgroup.0)",
      "    serial C.r0.tile in 0..3",
      "      sequence",
      "        workgroup C.A.c0.local in 0..4, workgroup C.A.c1.local in 0..4",
      "          C.A(c0 = C.A.c0.local + 4*k.p0.grid, c1 = C.A.c1.local + 4*C.r0.tile)",
      "        workgroup C.B.c0.local in 0..4, workgroup C.B.c1.local in 0..4",
      "          C.B(c0 = C.B.c0.local + 4*C.r0.tile, c1 = C.B.c1.local + 4*k.p1.grid)",
      "        workgroup k.p0.workgroup.1 in 0..4, workgroup k.p1.workgroup.1 in 0..4, serial C.r0.point in 0..4",
      "          C.update(m = 4*k.p0.grid + k.p0.workgroup.1, n = 4*k.p1.grid + k.p1.workgroup.1, k = C.r0.point + 4*C.r0.tile)",
      "    workgroup k.p0.workgroup.2 in 0..4, workgroup k.p1.workgroup.2 in 0..4",
      "      C.finish(m = 4*k.p0.grid + k.p0.workgroup.2, n = 4*k.p1.grid + k.p1.workgroup.2)",
      "place A_copy in workgroup at C.r0.tile",
      "place B_copy in workgroup at C.r0.tile",
    ]);
    expect(barriers).toEqual([
      ["before-child", "workgroup"],
      ["loop-end", "workgroup"],
    ]);
  });

  it("needs one barrier for each tile where tiles take turns", () => {
    const { text, barriers } = legal({ ...product, slots: 2 });
    expect(text.at(-1)).toBe("place B_copy in workgroup at C.r0.tile, 2 slots over C.r0.tile");
    expect(barriers).toEqual([["before-child", "workgroup"]]);
  });

  it("copies whole vectors of both operands", () => {
    const { text, barriers } = legal({ ...product, sizes: { M: 8, K: 12, N: 16 }, vector: 4 });
    expect(text.slice(6, 10)).toEqual([
      "        workgroup C.A.c0.local in 0..4, vector C.A.c1.vector in 0..4",
      "          C.A(c0 = C.A.c0.local + 4*k.p0.grid, c1 = C.A.c1.vector + 4*C.r0.tile)",
      "        workgroup C.B.c0.local in 0..4, vector C.B.c1.vector in 0..4",
      "          C.B(c0 = C.B.c0.local + 4*C.r0.tile, c1 = C.B.c1.vector + 4*k.p1.grid)",
    ]);
    expect(barriers).toEqual([
      ["before-child", "workgroup"],
      ["loop-end", "workgroup"],
    ]);
  });

  it("deals vectors to the invocations, several of a row to one where there are more", () => {
    const sizes = { M: 2, K: 8, N: 48 };
    const wish: Wish = { ...product, sizes, workgroup: [1, 4], tiles: [4], reads: [0], vector: 2 };
    const ofA = (given: Wish): readonly string[] =>
      legal(given).text.flatMap((line) => (/C\.A[.(]/.test(line) ? [line.trim()] : []));
    expect(ofA(wish)).toEqual([
      "workgroup C.A.c1.local in 0..2, vector C.A.c1.vector in 0..2",
      "C.A(c0 = k.p0.grid, c1 = 2*C.A.c1.local + C.A.c1.vector + 4*C.r0.tile)",
    ]);
    expect(ofA({ ...wish, workgroup: [2, 1], tiles: [8] })).toEqual([
      "workgroup C.A.c1.local in 0..2, unroll C.A.c0.turn in 0..2, unroll C.A.c1.turn in 0..2, vector C.A.c1.vector in 0..2",
      "C.A(c0 = C.A.c0.turn + 2*k.p0.grid, c1 = 2*C.A.c1.local + 4*C.A.c1.turn + C.A.c1.vector)",
    ]);
  });

  it("copies tiles with what they share with their neighbours", () => {
    const { text } = legal({
      source:
        "def f(float(N) x, float(K) w) -> (y) { y(i) +=! pad(x(i + k - 1)) * w(k) where i in 0:N }",
      sizes: { N: 10, K: 3 },
      workgroup: [4],
      tiles: [3],
      reads: [0],
    });
    expect(text.filter((line) => /y\.x|place/.test(line))).toEqual([
      "    workgroup y.x.c0.local in 0..3, unroll y.x.c0.turn in 0..2",
      "      y.x(c0 = 4*k.p0.grid + y.x.c0.local + 3*y.x.c0.turn)",
      "place x_copy in workgroup",
    ]);
  });

  it("copies what is between windows, too: each element belongs to a tile", () => {
    const { text } = legal({
      source:
        "def f(float(N) x, float(K) w) -> (y) { y(i) +=! x(3 * i + k) * w(k) where i in 0:4 }",
      sizes: { N: 11, K: 2 },
      workgroup: [2],
      tiles: [2],
      reads: [0],
    });
    expect(text.find((line) => line.includes("y.x(c0"))).toBe(
      "      y.x(c0 = 6*k.p0.grid + y.x.c0.local + 2*y.x.c0.turn)",
    );
  });

  it("turns rows into columns through workgroup memory", () => {
    const { text, barriers } = legal({
      source: "def f(float(M, N) x) -> (y) { y(j, i) = x(i, j) }",
      sizes: { M: 8, N: 12 },
      workgroup: [4, 4],
      tiles: [],
      reads: [0],
    });
    expect(text.slice(2, 6)).toEqual([
      "    workgroup y.x.c0.local in 0..4, workgroup y.x.c1.local in 0..4",
      "      y.x(c0 = 4*k.p1.grid + y.x.c0.local, c1 = 4*k.p0.grid + y.x.c1.local)",
      "    workgroup k.p0.workgroup.0 in 0..4, workgroup k.p1.workgroup.0 in 0..4",
      "      y(j = 4*k.p0.grid + k.p0.workgroup.0, i = 4*k.p1.grid + k.p1.workgroup.0)",
    ]);
    expect(barriers).toEqual([["before-child", "workgroup"]]);
  });

  it("does not apply where a quotient moves the tile", () => {
    const { schedule } = staged({
      source:
        "def f(float(N) x, float(K) w) -> (y) { y(i) +=! x(i / 2) * w(k) where i in 0:2 * N }",
      sizes: { N: 5, K: 3 },
      workgroup: [2],
      tiles: [3],
      reads: [0],
    });
    expect(schedule).toBeNull();
  });
});

/** The faults of the product's schedule with a place changed. */
function faultsWith(change: (place: Place) => Place): readonly string[] {
  const { program, schedule } = staged(product);
  if (schedule === null) throw new Error("not staged");
  const places = schedule.places.map(change);
  return verifySchedule(program, { ...schedule, places }).map((f) => f.message);
}

describe("the verifier refuses", () => {
  const tensorOf = ({ target }: Place): string => (target.kind === "tensor" ? target.tensor : "");
  const ofA = (change: Partial<Place>) => (place: Place) =>
    tensorOf(place) === "A_copy" ? { ...place, ...change } : place;

  it("nothing where the memory holds all tiles", () => {
    expect(faultsWith(ofA({ at: "k.p1.grid" }))).toEqual([]);
  });

  it("memory that one invocation's loop allocates", () => {
    expect(faultsWith(ofA({ at: "k.p1.workgroup.1" }))).toContain(
      "A_copy is used outside loop k.p1.workgroup.1",
    );
  });

  it("copies that invocations share in private memory", () => {
    expect(faultsWith(ofA({ space: "private" }))).toContain(
      "C reads A_copy where C.A did not write it",
    );
  });

  it("longer rows in memory that others address, and rows of no length", () => {
    const inStorage = ofA({ space: "storage", at: null, pad: 1 });
    expect(faultsWith(inStorage)).toContain(
      "the rows of A_copy cannot be 1 longer in storage memory",
    );
    expect(faultsWith(ofA({ pad: -1 }))).toContain(
      "the rows of A_copy cannot be -1 longer in workgroup memory",
    );
  });

  it("turns over another loop, and none at all", () => {
    const elsewhere = ofA({ fold: { loop: "k.p0.grid", slots: 2 } });
    expect(faultsWith(elsewhere)).toContain("A_copy is folded but not in storage");
    const none = ofA({ fold: { loop: "C.r0.tile", slots: 0 } });
    expect(faultsWith(none)).toContain("A_copy cannot take 0 turns over C.r0.tile");
  });
});
