/** Runs one random definition under all its mappings, on all profiles, in all executions. */
import { matrixUnitFaults } from "../../src/codegen/verify-kernel/fragment-faults.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import {
  baselineProfile,
  type DeviceProfile,
  subgroupLanes,
} from "../../src/support/device-profile.ts";
import { seededRandom } from "../../src/support/random.ts";
import {
  executeInterpreted,
  executeOnDevice,
  type Failure,
  isFailure,
  mapCase,
  type Prepared,
  prepareCase,
} from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { countAgreement, countProgram, countVariant, type Tally } from "./tally.ts";
import { type Variant, type Way, waysFor } from "./variants.ts";

/** Where and how definitions are executed. */
export interface Executions {
  readonly profiles: readonly DeviceProfile[];
  /** Null to leave the device out. */
  readonly runtime: Runtime | null;
  readonly tally: Tally;
  /** How many of the mappings, drawn for each definition, on one profile each; null for all on all. */
  readonly plans: number | null;
}

/** Equal texts mean equal plans. */
function identityOf({ plan }: Variant): string {
  const kernels = plan.kernels.map((k) => [k.wgsl, k.kernel.grid]);
  return JSON.stringify([kernels, plan.steps, plan.buffers, plan.stepIndices]);
}

/** A mapping for a device. */
interface Target {
  readonly mapping: Way;
  readonly profile: DeviceProfile;
}

/** Profiles that make a difference to a definition: float16 only to those that have it. */
export function profilesFor(
  { source }: TcCase,
  profiles: readonly DeviceProfile[],
): readonly DeviceProfile[] {
  const hasHalf = /\b(?:half|float16)\b/.test(source);
  return profiles.filter((profile) => hasHalf || profile.name !== halfProfile.name);
}

/** A device with float16 of its own, as far as the compiler is concerned. */
export const halfProfile: DeviceProfile = {
  ...baselineProfile,
  name: "float16",
  features: { ...baselineProfile.features, float16: true },
};

/** All mappings on all profiles, or as many as wanted of them. */
function targetsOf(
  { tcCase }: Prepared,
  mappings: readonly Way[],
  executions: Executions,
): readonly Target[] {
  const { plans } = executions;
  const profiles = profilesFor(tcCase, executions.profiles);
  const seed = tcCase.inputSeed;
  const all = profiles.flatMap((profile) => mappings.map((mapping) => ({ mapping, profile })));
  if (plans === null) return all;
  const random = seededRandom(seed);
  const order = all.map((target) => ({ target, at: random.next() }));
  return order
    .sort((a, b) => a.at - b.at)
    .slice(0, plans)
    .map(({ target }) => target);
}

/** Distinct plans of a definition; failures on the way are added to `failures`. */
function variantsOf(
  prepared: Prepared,
  targets: readonly Target[],
  tally: Tally,
  failures: Failure[],
): readonly Variant[] {
  const distinct = new Map<string, Variant>();
  for (const { mapping, profile } of targets) {
    const variant = mapCase(prepared, profile, mapping);
    if (isFailure(variant)) {
      failures.push(variant);
      continue;
    }
    countVariant(tally, variant);
    distinct.set(identityOf(variant), variant);
  }
  return [...distinct.values()];
}

/** Whether a device has what a plan was made for. */
function runsOn({ profile, plan }: Variant, { profile: device, device: gpu }: Runtime): boolean {
  const lanes = subgroupLanes(device);
  const mayAsk = gpu.features.has("subgroup-size-control");
  const alike = plan.kernels.every(
    ({ kernel }) =>
      (kernel.subgroupSize === undefined || kernel.subgroupSize === lanes) &&
      (kernel.asksForSize === undefined || mayAsk),
  );
  const units = plan.kernels.every(({ kernel }) => matrixUnitFaults(kernel, device).length === 0);
  return alike && units && (!profile.features.float16 || device.features.float16);
}

/**
 * All that goes wrong with a definition that the front end took. The work on the processor is done
 * when the promise is made; the device's may go on after.
 */
export async function runPrepared(
  prepared: Prepared,
  executions: Executions,
  mappings: readonly Way[],
): Promise<readonly Failure[]> {
  const { tally, runtime } = executions;
  const failures: Failure[] = [];
  const targets = targetsOf(prepared, mappings, executions);
  const variants = variantsOf(prepared, targets, tally, failures);
  const sound = variants.filter((variant) => {
    const result = executeInterpreted(prepared, variant);
    if (isFailure(result)) failures.push(result);
    else countAgreement(tally, result);
    return !isFailure(result);
  });
  if (runtime === null) return failures;
  const here = sound.filter((v) => runsOn(v, runtime));
  const results = await Promise.all(here.map((v) => executeOnDevice(prepared, v, runtime)));
  for (const result of results) {
    if (isFailure(result)) failures.push(result);
    else countAgreement(tally, result);
  }
  return failures;
}

/** All that goes wrong with a definition; nothing if the front end refuses it, which is counted. */
export async function runCase(tcCase: TcCase, executions: Executions): Promise<readonly Failure[]> {
  const preparation = prepareCase(tcCase);
  if (preparation.kind === "failed") return [preparation.failure];
  if (preparation.kind === "refused") {
    executions.tally.refused += 1;
    return [];
  }
  countProgram(executions.tally, tcCase);
  return await runPrepared(preparation.prepared, executions, waysFor(tcCase.inputSeed));
}

/** A definition with all that went wrong. */
export interface FailedCase {
  readonly tcCase: TcCase;
  readonly failures: readonly Failure[];
}

/** How many definitions may be on the device at the same time. */
const inFlight = 4;

/** Runs definitions one after the other, the device's part of some at the same time. */
export async function runCases(
  cases: Iterable<TcCase>,
  executions: Executions,
  onDone: (failed: FailedCase) => void | Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  for (const tcCase of cases) {
    const run = runCase(tcCase, executions).then(async (failures) => {
      await onDone({ tcCase, failures });
    });
    const done: Promise<void> = run.finally(() => running.delete(done));
    running.add(done);
    if (running.size >= inFlight) await Promise.race(running);
    // Lets the device's callbacks in between two stretches of work.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(running);
}
