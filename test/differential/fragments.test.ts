/** Random definitions whose sums of products are executed by matrix units, wherever that is legal. */
import { afterAll, expect, test } from "vitest";
import type { Plan } from "../../src/codegen/plan.ts";
import { eachKernel, eachLeaf } from "../../src/ir/schedule.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { DeviceProfile } from "../../src/support/device-profile.ts";
import { wgslFaults } from "../codegen/support/validate-wgsl.ts";
import { askedSizes } from "../support/asking-profile.ts";
import { matrixProfile, matrixProfileAsking } from "../support/matrix-profile.ts";
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
  profile: DeviceProfile,
): Promise<{
  readonly kernels: number;
  readonly epilogue: boolean;
  readonly faults: readonly string[];
}> {
  const { tcCase } = prepared;
  const variant = mapCase(prepared, profile, mapping);
  const none = { kernels: 0, epilogue: false };
  if (isFailure(variant)) return { ...none, faults: [describeFailure(tcCase, variant)] };
  const units = inFragments(variant.plan);
  if (units.length === 0) return { ...none, faults: [] };
  const executions = { profiles: [profile], runtime, tally, plans: null };
  const failures = await runPrepared(prepared, executions, [mapping]);
  const faults = failures.map((f) => describeFailure(tcCase, f));
  const asked = profile.subgroups?.width;
  for (const { wgsl, entryPoint } of units) {
    const sizes = [...wgsl.matchAll(/@subgroup_size\((\d+)\)/g)].map(([, size]) => size);
    if (sizes.join() !== `${asked ?? ""}`) faults.push(`${tcCase.source}: asks for ${sizes}`);
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
    const {
      kernels: more,
      epilogue,
      faults,
    } = await check(preparation.prepared, mapping, matrixProfile);
    kernels += more;
    if (epilogue) epilogues += 1;
    found.push(...faults);
  }
  expect(found.slice(0, 3)).toEqual([]);
  expect(kernels).toBeGreaterThan(30);
  expect(epilogues).toBeGreaterThan(10);
  expect(tally.worst).toBeLessThanOrEqual(1);
}, 300_000);

test.each(askedSizes)(
  "random programs in fragments of subgroups of %d that kernels ask for",
  async (size) => {
    const found: string[] = [];
    let kernels = 0;
    for (let seed = 0; seed < 24; seed++) {
      const preparation = prepareCase(generateProduct(seed));
      if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
      const mapping: Way = { kind: "random", seed: 2 * seed, share: seed % 2 === 0 ? 0.1 : 0.3 };
      const result = await check(preparation.prepared, mapping, matrixProfileAsking(size));
      kernels += result.kernels;
      found.push(...result.faults);
    }
    expect(found.slice(0, 3)).toEqual([]);
    expect(kernels).toBeGreaterThan(3);
  },
  300_000,
);
