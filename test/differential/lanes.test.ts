/** Random definitions with their values spread over the lanes of subgroups, wherever that is legal. */
import { afterAll, expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { baselineProfile, type DeviceProfile } from "../../src/support/device-profile.ts";
import { drawingTimeout, drawn, someOf } from "../support/sweep.ts";
import { describeFailure, prepareCase } from "./differential.ts";
import { generateTc } from "./generate-tc.ts";
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
