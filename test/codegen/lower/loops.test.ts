import { describe, expect, it } from "vitest";
import { addConstant } from "../../../src/ir/affine.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import type { Loop, ScheduleNode } from "../../../src/ir/schedule.ts";
import { baselineProfile, type DeviceProfile } from "../../../src/support/device-profile.ts";
import { leaf, nest, on } from "../../ir/legality/build-schedule.ts";
import { dim, f32, matmul, program, statement, sum, tensor, v } from "../../support/programs.ts";
import { bodyOf, runSchedule } from "../support/run-schedule.ts";

const [i, j, k, l] = [v("i"), v("j"), v("k"), v("l")];

/** `y(i, j) = x(i, j + shift)`, rows of `x` a little longer. */
function rows(n: number, m: number, pitch: number, shift: number): Program {
  return program(
    "rows",
    [tensor("x", "input", [n, pitch]), tensor("y", "output", [n, m])],
    [
      statement("s", {
        dims: [dim("i", 0, n), dim("j", 0, m)],
        write: ["y", i, j],
        reads: [access("x", i, addConstant(j, shift))],
        body: f32(0),
      }),
    ],
  );
}

function vectors(n: number, m: number, width: number): ScheduleNode {
  return nest(
    [on("grid", "g", n), on("workgroup", "w", Math.ceil(m / width)), on("vector", "u", width)],
    leaf("s", { i: "g", j: [width, "w", "u"] }),
  );
}

describe("vector loops", () => {
  it("load and store whole vectors where both are aligned", async () => {
    const plan = await runSchedule(rows(3, 8, 8, 0), vectors(3, 8, 4));
    expect(bodyOf(plan)).toEqual([
      "let x_value: float32x4 = x[workgroup-x * 8u + local-index * 4u]:4",
      "y[workgroup-x * 8u + local-index * 4u]:4 = x_value",
    ]);
    expect(plan.kernels[0]?.wgsl).toMatch(/array<vec4<f32>, \d+>/);
  });

  it("put loads together from scalars where the offset or the pitch is odd", async () => {
    for (const p of [rows(3, 8, 12, 1), rows(3, 8, 9, 0)]) {
      const plan = await runSchedule(p, vectors(3, 8, 4));
      const text = bodyOf(plan).join("\n");
      expect(text).not.toMatch(/x\[.*\]:4/);
      expect(plan.kernels[0]?.wgsl).toMatch(/x: array<f32, \d+>/);
      expect(plan.kernels[0]?.wgsl).toMatch(/y: array<vec4<f32>, \d+>/);
    }
  });

  it("take a store apart whose rows have an odd length, and guard each component", async () => {
    const plan = await runSchedule(rows(3, 7, 8, 0), vectors(3, 7, 2));
    const text = bodyOf(plan).join("\n");
    expect(plan.kernels[0]?.wgsl).not.toContain("vec2");
    expect(text.match(/\bif\b/g)).toHaveLength(1);
  });

  it("of two components in a last vector that reaches too far guard it", async () => {
    await runSchedule(rows(2, 6, 8, 0), vectors(2, 6, 4));
    await runSchedule(rows(2, 5, 6, 1), vectors(2, 5, 4));
  });

  it("along rows keep a vector of sums in registers", async () => {
    const p = matmul(4, 8, 3);
    const loops = (n: number): readonly Loop[] => [on("vector", `u${n}`, 4)];
    const at = (n: number) => ({ i: "g", j: [4, "w", `u${n}`] });
    const tree = nest(
      [on("grid", "g", 4), on("workgroup", "w", 2)],
      nest(loops(0), leaf("c", at(0), "init")),
      nest([on("serial", "kk", 3), ...loops(1)], leaf("c", { ...at(1), k: "kk" }, "update")),
      nest(loops(2), leaf("c", at(2), "finish")),
    );
    expect(bodyOf(await runSchedule(p, tree))).toEqual([
      "var acc.c.0: float32x4 = 0:4",
      "loop kk in 0..3",
      "  let A_value: float32 = A[workgroup-x * 3u + kk]",
      "  let B_value: float32x4 = B[kk * 8u + local-index * 4u]:4",
      "  acc.c.0 = acc.c.0 + vector4(A_value) * B_value",
      "C[workgroup-x * 8u + local-index * 4u]:4 = acc.c.0",
    ]);
  });

  it("down columns go one by one", async () => {
    const tree = nest(
      [on("grid", "g", 2), on("workgroup", "w", 8), on("vector", "u", 4)],
      leaf("s", { i: [4, "g", "u"], j: "w" }),
    );
    expect(bodyOf(await runSchedule(rows(8, 8, 8, 0), tree)).join("\n")).not.toContain("]:4");
  });
});

describe("sums", () => {
  it("of unrolled points are variables, of points in a loop an array", async () => {
    const p = matmul(4, 4, 3);
    const tree = (level: "unroll" | "serial"): ScheduleNode =>
      nest(
        [on("grid", "g", 4)],
        nest([on(level, "a", 4)], leaf("c", { i: "g", j: "a" }, "init")),
        nest(
          [on("serial", "kk", 3), on(level, "b", 4)],
          leaf("c", { i: "g", j: "b", k: "kk" }, "update"),
        ),
        nest([on(level, "d", 4)], leaf("c", { i: "g", j: "d" }, "finish")),
      );
    const unrolled = await runSchedule(p, tree("unroll"));
    expect(unrolled.kernels[0]?.kernel.arrays.filter((a) => a.space === "private")).toEqual([]);
    expect(bodyOf(unrolled).filter((line) => line.includes("let A_value"))).toHaveLength(1);
    const looped = await runSchedule(p, tree("serial"));
    const [array] = looped.kernels[0]?.kernel.arrays.filter((a) => a.space === "private") ?? [];
    expect(array?.length).toBe(4);
  });
});

/** `y(i, j, k, l) = x(i, j, k, l)`. */
function four(...shape: readonly [number, number, number, number]): Program {
  const names = ["i", "j", "k", "l"];
  return program(
    "four",
    [tensor("x", "input", shape), tensor("y", "output", shape)],
    [
      statement("s", {
        dims: shape.map((n, d) => dim(names[d] ?? "", 0, n)),
        write: ["y", i, j, k, l],
        reads: [access("x", i, j, k, l)],
        body: f32(0),
      }),
    ],
  );
}

function small(most: number): DeviceProfile {
  const limits = { ...baselineProfile.limits, maxWorkgroupsPerDimension: most };
  return { ...baselineProfile, limits };
}

function grids(...shape: readonly number[]): ScheduleNode {
  const names = ["i", "j", "k", "l"];
  const loops = shape.map((n, d) => on("grid", `g${d}`, n));
  const binding = Object.fromEntries(names.map((n, d) => [n, `g${d}`]));
  return nest(loops, leaf("s", binding));
}

describe("grids", () => {
  it("of three loops use the dimensions, the innermost first", async () => {
    const plan = await runSchedule(four(1, 2, 3, 4), grids(1, 2, 3, 4));
    expect(plan.kernels[0]?.kernel.grid).toEqual([4, 3, 2]);
    expect(bodyOf(plan)).toHaveLength(2);
  });

  it("of more loops count along the first dimension", async () => {
    const plan = await runSchedule(four(2, 2, 3, 2), grids(2, 2, 3, 2));
    expect(plan.kernels[0]?.kernel.grid).toEqual([24, 1, 1]);
    expect(bodyOf(plan).join("\n")).not.toContain("if");
  });

  it("beyond the limit of a dimension fill two, with a guard for what is too much", async () => {
    const plan = await runSchedule(four(2, 2, 3, 2), grids(2, 2, 3, 2), [], small(5));
    expect(plan.kernels[0]?.kernel.grid).toEqual([5, 5, 1]);
    expect(bodyOf(plan)[0]).toBe("if workgroup-y * 5u + workgroup-x < 24u");
    const exact = await runSchedule(four(2, 2, 3, 2), grids(2, 2, 3, 2), [], small(8));
    expect(exact.kernels[0]?.kernel.grid).toEqual([8, 3, 1]);
    expect(bodyOf(exact).join("\n")).not.toContain("if");
  });

  it("of one long loop are split too", async () => {
    const n = 65535 + 10;
    const p = program(
      "long",
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
    const plan = await runSchedule(p, nest([on("grid", "g", n)], leaf("s", { i: "g" })));
    expect(plan.kernels[0]?.kernel.grid).toEqual([32773, 2, 1]);
  });
});

describe("loops without or with one iteration", () => {
  const p = matmul(1, 1, 1);

  it("disappear when they have one", async () => {
    const tree = nest(
      [on("grid", "g", 1), on("workgroup", "w", 1)],
      leaf("c", { i: "g", j: "w" }, "init"),
      nest(
        [on("serial", "kk", 1), on("unroll", "u", 1)],
        leaf("c", { i: "g", j: "w", k: ["kk", 1, "u"] }, "update"),
      ),
      leaf("c", { i: "g", j: "w" }, "finish"),
    );
    const plan = await runSchedule(p, tree);
    expect(bodyOf(plan).join("\n")).not.toMatch(/loop|if|local-index|workgroup-/);
  });

  it("of a sum over nothing leave the identity", async () => {
    const empty = program(
      "empty",
      [tensor("x", "input", [3, 1]), tensor("y", "output", [3])],
      [
        statement("s", {
          dims: [dim("i", 0, 3), dim("j", 0, 0)],
          write: ["y", i],
          reads: [access("x", i, j)],
          monoid: sum,
          over: ["j"],
          body: f32(0),
        }),
      ],
    );
    const tree = nest(
      [on("grid", "g", 3)],
      leaf("s", { i: "g" }, "init"),
      nest([on("serial", "kk", 0)], leaf("s", { i: "g", j: "kk" }, "update")),
      leaf("s", { i: "g" }, "finish"),
    );
    expect(bodyOf(await runSchedule(empty, tree)).join("\n")).not.toContain("loop");
  });

  it("around a kernel leave out its dispatch", async () => {
    const points = [dim("t", 0, 0), dim("i", 0, 4)];
    const nothing = program(
      "nothing",
      [tensor("x", "inout", [4])],
      [
        statement("a", {
          dims: points,
          loops: ["t"],
          write: ["x", i],
          reads: [access("x", i)],
          body: f32(0),
        }),
        statement("b", {
          dims: [dim("i", 0, 4)],
          write: ["x", i],
          reads: [access("x", i)],
          body: f32(0),
        }),
      ],
      [
        {
          kind: "loop",
          name: "t",
          lower: { terms: [], constant: 0 },
          upper: { terms: [], constant: 0 },
          body: [{ kind: "statement", statement: "a" }],
        },
        { kind: "statement", statement: "b" },
      ],
    );
    const last = nest([on("grid", "h", 4)], leaf("b", { i: "h" }));
    for (const first of [
      nest([on("host", "t", 0)], nest([on("grid", "g", 4)], leaf("a", { t: "t", i: "g" }))),
      nest([on("grid", "g", 4), on("serial", "t", 0)], leaf("a", { t: "t", i: "g" })),
      nest([on("grid", "g", 4), on("workgroup", "t", 0)], leaf("a", { t: "t", i: "g" })),
    ]) {
      const plan = await runSchedule(nothing, nest([], first, last));
      expect(plan.kernels).toHaveLength(1);
      expect(plan.steps).toEqual([{ kind: "dispatch", kernel: 0 }]);
    }
  });
});
