import { describe, expect, it } from "vitest";
import { type Compiled, compile, lowerSource } from "../../../src/compile.ts";
import { synchronise } from "../../../src/ir/legality/synchronise.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { type GroupShape, mapGroup, plainShape } from "../../../src/ir/mapping/build/map-group.ts";
import { type Axis, axesOf } from "../../../src/ir/mapping/group/axes.ts";
import { prefersOutside } from "../../../src/ir/mapping/policy/reduction-defaults.ts";
import type { Program } from "../../../src/ir/program.ts";
import { printSchedule, type ScheduleNode } from "../../../src/ir/schedule.ts";
import {
  gpuProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";
import type { Choice } from "../../../src/support/mapping-file.ts";
import { given } from "../../support/given.ts";
import { matmul } from "../../support/programs.ts";

function text(root: ScheduleNode): readonly string[] {
  return printSchedule({ root, places: [] }).trimEnd().split("\n");
}

function legal(p: Program, change: Partial<GroupShape>): readonly string[] {
  const axes = axesOf(p.statements);
  const root = mapGroup(p, p.tree, axes, { ...plainShape(axes, 1), ...change }, "k");
  expect(verifySchedule(p, { root, places: [] }).map((f) => f.message)).toEqual([]);
  return text(root);
}

type Sizes = Readonly<Record<string, number>>;

function lowered(source: string, sizes: Sizes): Program {
  const result = lowerSource(source, { sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.program;
}

describe("loops over tiles of axes", () => {
  const tiles = [
    { workgroup: 2, thread: 2, turns: [3] },
    { workgroup: 4, thread: 1, turns: [2, 5] },
  ];

  it("stand inside of the invocations, outer levels first, in the order of the axes", () => {
    expect(legal(matmul(24, 80, 3), { tiles }).slice(0, 3)).toEqual([
      "grid k.p0.grid in 0..2, grid k.p1.grid in 0..2, workgroup k.p0.workgroup in 0..2, workgroup k.p1.workgroup in 0..4, serial k.p1.turn2 in 0..5, serial k.p0.turn in 0..3, serial k.p1.turn in 0..2",
      "  sequence",
      "    serial k.p0.thread.0 in 0..2",
    ]);
  });

  it("make the tile of a workgroup longer", () => {
    const [, , , init] = legal(matmul(24, 80, 3), { tiles });
    expect(init).toContain("i = 12*k.p0.grid + k.p0.thread.0 + 4*k.p0.turn + 2*k.p0.workgroup");
    expect(init).toContain("j = 40*k.p1.grid + 4*k.p1.turn + 8*k.p1.turn2 + k.p1.workgroup");
  });

  it("have the order that is asked for", () => {
    const [head] = legal(matmul(24, 80, 3), { tiles, turnOrder: [1, 0] });
    expect(head).toContain("serial k.p1.turn2 in 0..5, serial k.p1.turn in 0..2, serial k.p0.turn");
  });

  it("are shorter along short axes, and partial where they do not divide", () => {
    for (const n of [1, 2, 5, 11, 13, 41]) legal(matmul(n, n, 2), { tiles });
    expect(legal(matmul(5, 1, 2), { tiles })[0]).toBe(
      "grid k.p0.grid in 0..1, grid k.p1.grid in 0..1, workgroup k.p0.workgroup in 0..2, serial k.p0.turn in 0..2",
    );
  });
});

describe("blocks of invocations", () => {
  it("are the innermost digits of the local index, in the order of the axes", () => {
    const tiles = [
      { workgroup: 8, thread: 1, subgroup: 4 },
      { workgroup: 8, thread: 1, subgroup: 2 },
    ];
    expect(legal(matmul(8, 16, 3), { tiles })[0]).toBe(
      "grid k.p0.grid in 0..1, grid k.p1.grid in 0..2, workgroup k.p0.subgroups in 0..2, workgroup k.p1.subgroups in 0..4, workgroup k.p0.subgroup in 0..4, workgroup k.p1.subgroup in 0..2",
    );
    const [head] = legal(matmul(8, 16, 3), { tiles, innermost: 0 });
    expect(head).toContain("k.p1.subgroup in 0..2, workgroup k.p0.subgroup in 0..4");
    for (const n of [1, 3, 5, 7]) legal(matmul(n, n, 2), { tiles });
  });
});

describe("tiles of reductions", () => {
  const program = lowered(
    "def f(float(K, L, N) x, float(K, L) w) -> (y) { y(n) +=! x(k, l, n) * w(k, l) }",
    { K: 12, L: 6, N: 8 },
  );

  it("stand outside of all that is inside of tiles", () => {
    const [, , , update] = legal(program, { reductions: [[4, 2], [3]] });
    expect(update).toBe(
      "    serial y.r0.tile in 0..3, serial y.r1.tile in 0..2, serial y.r0.tile2 in 0..2, serial y.r0.point2 in 0..2, serial y.r1.point in 0..3",
    );
  });

  it("of one step put a loop around the others", () => {
    const [, , , update] = legal(program, { reductions: [[], [1]] });
    expect(update).toBe("    serial y.r1.tile in 0..6, serial y.r0 in 0..12");
  });

  it("hold tiles of axes, with a loop of its own for each phase of the reduction", () => {
    const tiles = [{ workgroup: 1, thread: 2, turns: [2, 2] }];
    const shape = { tiles, reductions: [[4]], inside: 1, points: "unroll" } as const;
    expect(legal(program, shape)).toEqual([
      "grid k.p0.grid in 0..1, serial k.p0.turn2 in 0..2",
      "  sequence",
      "    serial k.p0.turn.0 in 0..2, unroll k.p0.thread.0 in 0..2",
      "      y.init(n = 8*k.p0.grid + k.p0.thread.0 + 2*k.p0.turn.0 + 4*k.p0.turn2)",
      "    serial y.r0.tile in 0..3, serial k.p0.turn.1 in 0..2, serial y.r0.point in 0..4, serial y.r1 in 0..6, unroll k.p0.thread.1 in 0..2",
      "      y.update(n = 8*k.p0.grid + k.p0.thread.1 + 2*k.p0.turn.1 + 4*k.p0.turn2, k = y.r0.point + 4*y.r0.tile, l = y.r1)",
      "    serial k.p0.turn.2 in 0..2, unroll k.p0.thread.2 in 0..2",
      "      y.finish(n = 8*k.p0.grid + k.p0.thread.2 + 2*k.p0.turn.2 + 4*k.p0.turn2)",
    ]);
  });
});

describe("legality of tiles one after the other", () => {
  /** One statement reads what other invocations of the workgroup computed in the one before. */
  const program = lowered(
    "def f(float(N) x) -> (y, z) { y(i) = 2.0 * x(i)  z(i) = y(N - 1 - i) + x(i) }",
    { N: 16 },
  );
  const axes: readonly Axis[] = [
    { lower: 0, upper: 16, dims: new Map(program.statements.map((s) => [s.id, "i"])) },
  ];
  const faultsOf = (change: Partial<GroupShape>): readonly string[] => {
    const shape = { ...plainShape(axes, 1), ...change };
    const root = mapGroup(program, program.tree, axes, shape, "k");
    const kinds = verifySchedule(program, { root, places: [] }).map((f) => f.kind);
    if (kinds.length === 0) expect(synchronise(program, { root, places: [] })).toHaveLength(1);
    return kinds;
  };

  it("is that of their order: later tiles are not there yet", () => {
    expect(faultsOf({ tiles: [{ workgroup: 16, thread: 1 }] })).toEqual([]);
    expect(faultsOf({ tiles: [{ workgroup: 4, thread: 1, turns: [4] }] })).toEqual(["order"]);
  });

  it("lets each statement have all tiles before the next", () => {
    expect(faultsOf({ tiles: [{ workgroup: 4, thread: 1, turns: [4] }], inside: 1 })).toEqual([]);
  });
});

const product = "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const window = `def f(float(C, W) x, float(C, R, S) k) -> (y) {
  y(h, w) +=! x(c, h + 2 * w + r + s) * k(c, r, s) where h in 0:20, w in 0:20
}`;

function compiled(
  source: string,
  sizes: Sizes,
  choices: Readonly<Record<string, Choice>>,
  profile = gpuProfile,
): Compiled {
  const result = compile(source, { sizes, profile, options: given(choices) });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  expect(result.unusedChoices).toEqual([]);
  return result;
}

/** The paths of the decisions about levels of the only kernel. */
function levelsAsked({ decisions, plan }: Compiled): readonly string[] {
  expect(plan.kernels.length).toBe(1);
  const all = decisions.map((d) => d.path.replace(/^kernels\/[^/]+\//, ""));
  return all.filter((p) => /turn|^reduced|subgroup$|inside$/.test(p));
}

describe("what is asked", () => {
  const sizes = { M: 64, K: 16, N: 512 };
  const plain = {
    "kernels/$0/operands/$0.read0/stage": "no",
    "kernels/$0/operands/$0.read1/stage": "no",
  };

  it("is one question for each axis of several tiles, and one for blocks of invocations", () => {
    expect(levelsAsked(compiled(product, { ...sizes, M: 3 }, plain))).toEqual([
      "axes/1/turns/0",
      "axes/0/subgroup",
    ]);
    expect(levelsAsked(compiled(product, { M: 1, K: 1, N: 1 }, {}))).toEqual([]);
  });

  it("is more only after an answer that is not 1, up to three levels", () => {
    const tile = {
      "kernels/$0/axes/0/workgroup": 64,
      "kernels/$0/axes/1/workgroup": 4,
      "kernels/$0/axes/1/points": 4,
    };
    const turns = { ...tile, "kernels/$0/axes/1/turns/0": 2 };
    expect(levelsAsked(compiled(product, sizes, { ...plain, ...turns }))).toEqual([
      "axes/1/turns/0",
      "axes/1/turns/1",
      "axes/0/subgroup",
      "reduced/0/0",
    ]);
    const more = {
      "kernels/$0/axes/1/turns/1": 2,
      "kernels/$0/axes/1/turns/2": 2,
      "kernels/$0/reduced/0/0": 4,
    };
    expect(levelsAsked(compiled(product, sizes, { ...plain, ...turns, ...more }))).toEqual([
      "axes/1/turns/0",
      "axes/1/turns/1",
      "axes/1/turns/2",
      "axes/0/subgroup",
      "reduced/0/0",
      "reduced/0/1",
      "inside",
    ]);
  });

  it("is the order of loops over tiles where several axes have them", () => {
    const turns = {
      "kernels/$0/axes/0/points": 1,
      "kernels/$0/axes/0/turns/0": 2,
      "kernels/$0/axes/1/turns/0": 2,
    };
    const { decisions } = compiled(product, sizes, { ...plain, ...turns });
    const order = decisions.filter((d) => d.path.includes("turnOrder"));
    expect(order.map((d) => [d.path, d.values, d.value])).toEqual([
      ["kernels/C/turnOrder/0", [1, 0], 1],
    ]);
  });

  it("is tiles of reductions over several dims", () => {
    const asked = levelsAsked(compiled(window, { C: 8, W: 80, R: 3, S: 3 }, plain));
    expect(asked.filter((p) => p.startsWith("reduced"))).toEqual([
      "reduced/0/0",
      "reduced/1/0",
      "reduced/2/0",
    ]);
  });

  it("never holds more accumulators than there is room for", () => {
    const choices = {
      ...plain,
      "kernels/$0/axes/0/points": 8,
      "kernels/$0/axes/1/points": 8,
      "kernels/$0/axes/1/workgroup": 1,
      "kernels/$0/axes/1/turns/0": 16,
      "kernels/$0/axes/1/turns/1": 4,
      "kernels/$0/reduced/0/0": 4,
      "kernels/$0/inside": 2,
    };
    const { repairs, plan } = compiled(product, sizes, choices);
    expect(repairs).toEqual([{ path: "kernels/C/inside", asked: 2, used: 1 }]);
    const sums = plan.kernels.flatMap((k) => k.kernel.arrays.filter((a) => a.space === "private"));
    expect(sums.map((a) => a.length)).toEqual([8 * 8 * 16]);
  });
});

describe("the accumulators of several tiles", () => {
  it("lie side by side, whatever is between the tiles", () => {
    const choices = {
      "kernels/$0/operands/$0.read0/stage": "no",
      "kernels/$0/operands/$0.read1/stage": "no",
      "kernels/$0/axes/0/workgroup": 4,
      "kernels/$0/axes/0/points": 2,
      "kernels/$0/axes/0/turns/0": 4,
      "kernels/$0/axes/1/workgroup": 8,
      "kernels/$0/axes/1/points": 4,
      "kernels/$0/axes/1/turns/0": 2,
      "kernels/$0/reduced/0/0": 4,
      "kernels/$0/inside": 2,
    };
    for (const blocked of [true, false]) {
      const all = { ...choices, "kernels/$0/blocked": blocked };
      const { plan, repairs } = compiled(product, { M: 64, K: 16, N: 512 }, all);
      expect(repairs).toEqual([]);
      const sums = plan.kernels.flatMap((k) =>
        k.kernel.arrays.filter((a) => a.space === "private"),
      );
      expect(sums.map((a) => a.length)).toEqual([2 * 4 * 4 * 2]);
    }
  });
});

describe("the default order of reduced dims", () => {
  it("puts a short loop around a long one where iterations are dear", () => {
    const sizes = { C: 16, W: 80, R: 3, S: 3 };
    const defaultOf = (profile: typeof gpuProfile): readonly Choice[] =>
      compiled(window, sizes, {}, profile)
        .decisions.filter((d) => /\/reduced\/\d\/0$/.test(d.path))
        .map((d) => d.value);
    expect(defaultOf(swiftshaderProfile)).toEqual(["whole", 1, "whole"]);
    expect(defaultOf(llvmpipeProfile)).toEqual(["whole", "whole", "whole"]);
  });

  it("asks for an innermost dim that is written out, and for a longer one around", () => {
    const prefers = (extents: readonly number[], r: number, unroll: number): boolean =>
      prefersOutside([extents], r, unroll, swiftshaderProfile);
    expect(prefers([32, 3, 3], 1, 3)).toBe(true);
    expect(prefers([32, 3, 3], 0, 3)).toBe(false);
    expect(prefers([32, 3, 3], 2, 3)).toBe(false);
    // The window is written out as a whole, the innermost dim is not, no loop is longer.
    expect(prefers([32, 3, 3], 1, 9)).toBe(false);
    expect(prefers([32, 5, 5], 1, 1)).toBe(false);
    expect(prefers([3, 3, 3], 1, 3)).toBe(false);
    expect(prefersOutside([], 1, 3, swiftshaderProfile)).toBe(false);
  });
});
