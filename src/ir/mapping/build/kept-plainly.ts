/** Which temporaries a plain kernel keeps to itself: what a group binds at the least. */

import { type Statement, touches } from "../../program.ts";
import type { Schedule } from "../../schedule.ts";
import type { Axis } from "../group/axes.ts";
import { foldedTensors, legalityOf, type Part, statementsIn } from "../group/group.ts";
import { ownTemporaries } from "../group/own-temporaries.ts";
import { privateBytes, privateElements } from "../group/temporaries.ts";
import { mapPlainly } from "./map-group.ts";
import { temporaryOf, withPlace } from "./place-temporaries.ts";

/** The statements that touch a tensor. */
function usersOf(statements: readonly Statement[], tensor: string): ReadonlySet<string> {
  return new Set(statements.filter((s) => touches(s, tensor)).map((s) => s.id));
}

/** The temporaries that one invocation for each point of the axes can keep in registers. */
export function keptPlainly(part: Part, axes: readonly Axis[]): readonly string[] {
  const { program, nodes, host, folds } = part;
  const isLegal = legalityOf(part);
  const { root } = mapPlainly(program, nodes, axes, "probe");
  let schedule: Schedule = { root, places: folds };
  let room = privateBytes;
  const folded = foldedTensors(part);
  const statements = statementsIn(program, nodes);
  return ownTemporaries(program, statements).filter((tensor) => {
    if (folded.has(tensor)) return false;
    const temporary = temporaryOf(program, schedule, host, tensor);
    const bytes = 4 * (temporary?.elements ?? Infinity);
    if (temporary === null || bytes > Math.min(room, 4 * privateElements)) return false;
    const placed = withPlace(program, schedule, temporary, "private");
    // The group is legal without it: what touches other tensors stays so.
    if (placed === null || !isLegal(placed, usersOf(statements, tensor))) return false;
    schedule = placed;
    room -= bytes;
    return true;
  });
}
