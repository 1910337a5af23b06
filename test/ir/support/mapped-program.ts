import { expect } from "vitest";
import { generate } from "../../../src/codegen/generate.ts";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import type { Decider } from "../../../src/ir/decisions.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { type Mapped, mapProgram } from "../../../src/ir/mapping/map-program.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { printSchedule } from "../../../src/ir/schedule.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { baselineProfile, type DeviceProfile } from "../../../src/support/device-profile.ts";
import { allocate, type TensorData } from "../../../src/support/scalar-type.ts";
import { randomInputs } from "./random-program.ts";

/** Maps and checks: the program is verified, the schedule legal. */
export function checked(
  p: Program,
  answers: Decider,
  profile: DeviceProfile = baselineProfile,
): Mapped {
  const mapped = mapProgram(p, profile, answers);
  const text = `${printProgram(mapped.program)}${printSchedule(mapped.schedule)}`;
  expect(verifyProgram(mapped.program), text).toEqual([]);
  expect(
    verifySchedule(mapped.program, mapped.schedule).map((f) => f.message),
    text,
  ).toEqual([]);
  return mapped;
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
