/**
 * Purpose: says how statements of a loop get to read what others of the same iteration overwrite: through a copy, from
 * one invocation at a time, or from the buffer of the iteration before.
 *
 * ```
 * needed   a statement reads its own tensor where other points of it write     stage | 2 slots | 3 slots
 * waiting  a statement reads what a later one of the iteration overwrites       in place | 2 slots
 * ```
 * Slots are buffers whose roles change with each iteration: nothing is copied between two of them, and no workgroup
 * waits for those that still read the old value.
 */
import { invariant } from "../../../support/assert.ts";
import type { Limits } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { elementCount } from "../../../support/scalar-type.ts";
import { variablesOf } from "../../affine.ts";
import { type StageCandidate, stageCandidates, stageWrites } from "../../algebraic/stage-writes.ts";
import { writeWhole } from "../../algebraic/write-whole.ts";
import { comparePositions, programOrder } from "../../dependences/program-order.ts";
import { writesWhole } from "../../dependences/total-write.ts";
import { boundingBox } from "../../domain.ts";
import {
  type Access,
  findStatement,
  type Program,
  type Statement,
  statementOf,
  type Tensor,
  tensorOf,
  usersOf,
} from "../../program.ts";
import type { Place } from "../../schedule.ts";
import { axesOf, spreadableDims } from "../group/axes.ts";
import { addsWhatFits, fitsBinding } from "../group/fits-binding.ts";
import type { Chooser, Subject } from "./question.ts";

/** A rewritten program, and the temporaries that have several slots in storage. */
export interface Rewritten {
  readonly program: Program;
  readonly folds: readonly Place[];
}

/**
 * The loop over which a statement's temporary can have a slot for each of the last iterations: the
 * only one around it, with no other write inside or after it, each iteration writing all of it.
 */
function foldLoop(program: Program, id: string): string | null {
  const statement = findStatement(program, id);
  const order = programOrder(program);
  const at = order.get(id);
  const [loop, more] = statement?.loops ?? [];
  if (statement === undefined || at === undefined || loop === undefined || more !== undefined) {
    return null;
  }
  const { tensor } = statement.write;
  const role = program.tensors.find((t) => t.name === tensor)?.role;
  const first = at.positions[0] ?? 0;
  const others = program.statements.filter((s) => s.write.tensor === tensor && s.id !== id);
  const before = others.every((s) => (order.get(s.id)?.positions[0] ?? 0) < first);
  return role === "temporary" && before && writesWhole(program, statement, at) ? loop : null;
}

/** A program in which iterations of a loop can take turns in the buffers of a statement's tensor. */
interface Turns {
  readonly program: Program;
  readonly loop: string;
}

/** The program in which a statement's tensor may have a slot for each of the last iterations; null if there is none. */
function turnsOf(program: Program, statement: string, limits: Limits): Turns | null {
  const direct = foldLoop(program, statement);
  if (direct !== null) return { program, loop: direct };
  const whole = writeWhole(program, { statement });
  if (whole.kind === "refused" || !addsWhatFits(program, whole.program, limits)) return null;
  const loop = foldLoop(whole.program, statement);
  return loop === null ? null : { program: whole.program, loop };
}

/** The part of its tensor that a statement writes in an iteration, at most. */
function shareOf({ domain, loops, write }: Statement, { shape }: Tensor): number {
  const box = boundingBox(domain);
  const indices = flatMap(write.index, (i) => (i.kind === "affine" ? variablesOf(i.affine) : []));
  const own = new Set(indices.filter((name) => !loops.includes(name)));
  const written = [...own].reduce((product, name) => {
    const { lo, hi } = box.get(name) ?? { lo: 0, hi: 0 };
    return product * Math.max(0, hi - lo + 1);
  }, 1);
  return written / Math.max(1, elementCount(shape));
}

/** Whether a read stays in the row of the point that reads: a coordinate of it is a dim of what the reader writes. */
function isInRow({ reader, access }: OldRead): boolean {
  const parallel = new Set(spreadableDims(reader));
  return access.index.some((i) => {
    if (i.kind !== "affine" || i.affine.constant !== 0) return false;
    const [term, more] = i.affine.terms;
    return more === undefined && term?.coefficient === 1 && parallel.has(term.variable);
  });
}

/** Whether a statement computes each of its points of what the reader of an old value computed at that point. */
function follows(s: Statement, { reader }: OldRead): boolean {
  if (!s.reads.some((r) => r.tensor === reader.write.tensor)) return false;
  const shared = new Set(axesOf([reader, s]).map((axis) => axis.dims.get(s.id)));
  return spreadableDims(s).every((d) => shared.has(d));
}

/** A read of what a later statement of the iteration overwrites. */
interface OldRead {
  readonly reader: Statement;
  readonly access: Access;
}

/** The reads of what a statement of a loop overwrites, in earlier statements of its iteration, and who reads. */
function oldReads(program: Program, s: Statement): readonly OldRead[] {
  const order = programOrder(program);
  const [at, loop] = [order.get(s.id), s.loops.at(-1)];
  if (at === undefined || loop === undefined) return [];
  const { tensor } = s.write;
  return flatMap(usersOf(program, tensor).readers, (reader) => {
    const here = order.get(reader.id);
    const isBefore = here !== undefined && comparePositions(here, at) < 0;
    if (!isBefore || !reader.loops.includes(loop)) return [];
    return reader.reads.filter((r) => r.tensor === tensor).map((access) => ({ reader, access }));
  });
}

/** A place with so many buffers that iterations of a loop take turns in. */
function foldOf({ program, loop }: Turns, statement: string, slots: number): Place {
  const { tensor } = statementOf(program, statement).write;
  return { target: { kind: "tensor", tensor }, space: "storage", at: null, fold: { loop, slots } };
}

/** A question about a statement, and the turns that it may choose. */
interface Open {
  readonly statement: string;
  readonly values: readonly string[];
  readonly turns: Turns | null;
  readonly subject: Extract<Subject, { readonly family: "own" }>;
}

function openFor(program: Program, s: Statement, needed: boolean, limits: Limits): Open {
  const turns = turnsOf(program, s.id, limits);
  const tensor = tensorOf(program, s.write.tensor);
  const slots = needed ? [2, 3] : [2];
  const slotted = turns === null ? [] : slots.filter((n) => fitsBinding(tensor, limits, n));
  const reads = oldReads(program, s);
  const parts = !reads.some(isInRow) && reads.some((r) => follows(s, r));
  const elements = elementCount(tensor.shape);
  return {
    statement: s.id,
    values: [needed ? "stage" : "in place", ...slotted.map((n) => `${n} slots`)],
    turns,
    subject: { family: "own", needed, share: shareOf(s, tensor), parts, elements },
  };
}

/** The next question about reads of what is overwritten, first of those that are not safe as they are. */
function nextOpen(
  program: Program,
  isOpen: (statement: string) => boolean,
  limits: Limits,
): Open | undefined {
  const needed = stageCandidates(program).find((c) => c.needed && isOpen(c.statement));
  if (needed !== undefined) {
    return openFor(program, statementOf(program, needed.statement), true, limits);
  }
  for (const s of program.statements) {
    if (s.loops.length !== 1 || !isOpen(s.id) || oldReads(program, s).length === 0) continue;
    const open = openFor(program, s, false, limits);
    if (open.values.length > 1) return open;
  }
  return undefined;
}

/** Makes the reads of every statement's own tensor safe, and asks who else shall read from a buffer of its own. */
export function takeTurns(program: Program, limits: Limits, chooser: Chooser): Rewritten {
  let current = program;
  const folds: Place[] = [];
  // What staging makes is not asked about.
  const unasked = new Set(program.statements.map((s) => s.id));
  for (;;) {
    const open = nextOpen(current, (id) => unasked.has(id), limits);
    if (open === undefined) return { program: current, folds };
    const { statement, values, turns, subject } = open;
    const path = `statements/${statement}/own`;
    const answer = String(chooser.choose({ path, values, subject, program: current }));
    if (answer.endsWith("slots") && turns !== null) {
      folds.push(foldOf(turns, statement, Number.parseInt(answer, 10)));
      current = turns.program;
    } else if (subject.needed) current = staged(current, { statement });
    unasked.delete(statement);
  }
}

function staged(program: Program, target: Pick<StageCandidate, "statement">): Program {
  const result = stageWrites(program, target);
  invariant(result.kind === "rewritten", `${target.statement} cannot be staged`);
  return result.program;
}

/** False when later rewrites removed what a fold is for, or write it in several statements. */
export function mayStillFold(program: Program, { target, fold }: Place): boolean {
  if (fold === null || target.kind !== "tensor") return false;
  const inside = program.statements.filter(
    (s) => s.loops.includes(fold.loop) && s.write.tensor === target.tensor,
  );
  const [writer, more] = inside;
  const one = writer !== undefined && more === undefined;
  return one && foldLoop(program, writer.id) === fold.loop;
}
