import { describe, expect, it } from "vitest";
import { synchronise } from "../../../src/ir/legality/synchronise.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import type { Program } from "../../../src/ir/program.ts";
import type { Schedule, ScheduleNode } from "../../../src/ir/schedule.ts";
import { loop, program, reads, run, statement, tensor } from "../dependences/build-program.ts";
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
function _chain(n: number, read: ReturnType<typeof reads>): Program {
  const a = statement("A", { dims: [["i", n]], write: ["y", "i"], reads: [reads("x", "i")] });
  const b = statement("B", { dims: [["i", n]], write: ["z", "i"], reads: [read] });
  const names = [tensor("x", [n], "input"), tensor("y", [n], "temporary"), tensor("z", [n])];
  return program(names, [a, b]);
}

describe("places", () => {
  it("must be written before they are read", () => {
    const a = statement("A", { dims: [["i", 4]], write: ["y", "i"] });
    const b = statement("B", { dims: [["i", 8]], write: ["z", "i"], reads: [reads("y", "i")] });
    const p = program([tensor("y", [8], "temporary"), tensor("z", [8])], [a, b]);
    const tree = nest(
      [on("grid", "g", 1)],
      nest([on("serial", "i", 4)], leaf("A", { i: "i" })),
      nest([on("serial", "j", 8)], leaf("B", { i: "j" })),
    );
    legal(p, schedule(tree));
    expect(kinds(p, schedule(tree, [placed("y", "private")]))).toEqual(["place"]);
  });

  it("at a loop hold one iteration's values only", () => {
    const a = statement("A", {
      loops: ["t"],
      dims: [
        ["t", 5],
        ["i", 4],
      ],
      write: ["x", "i"],
      reads: [reads("u", "t", "i")],
    });
    const b = statement("B", {
      loops: ["t"],
      dims: [
        ["t", 5],
        ["i", 4],
      ],
      write: ["z", "t", "i"],
      reads: [reads("x", "i")],
    });
    const tensors = [
      tensor("u", [5, 4], "input"),
      tensor("x", [4], "temporary"),
      tensor("z", [5, 4]),
    ];
    const later = program(tensors, [a, b], [loop("t", 5, run("A"), run("B"))]);
    const tree = (...order: readonly string[]): ScheduleNode =>
      nest(
        [on("grid", "i", 4), on("serial", "t", 5)],
        ...order.map((id) => leaf(id, { t: "t", i: "i" })),
      );
    legal(later, schedule(tree("A", "B"), [placed("x", "private", "t")]));
    // Reading the value of the step before.
    const before = program(tensors, [a, b], [loop("t", 5, run("B"), run("A"))]);
    legal(before, schedule(tree("B", "A")));
    expect(kinds(before, schedule(tree("B", "A"), [placed("x", "private", "t")]))).toContain(
      "place",
    );
  });

  it("that are folded keep steps apart", () => {
    const step = statement("S", {
      loops: ["t"],
      dims: [
        ["t", 6],
        ["i", 8],
      ],
      write: ["x", "i"],
      reads: [reads("x", [-1, "i", 7])],
    });
    const start = statement("I", { dims: [["i", 8]], write: ["x", "i"] });
    const end = statement("E", { dims: [["i", 8]], write: ["z", "i"], reads: [reads("x", "i")] });
    const p = program(
      [tensor("x", [8], "temporary"), tensor("z", [8])],
      [start, step, end],
      [run("I"), loop("t", 6, run("S")), run("E")],
    );
    const tree = nest(
      [on("grid", "g", 1)],
      nest([on("workgroup", "p", 8)], leaf("I", { i: "p" })),
      nest([on("serial", "t", 6), on("workgroup", "q", 8)], leaf("S", { t: "t", i: "q" })),
      nest([on("workgroup", "r", 8)], leaf("E", { i: "r" })),
    );
    expect(kinds(p, schedule(tree))).toEqual(["race"]);
    const fold = (slots: number): Schedule =>
      schedule(tree, [
        {
          target: { kind: "tensor", tensor: "x" },
          space: "storage",
          at: null,
          fold: { loop: "t", slots },
        },
      ]);
    legal(p, fold(2));
    expect(barriers(p, fold(2))).toEqual(["before 1 storage", "end t storage"]);
  });
});

describe("scatters", () => {
  const make = (name: "+" | "none"): Program => {
    const s = statement("S", {
      dims: [["b", 16]],
      write: ["h", "b"],
      reads: [reads("index", "b")],
      sum: ["b"],
    });
    const opaque = {
      ...s,
      write: {
        tensor: "h",
        index: [
          {
            kind: "opaque" as const,
            expression: { kind: "read" as const, read: 0, component: 0, type: "int32" as const },
          },
        ],
      },
    };
    const { reduction } = opaque;
    const plain =
      reduction === null ? null : { ...reduction, monoid: { ...reduction.monoid, atomic: null } };
    return program(
      [tensor("index", [16], "input"), tensor("h", [4], "inout")],
      [name === "+" ? opaque : { ...opaque, reduction: plain }],
    );
  };
  const spread = schedule(
    nest([on("grid", "g", 4), on("workgroup", "w", 4)], leaf("S", { b: [4, "g", "w"] })),
  );
  const alone = schedule(nest([on("grid", "g", 1), on("serial", "w", 16)], leaf("S", { b: "w" })));

  it("may be spread over invocations when their additions are indivisible", () => {
    legal(make("+"), spread);
    expect(kinds(make("none"), spread)).toEqual(["race"]);
    legal(make("none"), alone);
  });

  it("may not be repeated", () => {
    const twice = schedule(
      nest([on("grid", "g", 2), on("workgroup", "w", 16)], leaf("S", { b: "w" })),
    );
    expect(kinds(make("+"), twice)).toEqual(["coverage"]);
  });
});

describe("skews", () => {
  it("are understood as coverage, and order what they make sequential", () => {
    const s = statement("S", {
      loops: ["t"],
      dims: [
        ["t", 6],
        ["i", 1, 7],
      ],
      write: ["x", "i"],
      reads: [reads("x", ["i", -1]), reads("x", "i")],
    });
    const p = program([tensor("x", [8], "inout")], [s], [loop("t", 6, run("S"))]);
    // In one step x(i) reads x(i - 1) of the step before: downwards within a step.
    const down = nest(
      [on("grid", "g", 1), on("serial", "t", 6), on("serial", "i", 6)],
      leaf("S", { t: "t", i: [-1, "i", 6] }),
    );
    legal(p, schedule(down));
    const up = nest(
      [on("grid", "g", 1), on("serial", "t", 6), on("serial", "i", 6)],
      leaf("S", { t: "t", i: ["i", 1] }),
    );
    expect(kinds(p, schedule(up))).toEqual(["order"]);
    const wave = nest(
      [on("grid", "g", 1), on("serial", "w", 16), on("serial", "i", 6)],
      leaf("S", { t: ["w", -1, "i"], i: [-1, "i", 6] }),
    );
    expect(kinds(p, schedule(wave))).not.toContain("coverage");
  });
});
