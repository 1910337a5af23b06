import { describe, expect, it } from "vitest";
import { synchronise } from "../../../src/ir/legality/synchronise.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import type { Program } from "../../../src/ir/program.ts";
import type { Schedule, ScheduleNode } from "../../../src/ir/schedule.ts";
import {
  elman,
  type Form,
  matmul,
  program,
  reads,
  run,
  statement,
  tensor,
} from "../dependences/build-program.ts";
import { leaf, nest, on, placed, schedule } from "./build-schedule.ts";

function kinds(p: Program, s: Schedule): readonly string[] {
  return [...new Set(verifySchedule(p, s).map((f) => f.kind))];
}

/** Barriers as text: `before 1` of a sequence, or `end k`. */
function barriers(p: Program, s: Schedule): readonly string[] {
  return synchronise(p, s).map((b) =>
    b.kind === "before-child" ? `before ${b.child} ${b.memory}` : `end ${b.loop} ${b.memory}`,
  );
}

function legal(p: Program, s: Schedule): void {
  expect(verifySchedule(p, s).map((f) => f.message)).toEqual([]);
}

/** Two statements: y(i) = x(i); z(i) = a read of y. */
function chain(n: number, read: ReturnType<typeof reads>): Program {
  const a = statement("A", { dims: [["i", n]], write: ["y", "i"], reads: [reads("x", "i")] });
  const b = statement("B", { dims: [["i", n]], write: ["z", "i"], reads: [read] });
  const names = [tensor("x", [n], "input"), tensor("y", [n], "temporary"), tensor("z", [n])];
  return program(names, [a, b]);
}

describe("a matrix product", () => {
  const p = matmul(32, 32, 16);
  const i = [8, "io", "ii"] as const;
  const tile = (jj: string): Form => [16, "jo", 2, "ji", jj];
  const j = tile("jj");
  const phases = (k: ScheduleNode): ScheduleNode =>
    nest(
      [on("grid", "io", 4), on("grid", "jo", 2), on("workgroup", "ii", 8), on("lane", "ji", 8)],
      nest([on("unroll", "j0", 2)], leaf("S", { i, j: tile("j0") }, "init")),
      k,
      nest([on("unroll", "j2", 2)], leaf("S", { i, j: tile("j2") }, "finish")),
    );
  const update = (over: Parameters<typeof leaf>[1]): ReturnType<typeof leaf> =>
    leaf("S", { i, j, ...over }, "update");

  it("in register tiles is legal and needs no barrier", () => {
    const k = nest(
      [on("serial", "ko", 4), on("unroll", "ki", 4), on("unroll", "jj", 2)],
      update({ k: [4, "ko", "ki"] }),
    );
    legal(p, schedule(phases(k)));
    expect(barriers(p, schedule(phases(k)))).toEqual([]);
  });

  it("with a reduced dim in the components of a vector is refused", () => {
    const k = nest(
      [on("serial", "ko", 4), on("unroll", "jj", 2), on("vector", "ki", 4)],
      update({ k: [4, "ko", "ki"] }),
    );
    expect(kinds(p, schedule(phases(k)))).toEqual(["structure"]);
  });

  it("that leaves out part of a dim is refused", () => {
    const k = nest([on("serial", "k", 15), on("unroll", "jj", 2)], update({ k: "k" }));
    expect(kinds(p, schedule(phases(k)))).toEqual(["coverage"]);
  });

  it("that adds products twice is refused", () => {
    const twice = nest(
      [on("serial", "r", 2), on("serial", "k", 16), on("unroll", "jj", 2)],
      update({ k: "k" }),
    );
    expect(kinds(p, schedule(phases(twice)))).toEqual(["coverage"]);
    const overlapping = nest(
      [on("serial", "ko", 4), on("serial", "ki", 5), on("unroll", "jj", 2)],
      update({ k: [4, "ko", "ki"] }),
    );
    expect(kinds(p, schedule(phases(overlapping)))).toEqual(["coverage"]);
  });

  it("whose sum starts after its first update is refused", () => {
    const tree = nest(
      [on("grid", "io", 32), on("workgroup", "jo", 32)],
      nest([on("serial", "k", 16)], leaf("S", { i: "io", j: "jo", k: "k" }, "update")),
      leaf("S", { i: "io", j: "jo" }, "init"),
      leaf("S", { i: "io", j: "jo" }, "finish"),
    );
    expect(kinds(p, schedule(tree))).toEqual(["order"]);
  });

  it("that finishes in another invocation is refused", () => {
    const tree = nest(
      [on("grid", "io", 32)],
      nest(
        [on("workgroup", "jo", 32)],
        leaf("S", { i: "io", j: "jo" }, "init"),
        nest([on("serial", "k", 16)], leaf("S", { i: "io", j: "jo", k: "k" }, "update")),
      ),
      nest([on("workgroup", "jr", 32)], leaf("S", { i: "io", j: [-1, "jr", 31] }, "finish")),
    );
    expect(kinds(p, schedule(tree))).toContain("place");
  });

  it("may be computed by every invocation for itself only into private memory", () => {
    const tree = nest(
      [on("grid", "i", 32), on("workgroup", "w", 4), on("serial", "j", 32)],
      leaf("S", { i: "i", j: "j" }, "init"),
      nest([on("serial", "k", 16)], leaf("S", { i: "i", j: "j", k: "k" }, "update")),
      leaf("S", { i: "i", j: "j" }, "finish"),
    );
    expect(kinds(p, schedule(tree))).toEqual(["race"]);
  });

  it("without a leaf, or with an unbound dim, is refused", () => {
    expect(kinds(p, schedule(nest([on("grid", "g", 1)])))).toEqual(["structure"]);
    const k = nest([on("serial", "k", 16), on("unroll", "jj", 2)], update({}));
    expect(kinds(p, schedule(phases(k)))).toEqual(["structure"]);
  });
});

describe("a statement in place", () => {
  const reverse = statement("S", {
    dims: [["i", 8]],
    write: ["x", "i"],
    reads: [reads("x", [-1, "i", 7])],
  });
  const p = program([tensor("x", [8], "inout")], [reverse]);

  it("that reverses is refused in one pass, in any order", () => {
    const grid = nest([on("grid", "i", 8)], leaf("S", { i: "i" }));
    expect(kinds(p, schedule(grid))).toEqual(["reach"]);
    const local = nest([on("grid", "g", 1), on("workgroup", "i", 8)], leaf("S", { i: "i" }));
    expect(kinds(p, schedule(local))).toEqual(["race"]);
    const serial = nest([on("grid", "g", 1), on("serial", "i", 8)], leaf("S", { i: "i" }));
    expect(kinds(p, schedule(serial))).toEqual(["order"]);
  });

  it("that shifts down is legal forwards and refused backwards", () => {
    const shift = statement("S", {
      dims: [["i", 7]],
      write: ["x", "i"],
      reads: [reads("x", ["i", 1])],
    });
    const q = program([tensor("x", [8], "inout")], [shift]);
    const tree = (i: Parameters<typeof leaf>[1][string]): Schedule =>
      schedule(nest([on("grid", "g", 1), on("serial", "i", 7)], leaf("S", { i })));
    legal(q, tree("i"));
    expect(kinds(q, tree([-1, "i", 6]))).toEqual(["order"]);
  });

  it("is refused when a loop repeats it", () => {
    const add = statement("S", { dims: [["i", 8]], write: ["x", "i"], reads: [reads("x", "i")] });
    const q = program([tensor("x", [8], "inout")], [add]);
    legal(q, schedule(nest([on("grid", "i", 8)], leaf("S", { i: "i" }))));
    const twice = nest([on("grid", "i", 8), on("serial", "r", 2)], leaf("S", { i: "i" }));
    expect(kinds(q, schedule(twice))).toEqual(["order"]);
  });
});

describe("a recurrence", () => {
  const p = elman(5, 4, 3, 6);
  const body = (t: string, b: string, c: string): readonly ScheduleNode[] => {
    const sum = (id: string, extent: number): readonly ScheduleNode[] => [
      leaf(id, { t, b, c }, "init"),
      nest([on("serial", `${id}.k`, extent)], leaf(id, { t, b, c, k: `${id}.k` }, "update")),
      leaf(id, { t, b, c }, "finish"),
    ];
    return [...sum("first", 6), ...sum("later", 6), ...sum("added", 3)];
  };

  it("may take a dispatch per step", () => {
    const tree = nest(
      [on("host", "t", 5)],
      nest([on("grid", "b", 4), on("workgroup", "c", 6)], ...body("t", "b", "c")),
    );
    legal(p, schedule(tree));
    expect(barriers(p, schedule(tree))).toEqual([]);
  });

  it("may not run its steps at the same time", () => {
    const loops = [on("grid", "t", 5), on("grid", "b", 4), on("workgroup", "c", 6)];
    expect(kinds(p, schedule(nest(loops, ...body("t", "b", "c"))))).toContain("reach");
    const local = [on("grid", "b", 4), on("workgroup", "t", 5), on("serial", "c", 6)];
    expect(kinds(p, schedule(nest(local, ...body("t", "b", "c"))))).not.toEqual([]);
  });

  it("within a workgroup needs a barrier at the end of each step", () => {
    const loops = [on("grid", "b", 4), on("serial", "t", 5), on("workgroup", "c", 6)];
    const tree = schedule(nest(loops, ...body("t", "b", "c")));
    legal(p, tree);
    expect(barriers(p, tree)).toEqual(["end t storage"]);
  });

  it("whose steps cross workgroups is refused in one dispatch", () => {
    const loops = [on("grid", "c", 6), on("serial", "t", 5), on("workgroup", "b", 4)];
    expect(kinds(p, schedule(nest(loops, ...body("t", "b", "c"))))).toEqual(["reach"]);
  });
});

describe("a producer and its consumer", () => {
  const reversed = chain(16, reads("y", [-1, "i", 15]));
  const same = chain(16, reads("y", "i"));
  const both = (a: ScheduleNode, b: ScheduleNode): ScheduleNode => nest([on("grid", "g", 1)], a, b);
  const wide = (id: string, l: string): ScheduleNode =>
    nest([on("workgroup", l, 16)], leaf(id, { i: l }));

  it("in one kernel need a barrier when values cross invocations, once", () => {
    const tree = both(wide("A", "p"), wide("B", "q"));
    legal(reversed, schedule(tree));
    expect(barriers(reversed, schedule(tree))).toEqual(["before 1 storage"]);
    expect(barriers(reversed, schedule(tree, [placed("y", "workgroup")]))).toEqual([
      "before 1 workgroup",
    ]);
  });

  it("in the same invocation need none", () => {
    const tree = both(wide("A", "p"), wide("B", "q"));
    legal(same, schedule(tree));
    expect(barriers(same, schedule(tree))).toEqual([]);
    legal(same, schedule(tree, [placed("y", "private")]));
  });

  it("may not share private memory across invocations", () => {
    const tree = both(wide("A", "p"), wide("B", "q"));
    expect(kinds(reversed, schedule(tree, [placed("y", "private")]))).toEqual(["place"]);
  });

  it("may not cross workgroups within a kernel but may between kernels", () => {
    const one = nest([on("grid", "i", 16)], leaf("A", { i: "i" }), leaf("B", { i: "i" }));
    expect(kinds(reversed, schedule(one))).toEqual(["reach"]);
    legal(same, schedule(one));
    const two = nest(
      [],
      nest([on("grid", "p", 16)], leaf("A", { i: "p" })),
      nest([on("grid", "q", 16)], leaf("B", { i: "q" })),
    );
    legal(reversed, schedule(two));
    expect(kinds(reversed, schedule(two, [placed("y", "workgroup")]))).toContain("place");
    const wrong = nest(
      [],
      nest([on("grid", "q", 16)], leaf("B", { i: "q" })),
      nest([on("grid", "p", 16)], leaf("A", { i: "p" })),
    );
    expect(kinds(reversed, schedule(wrong))).toEqual(["order"]);
  });

  it("are apart in the loops that may not be on the grid, whatever else is", () => {
    const dims = [
      ["i", 7],
      ["j", 8],
    ] as const;
    const a = statement("A", { dims, write: ["y", "i", "j"], reads: [reads("x", "i", "j")] });
    const b = statement("B", {
      dims,
      write: ["z", "i", "j"],
      reads: [reads("y", "i", [-1, "j", 7])],
    });
    const names = [
      tensor("x", [7, 8], "input"),
      tensor("y", [7, 8], "temporary"),
      tensor("z", [7, 8]),
    ];
    const two = program(names, [a, b]);
    const apart = (...loops: Parameters<typeof nest>[0]): readonly (string | undefined)[] => {
      const isOuter = loops.some((l) => l.id === "j");
      const leaves = (["A", "B"] as const).map((s) => {
        const j = isOuter ? "j" : `${s}.j`;
        return nest(isOuter ? [] : [on("serial", j, 8)], leaf(s, { i: "i", j }));
      });
      const faults = verifySchedule(two, schedule(nest(loops, ...leaves)));
      return [...new Set(faults.map((f) => f.apartIn))];
    };
    expect(apart(on("grid", "i", 7), on("grid", "j", 8))).toEqual(["j"]);
    expect(apart(on("grid", "j", 8), on("grid", "i", 7))).toEqual(["j"]);
    expect(apart(on("grid", "j", 8), on("serial", "i", 7))).toContain("j");
    expect(apart(on("grid", "i", 7))).toEqual([]);
  });

  it("may have the producer recomputed where it is needed, with a halo", () => {
    const p = chain(16, reads("y", ["i", 1]));
    const n = 15;
    const b = statement("B", {
      dims: [["i", n]],
      write: ["z", "i"],
      reads: [reads("y", ["i", 1])],
    });
    const q: Program = { ...p, statements: p.statements.map((s) => (s.id === "B" ? b : s)) };
    const tree = (halo: number): ScheduleNode =>
      nest(
        [on("grid", "g", 4)],
        nest([on("workgroup", "w", 4 + halo)], leaf("A", { i: [4, "g", "w"] })),
        nest([on("workgroup", "v", 4)], leaf("B", { i: [4, "g", "v"] })),
      );
    legal(q, schedule(tree(1), [placed("y", "workgroup")]));
    expect(barriers(q, schedule(tree(1), [placed("y", "workgroup")]))).toEqual([
      "before 1 workgroup",
    ]);
    expect(kinds(q, schedule(tree(0), [placed("y", "workgroup")]))).toEqual(["place"]);
    expect(kinds(q, schedule(tree(1)))).toContain("race");
  });

  it("may have the producer computed by each of a team for itself", () => {
    const inner = statement("B", {
      dims: [
        ["i", 16],
        ["j", 8],
      ],
      write: ["z", "i", "j"],
      reads: [reads("y", "i")],
    });
    const q = program(
      [tensor("x", [16], "input"), tensor("y", [16], "temporary"), tensor("z", [16, 8])],
      [...same.statements.slice(0, 1), inner],
    );
    const tree = nest(
      [on("grid", "i", 16)],
      leaf("A", { i: "i" }),
      nest([on("workgroup", "j", 8)], leaf("B", { i: "i", j: "j" })),
    );
    legal(q, schedule(tree, [placed("y", "private")]));
    expect(barriers(q, schedule(tree, [placed("y", "private")]))).toEqual([]);
    expect(barriers(q, schedule(tree, [placed("y", "workgroup")]))).toEqual(["before 1 workgroup"]);
    expect(barriers(q, schedule(tree))).toEqual(["before 1 storage"]);
  });

  it("in a tile that is used again need a barrier before the next tile too", () => {
    const tree = nest(
      [on("grid", "g", 1), on("serial", "s", 4)],
      nest([on("workgroup", "p", 4)], leaf("A", { i: [4, "s", "p"] })),
      nest([on("workgroup", "q", 4)], leaf("B", { i: [4, "s", "q"] })),
    );
    const within = chain(16, reads("y", "i"));
    const places = [placed("y", "workgroup", "s")];
    legal(within, schedule(tree, places));
    expect(barriers(within, schedule(tree, places))).toEqual(["end s workgroup"]);
    expect(kinds(reversed, schedule(tree, places))).toEqual(["place"]);
  });

  it("may not need a barrier where only part of the workgroup comes", () => {
    const half = nest([on("workgroup", "h", 8)], wideHalf("A", "p"), wideHalf("B", "q"));
    const tree = nest(
      [on("grid", "g", 1)],
      half,
      nest([on("workgroup", "f", 32)], wideHalf("C", "r")),
    );
    const c = statement("C", { dims: [["i", 64]], write: ["w", "i"] });
    const q: Program = {
      ...reversed,
      tensors: [...reversed.tensors, tensor("w", [64])],
      statements: [...reversed.statements, c],
      tree: [...reversed.tree, run("C")],
    };
    expect(kinds(q, schedule(tree))).toEqual(["barrier"]);
  });

  function wideHalf(id: string, l: string): ScheduleNode {
    const outer = id === "C" ? "f" : "h";
    return nest([on("serial", l, 2)], leaf(id, { i: [2, outer, l] }));
  }
});
