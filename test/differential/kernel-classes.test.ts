/** Random legal options for every class of kernels: the same meaning in all executions. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { gpuProfile } from "../../src/support/device-profile.ts";
import { drawingTimeout, drawn, someOf } from "../support/sweep.ts";
import { describeFailure, prepareCase } from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { kernelClasses } from "./kernel-classes.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

/** Random options of each class at awkward sizes, at even ones and at 1; for two profiles, in CI one of them in turn. */
const counts = drawn([1, 1, 1], [6, 5, 1]);

const tally = createTally();
let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

/** Mappings that change a few decisions, many, or all. */
function drawMappings(count: number, seed: number, turn: number): readonly Way[] {
  const shares = [0.15, 0.5, 1];
  return Array.from({ length: count }, (_, n) => {
    const share = shares[(turn + n) % shares.length] ?? 1;
    return { kind: "random", seed: 1000 * seed + n, share };
  });
}

test.each(kernelClasses.map((c) => [c.name, c] as const))(
  "%s means the same under random options",
  async (name, { source, sizes }) => {
    const at = kernelClasses.findIndex((c) => c.name === name);
    for (const [n, count] of counts.entries()) {
      const tcCase: TcCase = {
        name,
        source,
        sizes: sizes[n] ?? {},
        population: "reals",
        inputSeed: 10 * at + n,
      };
      const preparation = prepareCase(tcCase);
      if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
      for (const profile of someOf([gpuProfile, runtime.profile], 1, at + n)) {
        const executions = { profiles: [profile], runtime, tally, plans: null };
        const seed = 10 * at + n + (profile === gpuProfile ? 500 : 0);
        const mappings = drawMappings(count, seed, at + n);
        const failures = await runPrepared(preparation.prepared, executions, mappings);
        expect(failures.map((failure) => describeFailure(tcCase, failure))).toEqual([]);
      }
    }
  },
  drawingTimeout,
);

test("these were many sets of options", () => {
  const worst = tally.worst.toFixed(3);
  console.log(
    `${tally.plans} plans, ${tally.dispatches} dispatches, ${tally.compared} elements compared, ${worst} of the error bound used`,
  );
  expect(tally.plans).toBeGreaterThan(drawn(60, 500));
});
