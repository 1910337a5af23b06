/**
 * Purpose: the algebraic half of a mapping: applies the rewrites that are chosen.
 *
 * Ensures: the program computes the same; no statement needs staging; none touches more tensors than
 * a kernel may bind, if it can be taken apart. The families are applied in a fixed order, each in program order: each
 * may make work for the next.
 */

import type { Limits } from "../../../support/device-profile.ts";
import { removeDead } from "../../algebraic/dead.ts";
import { packWords } from "../../algebraic/pack-words.ts";
import { widenHalf } from "../../algebraic/widen-half.ts";
import type { Program } from "../../program.ts";
import { addsWhatFits } from "../group/fits-binding.ts";
import { fitBuffers } from "./fit-buffers.ts";
import { dealingFamilies, type Family, firstFamilies, joiningFamilies } from "./offers.ts";
import type { Chooser } from "./question.ts";
import { mayStillFold, type Rewritten, takeTurns } from "./take-turns.ts";

/** How many statements a family may add: splitting what was split has no end of its own. */
const addedStatements = 6;

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

/** Makes the program one that the device can execute, then applies the rewrites that are chosen. */
export function rewriteProgram(program: Program, limits: Limits, chooser: Chooser): Rewritten {
  const apply = (from: Program, families: readonly Family[]): Program =>
    families.reduce((p, family) => applyFamily(p, family, limits, chooser), from);
  const flat = apply(program, firstFamilies);
  const whole = packWords(limits.features.float16 ? flat : widenHalf(flat));
  const { program: staged, folds } = takeTurns(apply(whole, joiningFamilies), limits, chooser);
  const result = fitBuffers(apply(staged, dealingFamilies), limits.limits.maxStorageBuffers);
  const cleaned = removeDead(result);
  const last = cleaned.kind === "rewritten" ? cleaned.program : result;
  return { program: last, folds: folds.filter((fold) => mayStillFold(last, fold)) };
}
