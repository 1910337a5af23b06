/** What the tests of mappings claim: a definition means the same as plain loops, in all executions. */

import { expect } from "vitest";
import type { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { DeviceProfile } from "../../src/support/device-profile.ts";
import type { Choice } from "../../src/support/mapping-file.ts";
import { given } from "../support/given.ts";
import type { Definition, Sizes } from "./definitions.ts";
import { describeFailure, prepareCase, valuesOf } from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";

/** A definition with how it is mapped. */
export interface MappedDefinition extends Definition {
  readonly choices: Readonly<Record<string, Choice>>;
  readonly profile: DeviceProfile;
}

/** Of these sizes, those that a source names. */
export function sizesIn(source: string, sizes: Sizes): Sizes {
  const named = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(source);
  return Object.fromEntries(Object.entries(sizes).filter(([name]) => named(name)));
}

/**
 * Compares what a definition gives for whole numbers, which all orders of a sum give exactly: by the
 * interpreters and on the device as it is mapped, and by plain loops.
 */
export async function expectMeaning(
  { source, output, element, choices, profile }: MappedDefinition,
  sizes: Sizes,
  runtime: Awaited<ReturnType<typeof openRuntime>>,
): Promise<void> {
  const tcCase: TcCase = {
    name: output,
    source,
    sizes: sizesIn(source, sizes),
    population: "integers",
    inputSeed: 7,
  };
  const preparation = prepareCase(tcCase);
  if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
  const { inputs } = preparation.prepared;
  // Adding 0 makes -0 a 0.
  const meant = Array.from(valuesOf(preparation.prepared, output), (x) => x + 0);
  expect(meant).toEqual(meant.map((_, p) => element(inputs, sizes, p) + 0));
  const executions = { profiles: [profile], runtime, tally: createTally(), plans: null };
  const options = given(choices);
  const failures = await runPrepared(preparation.prepared, executions, [
    { kind: "options", options },
  ]);
  expect(failures.map((failure) => describeFailure(tcCase, failure))).toEqual([]);
}
