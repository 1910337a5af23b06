import { describe, expect, it } from "vitest";
import {
  needsStaging,
  stageCandidates,
  stageWrites,
} from "../../../src/ir/algebraic/stage-writes.ts";
import type { Program } from "../../../src/ir/program.ts";
import {
  loop,
  program,
  reads,
  run,
  type StatementSpec,
  statement,
  tensor,
} from "../dependences/build-program.ts";
import { applied, lines } from "./rewrites.ts";

function one(spec: StatementSpec): Program {
  const t = [tensor("x", [8], "inout"), tensor("D", [8, 8], "inout"), tensor("A", [8], "input")];
  const s = statement("S", spec);
  return program(t, [s], spec.loops?.includes("t") ? [loop("t", 8, run("S"))] : [run("S")]);
}

function needed(spec: StatementSpec): boolean[] {
  const p = one(spec);
  return p.statements.map((s) => needsStaging(p, s));
}

const reverse: StatementSpec = {
  dims: [["i", 8]],
  write: ["x", "i"],
  reads: [reads("x", [7, -1, "i"])],
};

/** D(i, j) = D(i, j) + D(i, t) + D(t, j). */
const shortestPaths: StatementSpec = {
  loops: ["t"],
  dims: [
    ["t", 8],
    ["i", 8],
    ["j", 8],
  ],
  write: ["D", "i", "j"],
  reads: [reads("D", "i", "j"), reads("D", "i", "t"), reads("D", "t", "j")],
};

describe("needsStaging", () => {
  it("is true when a point reads what another one writes", () => {
    expect(needed(reverse)).toEqual([true]);
    expect(needed(shortestPaths)).toEqual([true]);
  });

  it("is false when points read only their own element or what none writes", () => {
    expect(needed({ ...reverse, reads: [reads("x", "i")] })).toEqual([false]);
    expect(needed({ ...reverse, dims: [["i", 4]] })).toEqual([false]);
    expect(needed({ ...reverse, reads: [reads("A", "i")] })).toEqual([false]);
  });

  it("tells the rows of a matrix that a step leaves alone from those that it updates", () => {
    const below: StatementSpec = {
      ...shortestPaths,
      dims: [
        ["t", 8],
        ["i", ["t", 1], 8],
        ["j", 8],
      ],
      reads: [reads("D", "i", "j"), reads("D", "t", "j")],
    };
    expect(needed(below)).toEqual([false]);
  });
});

describe("stageWrites", () => {
  it("writes elsewhere and copies", () => {
    const p = applied(stageWrites(one(reverse), { statement: "S" }));
    expect(lines(p)).toEqual([
      "S.stage: { i in 0..8 } x_new(i) = (0 + x(-i + 7))",
      "S.copy: { i in 0..8 } x(i) = x_new(i)",
    ]);
    expect(p.tensors.at(-1)).toMatchObject({ name: "x_new", shape: [8], role: "temporary" });
    for (const s of p.statements) expect(needsStaging(p, s)).toBe(false);
  });

  it("copies only the elements that were written, each once", () => {
    const sum: StatementSpec = {
      ...reverse,
      dims: [
        ["i", 1, 8],
        ["k", 8],
      ],
      reads: [reads("x", "i"), reads("x", "k")],
      sum: ["k"],
      init: [0],
    };
    expect(lines(applied(stageWrites(one(sum), { statement: "S" })))).toEqual([
      "S.stage: { i in 1..8, k in 0..8 } x_new(i) = (0 + x(i)) with sum[k] (0 + x(k))",
      "S.copy: { i in 1..8 } x(i) = x_new(i)",
    ]);
  });

  it("brings a scatter what it combines into", () => {
    const scatter: StatementSpec = {
      ...reverse,
      dims: [
        ["i", 4],
        ["k", 4],
      ],
      write: ["x", ["i", "k"]],
      reads: [reads("x", "k")],
      sum: ["k"],
    };
    expect(lines(applied(stageWrites(one(scatter), { statement: "S" })))).toEqual([
      "S.fill: { c0 in 0..8 } x_new(c0) = x(c0)",
      "S.stage: { i in 0..4, k in 0..4 } x_new(i + k) = sum[k] (0 + x(k))",
      "S.copy: { c0 in 0..8 } x(c0) = x_new(c0)",
    ]);
  });

  it("offers the statements that read their tensor, and says whether they need it", () => {
    expect(stageCandidates(one(reverse))).toEqual([
      { path: "S/stage", statement: "S", needed: true },
    ]);
    expect(stageCandidates(one({ ...reverse, reads: [reads("x", "i")] }))).toEqual([
      { path: "S/stage", statement: "S", needed: false },
    ]);
    expect(stageCandidates(one({ ...reverse, reads: [reads("A", "i")] }))).toEqual([]);
  });
});
