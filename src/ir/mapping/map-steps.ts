/**
 * Purpose: asks how many steps of a reduction each point of an invocation takes in a row.
 *
 * Requires: a legal kernel. Ensures: it stays legal. Where no written-out points are inside of written-out
 * steps, nothing is asked.
 */
import type { DeviceProfile } from "../../support/device-profile.ts";
import type { Decider } from "../decisions.ts";
import type { Program } from "../program.ts";
import type { Schedule } from "../schedule.ts";
import { groupSteps, stepCounts } from "../scheduling/group-steps.ts";

/** What the answer depends on. */
export interface StepsQuestion {
  readonly program: Program;
  readonly kernel: Schedule;
  readonly profile: DeviceProfile;
  readonly decider: Decider;
  readonly prefix: string;
}

/** The kernel, with its steps in groups as the answer says. */
export function mapSteps(question: StepsQuestion): Schedule {
  const { program, kernel, profile, decider, prefix } = question;
  const counts = stepCounts(program, kernel.root);
  const most = Math.max(1, ...counts);
  const values = [...new Set([1, 2, 4, 8, most])]
    .filter((n) => n === 1 || counts.some((c) => c % n === 0))
    .sort((a, b) => a - b);
  if (values.length === 1) return kernel;
  const wish = values.findLast((n) => n <= profile.costs.stepsInARow) ?? 1;
  const size = decider.decide(`${prefix}.steps`, values, wish);
  return { ...kernel, root: groupSteps(program, kernel.root, size) };
}
