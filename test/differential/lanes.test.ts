/** Random definitions with their values spread over the lanes of subgroups, wherever that is legal. */
import { afterAll, describe, expect, test } from "vitest";
import type { Plan } from "../../src/codegen/plan.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { baselineProfile, type DeviceProfile } from "../../src/support/device-profile.ts";
import type { Choice } from "../../src/support/mapping-file.ts";
import { wgslFaults } from "../codegen/support/validate-wgsl.ts";
import { askedSizes, askingFor } from "../support/asking-profile.ts";
import { given } from "../support/given.ts";
import { drawingTimeout, drawn, someOf } from "../support/sweep.ts";
import type { Sizes } from "./definitions.ts";
import { describeFailure, isFailure, mapCase, prepareCase } from "./differential.ts";
import { generateTc, type TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** A device with subgroups of that size; small ones fit small definitions. */
function subgroups(size: number): DeviceProfile {
  const features = { ...baselineProfile.features, subgroups: true };
  const name = `subgroups of ${size}`;
  return { ...baselineProfile, name, features, lanes: size, subgroups: { min: size, max: size } };
}

test(
  "random programs in lanes mean the same in all executions",
  async () => {
    const tally = createTally();
    const found: string[] = [];
    for (let seed = 70_000; seed < 70_000 + drawn(16, 40); seed++) {
      const preparation = prepareCase(generateTc(seed));
      if (preparation.kind !== "prepared") continue;
      const { prepared } = preparation;
      const made = [subgroups(2), subgroups(4)];
      for (const profile of [...someOf(made, 1, seed), runtime.profile]) {
        const lanes = profile.lanes;
        const mapping: Way = { kind: "random", seed: 2 * seed + 1, share: 0.3, lanes };
        const executions = { profiles: [profile], runtime, tally, plans: null };
        const failures = await runPrepared(prepared, executions, [mapping]);
        found.push(...failures.map((f) => describeFailure(prepared.tcCase, f)));
      }
    }
    expect(found.slice(0, 3)).toEqual([]);
    expect(tally.exchanges).toBeGreaterThan(drawn(3, 15));
  },
  drawingTimeout,
);

/** Kernels in subgroups of that size, all of which ask for it in text that Tint takes. */
async function askingKernels({ kernels }: Plan, size: number): Promise<Plan["kernels"]> {
  for (const { kernel, wgsl, entryPoint } of kernels) {
    expect([undefined, size]).toContain(kernel.subgroupSize);
    const asks = wgsl.includes(`@subgroup_size(${size})`);
    expect(asks).toBe(kernel.subgroupSize === size);
    expect(await wgslFaults(wgsl, entryPoint), wgsl).toEqual([]);
  }
  return kernels.filter(({ kernel }) => kernel.subgroupSize === size);
}

test(
  "random programs in lanes that kernels ask for mean the same",
  async () => {
    const tally = createTally();
    const found: string[] = [];
    let asking = 0;
    for (let seed = 70_000; seed < 70_000 + drawn(20, 60); seed++) {
      const preparation = prepareCase(generateTc(seed));
      if (preparation.kind !== "prepared") continue;
      const { prepared } = preparation;
      // Larger ones seldom fit such definitions: those below are made for them.
      const size = seed % 2 === 0 ? 4 : 2;
      const profile = askingFor(size, baselineProfile);
      const mapping: Way = { kind: "random", seed: 2 * seed + 1, share: 0.3, lanes: size };
      const variant = mapCase(prepared, profile, mapping);
      if (!isFailure(variant)) asking += (await askingKernels(variant.plan, size)).length;
      const executions = { profiles: [profile], runtime, tally, plans: null };
      const failures = await runPrepared(prepared, executions, [mapping]);
      found.push(...failures.map((f) => describeFailure(prepared.tcCase, f)));
    }
    expect(found.slice(0, 3)).toEqual([]);
    expect(asking).toBeGreaterThan(drawn(3, 10));
  },
  drawingTimeout,
);

const source = {
  product: "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }",
  vector: "def f(float(N, K) A, float(K) x) -> (y) { y(n) +=! A(n, k) * x(k) }",
  rows: `def f(float(M, K) x) -> (width, count) {
    top(m) max=! x(m, k)
    low(m) min=! x(m, k)
    width(m) = top(m) - low(m)
    count(m) +=! x(m, k) >= top(m) ? 1.0 : 0.0
  }`,
};

type Choices = Readonly<Record<string, Choice>>;

/** Neighbours along an axis in subgroups, with what their lanes load for each other. */
function spread(axis: number, size: number, how: Choices): Choices {
  return {
    [`kernels/$0/axes/${axis}/workgroup`]: 2 * size,
    [`kernels/$0/axes/${axis}/points`]: 1,
    "kernels/$0/order/0": axis,
    "kernels/$0/lanes": size,
    ...Object.fromEntries(Object.entries(how).map(([knob, v]) => [`kernels/$0/${knob}`, v])),
  };
}

/** Partial results of rows in lanes, combined by broadcasts. */
function rowsInLanes(size: number): Choices {
  const sums = ["top", "low", "count"];
  const kernel = "kernels/top.part";
  const others = [...sums.flatMap((s) => [`${s}.part`, `${s}.combine`]), "width"].slice(1);
  return Object.fromEntries([
    ...sums.map((s) => [`structure/statements/${s}/factor/r0`, `strided ${size}`]),
    ...others.map((s) => [`structure/statements/${s}/with`, true]),
    ...sums.map((s) => [`${kernel}/places/${s}_part`, "lanes"]),
    ...["top", "low"].map((t) => [`${kernel}/places/${t}`, "private"]),
    [`${kernel}/team`, size],
    [`${kernel}/axes/0/workgroup`, 1],
    [`${kernel}/lanes`, size],
  ]);
}

describe.each(askedSizes)("in subgroups of %d that kernels ask for", (size) => {
  // Room for as many written-out steps as there are lanes.
  const profile = { ...askingFor(size, baselineProfile), mostStatements: 2048 };
  const product = { M: 4, N: 2 * size + 3, K: 2 * size + 5 };
  const cases: Readonly<Record<string, readonly [string, Sizes, Choices]>> = {
    "steps, written out": [source.product, product, spread(1, size, { spread: "steps" })],
    "steps, counted": [
      source.product,
      product,
      spread(1, size, { spread: "steps", spreadSteps: "serial" }),
    ],
    // An invocation has 16 points along an axis at most.
    ...(size > 16
      ? {}
      : {
          points: [
            source.product,
            { ...product, M: size },
            spread(1, size, {
              "axes/0/points": size,
              points: "unroll",
              spread: "points",
              spreadBlock: 2,
            }),
          ],
        }),
    "a matrix by a vector": [
      source.vector,
      { N: 2 * size + 1, K: 2 * size },
      spread(0, size, { spread: "steps" }),
    ],
    "rows in lanes": [source.rows, { M: 3, K: 2 * size + 1 }, rowsInLanes(size)],
  };

  test.each(Object.entries(cases))("%s mean the same", async (_, [text, sizes, choices]) => {
    const tcCase: TcCase = {
      name: "f",
      source: text,
      sizes,
      population: "reals",
      inputSeed: 3,
    };
    const preparation = prepareCase(tcCase);
    if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
    const { prepared } = preparation;
    const way: Way = { kind: "options", options: given(choices, "plain") };
    const variant = mapCase(prepared, profile, way);
    if (isFailure(variant)) throw new Error(describeFailure(tcCase, variant));
    expect(variant.repairs).toEqual([]);
    expect(await askingKernels(variant.plan, size)).not.toEqual([]);
    const tally = createTally();
    const executions = { profiles: [profile], runtime, tally, plans: null };
    const failures = await runPrepared(prepared, executions, [way]);
    expect(failures.map((f) => describeFailure(tcCase, f))).toEqual([]);
    expect(tally.compared).toBeGreaterThan(0);
  });
});
