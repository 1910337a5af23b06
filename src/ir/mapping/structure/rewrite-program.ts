/**
 * Purpose: the algebraic half of a mapping: applies the rewrites that are chosen.
 *
 * Ensures: the program computes the same; no statement needs staging; none touches more tensors than
 * a kernel may bind, if it can be taken apart. The families are applied in a fixed order, each in program order: each
 * may make work for the next.
 */

import { invariant } from "../../../support/assert.ts";
import type { Limits } from "../../../support/device-profile.ts";
import { removeDead } from "../../algebraic/dead.ts";
import { packWords } from "../../algebraic/pack-words.ts";
import { stageCandidates, stageWrites } from "../../algebraic/stage-writes.ts";
import { widenHalf } from "../../algebraic/widen-half.ts";
import { programOrder } from "../../dependences/program-order.ts";
import { writesWhole } from "../../dependences/total-write.ts";
import { findStatement, findTensor, type Program } from "../../program.ts";
import type { Place } from "../../schedule.ts";
import { addsWhatFits, fitsBinding } from "../group/fits-binding.ts";
import { fitBuffers } from "./fit-buffers.ts";
import { dealingFamilies, type Family, firstFamilies, joiningFamilies } from "./offers.ts";
import type { Chooser } from "./question.ts";

/** How many statements a family may add: splitting what was split has no end of its own. */
const addedStatements = 6;

/** A rewritten program, and the temporaries that have several slots in storage. */
export interface Rewritten {
  readonly program: Program;
  readonly folds: readonly Place[];
}

/**
 * Applies what is chosen of a family, of what its own rewrites offer included. One that would make a
 * temporary that the device cannot hold is not legal.
 */
function applyFamily(program: Program, family: Family, limits: Limits, chooser: Chooser): Program {
  let current = program;
  let limit = program.statements.length + addedStatements;
  const asked = new Set<string>();
  let offers = family(current, limits);
  for (let n = 0; n < offers.length && current.statements.length < limit; n++) {
    const offer = offers[n];
    if (offer === undefined || asked.has(offer.path) || offer.isOpen?.() === false) continue;
    asked.add(offer.path);
    const { values, subject } = offer;
    const path = `statements/${offer.path}`;
    const answer = chooser.choose({ path, values, subject, program: current });
    const [asIs = answer] = values;
    if (answer === asIs && offer.needed !== true) continue;
    const result = offer.apply(current, answer);
    if (result.kind === "rewritten" && addsWhatFits(current, result.program, limits)) {
      // Chunks of chunks have an end of their own: there are fewer each time.
      const added = result.program.statements.length - current.statements.length;
      if (subject.family === "chain") limit += added;
      current = result.program;
      offers = family(current, limits);
      n = -1;
    } else chooser.refused(path, answer, asIs);
  }
  return current;
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

/** Makes the reads of every statement's own tensor safe: by staging, or by slots for iterations. */
function applyNeeded(program: Program, limits: Limits, chooser: Chooser): Rewritten {
  let current = program;
  const folds: Place[] = [];
  const folded = new Set<string>();
  for (;;) {
    const needed = stageCandidates(current).find((c) => c.needed && !folded.has(c.statement));
    if (needed === undefined) return { program: current, folds };
    const loop = foldLoop(current, needed.statement);
    const written = findStatement(current, needed.statement)?.write.tensor ?? "";
    const tensor = findTensor(current, written);
    const slotted = [2, 3].filter((n) => tensor !== undefined && fitsBinding(tensor, limits, n));
    const values = ["stage", ...(loop === null ? [] : slotted.map((n) => `${n} slots`))];
    const path = `statements/${needed.statement}/own`;
    const answer = String(
      chooser.choose({ path, values, subject: { family: "own" }, program: current }),
    );
    if (answer !== "stage" && loop !== null) {
      folded.add(needed.statement);
      const target = { kind: "tensor", tensor: written } as const;
      const slots = Number.parseInt(answer, 10);
      folds.push({ target, space: "storage", at: null, fold: { loop, slots } });
      continue;
    }
    const result = stageWrites(current, needed);
    invariant(result.kind === "rewritten", `${needed.statement} cannot be staged`);
    current = result.program;
  }
}

/** Makes the program one that the device can execute, then applies the rewrites that are chosen. */
export function rewriteProgram(program: Program, limits: Limits, chooser: Chooser): Rewritten {
  const apply = (from: Program, families: readonly Family[]): Program =>
    families.reduce((p, family) => applyFamily(p, family, limits, chooser), from);
  const flat = apply(program, firstFamilies);
  const whole = packWords(limits.features.float16 ? flat : widenHalf(flat));
  const { program: staged, folds } = applyNeeded(apply(whole, joiningFamilies), limits, chooser);
  const result = fitBuffers(apply(staged, dealingFamilies), limits.limits.maxStorageBuffers);
  const cleaned = removeDead(result);
  const last = cleaned.kind === "rewritten" ? cleaned.program : result;
  return { program: last, folds: folds.filter((fold) => mayStillFold(last, fold)) };
}

/** False when later rewrites removed what a fold is for, or write it in several statements. */
function mayStillFold(program: Program, { target, fold }: Place): boolean {
  if (fold === null || target.kind !== "tensor") return false;
  const inside = program.statements.filter(
    (s) => s.loops.includes(fold.loop) && s.write.tensor === target.tensor,
  );
  const [writer, more] = inside;
  const one = writer !== undefined && more === undefined;
  return one && foldLoop(program, writer.id) === fold.loop;
}
