import type { Dependence } from "../dependences/dependences.ts";
import type { Program } from "../program.ts";
import type { Schedule } from "../schedule.ts";
import { analyseSchedule } from "./analyse-schedule.ts";
import type { Fault } from "./fault.ts";

export type { Fault } from "./fault.ts";

/** Why a schedule is not legal for a program, see {@link analyseSchedule}; empty when it is. */
export function verifySchedule(
  program: Program,
  schedule: Schedule,
  known?: readonly Dependence[],
): readonly Fault[] {
  return analyseSchedule(program, schedule, known).faults;
}
