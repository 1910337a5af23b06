/**
 * Purpose: checks that what is spread over the lanes of a subgroup is written by the lanes that hold it
 * and read in ways that exchanges between lanes can serve.
 *
 * A subgroup is a block of consecutive invocations, as many as the kernel's lane loops have iterations.
 * Who writes must write the element of its own lane. Who reads must read its own lane, or the same lane
 * as all others: one that is known once loops are unrolled, or that loops count which all lanes are in
 * together. Every invocation must come to both.
 */
import { flatMap } from "../../support/flat-map.ts";
import { floorDiv } from "../../support/integer.ts";
import {
  type Affine,
  addConstant,
  coefficientOf,
  type Interval,
  intervalOf,
  substitute,
  subtract,
} from "../affine.ts";
import { type Box, type Deal, placedBox, placedDeal } from "../layout.ts";
import type { Index, Program } from "../program.ts";
import { isLocal, type Loop } from "../schedule.ts";
import type { Memory } from "./memory.ts";
import { type Occurrence, type Occurrences, readsOf, stores } from "./occurrence.ts";

/** The lane loops of a leaf that have several iterations. */
function laneLoops({ loops }: Occurrence): readonly Loop[] {
  return loops.filter((l) => l.on === "lane" && l.extent > 1);
}

/** A coordinate along the dealt dimension, within the box, over loops; null if it is none. */
function withinBox(o: Occurrence, index: Index | undefined, box: Box, deal: Deal): Affine | null {
  const base = box.base[deal.dimension];
  if (index?.kind !== "affine" || base === undefined) return null;
  const bound = substitute(index.affine, (dim) => o.leaf.binding.get(dim));
  const inside = subtract(bound, base);
  const known = new Set(o.loops.map((l) => l.id));
  return inside.terms.every((t) => known.has(t.variable)) ? inside : null;
}

/** Whether the coordinate is in the lane that executes the leaf. */
function isOwnLane(o: Occurrence, inside: Affine, { lanes }: Deal): boolean {
  const [loop] = laneLoops(o);
  if (loop === undefined || coefficientOf(inside, loop.id) !== 1) return false;
  const others = inside.terms.filter((t) => t.variable !== loop.id);
  return [inside.constant, ...others.map((t) => t.coefficient)].every((c) => c % lanes === 0);
}

/**
 * Whether the lane of the coordinate is a constant once unrolled loops and vectors are written out, or
 * counted without a carry into the number of the register; and whether all lanes mean the same register
 * of it: a lane gives what its own register holds.
 */
function isKnownLane(
  o: Occurrence,
  inside: Affine,
  index: readonly Index[],
  { lanes }: Deal,
): boolean {
  const bound = index.map((i) =>
    i.kind === "affine" ? substitute(i.affine, (dim) => o.leaf.binding.get(dim)) : inside,
  );
  const varies = laneLoops(o).some((l) => bound.some((a) => coefficientOf(a, l.id) !== 0));
  if (varies) return false;
  const written = new Set(
    o.loops.filter((l) => l.on === "unroll" || l.on === "vector" || l.extent <= 1).map((l) => l.id),
  );
  const counted: Affine = {
    terms: inside.terms.filter((t) => t.coefficient % lanes !== 0),
    constant: inside.constant,
  };
  if (counted.terms.every((t) => written.has(t.variable))) return true;
  const local = new Set(o.loops.filter((l) => isLocal(l.on) && l.extent > 1).map((l) => l.id));
  if (counted.terms.some((t) => local.has(t.variable))) return false;
  const { lo, hi } = intervalOf(counted, rangeOf(o));
  return floorDiv(lo, lanes) === floorDiv(hi, lanes);
}

/** The ranges of the loops around an occurrence. */
function rangeOf({ loops }: Occurrence): (name: string) => Interval {
  const extents = new Map(loops.map((l) => [l.id, l.extent]));
  return (name) => ({ lo: 0, hi: Math.max(0, (extents.get(name) ?? 1) - 1) });
}

function isInside(o: Occurrence, inside: Affine, extent: number): boolean {
  const range = rangeOf(o);
  return (
    intervalOf(inside, range).lo >= 0 && intervalOf(addConstant(inside, 1 - extent), range).hi <= 0
  );
}

function accessFaults(memory: Memory, o: Occurrence, box: Box, deal: Deal): readonly string[] {
  const { statement, leaf } = o;
  const faults: string[] = [];
  if (statement.write.tensor === memory.name && stores(leaf.phase)) {
    const at = withinBox(o, statement.write.index[deal.dimension], box, deal);
    if (at === null || !isOwnLane(o, at, deal)) {
      faults.push(`${statement.id} writes ${memory.name} for other lanes`);
    }
  }
  for (const { tensor, index } of readsOf(o)) {
    if (tensor !== memory.name) continue;
    const at = withinBox(o, index[deal.dimension], box, deal);
    const opaque = index.some((i) => i.kind === "opaque");
    const served = at !== null && (isOwnLane(o, at, deal) || isKnownLane(o, at, index, deal));
    const inside = at !== null && isInside(o, at, box.extents[deal.dimension] ?? 0);
    if (opaque || !served || !inside) {
      faults.push(`${statement.id} reads ${memory.name} from a lane that is not known`);
    }
  }
  return faults;
}

/** Whether lane loops are what lanes are: one of them around a leaf, of consecutive invocations. */
function loopFaults(o: Occurrence, { strides }: Occurrences, lanes: number): readonly string[] {
  const [loop, more] = laneLoops(o);
  if (loop === undefined) return [];
  const fits = more === undefined && loop.extent === lanes && strides.get(loop.id) === 1;
  return fits ? [] : [`the lane loops around ${o.statement.id} are not those of a subgroup`];
}

/** What is wrong with a tensor in lanes, whose flows are for others to check. */
export function laneFaults(
  program: Program,
  memory: Memory,
  users: readonly Occurrence[],
  occurrences: Occurrences,
): readonly string[] {
  const kernel = users[0]?.kernel ?? -1;
  const lanes = occurrences.lanes[kernel] ?? 1;
  const contexts = users.map((o) => ({ ...o, depths: [] }));
  const box = placedBox(program, contexts, memory.name, memory.at, "lanes");
  const deal = placedDeal(program, contexts, memory.name);
  if (box === null || deal === null) return [`${memory.name} is not dealt to lanes`];
  const whole = (occurrences.workgroupSizes[kernel] ?? 1) % lanes === 0;
  return [
    ...(whole ? [] : [`${memory.name} is in lanes of a subgroup that is not whole`]),
    ...flatMap(users, (o) => loopFaults(o, occurrences, lanes)),
    ...users
      .filter((o) => !o.uniform)
      .map((o) => `not every invocation comes to ${o.statement.id}, which uses lanes`),
    ...flatMap(users, (o) => accessFaults(memory, o, box, deal)),
  ];
}
