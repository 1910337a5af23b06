/**
 * Purpose: the algebraic half of a mapping: asks which rewrites to apply, and applies them.
 *
 * Ensures: the program computes the same; no statement needs staging. The order is merge, inline,
 * stage, expand, split, factor: each may make work for the next.
 */

import type { DeviceProfile } from "../../support/device-profile.ts";
import { removeDead } from "../algebraic/dead.ts";
import { expandCandidates, expandTemporary } from "../algebraic/expand.ts";
import { factorCandidates, factorReduction } from "../algebraic/factor-reduction.ts";
import { inlineCandidates, inlineTemporary } from "../algebraic/inline.ts";
import { mergeCandidates, mergeUpdates } from "../algebraic/merge-updates.ts";
import type { Rewrite } from "../algebraic/rewrite.ts";
import { splitCandidates, splitDomain } from "../algebraic/split-domain.ts";
import { stageCandidates, stageWrites } from "../algebraic/stage-writes.ts";
import type { Choice, Decider } from "../decisions.ts";
import type { Program } from "../program.ts";
import { prefersFactor, prefersInline } from "./defaults.ts";

/** The most statements that splitting and factoring may lead to: a guard against runaway options. */
const statementLimit = 40;

/** What a candidate offers: a question, and the program that an answer leads to. */
interface Offer {
  readonly path: string;
  readonly values: readonly Choice[];
  readonly fallback: Choice;
  apply(program: Program, answer: Choice): Rewrite;
}

type Family = (program: Program) => readonly Offer[];

/** Asks every offer of a family, the ones that earlier answers made included. */
function applyFamily(program: Program, family: Family, decider: Decider): Program {
  let current = program;
  const asked = new Set<string>();
  for (;;) {
    const offer = family(current).find((o) => !asked.has(o.path));
    if (offer === undefined || current.statements.length > statementLimit) return current;
    asked.add(offer.path);
    const answer = decider.decide(offer.path, offer.values, offer.fallback);
    if (answer === "no" || answer === false) continue;
    const result = offer.apply(current, answer);
    if (result.kind === "rewritten") current = result.program;
  }
}

const merge: Family = (program) =>
  mergeCandidates(program).map((c) => ({
    path: c.path,
    values: [false, true],
    fallback: true,
    apply: (p) => mergeUpdates(p, c),
  }));

const inline: Family = (program) =>
  inlineCandidates(program).map((c) => ({
    path: c.path,
    values: [false, true],
    fallback: prefersInline(program, c.tensor),
    apply: (p) => inlineTemporary(p, c),
  }));

const stage: Family = (program) =>
  stageCandidates(program).map((c) => ({
    path: c.path,
    values: c.needed ? [true] : [false, true],
    fallback: c.needed,
    apply: (p) => stageWrites(p, c),
  }));

const expand: Family = (program) =>
  expandCandidates(program).map((c) => ({
    path: c.path,
    values: [false, true],
    fallback: false,
    apply: (p) => expandTemporary(p, c),
  }));

const split: Family = (program) =>
  splitCandidates(program).map((c) => ({
    path: c.path,
    values: ["no", ...c.at],
    fallback: "no",
    apply: (p, at) => splitDomain(p, { ...c, at: Number(at) }),
  }));

/** `strided 8` or `blocked 8`: how the parts are dealt, and the size that goes with it. */
function factorFamily(profile: DeviceProfile): Family {
  return (program) =>
    factorCandidates(program).map((c) => ({
      path: c.path,
      values: ["no", ...c.sizes.flatMap((n) => [`strided ${n}`, `blocked ${n}`])],
      fallback: prefersFactor(program, c, profile),
      apply: (p, answer) => {
        const [order, size] = String(answer).split(" ");
        const target = { statement: c.statement, dim: c.dim, size: Number(size) };
        return factorReduction(p, {
          ...target,
          order: order === "blocked" ? "blocked" : "strided",
        });
      },
    }));
}

/** Applies the algebraic rewrites that the decider asks for. */
export function rewriteProgram(
  program: Program,
  profile: DeviceProfile,
  decider: Decider,
): Program {
  const families = [merge, inline, stage, expand, split, factorFamily(profile)];
  const result = families.reduce((p, family) => applyFamily(p, family, decider), program);
  const cleaned = removeDead(result);
  return cleaned.kind === "rewritten" ? cleaned.program : result;
}
