import { afterAll, beforeAll, expect, it } from "vitest";
import { lowerSource } from "../../src/compile.ts";
import { expectOutputs } from "../../src/ir/interpret/expect-outputs.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { defined } from "../../src/support/assert.ts";
import { baselineProfile, llvmpipeProfile } from "../../src/support/device-profile.ts";
import { seededRandom } from "../../src/support/random.ts";
import { describeFailure } from "../differential/differential.ts";
import { runPrepared } from "../differential/run-case.ts";
import { createTally } from "../differential/tally.ts";
import { waysFor } from "../differential/variants.ts";
import { drawn } from "../support/sweep.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

interface Sizes {
  readonly M: number;
  readonly N: number;
}

type Draw = (random: ReturnType<typeof seededRandom>) => number;

interface Case {
  readonly title: string;
  /** Of `x(M, N)`, with the result `y(M)`. */
  readonly source: string;
  readonly draw: Draw;
  /** The candidates of a row, by index; undefined where there is none. */
  readonly candidates: (row: readonly number[], i: number) => readonly (number | undefined)[];
  readonly which: "least" | "greatest";
  /** The index of a row's first candidate; 0 when left out. */
  readonly from?: number;
}

const few: Draw = (random) => random.integer(0, 3);
const all = (row: readonly number[]): readonly number[] => row;

const cases: readonly Case[] = [
  {
    title: "the first of many equal values",
    source: "def f(float(M, N) x) -> (y) { y(i) argmax=! x(i, j) }",
    draw: few,
    candidates: all,
    which: "greatest",
  },
  {
    title: "zeros of both signs are equal",
    source: "def f(float(M, N) x) -> (y) { y(i) argmin=! x(i, j) }",
    draw: (random) => (random.chance(0.5) ? 0 : -0),
    candidates: all,
    which: "least",
  },
  {
    title: "rows of minus infinity have a first index",
    source: "def f(float(M, N) x) -> (y) { y(i) argmax=! x(i, j) > 1.0 ? x(i, j) : -inf }",
    draw: (random) => random.integer(0, 2) * random.integer(0, 2),
    candidates: (row) => row.map((x) => (x > 1 ? x : Number.NEGATIVE_INFINITY)),
    which: "greatest",
  },
  {
    title: "rows of plus infinity have a first index",
    source: "def f(float(M, N) x) -> (y) { y(i) argmin=! x(i, j) > 5.0 ? x(i, j) : inf }",
    draw: few,
    candidates: (row) => row.map(() => Number.POSITIVE_INFINITY),
    which: "least",
  },
  {
    title: "the extremes of integers are values like others",
    source: "def f(int(M, N) x) -> (y) { y(i) argmax=! x(i, j) }",
    draw: (random) => -2147483648 + random.integer(0, 3) * random.integer(0, 2),
    candidates: all,
    which: "greatest",
  },
  {
    title: "float16",
    source: "def f(half(M, N) x) -> (y) { y(i) argmin=! x(i, j) }",
    draw: few,
    candidates: all,
    which: "least",
  },
  {
    title: "an empty row gives -1, others begin anywhere",
    source: "def f(float(M, N) x) -> (y) { y(i) argmax=! x(i, j) where i in 0:M, j in i:N }",
    draw: few,
    candidates: (row, i) => row.map((x, n) => (n < i ? undefined : x)),
    which: "greatest",
  },
  {
    title: "an empty row gives -1, others end anywhere",
    source:
      "def f(float(M, N) x) -> (y) { y(i) argmax=! x(i, j) where i in 0:M, j in 0:min(i, N) }",
    draw: few,
    candidates: (row, i) => row.map((x, n) => (n >= i ? undefined : x)),
    which: "greatest",
  },
  {
    title: "indices that begin below zero",
    source:
      "def f(float(M, N) x) -> (y) { y(i) argmin=! pad(x(i, j + 2), 1.0) where i in 0:M, j in 0-2:N }",
    draw: few,
    candidates: (row) => [...row, 1, 1],
    which: "least",
    from: -2,
  },
];

const sizes: readonly Sizes[] = [
  { M: 1, N: 1 },
  { M: 5, N: 7 },
  { M: 3, N: 67 },
  { M: 37, N: 16 },
];

/** By going through a row. */
function expected(
  { candidates, which, from = 0 }: Case,
  row: readonly number[],
  i: number,
): number {
  let [best, at] = [Number.NaN, -1];
  for (const [n, x] of candidates(row, i).entries()) {
    if (x === undefined) continue;
    const wins = which === "least" ? x < best : x > best;
    if (at < 0 || wins) [best, at] = [x, n];
  }
  return at < 0 ? -1 : at + from;
}

it.each(cases)("$title, in three executions under all schedules", async (one) => {
  const tally = createTally();
  for (const [n, size] of sizes.entries()) {
    const lowered = lowerSource(one.source, { sizes: { ...size } });
    if (!lowered.ok) throw new Error(JSON.stringify(lowered));
    const random = seededRandom(n + 1);
    const values = Array.from({ length: size.M * size.N }, () => one.draw(random));
    const { program } = lowered;
    const type = defined(program.tensors.find((t) => t.name === "x")?.components[0], "x");
    const x = type === "int32" ? Int32Array.from(values) : Float32Array.from(values);
    const meant = expectOutputs(program, { x }, { bounds: false });
    const rows = Array.from({ length: size.M }, (_, i) =>
      values.slice(i * size.N, (i + 1) * size.N),
    );
    const wanted = rows.map((row, i) => expected(one, row, i));
    expect(meant.map(({ name, values }) => [name, ...values])).toEqual([["y", ...wanted]]);
    const tcCase = {
      name: "f",
      source: one.source,
      sizes: { ...size },
      population: "integers",
      inputSeed: sizes.length * cases.indexOf(one) + n,
    } as const;
    const profiles = [baselineProfile, llvmpipeProfile, runtime.profile];
    const executions = { profiles, runtime, tally, plans: drawn(4, 24) };
    const failures = await runPrepared(
      { tcCase, program, inputs: { x }, expected: meant },
      executions,
      waysFor(n),
    );
    expect(failures.map((f) => describeFailure(tcCase, f))).toEqual([]);
  }
  expect(tally.compared).toBeGreaterThan(drawn(150, 500));
});
