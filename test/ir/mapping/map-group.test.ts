import { describe, expect, it } from "vitest";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { type GroupShape, mapGroup, plainShape } from "../../../src/ir/mapping/build/map-group.ts";
import { axesOf } from "../../../src/ir/mapping/group/axes.ts";
import { nestOf, programLoop } from "../../../src/ir/mapping/group/nest.ts";
import type { Program } from "../../../src/ir/program.ts";
import { type Place, printSchedule, type ScheduleNode } from "../../../src/ir/schedule.ts";
import { lu, matmul, scatterAdd, softmax } from "../../support/programs.ts";

function text(root: ScheduleNode): readonly string[] {
  return printSchedule({ root, places: [] }).trimEnd().split("\n");
}

/** The kernel of a whole program under a shape; fails unless it is legal. */
function mapped(
  p: Program,
  change: Partial<GroupShape>,
  places: readonly Place[] = [],
): readonly string[] {
  const axes = axesOf(p.statements);
  const shape = { ...plainShape(axes, 1), ...change };
  const root = mapGroup(p, p.tree, axes, shape, "k");
  expect(verifySchedule(p, { root, places }).map((f) => f.message)).toEqual([]);
  return text(root);
}

describe("the nest of a group", () => {
  it("has the axes outside, then the program's loops, then the other dims, then what is reduced", () => {
    const p = softmax(3, 8);
    const nest = nestOf(p, p.tree, axesOf(p.statements), "k");
    expect(text(nest.node)).toEqual([
      "serial k.p0 in 0..3",
      "  sequence",
      "    m.init(i = k.p0)",
      "    serial m.r0 in 0..8",
      "      m.update(i = k.p0, j = m.r0)",
      "    m.finish(i = k.p0)",
      "    serial e.q0 in 0..8",
      "      e(i = k.p0, j = e.q0)",
      "    s.init(i = k.p0)",
      "    serial s.r0 in 0..8",
      "      s.update(i = k.p0, j = s.r0)",
      "    s.finish(i = k.p0)",
      "    serial y.q0 in 0..8",
      "      y(i = k.p0, j = y.q0)",
    ]);
    expect(nest.axes).toEqual(["k.p0"]);
    expect(Object.fromEntries(nest.inner)).toEqual({ m: [], e: ["e.q0"], s: [], y: ["y.q0"] });
    expect(Object.fromEntries(nest.reduced)).toEqual({ m: ["m.r0"], e: [], s: ["s.r0"], y: [] });
  });

  it("runs loops of the program from where they begin, over the box of what is inside", () => {
    const p = lu(4);
    expect(programLoop(p, "k")).toEqual({ loop: { id: "k", extent: 4, on: "serial" }, lower: 0 });
    expect(text(nestOf(p, p.tree, [], "k").node)).toEqual([
      "serial k in 0..4",
      "  sequence",
      "    serial scale.q0 in 0..3",
      "      scale(k = k, i = scale.q0 + 1)",
      "    serial update.q0 in 0..3, serial update.q1 in 0..3",
      "      update(k = k, i = update.q0 + 1, j = update.q1 + 1)",
    ]);
  });

  it("has one leaf for a scatter", () => {
    const p = scatterAdd(5, 2, 4);
    expect(text(nestOf(p, p.tree, [], "k").node)).toEqual([
      "serial g.q0 in 0..2, serial g.r0 in 0..5",
      "  g(i = g.r0, j = g.q0)",
    ]);
  });
});

describe("the kernel of a group", () => {
  it("in its plain shape has a workgroup of one for each point of the axes", () => {
    expect(mapped(matmul(3, 2, 4), {})).toEqual([
      "grid k.p0.grid in 0..3, grid k.p1.grid in 0..2",
      "  sequence",
      "    c.init(i = k.p0.grid, j = k.p1.grid)",
      "    serial c.r0 in 0..4",
      "      c.update(i = k.p0.grid, j = k.p1.grid, k = c.r0)",
      "    c.finish(i = k.p0.grid, j = k.p1.grid)",
    ]);
  });

  it("without axes is one workgroup", () => {
    const p = matmul(2, 2, 2);
    const root = mapGroup(p, p.tree, [], plainShape([], 1), "k");
    expect(text(root)[0]).toBe("grid k.one in 0..1");
    expect(verifySchedule(p, { root, places: [] })).toEqual([]);
  });

  it("has the grids outside, then invocations, then the points of a thread inside each leaf", () => {
    const tiles = [
      { workgroup: 4, thread: 2 },
      { workgroup: 2, thread: 4 },
    ];
    expect(mapped(matmul(32, 16, 3), { tiles, points: "unroll" })).toEqual([
      "grid k.p0.grid in 0..4, grid k.p1.grid in 0..2, workgroup k.p0.workgroup in 0..4, workgroup k.p1.workgroup in 0..2",
      "  sequence",
      "    unroll k.p0.thread.0 in 0..2, unroll k.p1.thread.0 in 0..4",
      "      c.init(i = 8*k.p0.grid + k.p0.thread.0 + 2*k.p0.workgroup, j = 8*k.p1.grid + k.p1.thread.0 + 4*k.p1.workgroup)",
      "    serial c.r0 in 0..3, unroll k.p0.thread.1 in 0..2, unroll k.p1.thread.1 in 0..4",
      "      c.update(i = 8*k.p0.grid + k.p0.thread.1 + 2*k.p0.workgroup, j = 8*k.p1.grid + k.p1.thread.1 + 4*k.p1.workgroup, k = c.r0)",
      "    unroll k.p0.thread.2 in 0..2, unroll k.p1.thread.2 in 0..4",
      "      c.finish(i = 8*k.p0.grid + k.p0.thread.2 + 2*k.p0.workgroup, j = 8*k.p1.grid + k.p1.thread.2 + 4*k.p1.workgroup)",
    ]);
  });

  it("spreads the points of a thread a workgroup apart unless they are blocked", () => {
    const tiles = [
      { workgroup: 1, thread: 1 },
      { workgroup: 4, thread: 2 },
    ];
    const [, , , init] = mapped(matmul(2, 8, 3), { tiles, blocked: false });
    expect(init).toContain("4*k.p1.thread.0 + k.p1.workgroup");
  });

  it("puts the points of a thread as far apart as a tile says, with invocations in between", () => {
    const tiles = [
      { workgroup: 7, thread: 4, step: 3 },
      { workgroup: 2, thread: 2, step: 2 },
    ];
    const [head, , points, init] = mapped(matmul(40, 8, 3), { tiles, points: "vector" });
    expect(head).toBe(
      "grid k.p0.grid in 0..2, grid k.p1.grid in 0..2, workgroup k.p0.workgroup in 0..2, workgroup k.p0.near in 0..3, workgroup k.p1.near in 0..2",
    );
    expect(points).toBe("    unroll k.p0.thread.0 in 0..4, unroll k.p1.thread.0 in 0..2");
    expect(init).toContain("i = 24*k.p0.grid + k.p0.near + 3*k.p0.thread.0 + 12*k.p0.workgroup");
    expect(init).toContain("j = 4*k.p1.grid + k.p1.near + 2*k.p1.thread.0)");
    // Along a short axis there is less of each.
    for (const rows of [1, 2, 5, 13]) mapped(matmul(rows, 3, 2), { tiles });
  });

  it("makes vectors of the last axis's points only, and unrolls the others", () => {
    const tiles = [
      { workgroup: 1, thread: 2 },
      { workgroup: 2, thread: 4 },
    ];
    const [, , points] = mapped(matmul(4, 8, 3), { tiles, points: "vector" });
    expect(points).toBe("    unroll k.p0.thread.0 in 0..2, vector k.p1.thread.0 in 0..4");
    const apart = mapped(matmul(4, 8, 3), { tiles, points: "vector", blocked: false });
    expect(apart[2]).toBe("    unroll k.p0.thread.0 in 0..2, unroll k.p1.thread.0 in 0..4");
  });

  it("puts the axis that is named innermost among the invocations", () => {
    const tiles = [
      { workgroup: 4, thread: 1 },
      { workgroup: 2, thread: 1 },
    ];
    const [head] = mapped(matmul(4, 2, 3), { tiles, innermost: 0 });
    expect(head).toMatch(
      /workgroup k\.p1\.workgroup in 0\.\.2, workgroup k\.p0\.workgroup in 0\.\.4$/,
    );
  });

  it("deals the last of the other dims to a team", () => {
    const p = softmax(3, 10);
    expect(mapped(p, { team: 4 })).toEqual([
      "grid k.p0.grid in 0..3",
      "  sequence",
      "    m.init(i = k.p0.grid)",
      "    serial m.r0 in 0..10",
      "      m.update(i = k.p0.grid, j = m.r0)",
      "    m.finish(i = k.p0.grid)",
      "    workgroup e.q0.team in 0..4, serial e.q0.turn in 0..3",
      "      e(i = k.p0.grid, j = e.q0.team + 4*e.q0.turn)",
      "    s.init(i = k.p0.grid)",
      "    serial s.r0 in 0..10",
      "      s.update(i = k.p0.grid, j = s.r0)",
      "    s.finish(i = k.p0.grid)",
      "    workgroup y.q0.team in 0..4, serial y.q0.turn in 0..3",
      "      y(i = k.p0.grid, j = y.q0.team + 4*y.q0.turn)",
    ]);
  });

  it("writes invocations as lanes of subgroups where that divides", () => {
    const tiles = [
      { workgroup: 2, thread: 1 },
      { workgroup: 8, thread: 1 },
    ];
    const [head] = mapped(matmul(4, 8, 3), { tiles, lanes: 4 });
    expect(head).toContain(
      "subgroup k.p1.workgroup.subgroup in 0..2, lane k.p1.workgroup.lane in 0..4",
    );
    const [odd] = mapped(matmul(4, 6, 3), { tiles, lanes: 4 });
    expect(odd).not.toContain("lane");
  });

  it("writes trips of the innermost reduced loop out", () => {
    expect(mapped(matmul(2, 2, 7), { unroll: 4 })[3]).toBe(
      "    serial c.r0.outer in 0..2, unroll c.r0.inner in 0..4",
    );
  });

  it("may have tiles larger than its axes", () => {
    const tiles = [
      { workgroup: 4, thread: 4 },
      { workgroup: 8, thread: 2 },
    ];
    mapped(matmul(3, 5, 2), { tiles });
    mapped(matmul(1, 1, 1), { tiles, unroll: 2, team: 4, lanes: 4 });
  });
});

describe("vectors inside of maps", () => {
  it("run along the last dim that is no axis, of maps only, where they divide it", () => {
    expect(mapped(softmax(3, 8), { inner: 4 })).toEqual([
      "grid k.p0.grid in 0..3",
      "  sequence",
      "    m.init(i = k.p0.grid)",
      "    serial m.r0 in 0..8",
      "      m.update(i = k.p0.grid, j = m.r0)",
      "    m.finish(i = k.p0.grid)",
      "    serial e.q0.outer in 0..2, vector e.q0.vector in 0..4",
      "      e(i = k.p0.grid, j = 4*e.q0.outer + e.q0.vector)",
      "    s.init(i = k.p0.grid)",
      "    serial s.r0 in 0..8",
      "      s.update(i = k.p0.grid, j = s.r0)",
      "    s.finish(i = k.p0.grid)",
      "    serial y.q0.outer in 0..2, vector y.q0.vector in 0..4",
      "      y(i = k.p0.grid, j = 4*y.q0.outer + y.q0.vector)",
    ]);
    expect(mapped(softmax(3, 7), { inner: 4 }).join()).not.toContain("vector");
  });

  it("are left out where a team has the dim, or another vector is around", () => {
    expect(mapped(softmax(3, 8), { inner: 4, team: 4 }).join()).not.toContain("vector");
    const tiles = [{ workgroup: 1, thread: 2 }];
    const both = mapped(softmax(4, 8), { inner: 4, tiles, points: "vector" }).join();
    expect(both).toContain("vector k.p0.thread");
    expect(both).not.toContain(".vector");
  });
});
