/**
 * Rows that an index chooses, beside rows that begin anywhere in vectors of memory: in all executions,
 * against plain loops.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { compile, interpret } from "../../src/index.ts";
import { openRuntime, type Runtime } from "../../src/node.ts";
import { llvmpipeProfile, swiftshaderProfile } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

const [rows, table] = [6, 5];
const header = `def f(float(N, M) x, float(${table}, M) z, int32(K) at)`;

/** By name: a definition, and the row of `z` for element `j` of row `i`. */
const cases = {
  "a row of the table for each row": {
    source: `${header} -> (y) { y(i) +=! z(at(i), j) * x(i, j) }`,
    chosen: (i: number, _: number) => i,
    count: (_: number) => rows,
  },
  "a row of the table for each element": {
    source: `${header} -> (y) { y(i) +=! z(at(j), j) * x(i, j) }`,
    chosen: (_: number, j: number) => j,
    count: (M: number) => M,
  },
  "a row of the table for each of both": {
    source: `${header} -> (y) { y(i) +=! z(at(i + j), j) * x(i, j) }`,
    chosen: (i: number, j: number) => i + j,
    count: (M: number) => rows + M - 1,
  },
} as const;

const options = given({
  "kernels/$0/align": true,
  "kernels/$0/axes/0/workgroup": 4,
  "kernels/$0/unroll": 1,
});

test.each(
  Object.entries(cases).flatMap(([name, one]) =>
    [13, 12, 31, 7].map((M) => [name, M, one] as const),
  ),
)("%s, of %i elements", async (_, M, { source, chosen, count }) => {
  const K = count(M);
  const x = Float32Array.from({ length: rows * M }, (_, n) => ((n * 7) % 11) - 5);
  const z = Float32Array.from({ length: table * M }, (_, n) => ((n * 5) % 13) - 6);
  const at = Int32Array.from({ length: K }, (_, n) => (n * 3 + 2) % table);
  const meant = Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < M; j++) {
      sum += (z[(at[chosen(i, j)] ?? 0) * M + j] ?? 0) * (x[i * M + j] ?? 0);
    }
    return sum;
  });
  const shaped = {
    x: { data: x, shape: [rows, M] },
    z: { data: z, shape: [table, M] },
    at: { data: at, shape: [K] },
  };
  const sizes = { N: rows, M, K };
  expect([...(interpret(source, shaped, { sizes })["y"]?.data ?? [])].map(Number)).toEqual(meant);
  for (const profile of [llvmpipeProfile, swiftshaderProfile]) {
    for (const how of ["default", options] as const) {
      const result = compile(source, { sizes, profile, options: how, padded: true });
      if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
      const { outputs, faults } = interpretPlan(result.plan, { x, z, at });
      expect(faults).toEqual([]);
      expect([...(outputs["y"] ?? [])].map(Number)).toEqual(meant);
    }
  }
  for (const how of ["default", options] as const) {
    const [kernel] = Object.values(runtime.define(source, { options: how }));
    const result = await kernel?.(shaped);
    expect([...((await result?.["y"]?.read()) ?? [])].map(Number)).toEqual(meant);
    result?.["y"]?.dispose();
    kernel?.dispose();
  }
});
