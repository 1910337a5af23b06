import type { Program } from "../program.ts";
import type { Schedule } from "../schedule.ts";
import { analyseSchedule } from "./analyse-schedule.ts";
import type { BarrierSite } from "./place-barriers.ts";

export type { BarrierSite } from "./place-barriers.ts";

/** The barriers that a legal schedule needs. */
export function synchronise(program: Program, schedule: Schedule): readonly BarrierSite[] {
  return analyseSchedule(program, schedule).barriers;
}
