/** Which workgroups have full tiles, beside plain loops over all instances. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addConstant, constant, lessThan, nonnegative, variable } from "../../../src/ir/affine.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import {
  type Band,
  type Loop,
  printSchedule,
  type ScheduleNode,
} from "../../../src/ir/schedule.ts";
import { fullTilesOf, markFullTiles } from "../../../src/ir/scheduling/mark-full-tiles.ts";
import { dim, f32, program, statement, sum, tensor, v } from "../../support/programs.ts";
import { leaf, nest, on } from "../legality/build-schedule.ts";

const [i, j] = [v("i"), v("j")];

function asBand(node: ScheduleNode): Band {
  if (node.kind !== "band") throw new Error("no kernel");
  return node;
}

/** `y(i) = x(i + shift)`, zero where that is outside. */
function shifted(n: number, shift: number): Program {
  const at = addConstant(i, shift);
  const guard = [nonnegative(at), lessThan(at, constant(n))];
  const s = statement("s", {
    dims: [dim("i", 0, n)],
    write: ["y", i],
    reads: [{ ...access("x", at), guard }],
    body: f32(0),
  });
  return program("shifted", [tensor("x", "input", [n]), tensor("y", "output", [n])], [s]);
}

function tiles(n: number, size: number): Band {
  const grid = on("grid", "g", Math.ceil(n / size));
  return asBand(nest([grid, on("workgroup", "w", size)], leaf("s", { i: [size, "g", "w"] })));
}

/** `y(i, j) = x(i, j)` for `j` below a bound. */
function rows(m: number, n: number, bound: Parameters<typeof dim>[2]): Program {
  const s = statement("s", {
    dims: [dim("i", 0, m), dim("j", 0, bound)],
    write: ["y", i, j],
    reads: [access("x", i, j)],
    body: f32(0),
  });
  return program("rows", [tensor("x", "input", [m, n]), tensor("y", "output", [m, n])], [s]);
}

/** `y(i, j)` as the sum of `x(i - 1, j)` and `x(i + 1, j)`, where they are, for `j` below `n - 1`. */
function window(m: number, n: number): Program {
  const reads = [-1, 1].map((by) => {
    const at = addConstant(i, by);
    return { ...access("x", at, j), guard: [nonnegative(at), lessThan(at, constant(m))] };
  });
  const s = statement("s", {
    dims: [dim("i", 0, m), dim("j", 0, n - 1)],
    write: ["y", i, j],
    reads,
    body: f32(0),
  });
  return program("window", [tensor("x", "input", [m, n]), tensor("y", "output", [m, n])], [s]);
}

function squares(m: number, n: number): Band {
  const grid = [on("grid", "g", Math.ceil(m / 8)), on("grid", "h", Math.ceil(n / 8))];
  const local = [on("workgroup", "u", 8), on("workgroup", "w", 8)];
  return asBand(nest([...grid, ...local], leaf("s", { i: [8, "g", "u"], j: [8, "h", "w"] })));
}

describe("full tiles", () => {
  it("are all but the last where the tile does not divide", () => {
    expect(fullTilesOf(shifted(30, 0), tiles(30, 8), [])).toEqual(
      new Map([["g", { lo: 0, hi: 3 }]]),
    );
    expect(fullTilesOf(shifted(33, 0), tiles(33, 8), [])).toEqual(
      new Map([["g", { lo: 0, hi: 4 }]]),
    );
  });

  it.each([1, 7, 8, 16, 64])("are not told apart where all are, or none is: %d", (n) => {
    expect(fullTilesOf(shifted(n, 0), tiles(n, 8), [])).toEqual(new Map());
  });

  it("are those whose padded reads are inside", () => {
    const found = fullTilesOf(shifted(64, -1), tiles(64, 8), []);
    expect(found).toEqual(new Map([["g", { lo: 1, hi: 8 }]]));
  });

  it("are told apart along each axis", () => {
    const found = fullTilesOf(rows(20, 37, 37), squares(20, 37), []);
    expect(found).toEqual(
      new Map([
        ["g", { lo: 0, hi: 2 }],
        ["h", { lo: 0, hi: 4 }],
      ]),
    );
  });

  it("are told apart along one axis where none is full along the other", () => {
    const found = fullTilesOf(rows(5, 37, 37), squares(5, 37), []);
    expect(found).toEqual(new Map([["h", { lo: 0, hi: 4 }]]));
    // The first of two tiles reads before the tensor, the second behind it.
    expect(fullTilesOf(window(16, 40), squares(16, 40), [])).toEqual(
      new Map([["h", { lo: 0, hi: 4 }]]),
    );
  });

  it("are not looked for in triangles, which two loops decide", () => {
    expect(fullTilesOf(rows(64, 64, addConstant(i, 1)), squares(64, 64), [])).toEqual(new Map());
  });

  it("are not looked for where less than half of the workgroups would have them", () => {
    // Only the last tile has the whole range of the sum.
    const s = statement("s", {
      dims: [dim("i", 0, 64), dim("k", 0, addConstant(i, 1))],
      write: ["y", i],
      reads: [access("x", v("k"))],
      body: f32(0),
      monoid: sum,
      over: ["k"],
    });
    const tensors = [tensor("x", "input", [64]), tensor("y", "output", [64])];
    const kernel = nest(
      [on("grid", "g", 8), on("workgroup", "w", 8)],
      leaf("s", { i: [8, "g", "w"] }, "init"),
      nest([on("serial", "k", 64)], leaf("s", { i: [8, "g", "w"], k: "k" }, "update")),
      leaf("s", { i: [8, "g", "w"] }, "finish"),
    );
    const p = program("prefixes", tensors, [s]);
    expect(verifySchedule(p, { root: kernel, places: [] })).toEqual([]);
    expect(fullTilesOf(p, asBand(kernel), [])).toEqual(new Map());
  });

  it("depend on loops of the host as on any others", () => {
    const p = shifted(30, 0);
    const kernel = asBand(
      nest([on("grid", "g", 2), on("workgroup", "w", 8)], leaf("s", { i: [16, "g", 8, "t", "w"] })),
    );
    expect(fullTilesOf(p, kernel, [on("host", "t", 2)])).toEqual(
      new Map([["g", { lo: 0, hi: 1 }]]),
    );
  });

  it("are exactly those without an instance outside, for any size, tile and shift", () => {
    const size = fc.integer({ min: 1, max: 90 });
    const tile = fc.constantFrom(1, 2, 4, 8, 16);
    const shift = fc.integer({ min: -9, max: 9 });
    let several = 0;
    fc.assert(
      fc.property(size, tile, shift, (n, width, by) => {
        const count = Math.ceil(n / width);
        const inside = Array.from({ length: count }, (_, g) =>
          Array.from({ length: width }, (_, w) => g * width + w).every(
            (at) => at < n && at + by >= 0 && at + by < n,
          ),
        );
        const { lo = 0, hi = count } =
          fullTilesOf(shifted(n, by), tiles(n, width), []).get("g") ?? {};
        const found = Array.from({ length: count }, (_, g) => lo <= g && g < hi);
        // Where few are full, none is told apart.
        if (4 * inside.filter((full) => full).length < 3 * count) return;
        several += 1;
        expect(found).toEqual(inside);
      }),
      { seed: 3, numRuns: 400 },
    );
    expect(several).toBeGreaterThan(150);
  });
});

describe("marked loops", () => {
  const p = shifted(30, 0);
  const kernel = tiles(30, 8);

  function faultsWith(change: Partial<Loop>, at: number): readonly string[] {
    const loops = kernel.loops.map((l, n) => (n === at ? { ...l, ...change } : l));
    const root: ScheduleNode = { ...kernel, loops };
    return verifySchedule(p, { root, places: [] }).map((f) => f.message);
  }

  it("are legal and printed", () => {
    const root = markFullTiles(kernel, fullTilesOf(p, kernel, []));
    const marked = { root, places: [] };
    expect(verifySchedule(p, marked)).toEqual([]);
    expect(printSchedule(marked).split("\n")[0]).toBe(
      "grid g in 0..4, full tiles in 0..3, workgroup w in 0..8",
    );
  });

  it("may have any range that the grid has", () => {
    expect(faultsWith({ full: { lo: 2, hi: 4 } }, 0)).toEqual([]);
    expect(faultsWith({ full: { lo: 0, hi: 4 } }, 0)).toEqual([]);
  });

  it.each([
    { lo: 0, hi: 5 },
    { lo: -1, hi: 3 },
    { lo: 2, hi: 2 },
    { lo: 0, hi: 2.5 },
  ])("may have no other: $lo to $hi", (full) => {
    expect(faultsWith({ full }, 0)).toEqual([
      `grid loop g in 0..4 has full tiles in ${full.lo}..${full.hi}`,
    ]);
  });

  it("are none that invocations share", () => {
    expect(faultsWith({ full: { lo: 0, hi: 4 } }, 1)).toEqual([
      "workgroup loop w in 0..8 has full tiles in 0..4",
    ]);
  });

  it("are none of a kernel with fragments", () => {
    const root: ScheduleNode = {
      ...kernel,
      loops: [{ ...on("grid", "g", 4), full: { lo: 0, hi: 3 } }, on("fragment", "w", 8)],
    };
    const found = verifySchedule(p, { root, places: [] }).map((f) => f.message);
    expect(found).toContain("grid loop g in 0..4 has full tiles in 0..3 among fragments");
  });
});

describe("guards with quotients", () => {
  it("decide nothing, and stay", () => {
    const q = { name: "q", numerator: variable("i"), divisor: 3 };
    const s = statement("s", {
      dims: [dim("i", 0, 32)],
      guards: [lessThan(variable("q"), constant(9))],
      quotients: [q],
      write: ["y", i],
      reads: [access("x", i)],
      body: f32(0),
    });
    const tensors = [tensor("x", "input", [32]), tensor("y", "output", [32])];
    expect(fullTilesOf(program("thirds", tensors, [s]), tiles(32, 8), [])).toEqual(new Map());
  });
});
