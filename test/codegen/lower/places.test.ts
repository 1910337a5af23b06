import { describe, expect, it } from "vitest";
import { type Affine, addConstant, constant, scale } from "../../../src/ir/affine.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import type { Place, ScheduleNode } from "../../../src/ir/schedule.ts";
import { leaf, nest, on, placed } from "../../ir/legality/build-schedule.ts";
import {
  type Bound,
  dim,
  f32,
  loop,
  op,
  program,
  leaf as run,
  statement,
  sum,
  tensor,
  v,
} from "../../support/programs.ts";
import { bodyOf, runSchedule } from "../support/run-schedule.ts";

const [i, j, t] = [v("i"), v("j"), v("t")];

function turned(a: Affine, n: number): Affine {
  return addConstant(scale(a, -1), n - 1);
}

/** `e(i, j) = x(i, j)²`, `s(i) = Σ e(i, j)`, `y(i, j) = e(i, m-1-j) - s(i)`. */
function centred(n: number, m: number): Program {
  const all = [dim("i", 0, n), dim("j", 0, m)];
  return program(
    "centred",
    [
      tensor("x", "input", [n, m]),
      tensor("e", "temporary", [n, m]),
      tensor("s", "temporary", [n]),
      tensor("y", "output", [n, m]),
    ],
    [
      statement("e", {
        dims: all,
        write: ["e", i, j],
        reads: [access("x", i, j)],
        body: op("*", f32(0), f32(0)),
      }),
      statement("s", {
        dims: all,
        write: ["s", i],
        reads: [access("e", i, j)],
        monoid: sum,
        over: ["j"],
        body: f32(0),
      }),
      statement("y", {
        dims: all,
        write: ["y", i, j],
        reads: [access("e", i, turned(j, m)), access("s", i)],
        body: op("-", f32(0), f32(1)),
      }),
    ],
  );
}

/** A row per group of a workgroup, its columns dealt to teams of `team`; the sum by each of them. */
function byTeams(n: number, m: number, rows: number, team: number): ScheduleNode {
  const turns = Math.ceil(m / team);
  const row = [rows, "g", "r"];
  return nest(
    [on("grid", "g", Math.ceil(n / rows)), on("workgroup", "r", rows)],
    nest(
      [on("workgroup", "a", team), on("serial", "at", turns)],
      leaf("e", { i: row, j: [team, "at", "a"] }),
    ),
    nest(
      [],
      leaf("s", { i: row }, "init"),
      nest([on("serial", "k", m)], leaf("s", { i: row, j: "k" }, "update")),
      leaf("s", { i: row }, "finish"),
    ),
    nest(
      [on("workgroup", "b", team), on("serial", "bt", turns)],
      leaf("y", { i: row, j: [team, "bt", "b"] }),
    ),
  );
}

describe("places", () => {
  it("in private memory are the invocation's own copies, computed by all of a team", async () => {
    const plan = await runSchedule(centred(3, 8), byTeams(3, 8, 1, 4), [placed("s", "private")]);
    expect(bodyOf(plan).join("\n")).not.toContain("local-index == 0u");
    expect(plan.buffers.map((b) => b.id)).not.toContain("s");
  });

  it("in workgroup memory are stored by the first of a team, and hold the rows of one workgroup", async () => {
    const places = [placed("s", "workgroup"), placed("e", "workgroup")];
    const plan = await runSchedule(centred(4, 6), byTeams(4, 6, 2, 3), places);
    const text = bodyOf(plan).join("\n");
    expect(text).toMatch(/if local-index % 3u == 0u\n {2}s\[/);
    const arrays = plan.kernels[0]?.kernel.arrays.filter((a) => a.space === "workgroup");
    expect(arrays?.map((a) => [a.id, a.length])).toEqual([
      ["e", 12],
      ["s", 2],
    ]);
  });

  it("in scratch are slices of one buffer, one for each workgroup", async () => {
    const places = [placed("s", "scratch"), placed("e", "scratch")];
    const plan = await runSchedule(centred(5, 4), byTeams(5, 4, 2, 4), places);
    const buffers = plan.buffers.filter((b) => b.role === "temporary");
    expect(buffers.map((b) => [b.id, b.shape])).toEqual([
      ["e", [24]],
      ["s", [6]],
    ]);
    expect(bodyOf(plan).join("\n")).toContain("workgroup-x * 8u");
  });

  it("in slices of workgroups are told apart on grids of several loops", async () => {
    const tree = nest(
      [on("grid", "go", 2), on("grid", "gi", 2), on("workgroup", "r", 2)],
      nest([on("serial", "a", 4)], leaf("e", { i: [4, "go", 2, "gi", "r"], j: "a" })),
      nest(
        [],
        leaf("s", { i: [4, "go", 2, "gi", "r"] }, "init"),
        nest([on("serial", "k", 4)], leaf("s", { i: [4, "go", 2, "gi", "r"], j: "k" }, "update")),
        leaf("s", { i: [4, "go", 2, "gi", "r"] }, "finish"),
      ),
      nest([on("serial", "b", 4)], leaf("y", { i: [4, "go", 2, "gi", "r"], j: "b" })),
    );
    await runSchedule(centred(8, 4), tree, [placed("e", "scratch"), placed("s", "scratch")]);
  });

  it("of a tile that a loop uses again are guarded by barriers on both sides", async () => {
    const p = centred(2, 12);
    const tree = nest(
      [on("grid", "g", 2)],
      nest(
        [on("workgroup", "a", 4), on("serial", "at", 3)],
        leaf("e", { i: "g", j: [4, "at", "a"] }),
      ),
      nest(
        [],
        leaf("s", { i: "g" }, "init"),
        nest([on("serial", "k", 12)], leaf("s", { i: "g", j: "k" }, "update")),
        leaf("s", { i: "g" }, "finish"),
      ),
      nest(
        [on("workgroup", "b", 4), on("serial", "bt", 3)],
        leaf("y", { i: "g", j: [4, "bt", "b"] }),
      ),
    );
    for (const space of ["storage", "scratch", "workgroup"] as const) {
      await runSchedule(p, tree, [placed("e", space)]);
    }
  });
});

describe("teams", () => {
  it("that are smaller than the one around count within it", async () => {
    // Four invocations a row for the first statement, three for the others.
    const p = centred(6, 5);
    const row = [3, "g", "r"];
    const tree = nest(
      [on("grid", "g", 2), on("workgroup", "r", 3)],
      nest(
        [on("workgroup", "a", 4), on("serial", "at", 2)],
        leaf("e", { i: row, j: [4, "at", "a"] }),
      ),
      nest(
        [],
        leaf("s", { i: row }, "init"),
        nest([on("serial", "k", 5)], leaf("s", { i: row, j: "k" }, "update")),
        leaf("s", { i: row }, "finish"),
      ),
      nest(
        [on("workgroup", "b", 3), on("serial", "bt", 2)],
        leaf("y", { i: row, j: [3, "bt", "b"] }),
      ),
    );
    const plan = await runSchedule(p, tree);
    const text = bodyOf(plan).join("\n");
    expect(plan.kernels[0]?.kernel.workgroupSize).toBe(12);
    expect(text).toContain("if local-index % 4u < 3u");
    expect(text).not.toContain("% 3u");
  });

  it("of several loops inside a larger one are its first invocations", async () => {
    const p = program(
      "grid",
      [tensor("x", "input", [2, 7]), tensor("y", "output", [2, 7]), tensor("z", "output", [2, 3])],
      [
        statement("a", {
          dims: [dim("i", 0, 2), dim("j", 0, 7)],
          write: ["y", i, j],
          reads: [access("x", i, j)],
          body: f32(0),
        }),
        statement("b", {
          dims: [dim("i", 0, 2), dim("j", 0, 3)],
          write: ["z", i, j],
          reads: [access("x", i, j)],
          body: f32(0),
        }),
      ],
    );
    const tree = nest(
      [on("grid", "g", 1), on("serial", "once", 1)],
      nest([on("workgroup", "p", 2), on("workgroup", "q", 7)], leaf("a", { i: "p", j: "q" })),
      nest([on("workgroup", "u", 2), on("workgroup", "w", 3)], leaf("b", { i: "u", j: "w" })),
    );
    const text = bodyOf(await runSchedule(p, tree)).join("\n");
    expect(text).toContain("if local-index < 6u");
  });

  it("of subgroups and lanes are numbered like flat ones", async () => {
    const p = centred(4, 4);
    const row = [2, "sg", "ln"];
    const tree = nest(
      [on("grid", "g", 1), on("subgroup", "sg", 2), on("lane", "ln", 2)],
      nest([on("serial", "a", 4)], leaf("e", { i: row, j: "a" })),
      nest(
        [],
        leaf("s", { i: row }, "init"),
        nest([on("serial", "k", 4)], leaf("s", { i: row, j: "k" }, "update")),
        leaf("s", { i: row }, "finish"),
      ),
      nest([on("serial", "b", 4)], leaf("y", { i: row, j: "b" })),
    );
    const plan = await runSchedule(p, tree, [placed("s", "private")]);
    expect(plan.kernels[0]?.kernel.workgroupSize).toBe(4);
  });
});

/** `h = x`, then `for t: h(i) = h(n-1-i) + x(i)`, then `y = h`: the state is read whole at each step. */
function state(n: number, lower: Bound, upper: Bound): Program {
  return program(
    "state",
    [tensor("x", "input", [n]), tensor("h", "temporary", [n]), tensor("y", "output", [n])],
    [
      statement("first", {
        dims: [dim("i", 0, n)],
        write: ["h", i],
        reads: [access("x", i)],
        body: f32(0),
      }),
      statement("step", {
        dims: [dim("t", lower, upper), dim("i", 0, n)],
        loops: ["t"],
        write: ["h", i],
        reads: [access("h", turned(i, n)), access("x", i)],
        body: op("+", f32(0), f32(1)),
      }),
      statement("last", {
        dims: [dim("i", 0, n)],
        write: ["y", i],
        reads: [access("h", i)],
        body: f32(0),
      }),
    ],
    [run("first"), loop("t", lower, upper, run("step")), run("last")],
  );
}

function inSlots(slots: number): readonly Place[] {
  const target = { kind: "tensor", tensor: "h" } as const;
  return [{ target, space: "storage", at: null, fold: { loop: "t", slots } }];
}

function steps(n: number, trips: number, lower: number): ScheduleNode {
  return nest(
    [],
    nest([on("grid", "a", 1), on("workgroup", "p", n)], leaf("first", { i: "p" })),
    nest(
      [on("host", "s", trips)],
      nest(
        [on("grid", "b", 2), on("workgroup", "q", Math.ceil(n / 2))],
        leaf("step", { t: ["s", lower], i: [Math.ceil(n / 2), "b", "q"] }),
      ),
    ),
    nest([on("grid", "c", n)], leaf("last", { i: "c" })),
  );
}

describe("slots of a state over a loop", () => {
  it.each([
    [2, 0, 1],
    [2, 0, 2],
    [2, 0, 5],
    [3, 0, 4],
    [3, 0, 5],
    [3, 2, 8],
    [4, 1, 3],
  ])(
    "%i, over a loop from %i to %i, are read where they were written, and after it",
    async (slots, lower, upper) => {
      const p = state(4, lower, upper);
      const plan = await runSchedule(p, steps(4, upper - lower, lower), inSlots(slots));
      expect(plan.buffers.find((b) => b.id === "h")?.shape).toEqual([4 * slots]);
    },
  );

  it.each([0, -1, -2])(
    "hold the first state where the loop, 0 to %i, makes no trip",
    async (upper) => {
      const p = state(4, 0, addConstant(constant(upper), -2));
      if (upper > 2) throw new Error("the loop would run");
      for (const slots of [2, 3]) await runSchedule(p, steps(4, 0, 0), inSlots(slots));
    },
  );

  it("are refused in one slot, or where the kernel runs two steps at once", async () => {
    const p = state(4, 0, 3);
    const one = verifySchedule(p, { root: steps(4, 3, 0), places: [] });
    expect(one.map((f) => f.kind)).toContain("reach");
    const together = nest(
      [],
      nest([on("grid", "a", 4)], leaf("first", { i: "a" })),
      nest(
        [on("grid", "b", 1), on("workgroup", "s", 3), on("serial", "q", 4)],
        leaf("step", { t: "s", i: "q" }),
      ),
      nest([on("grid", "c", 4)], leaf("last", { i: "c" })),
    );
    expect(verifySchedule(p, { root: together, places: inSlots(2) })).not.toEqual([]);
  });

  it("work inside one kernel, with a barrier at each step", async () => {
    const p = state(4, 0, 5);
    const tree = nest(
      [on("grid", "one", 1)],
      nest([on("workgroup", "p", 4)], leaf("first", { i: "p" })),
      nest([on("serial", "s", 5), on("workgroup", "q", 4)], leaf("step", { t: "s", i: "q" })),
      nest([on("workgroup", "r", 4)], leaf("last", { i: "r" })),
    );
    const plan = await runSchedule(p, tree, inSlots(2));
    expect(bodyOf(plan).join("\n")).toMatch(/h\[.*\(s \+ 1u\) % 2u/);
  });
});

describe("steps of loops on the host", () => {
  /** `for t, for u: x(i) = x(i) + w(t, u)`. */
  const nested = program(
    "nested",
    [tensor("w", "input", [3, 4]), tensor("x", "inout", [5])],
    [
      statement("s", {
        dims: [dim("t", 0, 3), dim("u", 1, addConstant(t, 2)), dim("i", 0, 5)],
        loops: ["t", "u"],
        write: ["x", i],
        reads: [access("x", i), access("w", t, v("u"))],
        body: op("+", f32(0), f32(1)),
      }),
    ],
    [loop("t", 0, 3, loop("u", 1, addConstant(t, 2), run("s")))],
  );
  const binding = { t: "ht", u: ["hu", 1], i: "g" };

  it("are nested repetitions, with a slot for each loop", async () => {
    const tree = nest(
      [on("host", "ht", 3)],
      nest([on("host", "hu", 3)], nest([on("grid", "g", 5)], leaf("s", binding))),
    );
    const plan = await runSchedule(nested, tree);
    expect(plan.kernels[0]?.kernel.steps).toEqual(["ht", "hu"]);
    expect(plan.steps).toEqual([
      {
        kind: "repeat",
        variable: "ht",
        extent: 3,
        body: [
          { kind: "repeat", variable: "hu", extent: 3, body: [{ kind: "dispatch", kernel: 0 }] },
        ],
      },
    ]);
    expect(bodyOf(plan)[0]).toBe("if step.0 >= step.1");
  });

  it("that are partly in the kernel have a slot for the others", async () => {
    const tree = nest(
      [on("host", "ht", 3)],
      nest([on("grid", "g", 5), on("serial", "hu", 3)], leaf("s", binding)),
    );
    expect((await runSchedule(nested, tree)).kernels[0]?.kernel.steps).toEqual(["ht"]);
  });
});

describe("elements that nothing wrote", () => {
  it("are zeros, filled before the first step", async () => {
    const p = program(
      "some",
      [tensor("x", "input", [6]), tensor("y", "output", [6]), tensor("z", "output", [6])],
      [
        statement("a", {
          dims: [dim("i", 1, 4)],
          write: ["y", i],
          reads: [access("x", i)],
          body: f32(0),
        }),
        statement("b", {
          dims: [dim("i", 0, 6)],
          write: ["z", i],
          reads: [access("y", i)],
          body: f32(0),
        }),
      ],
    );
    const tree = nest(
      [],
      nest([on("grid", "g", 3)], leaf("a", { i: ["g", 1] })),
      nest([on("grid", "h", 6)], leaf("b", { i: "h" })),
    );
    const plan = await runSchedule(p, tree);
    expect(plan.steps[0]).toEqual({ kind: "zero", buffer: "y" });
    expect(plan.steps).toHaveLength(3);
  });
});
