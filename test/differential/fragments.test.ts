/** Random definitions whose sums of products are executed by matrix units, wherever that is legal. */
import { afterAll, expect, test } from "vitest";
import type { Plan } from "../../src/codegen/plan.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { wgslFaults } from "../codegen/support/validate-wgsl.ts";
import { matrixProfile } from "../support/matrix-profile.ts";
import { describeFailure, isFailure, mapCase, type Prepared, prepareCase } from "./differential.ts";
import { generateProduct } from "./generate-products.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Mapping } from "./variants.ts";

const runtime = await openRuntime({ adapter: "software" });
afterAll(() => runtime.dispose());

const tally = createTally();

function inFragments({ kernels }: Plan): Plan["kernels"] {
  return kernels.filter(({ wgsl }) => wgsl.includes("subgroupMatrixMultiplyAccumulate"));
}

/** What is wrong with a definition under a mapping, and how many of its kernels are in fragments. */
async function check(
  prepared: Prepared,
  mapping: Mapping,
): Promise<{ readonly kernels: number; readonly faults: readonly string[] }> {
  const { tcCase } = prepared;
  const variant = mapCase(prepared, matrixProfile, mapping);
  if (isFailure(variant)) return { kernels: 0, faults: [describeFailure(tcCase, variant)] };
  const units = inFragments(variant.plan);
  if (units.length === 0) return { kernels: 0, faults: [] };
  const executions = { profiles: [matrixProfile], runtime, tally, plans: null };
  const failures = await runPrepared(prepared, executions, [mapping]);
  const faults = failures.map((f) => describeFailure(tcCase, f));
  for (const { wgsl, entryPoint } of units) {
    const refused = await wgslFaults(wgsl, entryPoint);
    faults.push(...refused.map((fault) => `${tcCase.source}: ${fault}\n${wgsl}`));
  }
  return { kernels: units.length, faults };
}

test("random programs in fragments mean the same in all executions", async () => {
  const found: string[] = [];
  let kernels = 0;
  for (let seed = 0; seed < 150; seed++) {
    const preparation = prepareCase(generateProduct(seed));
    if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
    const mapping: Mapping = { kind: "random", seed: 2 * seed, share: seed % 2 === 0 ? 0.1 : 0.3 };
    const { kernels: more, faults } = await check(preparation.prepared, mapping);
    kernels += more;
    found.push(...faults);
  }
  expect(found.slice(0, 3)).toEqual([]);
  expect(kernels).toBeGreaterThan(30);
  expect(tally.worstFraction).toBeLessThanOrEqual(1);
}, 300_000);
