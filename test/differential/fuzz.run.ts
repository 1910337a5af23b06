/**
 * As many random definitions as one likes; failures are shrunk and written to a folder. See
 * scripts/fuzz for the variables that it is told by.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { baselineProfile, swiftshaderProfile } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import { describeFailure } from "./differential.ts";
import { generateTc, type TcCase } from "./generate-tc.ts";
import { type FailedCase, halfProfile, runCases } from "./run-case.ts";
import { failsLike, failureOf, subjectOf } from "./shrink/reproduce.ts";
import { type Subject, shrink } from "./shrink/shrink.ts";
import { createTally, printTally } from "./tally.ts";

const count = Number(process.env["FUZZ_COUNT"] ?? 1000);
const firstSeed = Number(process.env["FUZZ_SEED"] ?? 1000);
const folder = process.env["FUZZ_OUT"] ?? "fuzz-failures";
const adapter = process.env["FUZZ_ADAPTER"] ?? "auto";
const plans = process.env["FUZZ_PLANS"];
const attempts = 3000;

function* cases(): Generator<TcCase> {
  for (let n = 0; n < count; n++) yield generateTc(firstSeed + n);
}

/** The definition as a file that runs by itself, with what went wrong as comments. */
function fileOf({ tcCase, mapping }: Subject, description: string): string {
  const sizes = Object.entries(tcCase.sizes).map(([name, value]) => `${name}=${value}`);
  const comments = [
    ...description.split("\n"),
    `mapping: ${mapping.kind}; inputs: ${tcCase.population}, seed ${tcCase.inputSeed}`,
  ];
  const head = sizes.length === 0 ? "" : `#! sizes ${sizes.join(" ")}\n`;
  return `${comments.map((line) => `# ${line}\n`).join("")}${head}${tcCase.source}`;
}

async function writeShrunk(
  { tcCase, failures }: FailedCase,
  runtime: Runtime | null,
): Promise<void> {
  const [failure] = failures;
  if (failure === undefined) return;
  const profile = failure.profile ?? baselineProfile;
  const stillFails = failsLike(failure, profile, runtime);
  const subject = subjectOf(tcCase, failure);
  // Random answers that were written down as options may lead elsewhere.
  const start = (await stillFails(subject))
    ? subject
    : { tcCase, mapping: failure.mapping ?? subject.mapping };
  const best = await shrink(start, stillFails, attempts);
  const found = (await failureOf(best, profile, runtime)) ?? failure;
  const description = describeFailure(best.tcCase, found);
  mkdirSync(folder, { recursive: true });
  const options = best.mapping.kind === "options" ? best.mapping.options : given();
  writeFileSync(join(folder, `${tcCase.name}.tc`), fileOf(best, description));
  writeFileSync(
    join(folder, `${tcCase.name}.options.json`),
    `${JSON.stringify(options, null, 2)}\n`,
  );
  process.stderr.write(`${description}\n${best.tcCase.source}\n`);
}

test(`${count} random definitions from seed ${firstSeed}`, async () => {
  const runtime = adapter === "none" ? null : await openRuntime({ adapter });
  const profiles = [baselineProfile, runtime?.profile ?? swiftshaderProfile, halfProfile];
  const tally = createTally();
  const failed: string[] = [];
  let done = 0;
  await runCases(
    cases(),
    { profiles, runtime, tally, plans: plans === undefined ? null : Number(plans) },
    async (result) => {
      done += 1;
      if (done % 50 === 0) process.stderr.write(`${done} of ${count}, ${failed.length} failed\n`);
      if (result.failures.length === 0) return;
      failed.push(result.tcCase.name);
      await writeShrunk(result, runtime);
    },
  );
  process.stderr.write(`${printTally(tally)}\n`);
  runtime?.dispose();
  expect(failed).toEqual([]);
});
