/**
 * Purpose: decides where the temporaries of one kernel live.
 *
 * Requires: a legal kernel. Ensures: it stays legal; only temporaries that no other kernel touches
 * leave their buffer.
 */

import { defined } from "../../support/assert.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import { elementCount } from "../../support/scalar-type.ts";
import type { Decider } from "../decisions.ts";
import { kernelLeaves, layoutOf } from "../layout.ts";
import { findStatement, findTensor, type Program, type Statement } from "../program.ts";
import {
  eachKernel,
  eachLeaf,
  type Loop,
  type Place,
  placeOfTensor,
  type Schedule,
} from "../schedule.ts";
import { place } from "../scheduling/place.ts";

/** The most elements that a temporary may have in private memory. */
const privateElements = 64;

/** Whether a schedule of a part of the program is legal. */
export type IsLegal = (schedule: Schedule) => boolean;

type Local = "private" | "workgroup" | "scratch";

function touching(statements: readonly Statement[], tensor: string): readonly Statement[] {
  return statements.filter(
    (s) => s.write.tensor === tensor || s.reads.some((r) => r.tensor === tensor),
  );
}

/** Temporaries that only these statements touch. */
function ownTemporaries(program: Program, own: readonly Statement[]): readonly string[] {
  return program.tensors
    .filter((t) => t.role === "temporary")
    .map((t) => t.name)
    .filter((name) => {
      const all = touching(program.statements, name);
      return all.length > 0 && all.length === touching(own, name).length;
    });
}

/** The innermost loop around all leaves that touch a tensor; null when only the grid is. */
function placeAt(program: Program, schedule: Schedule, tensor: string): string | null {
  const paths = [...eachLeaf(schedule.root)]
    .filter(({ leaf }) => {
      const statement = defined(findStatement(program, leaf.statement), leaf.statement);
      return touching([statement], tensor).length > 0;
    })
    .map((c) => c.loops);
  const [first = [], ...others] = paths;
  let common: readonly Loop[] = first;
  for (const loops of others) {
    const end = common.findIndex((l, i) => loops[i]?.id !== l.id);
    common = end < 0 ? common : common.slice(0, end);
  }
  return common.at(-1)?.id ?? null;
}

/** Elements of the tensor's box, or null when it cannot be a box. */
function boxElements(program: Program, schedule: Schedule, tensor: string): number | null {
  const [entry] = [...eachKernel(schedule.root)];
  if (entry === undefined) return null;
  try {
    const leaves = kernelLeaves(entry.kernel, entry.host);
    const layout = layoutOf(program, schedule, leaves, tensor);
    return layout.kind === "box" ? elementCount(layout.extents) : null;
  } catch {
    return null;
  }
}

function fits(elements: number, parts: number, space: Local, profile: DeviceProfile): boolean {
  if (space === "private") return elements <= privateElements;
  if (space === "workgroup") return 4 * elements * parts <= profile.limits.maxWorkgroupBytes / 4;
  return elements <= 65536;
}

/** Adds the places of one kernel's temporaries to a schedule of that kernel. */
export function mapPlaces(
  program: Program,
  own: readonly Statement[],
  kernel: Schedule,
  isLegal: IsLegal,
  profile: DeviceProfile,
  decider: Decider,
  prefix: string,
): Schedule {
  let schedule = kernel;
  const open = ownTemporaries(program, own).filter((t) => placeOfTensor(kernel, t) === undefined);
  for (const [n, tensor] of open.entries()) {
    const at = placeAt(program, schedule, tensor);
    const parts = findTensor(program, tensor)?.components.length ?? 1;
    const candidate = (space: Local): Place => ({
      target: { kind: "tensor", tensor },
      space,
      at,
      fold: null,
    });
    const legal = (["private", "workgroup", "scratch"] as const).filter((space) => {
      const tried = place(schedule, candidate(space));
      const elements = boxElements(program, tried, tensor);
      return elements !== null && fits(elements, parts, space, profile) && isLegal(tried);
    });
    const fallback = preferredSpace(program, schedule, candidate, legal, profile);
    const answer = decider.decide(`${prefix}.place${n}`, ["storage", ...legal], fallback);
    if (answer !== "storage") schedule = place(schedule, candidate(answer as Local));
  }
  return schedule;
}

/** Private memory if possible, workgroup memory while it is cheap, else storage. */
function preferredSpace(
  program: Program,
  schedule: Schedule,
  candidate: (space: Local) => Place,
  legal: readonly Local[],
  profile: DeviceProfile,
): string {
  if (legal.includes("private")) return "private";
  if (!legal.includes("workgroup")) return "storage";
  const { target } = candidate("workgroup");
  const tensor = target.kind === "tensor" ? target.tensor : "";
  const elements = boxElements(program, place(schedule, candidate("workgroup")), tensor);
  return 4 * (elements ?? Infinity) <= profile.costs.stagingBytes ? "workgroup" : "storage";
}
