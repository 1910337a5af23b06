/** Programs that random ones were shrunk to when they showed a mistake, each with its mapping. */

import { afterAll, expect, test } from "vitest";
import { mapProgram } from "../../src/ir/mapping/map-program.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import { describeFailure, prepareCase } from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

type Found = Omit<TcCase, "population" | "inputSeed"> & {
  /** The answers that led to the mistake. */
  readonly choices?: Readonly<Record<string, boolean | number | string>>;
};

const cases: readonly Found[] = [
  {
    name: "a gather outside of a tensor of 17 elements in workgroup memory for 24",
    source: `def f(float(N) x) -> (y) {
  T(i) = x(i)
  for t in 0:3 {
    for s in 0:3 {
      T(i) = T((i + 1) * s) where i in 0:N
    }
    y = T(t + 5)
  }
}
`,
    sizes: { N: 17 },
    choices: {
      "structure/loops/$t0/with": true,
      "kernels/$0/team": 8,
      "kernels/$0/places/$0": "workgroup",
      "kernels/$0/places/$0_new": "private",
    },
  },
];

test.each(cases)("$name", async ({ choices = {}, ...rest }) => {
  const tcCase: TcCase = { ...rest, population: "integers", inputSeed: 1 };
  const preparation = prepareCase(tcCase);
  if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
  const tally = createTally();
  const profiles = [baselineProfile, runtime.profile];
  const options = given(choices);
  const { program } = preparation.prepared;
  for (const profile of profiles) {
    const { repairs, unused } = mapProgram(program, profile, options);
    expect([repairs, unused]).toEqual([[], []]);
  }
  const mappings: readonly Way[] = [{ kind: "options", options }];
  const executions = { profiles, runtime, tally, plans: null };
  const failures = await runPrepared(preparation.prepared, executions, mappings);
  expect(failures.map((failure) => describeFailure(tcCase, failure))).toEqual([]);
  expect(tally.compared).toBeGreaterThan(0);
});
