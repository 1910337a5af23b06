/** Programs at the limits of devices, in three executions under several schedules. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { describeFailure, prepareCase } from "../differential/differential.ts";
import type { Population } from "../differential/generate-tc.ts";
import { runPrepared } from "../differential/run-case.ts";
import { createTally } from "../differential/tally.ts";
import { waysFor } from "../differential/variants.ts";
import { given } from "../support/given.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

/** Runs a definition in all executions; the elements that were compared. */
async function agree(
  source: string,
  sizes: Readonly<Record<string, number>>,
  population: Population,
  first = 1,
): Promise<number> {
  const name = /def (\w+)/.exec(source)?.[1] ?? "?";
  const prepared = prepareCase({ name, source, sizes, population, inputSeed: 3 });
  if (prepared.kind !== "prepared") throw new Error(`${name}: ${JSON.stringify(prepared)}`);
  const tally = createTally();
  const executions = { profiles: [baselineProfile, runtime.profile], runtime, tally, plans: null };
  // The mapping to one thread, the first, makes one kernel of everything.
  const mappings = waysFor(5).slice(first);
  const failures = await runPrepared(prepared.prepared, executions, mappings);
  expect(failures.map((f) => describeFailure(prepared.prepared.tcCase, f))).toEqual([]);
  return tally.compared;
}

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `a${n}`);
}

function parameters(count: number, type: string): string {
  return names(count)
    .map((name) => `${type} ${name}`)
    .join(", ");
}

function terms(count: number, index: string, operator: string): string {
  return names(count)
    .map((name) => `${name}(${index})`)
    .join(` ${operator} `);
}

describe("a statement of more tensors than a kernel may bind", () => {
  it.each([
    [7, 1],
    [8, 2],
    [12, 2],
    [20, 4],
  ])("sums %i inputs in %i kernels", async (count, kernels) => {
    const source = `def sum(${parameters(count, "float(N)")}) -> (y) { y(i) = ${terms(count, "i", "+")} }`;
    const compiled = compile(source, { sizes: { N: 37 } });
    expect(compiled.ok && compiled.plan.kernels.length).toBe(kernels);
    for (const N of [1, 37]) {
      expect(await agree(source, { N }, "integers")).toBeGreaterThan(0);
    }
    expect(await agree(source, { N: 70 }, "reals")).toBeGreaterThan(0);
  });

  it("reduces over a product of ten, in triangles too", async () => {
    const product = terms(10, "i, k", "*");
    const whole = `def dot(${parameters(10, "int(N, K)")}) -> (y) { y(i) +=! ${product} }`;
    expect(await agree(whole, { N: 5, K: 11 }, "integers")).toBeGreaterThan(0);
    const triangle = `def low(${parameters(10, "int(N, N)")}) -> (y) {
      y(i) max=! ${product} where i in 0:N, k in 0:i
    }`;
    expect(await agree(triangle, { N: 9 }, "integers")).toBeGreaterThan(0);
  });

  it("updates in place inside of a loop, under guards", async () => {
    const source = `def steps(float(N) x, ${parameters(11, "float(T, N)")}) -> (x) {
      for t in T {
        x(i) = (i > 0 ? x(i - 1) * 0.5 : 0.0) + (${terms(11, "t, i", "+")})
      }
    }`;
    expect(await agree(source, { N: 7, T: 3 }, "integers")).toBeGreaterThan(0);
  });

  it("gathers through nine tensors", async () => {
    const nested = names(9).reduceRight((inner, name) => `${name}(${inner})`, "i");
    const source = `def deep(float(N) v, ${parameters(9, "int(N)")}) -> (y) {
      y(i) = v(${nested}) where i in 0:N
    }`;
    expect(await agree(source, { N: 6 }, "integers")).toBeGreaterThan(0);
  });
});

describe("nothing to compute", () => {
  const sources = [
    ["a range that is empty", "def f(float(N) x) -> (y) { y(i) = x(i) where i in 0:N - 1 }"],
    ["an empty sum", "def f(float(N) x) -> (y) { y(i) +=! x(k) where i in 0:3, k in 0:N - 1 }"],
    ["an empty maximum", "def f(float(N) x) -> (y) { y max=! x(k) where k in 0:N - 1 }"],
    ["an empty argmin", "def f(float(N) x) -> (y) { y argmin=! x(k) where k in 0:N - 1 }"],
    ["an empty loop", "def f(float(N) x) -> (x) { for t in 1:N { x(t) = x(t - 1) } }"],
    [
      "an empty scatter",
      "def f(float(N) x, int(N) p) -> (float(4) y) { y(p(i)) +=! x(i) where i in 0:N - 1 }",
    ],
    [
      "an empty temporary",
      "def f(float(N) x) -> (y) { t(i) +=! x(i) * x(k) where i in 0:N - 1\n y +=! t(i) }",
    ],
  ] as const;

  it.each(sources)("in %s", async (_, source) => {
    await agree(source, { N: 1 }, "integers", 0);
    expect(await agree(source, { N: 5 }, "integers", 0)).toBeGreaterThan(0);
  });
});

describe("more workgroups than a dimension may have", () => {
  const source = "def copy(float(N) x) -> (y) { y(i) = x(N - 1 - i) * 2.0 }";

  it.each([
    [
      "one thread per workgroup",
      70_003,
      { "kernels/$0/axes/0/workgroup": 1, "kernels/$0/axes/0/points": 1 },
    ],
    ["the default mapping", 4_300_019, {}],
  ] as const)("with %s", async (_, N, choices) => {
    const options = given(choices);
    const compiled = compile(source, { sizes: { N }, options });
    if (!compiled.ok) throw new Error("it does not compile");
    const [x, y, z] = compiled.plan.kernels[0]?.kernel.grid ?? [0, 0, 0];
    expect(x * y * z).toBeGreaterThan(65_535);
    expect(Math.max(x, y, z)).toBeLessThanOrEqual(65_535);
    const data = Float32Array.from({ length: N }, (_, i) => i % 1000);
    using loaded = await runtime.load(compiled.plan);
    const outputs = await loaded.run({ x: data });
    const found = await outputs["y"]?.read();
    expect(found?.findIndex((value, i) => value !== 2 * ((N - 1 - i) % 1000))).toBe(-1);
    if (N < 100_000) {
      const second = interpretPlan(compiled.plan, { x: data });
      expect(second.faults).toEqual([]);
      expect(second.outputs["y"]).toEqual(found);
    }
  });
});

describe("scalars", () => {
  it("are results of rank 0", async () => {
    const source = `def moments(float(N) x) -> (sum, largest, at, any) {
      sum +=! x(i)
      largest max=! x(i)
      at argmax=! x(i)
      any ||=! x(i) > 1.0
    }`;
    for (const N of [1, 2, 129]) {
      expect(await agree(source, { N }, "integers", 0)).toBeGreaterThan(0);
    }
  });
});
