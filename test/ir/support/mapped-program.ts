import { expect } from "vitest";
import { generate } from "../../../src/codegen/generate.ts";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import {
  type Mapped,
  type MappingResult,
  mapProgram,
  mapWith,
} from "../../../src/ir/mapping/map-program.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { printSchedule } from "../../../src/ir/schedule.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { baselineProfile, type DeviceProfile } from "../../../src/support/device-profile.ts";
import type { Mapping } from "../../../src/support/mapping-file.ts";
import type { Random } from "../../../src/support/random.ts";
import { allocate, type TensorData } from "../../../src/support/scalar-type.ts";
import { given } from "../../support/given.ts";
import { randomPolicy } from "../../support/random-policy.ts";
import { randomInputs } from "./random-program.ts";

/** Maps and checks: the program is verified, the schedule legal. */
export function checked(
  p: Program,
  mapping: Mapping = given(),
  profile: DeviceProfile = baselineProfile,
): Mapped {
  return checkedResult(p, mapProgram(p, profile, mapping)).mapped;
}

/** The same for random choices. */
export function checkedDraw(
  p: Program,
  random: Random,
  profile: DeviceProfile = baselineProfile,
  share = 1,
): MappingResult {
  return checkedResult(p, mapWith(p, profile, new Map(), randomPolicy(profile, random, share)));
}

/** A mapping's result that is as it must be. */
export function checkedResult(p: Program, result: MappingResult): MappingResult {
  const { mapped } = result;
  expect(p.name).toBe(mapped.program.name);
  const text = `${printProgram(mapped.program)}${printSchedule(mapped.schedule)}`;
  expect(verifyProgram(mapped.program), text).toEqual([]);
  expect(
    verifySchedule(mapped.program, mapped.schedule).map((f) => f.message),
    text,
  ).toEqual([]);
  return result;
}

export function planOf(
  { program, schedule }: Mapped,
  profile: DeviceProfile = baselineProfile,
): Plan {
  return generate(program, schedule, profile);
}

export function textOf(plan: Plan): string {
  return plan.kernels.map((k) => k.wgsl).join("\n");
}

/** Numbers by tensor as a plan takes them. */
export function typedInputs(
  p: Program,
  drawn: ReturnType<typeof randomInputs>,
): Record<string, TensorData> {
  const inputs: Record<string, TensorData> = {};
  for (const t of p.tensors) {
    const data = drawn[t.name];
    if (data === undefined) continue;
    inputs[t.name] = allocate(t.components[0] ?? "float32", data.length);
    inputs[t.name]?.set(data);
  }
  return inputs;
}

/** Runs a plan on small integers; the largest difference to the reference, relative to its size. */
export function error(p: Program, plan: Plan): number {
  const drawn = randomInputs(p, 1);
  const { outputs, faults } = interpretPlan(plan, typedInputs(p, drawn));
  expect(faults.map((f) => f.message)).toEqual([]);
  let worst = 0;
  for (const [name, { data }] of interpret(p, drawn).tensors) {
    for (const [n, x] of data.entries()) {
      if (!Number.isFinite(x)) continue;
      const got = outputs[name]?.[n] ?? Number.NaN;
      worst = Math.max(worst, Math.abs(got - x) / Math.max(1, Math.abs(x)));
    }
  }
  return worst;
}
