/**
 * Purpose: decides where the temporaries of one kernel live.
 *
 * Requires: a legal kernel. Ensures: it stays legal; only temporaries that no other kernel touches
 * leave their buffer.
 */

import { type DeviceProfile, subgroupLanes } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { elementCount } from "../../support/scalar-type.ts";
import type { Decider } from "../decisions.ts";
import { kernelLeaves, placedBox } from "../layout.ts";
import {
  findStatement,
  findTensor,
  indexVariables,
  type Program,
  type Statement,
  statementOf,
  touches,
} from "../program.ts";
import { eachKernel, eachLeaf, type Loop, placeOfTensor, type Schedule } from "../schedule.ts";
import { place } from "../scheduling/place.ts";
import { ownTemporaries } from "./own-temporaries.ts";
import { placeInLanes } from "./place-in-lanes.ts";
import { workgroupBytes } from "./workgroup-bytes.ts";

/** The most elements that a temporary may have in private memory. */
const privateElements = 64;

/** The most bytes that all temporaries of a kernel may have there: half of what WGSL promises. */
const privateBytes = 4096;

/** The most bytes that a temporary may have in each workgroup's slice of scratch storage. */
const scratchBytes = 262144;

type Local = "private" | "lanes" | "workgroup" | "scratch";

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
  return eachLeaf(schedule.root).some(({ leaf, loops }) => {
    const statement = findStatement(program, leaf.statement);
    if (statement?.write.tensor !== tensor) return false;
    const inside = loops.slice(loops.findIndex((l) => l.id === at) + 1);
    const serial = inside.filter((l) => l.on === "serial" && l.extent > 1).map((l) => l.id);
    const written = flatMap(statement.write.index, (i) => [...indexVariables(statement, i)]);
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

/** The workgroups of a kernel. */
function workgroups({ root }: Schedule): number {
  const loops = root.kind === "band" ? root.loops : [];
  return loops.reduce((count, l) => (l.on === "grid" ? count * l.extent : count), 1);
}

/** What {@link rooms} depend on. */
interface Room {
  readonly profile: DeviceProfile;
  readonly lanes: number;
  /** Bytes of workgroup memory that are taken. */
  readonly used: number;
  /** Bytes of private memory that temporaries have taken. */
  readonly usedPrivate: number;
  readonly looped: boolean;
  /** How many slices scratch storage has. */
  readonly slices: number;
}

/** Bytes that a space has room for, in the order of preference. */
function rooms({
  profile,
  lanes,
  used,
  usedPrivate,
  looped,
  slices,
}: Room): readonly { readonly space: Local; readonly bytes: number; readonly cheap: number }[] {
  const { maxBindingBytes, maxWorkgroupBytes } = profile.limits;
  const workgroup = Math.floor(maxWorkgroupBytes / 2) - used;
  const own = Math.min(4 * privateElements, privateBytes - usedPrivate);
  const isDear = looped && profile.costs.privateLoad > profile.costs.load;
  return [
    { space: "private", bytes: own, cheap: isDear ? 4 : own },
    // One register of each lane: several would be an array, which not every device indexes fast.
    { space: "lanes", bytes: own * lanes, cheap: 4 * lanes },
    { space: "workgroup", bytes: workgroup, cheap: profile.costs.stagingBytes - used },
    { space: "scratch", bytes: Math.min(scratchBytes, maxBindingBytes / slices), cheap: 0 },
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

/** The lanes of a subgroup where the kernel is written in such lanes; 0 elsewhere. */
function lanesOf({ profile }: PlacesQuestion, schedule: Schedule): number {
  const lanes = subgroupLanes(profile);
  const fits = eachLeaf(schedule.root).some(({ loops }) =>
    loops.some((l) => l.on === "lane" && l.extent === lanes),
  );
  return fits && lanes !== null ? lanes : 0;
}

/** Adds the places of one kernel's temporaries to a schedule of that kernel. */
export function mapPlaces(q: PlacesQuestion): Schedule {
  let schedule = q.kernel;
  let used = workgroupBytes(q.program, schedule);
  let usedPrivate = 0;
  const [lanes, slices] = [lanesOf(q, schedule), workgroups(schedule)];
  for (const [n, tensor] of ownTemporaries(q.program, q.statements).entries()) {
    if (placeOfTensor(schedule, tensor) !== undefined) continue;
    const temporary = temporaryOf(q, schedule, tensor);
    if (temporary === null) continue;
    const bytes = 4 * temporary.elements;
    const { looped } = temporary;
    const open = rooms({ profile: q.profile, lanes, used, usedPrivate, looped, slices });
    const fitting = open.filter((r) => bytes <= r.bytes);
    const space = spaceOf(q, schedule, temporary, fitting, `${q.prefix}.place${n}`);
    if (space === "storage") continue;
    schedule = withPlace(q.program, schedule, temporary, space) ?? schedule;
    if (space === "workgroup") used += bytes;
    if (space === "private") usedPrivate += bytes;
  }
  return schedule;
}

/** Asks for the space of a temporary: one with room for it that is legal. */
function spaceOf(
  q: PlacesQuestion,
  schedule: Schedule,
  temporary: Temporary,
  open: ReturnType<typeof rooms>,
  path: string,
): Local | "storage" {
  const bytes = 4 * temporary.elements;
  const legal = (space: Local): boolean => {
    const placed = withPlace(q.program, schedule, temporary, space);
    return placed !== null && q.isLegal(placed);
  };
  const fallback = open.find((r) => bytes <= r.cheap && legal(r.space))?.space ?? "storage";
  const values: readonly (Local | "storage")[] = ["storage", ...open.map((r) => r.space)];
  const answer = q.decider.decide(path, values, fallback);
  const space = answer === fallback || answer === "storage" || legal(answer) ? answer : fallback;
  if (space !== answer) q.decider.repair(path, answer, space);
  return space;
}

function withPlace(
  program: Program,
  schedule: Schedule,
  { tensor, at }: Temporary,
  space: Local,
): Schedule | null {
  if (space === "lanes") return placeInLanes(program, schedule, tensor, at);
  return place(schedule, { target: { kind: "tensor", tensor }, space, at, fold: null });
}
