/** Which temporaries a plain kernel keeps to itself: what a group binds at the least. */

import type { Schedule } from "../../schedule.ts";
import type { Axis } from "../group/axes.ts";
import { foldedTensors, legalityOf, type Part, statementsIn } from "../group/group.ts";
import { ownTemporaries } from "../group/own-temporaries.ts";
import { privateBytes, privateElements } from "../group/temporaries.ts";
import { mapPlainly } from "./map-group.ts";
import { temporaryOf, withPlace } from "./place-temporaries.ts";

/** The temporaries that one invocation for each point of the axes can keep in registers. */
export function keptPlainly(part: Part, axes: readonly Axis[]): readonly string[] {
  const { program, nodes, host, folds } = part;
  const isLegal = legalityOf(part);
  const { root } = mapPlainly(program, nodes, axes, "probe");
  let schedule: Schedule = { root, places: folds };
  let room = privateBytes;
  const folded = foldedTensors(part);
  return ownTemporaries(program, statementsIn(program, nodes)).filter((tensor) => {
    if (folded.has(tensor)) return false;
    const temporary = temporaryOf(program, schedule, host, tensor);
    const bytes = 4 * (temporary?.elements ?? Infinity);
    if (temporary === null || bytes > Math.min(room, 4 * privateElements)) return false;
    const placed = withPlace(program, schedule, temporary, "private");
    if (placed === null || !isLegal(placed)) return false;
    schedule = placed;
    room -= bytes;
    return true;
  });
}
