import { describe, expect, it } from "vitest";
import { addConstant, constant, lessThan, nonnegative, scale } from "../../../src/ir/affine.ts";
import { read } from "../../../src/ir/expression.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import type { ScheduleNode } from "../../../src/ir/schedule.ts";
import { leaf, nest, on, placed } from "../../ir/legality/build-schedule.ts";
import {
  dim,
  everySecond,
  f32,
  matmul,
  op,
  opaque,
  paddedStencil,
  program,
  scatterAdd,
  statement,
  sum,
  tensor,
  v,
} from "../../support/programs.ts";
import { bodyOf, expectRight, runSchedule, smallInputs } from "../support/run-schedule.ts";

const [i, j] = [v("i"), v("j")];

/** `y(i) = x(i)`. */
function copy(n: number): Program {
  return program(
    "copy",
    [tensor("x", "input", [n]), tensor("y", "output", [n])],
    [
      statement("s", {
        dims: [dim("i", 0, n)],
        write: ["y", i],
        reads: [access("x", i)],
        body: f32(0),
      }),
    ],
  );
}

function tiled(n: number, size: number): ScheduleNode {
  return nest(
    [on("grid", "g", Math.ceil(n / size)), on("workgroup", "w", size)],
    leaf("s", { i: [size, "g", "w"] }),
  );
}

/** All phases of statement `c` of a product, below some loops. */
function phases(
  i_: Parameters<typeof leaf>[1][string],
  j_: typeof i_,
  depth: number,
): ScheduleNode[] {
  return [
    leaf("c", { i: i_, j: j_ }, "init"),
    nest([on("serial", "k", depth)], leaf("c", { i: i_, j: j_, k: "k" }, "update")),
    leaf("c", { i: i_, j: j_ }, "finish"),
  ];
}

describe("the guard of a leaf", () => {
  it("is left out where the loops cover the domain exactly", async () => {
    const plan = await runSchedule(copy(12), tiled(12, 4));
    expect(bodyOf(plan)).toEqual([
      "let x_value: float32 = x[workgroup-x * 4u + local-index]",
      "y[workgroup-x * 4u + local-index] = x_value",
    ]);
  });

  it("stands around all of a leaf that stores, where they cover too much", async () => {
    const plan = await runSchedule(copy(10), tiled(10, 4));
    expect(bodyOf(plan)).toEqual([
      "if 9u >= workgroup-x * 4u + local-index",
      "  let x_value: float32 = x[workgroup-x * 4u + local-index]",
      "  y[workgroup-x * 4u + local-index] = x_value",
    ]);
  });

  it("is dropped where a sum is accumulated, whose reads are clamped, and kept where it is stored", async () => {
    const p = matmul(6, 5, 3);
    const tree = nest(
      [on("grid", "gi", 2), on("workgroup", "wi", 4), on("workgroup", "wj", 8)],
      ...phases([4, "gi", "wi"], "wj", 3),
    );
    const text = bodyOf(await runSchedule(p, tree)).join("\n");
    expect(text).toContain("A[min(workgroup-x * 4u + local-index / 8u, 5u) * 3u + k]");
    expect(text).toContain("min(local-index % 8u, 4u)");
    expect(text.match(/\bif\b/g)).toHaveLength(1);
    expect(text.trimEnd().split("\n").at(-1)).toMatch(/^ {2}C\[.*\] = /);
  });

  it("on a reduced dim stays, as adding a clamped element would be wrong", async () => {
    const p = matmul(4, 4, 5);
    const tree = nest(
      [on("grid", "gi", 4), on("workgroup", "wj", 4)],
      leaf("c", { i: "gi", j: "wj" }, "init"),
      nest(
        [on("serial", "ko", 2), on("unroll", "ki", 3)],
        leaf("c", { i: "gi", j: "wj", k: [3, "ko", "ki"] }, "update"),
      ),
      leaf("c", { i: "gi", j: "wj" }, "finish"),
    );
    const text = bodyOf(await runSchedule(p, tree)).join("\n");
    expect(text).toContain("if 0u >= ko");
    expect(text.match(/\bif\b/g)).toHaveLength(1);
  });

  it("of the domain itself is kept", async () => {
    const p = program(
      "some",
      [tensor("x", "inout", [9])],
      [
        statement("s", {
          dims: [dim("i", 0, 9)],
          guards: [nonnegative(addConstant(scale(i, 2), -7))],
          write: ["x", i],
          body: f32(0),
          reads: [access("x", i)],
        }),
      ],
    );
    const tree = nest([on("grid", "g", 1), on("workgroup", "w", 9)], leaf("s", { i: "w" }));
    expect(bodyOf(await runSchedule(p, tree))[0]).toBe("if local-index >= 4u");
  });
});

describe("reads of what the kernel itself writes", () => {
  /** `y = x`, then `z(i) = pad(y(i + 1))`: the neighbour is another invocation's. */
  const neighbours = program(
    "neighbours",
    [tensor("x", "input", [8]), tensor("y", "temporary", [8]), tensor("z", "output", [8])],
    [
      statement("a", {
        dims: [dim("i", 0, 8)],
        write: ["y", i],
        reads: [access("x", i)],
        body: f32(0),
      }),
      statement("b", {
        dims: [dim("i", 0, 8)],
        write: ["z", i],
        reads: [
          {
            ...access("y", addConstant(i, 1)),
            guard: [lessThan(addConstant(i, 1), constant(8))],
            fill: 3,
          },
        ],
        body: f32(0),
      }),
    ],
  );
  const both = nest(
    [on("grid", "g", 1)],
    nest([on("workgroup", "p", 8)], leaf("a", { i: "p" })),
    nest([on("workgroup", "q", 8)], leaf("b", { i: "q" })),
  );

  it("happen only where their guard holds", async () => {
    const text = bodyOf(await runSchedule(neighbours, both));
    expect(text).toEqual([
      "let x_value: float32 = x[local-index]",
      "y[local-index] = x_value",
      "barrier storage",
      "var guarded: float32 = 3",
      "if 6u >= local-index",
      "  guarded = y[min(local-index + 1u, 7u)]",
      "z[local-index] = guarded",
    ]);
  });

  it("do so in workgroup memory too", async () => {
    const text = bodyOf(await runSchedule(neighbours, both, [placed("y", "workgroup")])).join("\n");
    expect(text).toContain("barrier workgroup");
    expect(text).toMatch(/if 6u >= local-index\n {2}guarded = y\[/);
  });

  it("from inputs are selected instead, at a clamped element", async () => {
    const p = paddedStencil(7, 2);
    const tree = nest(
      [on("grid", "g", 1), on("workgroup", "w", 7)],
      leaf("y", { i: "w" }, "init"),
      nest([on("serial", "k", 3)], leaf("y", { i: "w", j: "k" }, "update")),
      leaf("y", { i: "w" }, "finish"),
    );
    const text = bodyOf(await runSchedule(p, tree)).join("\n");
    expect(text).toContain("x[min(k + local-index - 1u, 6u)]");
    expect(text).toContain("select(k + local-index >= 1u and 7u >= k + local-index, x_value, 2)");
  });
});

describe("quotients", () => {
  it("of what is never negative are divisions", async () => {
    const tree = nest([on("grid", "g", 1), on("workgroup", "w", 9)], leaf("y", { i: "w" }));
    const text = bodyOf(await runSchedule(everySecond(9), tree)).join("\n");
    expect(text).toContain("local-index / 2u");
    expect(text).toMatch(/^if /);
  });

  it("of negative numerators round down", async () => {
    const q = v("q");
    const p = program(
      "halves",
      [tensor("x", "input", [7]), tensor("y", "output", [11])],
      [
        statement("s", {
          dims: [dim("i", 0, 11)],
          quotients: [{ name: "q", numerator: addConstant(i, -5), divisor: 2 }],
          write: ["y", i],
          reads: [access("x", addConstant(q, 3))],
          body: f32(0),
        }),
      ],
    );
    const tree = nest([on("grid", "g", 1), on("workgroup", "w", 11)], leaf("s", { i: "w" }));
    expect(bodyOf(await runSchedule(p, tree))[0]).toContain("x[(local-index + 1u) / 2u]");
    const turned = nest(
      [on("grid", "g", 3), on("unroll", "u", 4)],
      leaf("s", { i: [-4, "g", -1, "u", 11] }),
    );
    await runSchedule(p, turned);
  });
});

describe("indices that are computed at run time", () => {
  const outside = Int32Array.from([-1, 4, 2, -2147483648, 2147483647, 0, 3, 1]);

  it("read the fill where they leave the tensor", async () => {
    const p = program(
      "gather",
      [tensor("I", "input", [8], "int32"), tensor("x", "input", [4]), tensor("y", "output", [8])],
      [
        statement("s", {
          dims: [dim("i", 0, 8)],
          write: ["y", i],
          reads: [
            access("I", i),
            { tensor: "x", index: [opaque(read(0, "int32"))], guard: [], fill: 5 },
          ],
          body: f32(1),
        }),
      ],
    );
    const tree = nest(
      [on("grid", "g", 2), on("workgroup", "w", 4)],
      leaf("s", { i: [4, "g", "w"] }),
    );
    const plan = await runSchedule(p, tree);
    expectRight(p, plan, { I: outside, x: Float32Array.from([1, 2, 3, 4]) });
    expect(bodyOf(plan).join("\n")).toContain("select(at < 4u, x_value, 5)");
  });

  it("drop what is scattered outside of the tensor", async () => {
    const p = scatterAdd(8, 2, 4);
    const tree = nest([on("grid", "g", 2), on("workgroup", "w", 8)], leaf("g", { i: "w", j: "g" }));
    const plan = await runSchedule(p, tree);
    expectRight(p, plan, { ...smallInputs(p), I: outside });
    expect(bodyOf(plan).join("\n")).toMatch(/if at < 4u\n {2}atomic G\[/);
    const serial = nest(
      [on("grid", "one", 1), on("serial", "w", 8), on("serial", "g", 2)],
      leaf("g", { i: "w", j: "g" }),
    );
    const alone = await runSchedule(p, serial);
    expectRight(p, alone, { ...smallInputs(p), I: outside });
    expect(bodyOf(alone).join("\n")).not.toContain("atomic");
  });

  it("drop affine coordinates of scatters outside of the tensor, too", async () => {
    const p = program(
      "diagonals",
      [tensor("x", "input", [6]), tensor("y", "inout", [4])],
      [
        statement("s", {
          dims: [dim("i", 0, 6), dim("j", 0, 3)],
          write: ["y", addConstant(scale(i, 1), -1)],
          reads: [access("x", i)],
          monoid: sum,
          over: ["i", "j"],
          body: f32(0),
        }),
      ],
    );
    const tree = nest(
      [on("grid", "g", 1), on("workgroup", "w", 6), on("workgroup", "u", 3)],
      leaf("s", { i: "w", j: "u" }),
    );
    const plan = await runSchedule(p, tree);
    expect(bodyOf(plan).join("\n")).toMatch(/if local-index \/ 3u - 1u < 4u\n {2}atomic y\[/);
  });

  it("drop what one statement writes at a computed element outside of the tensor", async () => {
    const p = program(
      "chosen",
      [tensor("I", "input", [1], "int32"), tensor("x", "input", [5]), tensor("y", "inout", [4])],
      [
        statement("s", {
          dims: [dim("j", 0, 5)],
          write: ["y", opaque(read(0, "int32"))],
          reads: [access("I", constant(0)), access("x", j)],
          monoid: sum,
          over: ["j"],
          body: f32(1),
        }),
      ],
    );
    const tree = nest(
      [on("grid", "g", 1)],
      leaf("s", {}, "init"),
      nest([on("serial", "k", 5)], leaf("s", { j: "k" }, "update")),
      leaf("s", {}, "finish"),
    );
    const plan = await runSchedule(p, tree);
    for (const at of [-1, 0, 3, 4, 2147483647]) {
      expectRight(p, plan, { ...smallInputs(p), I: Int32Array.of(at) });
    }
  });
});

describe("bool tensors", () => {
  it("are words in memory and bools in arithmetic", async () => {
    const p = program(
      "signs",
      [
        tensor("x", "input", [6]),
        tensor("m", "temporary", [6], "bool"),
        tensor("y", "output", [6], "bool"),
      ],
      [
        statement("a", {
          dims: [dim("i", 0, 6)],
          write: ["m", i],
          reads: [access("x", i)],
          body: op("<", f32(0), { kind: "literal", value: 1, type: "float32" }),
        }),
        statement("b", {
          dims: [dim("i", 0, 6)],
          write: ["y", i],
          reads: [access("m", i), access("m", addConstant(scale(i, -1), 5))],
          body: op("and", read(0, "bool"), read(1, "bool")),
        }),
      ],
    );
    const tree = nest(
      [on("grid", "g", 1)],
      nest([on("workgroup", "p", 3), on("vector", "u", 2)], leaf("a", { i: [2, "p", "u"] })),
      nest([on("workgroup", "q", 6)], leaf("b", { i: "q" })),
    );
    for (const space of ["storage", "scratch", "workgroup"] as const) {
      await runSchedule(p, tree, [placed("m", space)]);
    }
  });
});
