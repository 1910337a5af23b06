/** Values spread over the lanes of a subgroup: what is legal, and what comes out. */
import { describe, expect, it } from "vitest";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import type { Loop, ScheduleNode } from "../../../src/ir/schedule.ts";
import { baselineProfile, type DeviceProfile } from "../../../src/support/device-profile.ts";
import { bodyOf, runSchedule } from "../../codegen/support/run-schedule.ts";
import { dim, f32, op, program, statement, sum, tensor, v } from "../../support/programs.ts";
import type { Form } from "../dependences/build-program.ts";
import { leaf, nest, on, placed, schedule } from "./build-schedule.ts";

const profile: DeviceProfile = {
  ...baselineProfile,
  features: { ...baselineProfile.features, subgroups: true },
  subgroups: { min: 4, max: 4 },
};

const [i, k, n] = [v("i"), v("k"), v("n")];

/** `p(i, k) = a(i, k)`, `c(i, n) = Σ p(i, k) * b(k, n)`. */
function product(rows: number, depth: number, columns: number): Program {
  return program(
    "product",
    [
      tensor("a", "input", [rows, depth]),
      tensor("b", "input", [depth, columns]),
      tensor("p", "temporary", [rows, depth]),
      tensor("c", "output", [rows, columns]),
    ],
    [
      statement("p", {
        dims: [dim("i", 0, rows), dim("k", 0, depth)],
        write: ["p", i, k],
        reads: [access("a", i, k)],
        body: f32(0),
      }),
      statement("c", {
        dims: [dim("i", 0, rows), dim("n", 0, columns), dim("k", 0, depth)],
        write: ["c", i, n],
        reads: [access("p", i, k), access("b", k, n)],
        monoid: sum,
        over: ["k"],
        body: op("*", f32(0), f32(1)),
      }),
    ],
  );
}

interface Change {
  /** The loops around the whole, inside the grid. */
  readonly local: Parameters<typeof nest>[0];
  readonly column: Form;
  /** How the part is bound. */
  readonly row: Form;
  readonly depth: Form;
  readonly inner: "unroll" | "serial";
}

/** Lanes along n; each loads a step of k for all. */
function spread(depth: number, change: Partial<Change> = {}): ScheduleNode {
  const local = change.local ?? [on("lane", "l", 4)];
  const column = change.column ?? [4, "g", "l"];
  return nest(
    [on("grid", "h", 3), on("grid", "g", 2), ...local],
    leaf("c", { i: "h", n: column }, "init"),
    nest(
      [on("serial", "ko", Math.ceil(depth / 4))],
      leaf("p", { i: change.row ?? "h", k: change.depth ?? [4, "ko", "l"] }),
      nest(
        [on(change.inner ?? "unroll", "ki", 4)],
        leaf("c", { i: "h", n: column, k: [4, "ko", "ki"] }, "update"),
      ),
    ),
    leaf("c", { i: "h", n: column }, "finish"),
  );
}

const inLanes = [placed("p", "lanes", "ko")];

function faults(p: Program, root: ScheduleNode, places = inLanes): string {
  return verifySchedule(p, schedule(root, places))
    .map((f) => f.message)
    .join("; ");
}

describe("a place in lanes", () => {
  it.each([4, 8, 7, 1, 13])("serves a sum over %i steps by broadcasts", async (depth) => {
    const plan = await runSchedule(product(3, depth, 8), spread(depth), inLanes, profile);
    const text = bodyOf(plan).join("\n");
    expect(text.match(/= broadcast lane \d/g)).toHaveLength(4);
    expect(plan.kernels[0]?.kernel.subgroupSize).toBe(4);
    expect(plan.buffers.map((b) => b.id)).toEqual(["a", "b", "c"]);
  });

  it("may have elements beyond the domain of who reads", async () => {
    await runSchedule(product(2, 6, 5), spread(6), inLanes, profile);
  });

  it("is a copy for each subgroup of a workgroup", async () => {
    const local = [on("workgroup", "w", 2), on("lane", "l", 4)];
    const root = spread(8, { local, column: [8, "g", 4, "w", "l"] });
    const plan = await runSchedule(product(3, 8, 16), root, inLanes, profile);
    expect(bodyOf(plan).join("\n")).not.toContain("barrier");
  });

  it("may hold all steps at once, in several registers, and be read by its own lane", async () => {
    const p = program(
      "centred",
      [
        tensor("a", "input", [3, 8]),
        tensor("p", "temporary", [3, 8]),
        tensor("s", "temporary", [3]),
        tensor("y", "output", [3, 8]),
      ],
      [
        statement("p", {
          dims: [dim("i", 0, 3), dim("k", 0, 8)],
          write: ["p", i, k],
          reads: [access("a", i, k)],
          body: f32(0),
        }),
        statement("s", {
          dims: [dim("i", 0, 3), dim("k", 0, 8)],
          write: ["s", i],
          reads: [access("p", i, k)],
          monoid: sum,
          over: ["k"],
          body: f32(0),
        }),
        statement("y", {
          dims: [dim("i", 0, 3), dim("k", 0, 8)],
          write: ["y", i, k],
          reads: [access("p", i, k), access("s", i)],
          body: op("-", f32(0), f32(1)),
        }),
      ],
    );
    const root = nest(
      [on("grid", "g", 3)],
      nest([on("lane", "l", 4), on("unroll", "t", 2)], leaf("p", { i: "g", k: [4, "t", "l"] })),
      leaf("s", { i: "g" }, "init"),
      nest([on("unroll", "r", 8)], leaf("s", { i: "g", k: "r" }, "update")),
      leaf("s", { i: "g" }, "finish"),
      nest([on("lane", "m", 4), on("unroll", "u", 2)], leaf("y", { i: "g", k: [4, "u", "m"] })),
    );
    const places = [placed("p", "lanes"), placed("s", "private")];
    const plan = await runSchedule(p, root, places, profile);
    const text = bodyOf(plan).join("\n");
    expect(text.match(/broadcast/g)).toHaveLength(8);
    expect(text).not.toContain("barrier");
  });

  it("may have a register for each iteration of a loop", async () => {
    const places = [placed("p", "lanes", "g")];
    const plan = await runSchedule(product(3, 7, 8), spread(7), places, profile);
    expect(plan.kernels[0]?.kernel.arrays.find((a) => a.id === "p")?.length).toBe(2);
  });

  it("is read anew after it was written anew", async () => {
    const steps = [on("unroll", "ko", 2)];
    const root = nest(
      [on("grid", "h", 3), on("grid", "g", 2), on("lane", "l", 4)],
      leaf("c", { i: "h", n: [4, "g", "l"] }, "init"),
      nest(
        steps,
        leaf("p", { i: "h", k: [4, "ko", "l"] }),
        nest(
          [on("unroll", "ki", 4)],
          leaf("c", { i: "h", n: [4, "g", "l"], k: [4, "ko", "ki"] }, "update"),
        ),
      ),
      leaf("c", { i: "h", n: [4, "g", "l"] }, "finish"),
    );
    const plan = await runSchedule(product(3, 8, 8), root, inLanes, profile);
    expect(
      bodyOf(plan)
        .join("\n")
        .match(/broadcast/g),
    ).toHaveLength(8);
  });

  it("is refused where nothing deals it to lanes", () => {
    const p = product(3, 8, 8);
    const flat = spread(8, { local: [on("workgroup", "l", 4)] });
    expect(faults(p, flat)).toContain("p is not dealt to lanes");
    expect(faults(p, spread(8, { depth: [4, "ko", 2, "l"] }))).not.toBe("");
    expect(faults(p, spread(8, { depth: [4, "ko", -1, "l", 3] }))).not.toBe("");
  });

  it.each([4, 8, 7, 1, 13])("serves a sum whose %i steps a loop counts", async (depth) => {
    const root = spread(depth, { inner: "serial" });
    const plan = await runSchedule(product(3, depth, 8), root, inLanes, profile);
    expect(
      bodyOf(plan)
        .join("\n")
        .match(/= broadcast lane /g),
    ).toHaveLength(1);
    expect(bodyOf(plan).join("\n")).toContain("= broadcast lane ki of p");
  });

  it("may have a register for each iteration of a loop, with lanes counted inside", async () => {
    const places = [placed("p", "lanes", "g")];
    const root = spread(7, { inner: "serial" });
    const plan = await runSchedule(product(3, 7, 8), root, places, profile);
    expect(plan.kernels[0]?.kernel.arrays.find((a) => a.id === "p")?.length).toBe(2);
  });

  it("may be read from lanes that several loops count, some of them written out", async () => {
    const steps = [on("serial", "kj", 2), on("unroll", "ki", 2)];
    for (const read of [
      [2, "kj", "ki"],
      ["kj", 2, "ki"],
    ] as const) {
      const root = nest(
        [on("grid", "h", 3), on("grid", "g", 2), on("lane", "l", 4)],
        leaf("c", { i: "h", n: [4, "g", "l"] }, "init"),
        nest(
          [on("serial", "ko", 2)],
          leaf("p", { i: "h", k: [4, "ko", "l"] }),
          nest(steps, leaf("c", { i: "h", n: [4, "g", "l"], k: [4, "ko", ...read] }, "update")),
        ),
        leaf("c", { i: "h", n: [4, "g", "l"] }, "finish"),
      );
      await runSchedule(product(3, 8, 8), root, inLanes, profile);
    }
  });

  it("is refused where a loop counts from one register into the next", () => {
    const root = nest(
      [on("grid", "h", 3), on("grid", "g", 2), on("lane", "l", 4)],
      nest([on("unroll", "t", 2)], leaf("p", { i: "h", k: [4, "t", "l"] })),
      leaf("c", { i: "h", n: [4, "g", "l"] }, "init"),
      nest([on("serial", "kk", 8)], leaf("c", { i: "h", n: [4, "g", "l"], k: "kk" }, "update")),
      leaf("c", { i: "h", n: [4, "g", "l"] }, "finish"),
    );
    expect(faults(product(3, 8, 8), root, [placed("p", "lanes", "g")])).toContain(
      "c reads p from a lane that is not known",
    );
  });

  it("is refused where each subgroup would take from a lane of its own", () => {
    const p = program(
      "each",
      [
        tensor("a", "input", [3, 4]),
        tensor("p", "temporary", [3, 4]),
        tensor("y", "output", [3, 4, 4]),
      ],
      [
        statement("p", {
          dims: [dim("i", 0, 3), dim("k", 0, 4)],
          write: ["p", i, k],
          reads: [access("a", i, k)],
          body: f32(0),
        }),
        statement("y", {
          dims: [dim("i", 0, 3), dim("k", 0, 4), dim("n", 0, 4)],
          write: ["y", i, k, n],
          reads: [access("p", i, k)],
          body: f32(0),
        }),
      ],
    );
    const root = (inner: readonly Loop[], taken: Form): ScheduleNode =>
      nest(
        [on("grid", "h", 3), on("workgroup", "w", 2), on("lane", "l", 4)],
        leaf("p", { i: "h", k: "l" }),
        nest(inner, leaf("y", { i: "h", k: taken, n: "l" })),
      );
    const places = [placed("p", "lanes", "l")];
    expect(faults(p, root([on("serial", "s", 2)], [2, "w", "s"]), places)).toContain(
      "y reads p from a lane that is not known",
    );
    expect(faults(p, root([on("serial", "s", 4)], "s"), places)).not.toContain("not known");
  });

  it("is refused where lanes would give what they hold elsewhere", () => {
    const p = program(
      "turned",
      [tensor("a", "input", [4, 4]), tensor("p", "temporary", [4, 4]), tensor("s", "output", [4])],
      [
        statement("p", {
          dims: [dim("i", 0, 4), dim("k", 0, 4)],
          write: ["p", i, k],
          reads: [access("a", i, k)],
          body: f32(0),
        }),
        statement("s", {
          dims: [dim("i", 0, 4), dim("k", 0, 4)],
          write: ["s", i],
          reads: [access("p", i, k)],
          monoid: sum,
          over: ["k"],
          body: f32(0),
        }),
      ],
    );
    // Element (i, k) is in register i of lane k; lane i would need register i of all others.
    const root = nest(
      [on("grid", "g", 1)],
      nest([on("lane", "l", 4), on("unroll", "t", 4)], leaf("p", { i: "t", k: "l" })),
      nest(
        [on("lane", "m", 4)],
        leaf("s", { i: "m" }, "init"),
        nest([on("unroll", "r", 4)], leaf("s", { i: "m", k: "r" }, "update")),
        leaf("s", { i: "m" }, "finish"),
      ),
    );
    expect(faults(p, root, [placed("p", "lanes")])).toContain("from a lane that is not known");
  });

  it("is refused where lanes are not consecutive invocations, or no whole subgroup", () => {
    const p = product(3, 8, 16);
    const apart = [on("lane", "l", 4), on("workgroup", "w", 2)];
    expect(faults(p, spread(8, { local: apart, column: [8, "g", 2, "l", "w"] }))).toContain(
      "not those of a subgroup",
    );
    const two = [on("lane", "m", 2), on("lane", "l", 4)];
    expect(faults(p, spread(8, { local: two, column: [8, "g", 4, "m", "l"] }))).not.toBe("");
  });

  it("is refused where not every invocation comes", () => {
    const p = product(3, 8, 8);
    const root = nest(
      [on("grid", "h", 3)],
      nest(
        [on("workgroup", "g", 2), on("lane", "l", 4)],
        nest(
          [],
          leaf("c", { i: "h", n: [4, "g", "l"] }, "init"),
          nest([on("serial", "kk", 8)], leaf("c", { i: "h", n: [4, "g", "l"], k: "kk" }, "update")),
          leaf("c", { i: "h", n: [4, "g", "l"] }, "finish"),
        ),
      ),
      nest([on("lane", "x", 4), on("serial", "t", 2)], leaf("p", { i: "h", k: [4, "t", "x"] })),
    );
    expect(faults(p, root, [placed("p", "lanes", "h")])).toContain(
      "not every invocation comes to p",
    );
  });

  it("is refused where another subgroup would have to give", () => {
    const p = product(3, 8, 16);
    const local = [on("workgroup", "w", 2), on("lane", "l", 4)];
    // Each subgroup loads half of the steps that both need.
    const root = nest(
      [on("grid", "h", 3), on("grid", "g", 2), ...local],
      leaf("p", { i: "h", k: [4, "w", "l"] }),
      leaf("c", { i: "h", n: [8, "g", 4, "w", "l"] }, "init"),
      nest(
        [on("unroll", "ki", 8)],
        leaf("c", { i: "h", n: [8, "g", 4, "w", "l"], k: "ki" }, "update"),
      ),
      leaf("c", { i: "h", n: [8, "g", 4, "w", "l"] }, "finish"),
    );
    expect(faults(p, root, [placed("p", "lanes", "l")])).not.toBe("");
    expect(faults(p, root, [placed("p", "lanes", null)])).not.toBe("");
  });

  it("is refused where what is read was not written", () => {
    const p = product(3, 8, 8);
    expect(faults(p, spread(8, { row: 0 }))).not.toBe("");
    expect(faults(p, spread(8, { depth: "l" }))).not.toBe("");
  });
});
