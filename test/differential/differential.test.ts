import { afterAll, beforeAll, expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { drawingTimeout } from "../support/sweep.ts";
import { ciCases, ciCount, ciPlans } from "./ci-cases.ts";
import { describeFailure } from "./differential.ts";
import { halfProfile, runCases } from "./run-case.ts";
import { ambiguousShare, createTally, missingOf, printTally } from "./tally.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

test(
  "random programs mean the same in all three executions under all schedules",
  async () => {
    const tally = createTally();
    const profiles = [baselineProfile, runtime.profile, halfProfile];
    const failures: string[] = [];
    await runCases(
      ciCases(),
      { profiles, runtime, tally, plans: ciPlans },
      ({ tcCase, failures: found }) => {
        for (const failure of found.slice(0, 1)) {
          failures.push(`${describeFailure(tcCase, failure)}\n${tcCase.source}`);
        }
      },
    );
    console.log(`adapter ${runtime.adapter.description}\n${printTally(tally)}`);
    expect(failures.slice(0, 3)).toEqual([]);
    expect(tally.programs).toBeGreaterThanOrEqual(0.95 * ciCount);
    expect(tally.refused).toBeLessThan(ciCount / 25);
    expect(missingOf(tally)).toEqual([]);
    expect(ambiguousShare(tally)).toBeLessThan(0.001);
    expect(tally.worst).toBeLessThanOrEqual(1);
  },
  drawingTimeout,
);
