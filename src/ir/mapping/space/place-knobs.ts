/** Knobs of where temporaries live, and of what is written for rows and tiles of odd lengths. */

import { subgroupLanes } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { own } from "../../../support/own.ts";
import { boundingBox } from "../../domain.ts";
import { findTensor, type Program } from "../../program.ts";
import { shortestRow } from "../../scheduling/mark-aligned.ts";
import { tileOf } from "../build/shape-of.ts";
import { extentOf } from "../group/axes.ts";
import { tilePoints } from "../group/axis-tile.ts";
import { countBuffers, countTensors } from "../group/count-buffers.ts";
import { foldedTensors, type Group, hostOf } from "../group/group.ts";
import { ownTemporaries } from "../group/own-temporaries.ts";
import { elementsOfPoint, privateBytes, privateElements } from "../group/temporaries.ts";
import { type KernelMapping, plainAxis, type Space } from "../kernel-mapping.ts";
import { fieldKnob, type KernelQuestion, type Knob, knob, pointAxes } from "./knob.ts";
import { pointCount, stepsInText, vectorWidth } from "./loop-knobs.ts";
import { mayBeInLanes, mayBePrivate, mayBeShared, partlyWritten } from "./place-conditions.ts";

/** The most bytes that a temporary may have in each workgroup's slice of scratch storage. */
export const scratchBytes = 262144;

/** What the temporaries before one leave. */
interface Room {
  readonly buffers: number;
  /** Bytes of an invocation. */
  readonly own: number;
}

/** How much of a temporary there is. */
interface Size {
  /** For each point of the axes. */
  readonly elements: number;
  /** Of these, what each invocation of a team has. */
  readonly share: number;
  /** Of all points of an invocation. */
  readonly bytes: number;
}

function sizeOf(q: KernelQuestion, tensor: string): Size {
  const { group, mapping } = q;
  const { program, statements } = group;
  const elements = elementsOfPoint(program, statements, pointAxes(q), hostOf(group), tensor);
  const share = elements / mapping.team;
  return { elements, share, bytes: 4 * Math.ceil(share) * pointCount(mapping) };
}

/** The spaces that a temporary may be in, given how the others before it are placed. */
function spacesOf(
  q: KernelQuestion,
  tensor: string,
  { elements, share, bytes }: Size,
  room: Room,
): readonly Space[] {
  const { group, limits } = q;
  const { program } = group;
  const lanes = subgroupLanes(limits) ?? 0;
  const isWhole = !partlyWritten(group).has(tensor);
  const isShared = isWhole && mayBeShared(q, tensor);
  const isOwn = isWhole && mayBePrivate(q, tensor);
  const rooms: readonly (readonly [Space, boolean])[] = [
    ["storage", room.buffers >= partsOf(program, tensor)],
    ["private", isOwn && share <= privateElements && bytes <= room.own],
    ["lanes", isWhole && share <= privateElements * lanes && mayBeInLanes(q, tensor)],
    ["workgroup", isShared && 4 * elements <= limits.limits.maxWorkgroupBytes / 2],
    [
      "scratch",
      isShared && 4 * elements <= scratchBytes && room.buffers >= partsOf(program, tensor),
    ],
  ];
  const found = rooms.flatMap(([space, fits]) => (fits ? [space] : []));
  return found.length === 0 ? ["storage"] : found;
}

/** Buffers that a tensor in storage takes. */
function partsOf(program: Program, tensor: string): number {
  return countTensors(program, new Set([tensor]));
}

/** Where each temporary of the kernel alone lives. */
export function placeKnobs(q: KernelQuestion): readonly Knob[] {
  const { group, limits, mapping } = q;
  const { program, statements } = group;
  const folded = foldedTensors(group);
  const temporaries = ownTemporaries(program, statements).filter((t) => !folded.has(t));
  let buffers =
    statements.length > 1
      ? limits.limits.maxStorageBuffers - countBuffers(program, statements, temporaries)
      : Infinity;
  let left = privateBytes;
  return temporaries.map((tensor): Knob => {
    const value = own(mapping.places, tensor) ?? "storage";
    const set = (space: Space): KernelMapping => ({
      ...mapping,
      places: { ...mapping.places, [tensor]: space },
    });
    const size = sizeOf(q, tensor);
    const spaces = spacesOf(q, tensor, size, { buffers, own: left });
    if (value === "storage" || value === "scratch") buffers -= partsOf(program, tensor);
    if (value === "private") left -= size.bytes;
    return knob<Space>(`places/${tensor}`, spaces, value, set, mapping);
  });
}

/** Whether rows of something that reductions read are no whole vectors. */
export function mayHaveOddRows({
  program,
  statements,
}: Pick<Group, "program" | "statements">): boolean {
  const reads = flatMap(statements, (s) => (s.reduction === null ? [] : s.reads));
  return reads.some(({ tensor }) => (findTensor(program, tensor)?.shape.at(-1) ?? 0) % 4 !== 0);
}

/** Whether some loop in a point may go along a row that is no whole vectors, or begins inside of one. */
function mayGoAlongOddRows(q: KernelQuestion): boolean {
  const { group } = q;
  const axes = pointAxes(q);
  const host = hostOf(group);
  return group.statements.some((s) => {
    const own = new Set([...host, ...axes.map((axis) => axis.dims.get(s.id) ?? "")]);
    const inner = s.domain.dims.filter((d) => !own.has(d.name));
    const box = boundingBox(s.domain);
    const isLong = inner.some(({ name }) => {
      const { lo, hi } = box.get(name) ?? { lo: 0, hi: 0 };
      return hi - lo + 1 >= shortestRow;
    });
    return isLong;
  });
}

/** Whether loops along odd rows are in blocks of vectors. */
export function alignKnob(q: KernelQuestion): readonly Knob[] {
  return mayGoAlongOddRows(q) ? fieldKnob(q.mapping, "align", [false, true]) : [];
}

/** Whether there is room for a kernel's text twice: each point of a reduction begins, adds up and ends. */
function mayWriteTwice(q: KernelQuestion): boolean {
  const { group, limits, mapping } = q;
  const copies = mapping.points === "serial" ? 1 : pointCount(mapping) / vectorWidth(mapping);
  const steps = stepsInText(q);
  const written = group.statements.reduce((n, s) => n + (s.reduction === null ? 1 : 2 + steps), 0);
  return copies * written <= limits.mostStatements;
}

/** Whether the kernel is written twice: for tiles that lie wholly inside of the domain, and for others. */
export function fullKnob(q: KernelQuestion): readonly Knob[] {
  const { mapping } = q;
  const isPartial = pointAxes(q).some((axis, a) => {
    const points = tilePoints(tileOf(mapping.axes[a] ?? plainAxis));
    return extentOf(axis) > points && extentOf(axis) % points !== 0;
  });
  return isPartial && mayWriteTwice(q) ? fieldKnob(mapping, "full", [false, true]) : [];
}
