/** The same definitions under random schedules, for memory with padding and without. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { lowerSource } from "../../src/compile.ts";
import { padTensors } from "../../src/ir/apply-layouts.ts";
import { expectOutputs } from "../../src/ir/interpret/expect-outputs.ts";
import { openRuntime, type Runtime } from "../../src/node.ts";
import { llvmpipeProfile, swiftshaderProfile } from "../../src/support/device-profile.ts";
import {
  describeFailure,
  isFailure,
  mapCase,
  type Prepared,
} from "../differential/differential.ts";
import { runPrepared } from "../differential/run-case.ts";
import { createTally } from "../differential/tally.ts";
import { waysFor } from "../differential/variants.ts";
import { type Case, cases } from "./cases.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

const shapes = [
  [1, 5],
  [3, 7],
  [2, 33],
  [7, 19],
] as const;

function prepare(
  { name, source, inputs }: Case,
  [N, M]: readonly [number, number],
  padded: boolean,
): Prepared {
  const sizes = { N, M };
  const lowered = lowerSource(source, { sizes });
  if (!lowered.ok) throw new Error(`${name} is refused`);
  const given = inputs(N * M);
  const program = padded ? padTensors(lowered.program) : lowered.program;
  const expected = expectOutputs(lowered.program, given);
  const inputSeed = 8 * N + M;
  const tcCase = { name, source, sizes, population: "reals", inputSeed } as const;
  return { tcCase, program, inputs: given, expected };
}

const profiles = [llvmpipeProfile, swiftshaderProfile];

test.each(cases)("$name means the same under random schedules", async (one) => {
  const executions = { profiles, runtime, tally: createTally(), plans: 4 };
  for (const [n, shape] of shapes.entries()) {
    for (const padded of [true, false]) {
      const prepared = prepare(one, shape, padded);
      const failures = await runPrepared(prepared, executions, waysFor(5 * n + 3));
      expect(failures.map((failure) => describeFailure(prepared.tcCase, failure))).toEqual([]);
    }
  }
});

test("random schedules take them in whole vectors, and row by row", () => {
  const asked = new Map<string, Set<unknown>>();
  for (const one of cases) {
    for (const mapping of [3, 4, 5].flatMap(waysFor)) {
      const variant = mapCase(prepare(one, [3, 7], true), swiftshaderProfile, mapping);
      if (isFailure(variant)) throw new Error(variant.detail);
      for (const { path, value } of variant.decisions) {
        const role = path.split("/")[3] ?? "";
        asked.set(role, (asked.get(role) ?? new Set()).add(value));
      }
    }
  }
  expect([asked.get("flatten")?.size, asked.get("vectors")?.size]).toEqual([2, 2]);
});
