/** Random definitions whose sums of products are executed by matrix units, wherever that is legal. */
import { afterAll, expect, test } from "vitest";
import type { Plan } from "../../src/codegen/plan.ts";
import { eachKernel, eachLeaf } from "../../src/ir/schedule.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { wgslFaults } from "../codegen/support/validate-wgsl.ts";
import { matrixProfile } from "../support/matrix-profile.ts";
import { describeFailure, isFailure, mapCase, type Prepared, prepareCase } from "./differential.ts";
import { generateProduct } from "./generate-products.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Variant, Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const tally = createTally();

function inFragments({ kernels }: Plan): Plan["kernels"] {
  return kernels.filter(({ wgsl }) => wgsl.includes("subgroupMatrixMultiplyAccumulate"));
}

/** Whether a map is behind a sum in fragments, in its kernel. */
function hasEpilogue({ mapped }: Variant): boolean {
  return [...eachKernel(mapped.schedule.root)].some(({ kernel }) => {
    const leaves = eachLeaf(kernel);
    const inFragments = leaves.filter((l) => l.loops.some((loop) => loop.on === "fragment"));
    return inFragments.some(({ leaf }) => leaf.phase === "whole");
  });
}

/** What is wrong with a definition under a mapping, and how many of its kernels are in fragments. */
async function check(
  prepared: Prepared,
  mapping: Way,
): Promise<{
  readonly kernels: number;
  readonly epilogue: boolean;
  readonly faults: readonly string[];
}> {
  const { tcCase } = prepared;
  const variant = mapCase(prepared, matrixProfile, mapping);
  const none = { kernels: 0, epilogue: false };
  if (isFailure(variant)) return { ...none, faults: [describeFailure(tcCase, variant)] };
  const units = inFragments(variant.plan);
  if (units.length === 0) return { ...none, faults: [] };
  const executions = { profiles: [matrixProfile], runtime, tally, plans: null };
  const failures = await runPrepared(prepared, executions, [mapping]);
  const faults = failures.map((f) => describeFailure(tcCase, f));
  for (const { wgsl, entryPoint } of units) {
    const refused = await wgslFaults(wgsl, entryPoint);
    faults.push(...refused.map((fault) => `${tcCase.source}: ${fault}\n${wgsl}`));
  }
  return { kernels: units.length, epilogue: hasEpilogue(variant), faults };
}

test("random programs in fragments mean the same in all executions", async () => {
  const found: string[] = [];
  let [kernels, epilogues] = [0, 0];
  for (let seed = 0; seed < 150; seed++) {
    const preparation = prepareCase(generateProduct(seed));
    if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
    const mapping: Way = { kind: "random", seed: 2 * seed, share: seed % 2 === 0 ? 0.1 : 0.3 };
    const { kernels: more, epilogue, faults } = await check(preparation.prepared, mapping);
    kernels += more;
    if (epilogue) epilogues += 1;
    found.push(...faults);
  }
  expect(found.slice(0, 3)).toEqual([]);
  expect(kernels).toBeGreaterThan(30);
  expect(epilogues).toBeGreaterThan(10);
  expect(tally.worst).toBeLessThanOrEqual(1);
}, 300_000);
