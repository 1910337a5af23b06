/**
 * Rows and elements that indices choose, some of which are not there: in all executions, beside plain
 * loops that know nothing of the compiler; and what is loaded as a vector.
 */

import { afterAll, describe, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { llvmpipeProfile, swiftshaderProfile } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import { describeFailure, prepareCase, valuesOf } from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

type Data = ArrayLike<number>;

/** A definition over a table of V rows and D columns and B bags of L indices, and its result. */
interface Gather {
  readonly source: string;
  element(table: Data, ids: Data, size: { V: number; D: number; L: number }, at: number): number;
  /** Whether 4 columns of a row are loaded as a vector; shifted ones as two. */
  readonly isWide: boolean;
}

function item(table: Data, row: number, column: number, V: number, D: number): number {
  return row >= 0 && row < V && column >= 0 && column < D ? (table[row * D + column] ?? 0) : 0;
}

const bag = (read: string): string =>
  `def f(float(V, D) table, int(B, L) ids) -> (y) { y(b, d) +=! ${read} where d in 0:D, l in 0:L }`;

function summed(column: (d: number, id: number) => number, row: (d: number, id: number) => number) {
  return (
    table: Data,
    ids: Data,
    { V, D, L }: { V: number; D: number; L: number },
    at: number,
  ): number => {
    const [b, d] = [Math.floor(at / D), at % D];
    let sum = 0;
    for (let l = 0; l < L; l++) {
      const id = ids[b * L + l] ?? 0;
      sum += item(table, row(d, id), column(d, id), V, D);
    }
    return sum;
  };
}

const gathers: Readonly<Record<string, Gather>> = {
  "rows by index": {
    source: bag("table(ids(b, l), d)"),
    element: summed(
      (d) => d,
      (_, id) => id,
    ),
    isWide: true,
  },
  "columns by index": {
    source: bag("pad(table(d, ids(b, l)))"),
    element: summed(
      (_, id) => id,
      (d) => d,
    ),
    isWide: false,
  },
  "rows by index and column": {
    source: bag("table(ids(b, l) + d, d)"),
    element: summed(
      (d) => d,
      (d, id) => id + d,
    ),
    isWide: false,
  },
  "neighbours in rows by index": {
    source: bag("pad(table(ids(b, l), d + 1))"),
    element: summed(
      (d) => d + 1,
      (_, id) => id,
    ),
    isWide: true,
  },
};

const mappings: readonly Way[] = [
  { kind: "options", options: given() },
  { kind: "random", seed: 3, share: 0.3 },
  { kind: "random", seed: 7, share: 0.6, lanes: 4 },
];

const shapes = [
  { V: 1, D: 1, B: 1, L: 1 },
  { V: 7, D: 32, B: 5, L: 3 },
  { V: 8, D: 30, B: 4, L: 5 },
  { V: 5, D: 37, B: 3, L: 2 },
];

describe.each(Object.entries(gathers))("%s", (name, { source, element, isWide }) => {
  test.each(shapes)("$V x $D mean the same in all executions", async (sizes) => {
    const tcCase: TcCase = { name, source, sizes, population: "integers", inputSeed: sizes.D };
    const preparation = prepareCase(tcCase);
    if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
    const { inputs } = preparation.prepared;
    const [table = [], ids = []] = [inputs["table"], inputs["ids"]];
    const data = valuesOf(preparation.prepared, "y");
    expect(data).toHaveLength(sizes.B * sizes.D);
    expect(Array.from(data, (x) => x + 0)).toEqual(
      Array.from(data, (_, at) => element(table, ids, sizes, at) + 0),
    );
    const profiles = [runtime.profile, llvmpipeProfile, swiftshaderProfile];
    const executions = { profiles, runtime, tally: createTally(), plans: null };
    const failures = await runPrepared(preparation.prepared, executions, mappings);
    expect(failures.map((failure) => describeFailure(tcCase, failure))).toEqual([]);
  });

  test.each([llvmpipeProfile, swiftshaderProfile])("are vectors where they can be: $name", (p) => {
    const sizes = { V: 64, D: 128, B: 32, L: 16 };
    const compiled = compile(source, { sizes, profile: p });
    const wgsl = compiled.ok ? compiled.plan.kernels.map((k) => k.wgsl).join("\n") : "";
    expect(/table: array<vec4<f32>/.test(wgsl)).toBe(isWide);
  });
});
