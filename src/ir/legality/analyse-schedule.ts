/**
 * Purpose: decides whether a schedule is legal for a program, and which barriers it needs.
 *
 * Ensures: without faults, executing the schedule with these barriers gives what the program means.
 */

import type { Dependence } from "../dependences/dependences.ts";
import { findStatement, type Program } from "../program.ts";
import type { Loop, Schedule } from "../schedule.ts";
import { checkCoverage } from "./check-coverage.ts";
import { checkFragments } from "./check-fragments.ts";
import { checkOrder, type Findings, type Need } from "./check-order.ts";
import { checkFlow, checkPlaces, reusedMemories } from "./check-places.ts";
import { checkPrefetch } from "./check-prefetch.ts";
import { checkStructure } from "./check-structure.ts";
import type { Fault } from "./fault.ts";
import { isInRegisters, isStorage, type Memory } from "./memory.ts";
import {
  leavesOf,
  type Occurrence,
  type Occurrences,
  occurrencesOf,
  stores,
} from "./occurrence.ts";
import { pairSet } from "./pair-set.ts";
import { type BarrierSite, placeBarriers } from "./place-barriers.ts";
import { isPlainAccumulator } from "./plain-accumulator.ts";
import { type Edge, type EdgeEnd, scheduleEdges } from "./schedule-edges.ts";

function leavesOfEnd(end: EdgeEnd, occurrences: Occurrences): readonly Occurrence[] {
  return leavesOf(end.statement, occurrences).filter((o) => end.phases.includes(o.leaf.phase));
}

/** Scatters whose additions are indivisible may run at the same time. */
function isAtomic(program: Program, edge: Edge): boolean {
  const scatter = findStatement(program, edge.from.statement);
  return edge.memory.space === "storage" && scatter?.reduction?.monoid.atomic !== null;
}

/** What is asked of a schedule; `barriers` of one that has no faults. */
type Question = "faults" | "barriers";

/** Whether a barrier may be what keeps an edge to a leaf: between invocations of one workgroup. */
function mayNeedBarrier({ memory, commutes }: Edge, sink: Occurrence, all: Occurrences): boolean {
  const several = (all.workgroupSizes[sink.kernel] ?? 1) > 1;
  return several && !commutes && !isInRegisters(memory);
}

function checkEdge(findings: Findings, edge: Edge, question: Question): void {
  const { occurrences, faults } = findings;
  const sources = leavesOfEnd(edge.from, occurrences);
  for (const sink of leavesOfEnd(edge.to, occurrences)) {
    if (question === "barriers" && !mayNeedBarrier(edge, sink, occurrences)) continue;
    const isAnywhere = question === "faults" && isStorage(edge.memory);
    const meeting = isAnywhere ? sources : sources.filter((s) => s.kernel === sink.kernel);
    const sets = meeting.map((source) => pairSet(edge.constraints, source, sink));
    if (question === "faults") faults.push(...checkFlow(edge, meeting, sets, sink, occurrences));
    for (const pairs of sets) if (pairs !== null) checkOrder(findings, edge, pairs);
  }
}

/** The loops for each iteration of which the memory that a leaf writes is a new copy. */
function renewing(
  memory: Memory,
  to: Occurrence,
  { workgroupSizes }: Occurrences,
): readonly Loop[] {
  const writes = to.statement.write.tensor === memory.name && stores(to.leaf.phase);
  if (!writes || (workgroupSizes[to.kernel] ?? 1) <= 1) return [];
  const end = to.loops.findIndex((l) => l.id === memory.at);
  const outer = to.loops.slice(0, end + 1);
  return outer.filter((l) => (l.on === "serial" || l.on === "unroll") && l.extent > 1);
}

/** The copies follow one another in a box, or take turns: nobody may write before all have read. */
function needsOfReuse(findings: Findings, schedule: Schedule): void {
  const { occurrences, needs } = findings;
  for (const { memory, users, fold } of reusedMemories(schedule, occurrences)) {
    const kind = memory.space === "workgroup" ? "workgroup" : "storage";
    for (const to of users) {
      for (const loop of renewing(memory, to, occurrences)) {
        const apart = fold?.loop === loop.id ? fold.slots : 1;
        needs.push(...users.map((from): Need => ({ from, to, loop, memory: kind, apart })));
      }
    }
  }
}

/** What dependences ask of a schedule that is well formed. */
function* edgesOf(
  program: Program,
  schedule: Schedule,
  occurrences: Occurrences,
  known?: readonly Dependence[],
): Generator<Edge> {
  const plain = new Set(program.statements.filter((s) => isPlainAccumulator(s, occurrences)));
  for (const edge of scheduleEdges(program, schedule, plain, known)) {
    if (!edge.commutes || !isAtomic(program, edge)) yield edge;
  }
}

/** Where the barriers stand that were found to be needed, and those that can stand nowhere. */
function barriersFor(findings: Findings, schedule: Schedule): ReturnType<typeof placeBarriers> {
  needsOfReuse(findings, schedule);
  return placeBarriers(findings.needs, findings.occurrences);
}

/**
 * What is wrong with a schedule, each fault found when it is asked for: to know that there are any, one is
 * enough. Without `known` the dependences are computed. A fault may be reported where none is (an
 * index that is computed at run time may be any, for one), never the other way round.
 */
export function* eachFault(
  program: Program,
  schedule: Schedule,
  known?: readonly Dependence[],
): Generator<Fault> {
  const occurrences = occurrencesOf(program, schedule);
  const malformed = checkStructure(program, occurrences);
  yield* malformed;
  if (malformed.length > 0) return;
  yield* checkPlaces(program, schedule, occurrences);
  yield* checkFragments(program, schedule, occurrences);
  yield* checkPrefetch(program, schedule);
  yield* checkCoverage(program, schedule, occurrences);
  const findings: Findings = { occurrences, faults: [], needs: [] };
  for (const edge of edgesOf(program, schedule, occurrences, known)) {
    checkEdge(findings, edge, "faults");
    yield* findings.faults.splice(0);
  }
  yield* barriersFor(findings, schedule).faults;
}

/** The barriers that a schedule without faults needs. */
export function barriersOf(program: Program, schedule: Schedule): readonly BarrierSite[] {
  const occurrences = occurrencesOf(program, schedule);
  const findings: Findings = { occurrences, faults: [], needs: [] };
  for (const edge of edgesOf(program, schedule, occurrences)) {
    checkEdge(findings, edge, "barriers");
  }
  return barriersFor(findings, schedule).barriers;
}
