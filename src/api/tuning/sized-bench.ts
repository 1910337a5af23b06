/** A task at one set of sizes on a device: its memory, and what its candidates are judged by. */

import type { Planned } from "../../plan-program.ts";
import type { Clock } from "../../runtime/clock.ts";
import { openPlan } from "../../runtime/load-plan.ts";
import type { PlanHost, ReadyPlan } from "../../runtime/run-plan.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import { type Mapping, mappingVersion, type PolicyName } from "../../support/mapping-file.ts";
import { elementCount } from "../../support/scalar-type.ts";
import type { TuningTask, Unplanned } from "../../tuner/candidate.ts";
import { callerBuffers } from "../call-layouts.ts";
import { type BenchMemory, createBenchMemory, finitePoison } from "./bench-memory.ts";
import { type CaseName, type GateCases, runPoisoned } from "./gate.ts";
import { faultIn, integerCase, isWhole, realCase, withWhole } from "./gate-case.ts";
import {
  alternativesOf,
  isUnplanned,
  planTask,
  type TaskProgram,
  taskProgram,
} from "./planned-task.ts";

/** A task at one set of sizes. */
export interface SizedBench {
  readonly memory: BenchMemory;
  readonly cases: GateCases;
  /** Alternatives that are approximate. */
  readonly approximate: ReadonlySet<string | null>;
  /** The plan of a mapping. */
  plan(mapping: Mapping, alternative: string | null): Planned | Unplanned;
}

/** What executes, and what tells how long it takes. */
export interface BenchDevice {
  readonly host: PlanHost;
  readonly clock: Clock;
}

/** Plans that are plain enough to be the reference, the plainest first. */
const naivePolicies: readonly PolicyName[] = ["naive", "apart", "default"];

/** Inputs are the same in all processes and for all candidates. */
const inputSeed = 20;

function naivePlan(task: TaskProgram, profile: DeviceProfile): Planned {
  const reasons: string[] = [];
  for (const policy of naivePolicies) {
    const planned = planTask(task, profile, { version: mappingVersion, policy });
    if (!isUnplanned(planned)) return planned;
    reasons.push(`${policy}: ${planned.refused}`);
  }
  throw new Error(`there is no plan to compare with: ${reasons.join("; ")}`);
}

/**
 * The cases with what the naive kernel finds.
 * @throws Error where it does not agree with the interpreter: then nothing that is measured would mean anything.
 */
async function askNaive(
  { host, clock }: BenchDevice,
  memory: BenchMemory,
  { plan }: Planned,
  cases: GateCases,
): Promise<GateCases> {
  const ready: ReadyPlan = await openPlan(host, plan);
  const ask = async (name: CaseName): Promise<GateCases[CaseName]> => {
    const own = cases[name];
    const { results } = await runPoisoned({ clock, memory, plan, ready }, name, finitePoison);
    const fault = faultIn(own, results);
    if (fault !== null)
      throw new Error(`the naive kernel is not what the interpreter says: ${fault}`);
    return withWhole(own, results);
  };
  try {
    return { integers: await ask("integers"), reals: await ask("reals") };
  } finally {
    ready.scratch.release();
  }
}

/** Makes the memory and the cases of a task; Unplanned where the source has no program for the sizes. */
export async function createSizedBench(
  device: BenchDevice,
  task: TuningTask,
  sizes: TuningTask["sizes"],
  profile: DeviceProfile,
): Promise<SizedBench | Unplanned> {
  const { source } = task;
  const own = taskProgram(task, sizes, profile);
  if (isUnplanned(own)) return own;
  const programs = new Map<string | null, TaskProgram | Unplanned>([[null, own]]);
  const tensors = callerBuffers(own.program).filter(({ role }) => role !== "temporary");
  const memory = await createBenchMemory(device.host, tensors);
  const cases: GateCases = {
    integers: integerCase(own.program, inputSeed),
    reals: realCase(own.program, inputSeed + 1),
  };
  await memory.load("integers", cases.integers.inputs);
  await memory.load("reals", cases.reals.inputs);
  const lengths = Object.fromEntries(tensors.map((t) => [t.name, elementCount(t.shape)]));
  const known = isWhole(cases.integers, lengths) && isWhole(cases.reals, lengths);
  const inexact = alternativesOf(task, own.program.name).filter((a) => a.approximate);
  return {
    memory,
    approximate: new Set(inexact.map(({ name }) => name)),
    cases: known ? cases : await askNaive(device, memory, naivePlan(own, profile), cases),
    plan: (mapping, alternative) => {
      const program =
        programs.get(alternative) ??
        taskProgram({ source, def: alternative ?? "" }, sizes, profile);
      programs.set(alternative, program);
      return isUnplanned(program) ? program : planTask(program, profile, mapping);
    },
  };
}
