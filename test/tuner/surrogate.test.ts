import { expect, test } from "vitest";
import type { Choice } from "../../src/support/mapping-file.ts";
import { type Point, surrogateOf } from "../../src/tuner/surrogate.ts";

function pointOf(choices: Readonly<Record<string, Choice>>): Point {
  return new Map(Object.entries(choices).map(([name, value]) => [`kernels/C/${name}`, value]));
}

const values = [1, 2, 4, 8, 16, 32];

/** Slower by each factor of two that a number is off 8 and 4, and by half where operands are staged. */
function timeOf(workgroup: number, points: number, stage: string): number {
  const off = Math.abs(Math.log2(workgroup / 8)) + Math.abs(Math.log2(points / 4));
  return 100 * 1.3 ** off * (stage === "no" ? 1 : 1.5);
}

function place(workgroup: number, points: number, stage: string): Point {
  return pointOf({
    "axes/0/workgroup": workgroup,
    "axes/0/points": points,
    "operands/A/stage": stage,
  });
}

const observed = [
  [1, 1, "no"],
  [32, 1, "workgroup"],
  [1, 16, "workgroup"],
  [32, 16, "no"],
  [8, 16, "workgroup"],
  [4, 2, "workgroup"],
  [16, 2, "no"],
] as const;

test("of places that were not measured those near the best promise most", () => {
  const surrogate = surrogateOf(
    observed.map(([w, p, s]) => ({ point: place(w, p, s), us: timeOf(w, p, s) })),
  );
  const all = values
    .flatMap((w) => values.map((p) => [w, p] as const))
    .flatMap(([w, p]) => ["no", "workgroup"].map((s) => [w, p, s] as const))
    .filter((a) => !observed.some((o) => o.every((v, n) => v === a[n])))
    .map(([w, p, s]) => ({
      us: timeOf(w, p, s),
      improvement: surrogate?.improvement(place(w, p, s)) ?? 0,
    }))
    .sort((a, b) => b.improvement - a.improvement);
  const mean = (own: readonly { readonly us: number }[]): number =>
    own.reduce((sum, { us }) => sum + us, 0) / own.length;
  expect(mean(all.slice(0, 6))).toBeLessThan(0.7 * mean(all));
  expect(all.every(({ improvement }) => improvement >= 0)).toBe(true);
});

test("what was measured promises nothing but at its noise, what is slow less than what is unknown", () => {
  const us = (w: number, p: number): number => timeOf(w, p, "no");
  const known = [
    [8, 4],
    [8, 8],
    [1, 1],
    [1, 2],
  ] as const;
  const surrogate = surrogateOf(
    known.map(([w, p]) => ({ point: place(w, p, "no"), us: us(w, p) })),
  );
  expect(surrogate?.expected(place(8, 4, "no"))).toBeCloseTo(100, -1);
  const of = (w: number, p: number): number => surrogate?.improvement(place(w, p, "no")) ?? 0;
  expect(of(8, 4)).toBeLessThan(0.05);
  expect(of(1, 1)).toBeLessThan(0.01);
  expect(of(4, 4)).toBeGreaterThan(of(1, 1));
});

test("knobs that a kernel lacks, and names of values, tell places apart", () => {
  const surrogate = surrogateOf([
    { point: pointOf({ spread: "no", unroll: 1 }), us: 200 },
    { point: pointOf({ spread: "points", unroll: 1, spreadBlock: 2 }), us: 100 },
    { point: pointOf({ spread: "no", unroll: 4 }), us: 210 },
  ]);
  const spread =
    surrogate?.improvement(pointOf({ spread: "points", unroll: 4, spreadBlock: 2 })) ?? 0;
  const plain = surrogate?.improvement(pointOf({ spread: "no", unroll: 2 })) ?? 0;
  expect(spread).toBeGreaterThan(plain);
});

test("from fewer than two measurements nothing follows", () => {
  expect(surrogateOf([])).toBeNull();
  expect(surrogateOf([{ point: place(1, 1, "no"), us: 1 }])).toBeNull();
});
