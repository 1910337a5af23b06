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
import { kernelLeaves, placedBox } from "../layout.ts";
import {
  findStatement,
  findTensor,
  indexVariables,
  type Program,
  type Statement,
} from "../program.ts";
import {
  eachKernel,
  eachLeaf,
  type Loop,
  type Place,
  placeOfTensor,
  type Schedule,
} from "../schedule.ts";
import { place } from "../scheduling/place.ts";
import { workgroupBytes } from "./workgroup-bytes.ts";

/** The most elements that a temporary may have in private memory. */
const privateElements = 64;

/** The most bytes that a temporary may have in each workgroup's slice of scratch storage. */
const scratchBytes = 262144;

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

/** A temporary of a kernel that may be placed, and how many elements its box has. */
interface Temporary {
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
  return [...eachLeaf(schedule.root)].some(({ leaf, loops }) => {
    const statement = findStatement(program, leaf.statement);
    if (statement?.write.tensor !== tensor) return false;
    const inside = loops.slice(loops.findIndex((l) => l.id === at) + 1);
    const serial = inside.filter((l) => l.on === "serial" && l.extent > 1).map((l) => l.id);
    const written = statement.write.index.flatMap((i) => [...indexVariables(statement, i)]);
    return written.some((d) => leaf.binding[d]?.terms.some((t) => serial.includes(t.variable)));
  });
}

function temporaryOf(
  { program, host }: PlacesQuestion,
  schedule: Schedule,
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

/** Bytes that a space has room for, in the order of preference. */
function rooms(
  profile: DeviceProfile,
  used: number,
  looped: boolean,
): readonly { readonly space: Local; readonly bytes: number; readonly cheap: number }[] {
  const { maxWorkgroupBytes } = profile.limits;
  const workgroup = Math.floor(maxWorkgroupBytes / 2) - used;
  const isDear = looped && profile.costs.privateLoad > profile.costs.load;
  return [
    { space: "private", bytes: 4 * privateElements, cheap: isDear ? 4 : 4 * privateElements },
    { space: "workgroup", bytes: workgroup, cheap: profile.costs.stagingBytes - used },
    { space: "scratch", bytes: scratchBytes, cheap: 0 },
  ];
}

/** What mapping a kernel's places depends on. */
export interface PlacesQuestion {
  readonly program: Program;
  /** The statements of the kernel. */
  readonly statements: readonly Statement[];
  readonly kernel: Schedule;
  /** The host loops around the kernel. */
  readonly host: readonly Loop[];
  /** Whether a schedule of the kernel is legal. */
  isLegal(schedule: Schedule): boolean;
  readonly profile: DeviceProfile;
  readonly decider: Decider;
  readonly prefix: string;
}

/** Adds the places of one kernel's temporaries to a schedule of that kernel. */
export function mapPlaces(q: PlacesQuestion): Schedule {
  let schedule = q.kernel;
  let used = workgroupBytes(q.program, schedule);
  for (const [n, tensor] of ownTemporaries(q.program, q.statements).entries()) {
    if (placeOfTensor(schedule, tensor) !== undefined) continue;
    const temporary = temporaryOf(q, schedule, tensor);
    if (temporary === null) continue;
    const bytes = 4 * temporary.elements;
    const open = rooms(q.profile, used, temporary.looped).filter((r) => bytes <= r.bytes);
    const before = schedule;
    const legal = (space: Local): boolean => q.isLegal(place(before, placeOf(temporary, space)));
    const fallback = open.find((r) => bytes <= r.cheap && legal(r.space))?.space ?? "storage";
    const values: readonly (Local | "storage")[] = ["storage", ...open.map((r) => r.space)];
    const path = `${q.prefix}.place${n}`;
    const answer = q.decider.decide(path, values, fallback);
    const space = answer === fallback || answer === "storage" || legal(answer) ? answer : fallback;
    if (space !== answer) q.decider.repair(path, answer, space);
    if (space === "storage") continue;
    schedule = place(schedule, placeOf(temporary, space));
    if (space === "workgroup") used += bytes;
  }
  return schedule;
}

function placeOf({ tensor, at }: Temporary, space: Local): Place {
  return { target: { kind: "tensor", tensor }, space, at, fold: null };
}
