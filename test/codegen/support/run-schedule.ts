/** Lowers schedules written by hand and runs what comes out. */
import { expect } from "vitest";
import { generate } from "../../../src/codegen/generate.ts";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { settlingPasses } from "../../../src/codegen/simplify/passes.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import type { Program } from "../../../src/ir/program.ts";
import type { Place, Schedule, ScheduleNode } from "../../../src/ir/schedule.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { defined } from "../../../src/support/assert.ts";
import { baselineProfile, type DeviceProfile } from "../../../src/support/device-profile.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { allocate, elementCount, type TensorData } from "../../../src/support/scalar-type.ts";
import { wgslFaults } from "./validate-wgsl.ts";

/** Small integers, exact in every order; bools for bools. */
export function smallInputs(program: Program, seed = 1): Record<string, TensorData> {
  const random = seededRandom(seed);
  const inputs: Record<string, TensorData> = {};
  for (const t of program.tensors) {
    if (t.role !== "input" && t.role !== "inout") continue;
    const type = t.components[0] ?? "float32";
    const data = allocate(type, elementCount(t.shape));
    inputs[t.name] = data.map(() =>
      random.integer(type === "bool" ? 0 : -4, type === "bool" ? 2 : 6),
    );
  }
  return inputs;
}

/** Expects the plan to compute what the program means, to the bit. */
export function expectRight(
  program: Program,
  plan: Plan,
  inputs: Readonly<Record<string, TensorData>> = smallInputs(program),
): void {
  const { outputs, faults } = interpretPlan(plan, inputs);
  expect(faults.map((f) => f.message)).toEqual([]);
  for (const [name, { data }] of interpret(program, inputs).tensors) {
    expect([...defined(outputs[name], name)], name).toEqual([...data].map((x) => x + 0));
  }
}

/**
 * A plan for a legal schedule, its kernels as they are lowered. Fails unless it, and that with all
 * passes over kernels, is verified and valid and computes the program.
 */
export async function runSchedule(
  program: Program,
  root: ScheduleNode,
  places: readonly Place[] = [],
  profile: DeviceProfile = baselineProfile,
): Promise<Plan> {
  const schedule: Schedule = { root, places };
  expect(verifyProgram(program)).toEqual([]);
  expect(verifySchedule(program, schedule).map((f) => f.message)).toEqual([]);
  const plan = generate(program, schedule, profile, { passes: settlingPasses });
  for (const each of [plan, generate(program, schedule, profile)]) {
    for (const { kernel, wgsl, entryPoint } of each.kernels) {
      expect(verifyKernel(kernel, profile)).toEqual([]);
      expect(await wgslFaults(wgsl, entryPoint)).toEqual([]);
    }
    expectRight(program, each);
  }
  return plan;
}

/** The body of the plan's kernel with that number, as text without the declarations of arrays. */
export function bodyOf(plan: Plan, kernel = 0): readonly string[] {
  const text = printKernel(defined(plan.kernels[kernel], `kernel ${kernel}`).kernel);
  return text
    .split("\n")
    .slice(1)
    .filter((line) => line !== "" && !/^ {2}(?:read|read_write|workgroup|private)\b/.test(line))
    .map((line) => line.slice(2));
}
