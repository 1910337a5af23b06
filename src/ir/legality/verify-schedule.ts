import type { Dependence } from "../dependences/dependences.ts";
import type { Program } from "../program.ts";
import type { Schedule } from "../schedule.ts";
import { eachFault } from "./analyse-schedule.ts";
import type { Fault } from "./fault.ts";

export type { Fault } from "./fault.ts";

/** Why a schedule is not legal for a program, see {@link eachFault}; empty when it is. */
export function verifySchedule(
  program: Program,
  schedule: Schedule,
  known?: readonly Dependence[],
): readonly Fault[] {
  return [...eachFault(program, schedule, known)];
}

/** Whether {@link verifySchedule} finds nothing, without looking for more than one fault. */
export function isLegalSchedule(
  program: Program,
  schedule: Schedule,
  known?: readonly Dependence[],
): boolean {
  return eachFault(program, schedule, known).next().done === true;
}
