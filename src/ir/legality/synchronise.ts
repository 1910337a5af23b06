import type { Program } from "../program.ts";
import type { Schedule } from "../schedule.ts";
import { barriersOf } from "./analyse-schedule.ts";
import type { BarrierSite } from "./place-barriers.ts";

export type { BarrierSite } from "./place-barriers.ts";

/** The barriers that a legal schedule needs; of one that is not legal they mean nothing. */
export function synchronise(program: Program, schedule: Schedule): readonly BarrierSite[] {
  return barriersOf(program, schedule);
}
