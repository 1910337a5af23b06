/**
 * Purpose: tells apart what a prefetching loop copies and what else it does: in a loop that is marked
 * `prefetch`, the copies of the next iteration are loaded before the rest of this one.
 *
 * Requires: nothing. Ensures: what is copied is loaded from memory that nobody writes in the loop, so that
 * it can be loaded early, and stored where only the rest of the loop looks at it.
 */
import { flatMap } from "../support/flat-map.ts";
import { findStatement, isScatter, type Program, type Statement } from "./program.ts";
import {
  type Band,
  eachLeaf,
  isLocal,
  type Loop,
  type Place,
  placeOfTensor,
  type Schedule,
  type ScheduleNode,
  type Sequence,
} from "./schedule.ts";

/** The most elements, or vectors of them, that an invocation may hold of a copy until they are stored. */
export const mostHeld = 32;

/** The parts of a prefetching loop. */
export interface PrefetchedCopies {
  readonly sequence: Sequence;
  /** So many of its first children are copies; the others are the rest. */
  readonly copies: number;
  /** The copies of one iteration take the place of those before: there is one slot. */
  readonly replaces: boolean;
}

/** The statement that a node copies by, with no loops but those of registers and invocations. */
function copiedBy(program: Program, node: ScheduleNode): Statement | null {
  const [loops, leaf] = node.kind === "band" ? [node.loops, node.child] : [[], node];
  if (leaf.kind !== "leaf" || leaf.phase !== "whole") return null;
  const written = (l: Loop): boolean => l.on === "unroll" || l.on === "vector" || isLocal(l.on);
  if (!loops.every(written)) return null;
  const held = loops.reduce((n, l) => (l.on === "unroll" ? n * l.extent : n), 1);
  const statement = findStatement(program, leaf.statement);
  return statement === undefined || isScatter(statement) || held > mostHeld ? null : statement;
}

function isPlacedAt(schedule: Schedule, { write }: Statement, loop: string): boolean {
  const place = placeOfTensor(schedule, write.tensor);
  return place?.space === "workgroup" && place.at === loop;
}

/** The statements of a node's leaves. */
function statementsIn(program: Program, node: ScheduleNode): readonly Statement[] {
  return flatMap(eachLeaf(node), ({ leaf }) => findStatement(program, leaf.statement) ?? []);
}

function slotsOf(place: Place | undefined): number {
  return place?.fold?.slots ?? 1;
}

/** What a loop copies and what else it does; in words, why it can copy nothing ahead. */
export function prefetchedCopies(
  program: Program,
  schedule: Schedule,
  { loops, child }: Band,
): PrefetchedCopies | string {
  const loop = loops.at(-1);
  if (loop?.on !== "serial") return "what prefetches is no serial loop, or has another one inside";
  if (child.kind !== "sequence") return `loop ${loop.id} prefetches, and does one thing alone`;
  const all = child.children.map((c) => copiedBy(program, c));
  const end = all.findIndex((s) => s === null || !isPlacedAt(schedule, s, loop.id));
  const copies = flatMap(all.slice(0, Math.max(0, end)), (s) => (s === null ? [] : [s]));
  if (copies.length === 0) return `loop ${loop.id} prefetches, and does not begin with copies`;
  const stored = new Set(copies.map((s) => s.write.tensor));
  const rest = flatMap(child.children.slice(copies.length), (c) => statementsIn(program, c));
  const written = new Set([...copies, ...rest].map((s) => s.write.tensor));
  for (const s of copies) {
    const read = s.reads.find((r) => written.has(r.tensor));
    if (read !== undefined) return `${s.id} reads ${read.tensor}, which loop ${loop.id} writes`;
  }
  const other = rest.find((s) => stored.has(s.write.tensor));
  if (other !== undefined) return `${other.id} writes what loop ${loop.id} prefetches`;
  const places = [...stored].map((tensor) => placeOfTensor(schedule, tensor));
  const replaces = places.some((p) => slotsOf(p) === 1);
  return { sequence: child, copies: copies.length, replaces };
}
