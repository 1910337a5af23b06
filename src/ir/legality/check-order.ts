/**
 * Purpose: finds the pairs that a schedule executes in the wrong order or too far apart, and those
 * that need a barrier.
 *
 * Two instances of a kernel are ordered by the first serial or unrolled loop around both leaves in
 * which they differ, else by the text. Local loops, vector loops and fragment loops order nothing: their iterations
 * run side by side, one leaf after the other.
 */
import { addConstant, type Constraint, nonnegative, scale, subtract } from "../affine.ts";
import { isSequential, type Loop } from "../schedule.ts";
import { type Fault, fault } from "./fault.ts";
import { isInRegisters, isStorage, outerLoops } from "./memory.ts";
import { compareText, type Occurrence, type Occurrences, usesLoop } from "./occurrence.ts";
import {
  difference,
  mayDiffer,
  mayHold,
  type PairSet,
  restrict,
  threadAt,
  where,
} from "./pair-set.ts";
import { crossesThreads, reachOf } from "./reach.ts";
import type { Edge } from "./schedule-edges.ts";

/** A barrier is needed after `from` and before `to`. */
export interface Need {
  readonly from: Occurrence;
  readonly to: Occurrence;
  /** The loop in whose later iteration `to` is; null when it comes later in the text. */
  readonly loop: Loop | null;
  readonly memory: "workgroup" | "storage";
  /** How many iterations of the loop `to` is later at least; 1 when left out. */
  readonly apart?: number;
}

/** What is found. */
export interface Findings {
  readonly occurrences: Occurrences;
  readonly faults: Fault[];
  readonly needs: Need[];
}

/** Whether one invocation, or one subgroup, runs all iterations at the same time. */
function isAtOnce({ on }: Loop): boolean {
  return on === "vector" || on === "fragment";
}

function negative(pairs: PairSet, loop: Loop): boolean {
  return mayHold(pairs, [nonnegative(addConstant(scale(difference(loop), -1), -1))]);
}

function positive(pairs: PairSet, loop: Loop): PairSet | null {
  const later: Constraint = nonnegative(addConstant(difference(loop), -1));
  return restrict(pairs, [later]);
}

/** Copies of what loops repeat: the pairs to keep are those within one iteration. */
function withinRepeats(edge: Edge, pairs: PairSet): PairSet | null {
  if (edge.kind === "anti") return pairs;
  let current: PairSet | null = pairs;
  for (const loop of pairs.shared) {
    if (current === null) return null;
    const repeats =
      isSequential(loop.on) &&
      !usesLoop(pairs.source, loop) &&
      (edge.kind === "flow" || !usesLoop(pairs.sink, loop));
    if (repeats) current = where(current, difference(loop));
  }
  return current;
}

/** The pairs that meet in the same copy of local memory. */
function withinMemory(findings: Findings, edge: Edge, pairs: PairSet): PairSet | null {
  const { occurrences } = findings;
  const outer = outerLoops(edge.memory, pairs.sink, occurrences);
  let current: PairSet | null = pairs;
  for (const loop of pairs.shared) {
    if (current === null) return null;
    if (outer.has(loop.id)) current = where(current, difference(loop));
  }
  if (current === null || edge.memory.space !== "private") return current;
  const { strides } = occurrences;
  return where(current, subtract(threadAt(current, "b", strides), threadAt(current, "a", strides)));
}

function describe(kind: Fault["kind"], edge: Edge, text: string): Fault {
  const { from, to, memory } = edge;
  const message = `${edge.kind} of ${memory.name} from ${from.statement} to ${to.statement} ${text}`;
  return fault(kind, [from.statement, to.statement], message);
}

function report(findings: Findings, kind: Fault["kind"], edge: Edge, text: string): void {
  findings.faults.push(describe(kind, edge, text));
}

function reportApart(
  { faults }: Findings,
  kind: Fault["kind"],
  edge: Edge,
  text: string,
  { id }: Loop,
): void {
  faults.push({ ...describe(kind, edge, `${text} ${id}`), apartIn: id });
}

function need(findings: Findings, edge: Edge, pairs: PairSet, loop: Loop | null): void {
  const { space } = edge.memory;
  // Exchanges between lanes happen where they stand, for all lanes at once.
  if (isInRegisters(edge.memory) || pairs.source.kernel !== pairs.sink.kernel) return;
  if (!crossesThreads(pairs, findings.occurrences)) return;
  const memory = space === "workgroup" ? "workgroup" : "storage";
  findings.needs.push({ from: pairs.source, to: pairs.sink, loop, memory });
}

/** Handles one shared loop; the pairs that agree in it, or null when none does. */
function stepThrough(findings: Findings, edge: Edge, pairs: PairSet, loop: Loop): PairSet | null {
  if (loop.extent <= 1) return pairs;
  if (loop.on === "grid") {
    if (mayDiffer(pairs, difference(loop))) {
      reportApart(findings, "reach", edge, "crosses between workgroups in", loop);
    }
    return where(pairs, difference(loop));
  }
  if (isAtOnce(loop) || !isSequential(loop.on)) return pairs;
  if (negative(pairs, loop)) report(findings, "order", edge, `is turned around by ${loop.id}`);
  const later = loop.on === "host" ? null : positive(pairs, loop);
  if (later !== null) need(findings, edge, later, loop);
  return where(pairs, difference(loop));
}

/** Pairs in one iteration of all sequential loops around both. */
function atOnce(findings: Findings, edge: Edge, pairs: PairSet): void {
  if (pairs.source !== pairs.sink) {
    if (compareText(pairs.source.path, pairs.sink.path) < 0) need(findings, edge, pairs, null);
    else if (mayHold(pairs, [])) report(findings, "order", edge, "is turned around by the text");
    return;
  }
  const beside = pairs.shared.filter((l) => isAtOnce(l) && mayDiffer(pairs, difference(l)));
  const isShared = edge.memory.space !== "private";
  if (beside.length > 0) {
    report(findings, "race", edge, `is between components of a ${beside[0]?.on ?? "vector"}`);
  }
  const reach = isShared ? reachOf(pairs, findings.occurrences) : "thread";
  if (reach !== "thread") {
    report(findings, "race", edge, `is between invocations of a ${reach} that run side by side`);
  }
}

/** Pairs that may run in any order, but not at the same time. */
function checkCommuting(findings: Findings, edge: Edge, pairs: PairSet): void {
  let current: PairSet | null = pairs;
  for (const loop of pairs.shared) {
    if (current === null) return;
    if (loop.on === "grid" && mayDiffer(current, difference(loop))) {
      reportApart(findings, "race", edge, "is between workgroups in", loop);
      return;
    }
    if (loop.on === "grid" || loop.on === "host") current = where(current, difference(loop));
  }
  if (current === null || pairs.source.kernel !== pairs.sink.kernel) return;
  if (crossesThreads(current, findings.occurrences)) {
    report(findings, "race", edge, "is between invocations of a workgroup");
  }
}

/** Checks all pairs of one edge between one leaf of each end, which meet in memory. */
export function checkOrder(findings: Findings, edge: Edge, all: PairSet): void {
  if (edge.commutes) {
    checkCommuting(findings, edge, all);
    return;
  }
  const once = withinRepeats(edge, all);
  let current = once === null || isStorage(edge.memory) ? once : withinMemory(findings, edge, once);
  for (const loop of all.shared) {
    if (current === null) return;
    current = stepThrough(findings, edge, current, loop);
  }
  if (current !== null) atOnce(findings, edge, current);
}
