/**
 * Purpose: places the temporaries of one kernel, as its mapping says.
 *
 * Requires: a kernel whose temporaries are in storage. Ensures: only temporaries that no other kernel
 * touches leave their buffer; whether it is legal is asked of verifySchedule.
 */
import { flatMap } from "../../../support/flat-map.ts";
import { elementCount } from "../../../support/scalar-type.ts";
import { kernelLeaves, placedBox } from "../../layout.ts";
import {
  findStatement,
  findTensor,
  indexVariables,
  type Program,
  statementOf,
  touches,
} from "../../program.ts";
import { eachKernel, eachLeaf, type Loop, type Schedule } from "../../schedule.ts";
import { place } from "../../scheduling/place.ts";
import type { Space } from "../kernel-mapping.ts";
import { placeInLanes } from "./place-in-lanes.ts";

/** The innermost loop around all leaves that touch a tensor; null when only the grid is. */
function placeAt(program: Program, schedule: Schedule, tensor: string): string | null {
  const paths = eachLeaf(schedule.root)
    .filter(({ leaf }) => touches(statementOf(program, leaf.statement), tensor))
    .map((c) => c.loops);
  const [first = [], ...others] = paths;
  let common: readonly Loop[] = first;
  for (const loops of others) {
    const end = common.findIndex((l, i) => loops[i]?.id !== l.id);
    common = end < 0 ? common : common.slice(0, end);
  }
  return common.at(-1)?.id ?? null;
}

/** A temporary of a kernel that may be placed, and how many elements its box has. */
export interface Temporary {
  readonly tensor: string;
  readonly at: string | null;
  /** Of all components. */
  readonly elements: number;
  /** A loop that is not written out chooses the element. */
  readonly looped: boolean;
}

/** Whether what a schedule writes of a tensor, inside of a loop, is chosen by more loops in there. */
function isLooped(
  program: Program,
  schedule: Schedule,
  tensor: string,
  at: string | null,
): boolean {
  return eachLeaf(schedule.root).some(({ leaf, loops }) => {
    const statement = findStatement(program, leaf.statement);
    if (statement?.write.tensor !== tensor) return false;
    const inside = loops.slice(loops.findIndex((l) => l.id === at) + 1);
    const serial = inside.filter((l) => l.on === "serial" && l.extent > 1).map((l) => l.id);
    const written = flatMap(statement.write.index, (i) => [...indexVariables(statement, i)]);
    return written.some((d) => leaf.binding.get(d)?.terms.some((t) => serial.includes(t.variable)));
  });
}

/** What a kernel inside of some host loops has of a temporary; null where it has no box of its own. */
export function temporaryOf(
  program: Program,
  schedule: Schedule,
  host: readonly Loop[],
  tensor: string,
): Temporary | null {
  const [entry] = [...eachKernel(schedule.root)];
  if (entry === undefined) return null;
  const at = placeAt(program, schedule, tensor);
  const box = placedBox(program, kernelLeaves(entry.kernel, host), tensor, at);
  const parts = findTensor(program, tensor)?.components.length ?? 1;
  if (box === null) return null;
  const looped = isLooped(program, schedule, tensor, at);
  return { tensor, at, elements: parts * elementCount(box.extents), looped };
}

/** The schedule with a temporary in a space; null where it cannot be there. */
export function withPlace(
  program: Program,
  schedule: Schedule,
  { tensor, at }: Pick<Temporary, "tensor" | "at">,
  space: Space,
): Schedule | null {
  if (space === "storage") return schedule;
  if (space === "lanes") return placeInLanes(program, schedule, tensor, at);
  return place(schedule, { target: { kind: "tensor", tensor }, space, at, fold: null });
}
