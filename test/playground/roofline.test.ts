import { expect, it } from "vitest";
import { choicesSummary } from "../../playground/src/cost/choices-summary.ts";
import { type Measured, rooflineOf, roofUs } from "../../playground/src/cost/roofline.ts";

const most = { gflops: 1, gigabytes: 0.1, clock: "wall", quantumNs: 1 } as const;

function measured(name: string, operations: number, bytes: number, us: number): Measured {
  return { name, us, work: { operations, bytes }, choices: [], kind: "kernel" };
}

it("work takes at least as long as computing it, and as moving it", () => {
  expect(roofUs({ operations: 1000, bytes: 1 }, most)).toBeCloseTo(1);
  expect(roofUs({ operations: 1, bytes: 1000 }, most)).toBeCloseTo(10);
});

it("what takes as long as it must lies on the roof, on both of its sides", () => {
  const atRoof = (name: string, operations: number, bytes: number): Measured =>
    measured(name, operations, bytes, roofUs({ operations, bytes }, most));
  const shape = rooflineOf(most, [atRoof("slope", 1000, 1000), atRoof("flat", 40_000, 1000)]);
  const [start, ridge] = shape?.roof ?? [];
  const [slope, flat] = shape?.points ?? [];
  if (!(start && ridge && slope && flat)) throw new Error("nothing is drawn");
  expect(flat.y).toBeCloseTo(ridge.y);
  expect(flat.x).toBeGreaterThan(ridge.x);
  const share = (slope.x - start.x) / (ridge.x - start.x);
  expect(slope.y).toBeCloseTo(start.y + share * (ridge.y - start.y));
});

it("slower work lies below the roof, and inside of the picture", () => {
  const shape = rooflineOf(most, [measured("slow", 1000, 100, 500)]);
  const [point] = shape?.points ?? [];
  expect(point?.y).toBeLessThan(shape?.roof[1]?.y ?? 0);
  expect([point?.x, point?.y].every((at) => at !== undefined && at > 0 && at < 1)).toBe(true);
});

it("what computes nothing with floats has no place in it", () => {
  expect(rooflineOf(most, [measured("copy", 0, 1000, 5)])).toBe(null);
});

it("says in a line for each kernel what a mapping chooses", () => {
  const tiled = {
    axes: [{ workgroup: 8, points: 4 }, { workgroup: 16 }],
    reduced: [[64, 8]],
    operands: { "C.read0": { stage: "workgroup" }, "C.read1": { stage: "no" } },
    unroll: 4,
  };
  const kernels = { C: tiled, s: { team: 32, axes: [{ workgroup: 1 }] }, t: {} };
  expect(choicesSummary(JSON.stringify({ version: 2, kernels }))).toEqual([
    "C: workgroup 8 × 16, points 4 × 1, tiles 64, 8, unroll 4, copies C.read0",
    "s: team of 32",
    "t: one invocation for each element",
  ]);
  const many = Object.fromEntries("abcdef".split("").map((name) => [name, {}]));
  expect(choicesSummary(JSON.stringify({ version: 2, kernels: many })).at(-1)).toBe("and 2 more");
  expect(choicesSummary("{")).toEqual([]);
});
