/**
 * Purpose: the algebraic half of a mapping: asks which rewrites to apply, and applies them.
 *
 * Ensures: the program computes the same; no statement needs staging; none touches more tensors than
 * a kernel may bind, if it can be taken apart. The order is flatten, merge, inline,
 * stage, online, round up, expand, split, blocks, factor, move, pad, pack: each may make work for the next.
 */

import { invariant } from "../../support/assert.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { listOf } from "../../support/list-of.ts";
import { type CopyReadCandidate, copyRead, copyReadCandidates } from "../algebraic/copy-read.ts";
import { removeDead } from "../algebraic/dead.ts";
import { expandCandidates, expandTemporary } from "../algebraic/expand.ts";
import { factorCandidates, factorOrders, factorReduction } from "../algebraic/factor-reduction.ts";
import { flattenCandidates, flattenDomains } from "../algebraic/flatten-domain.ts";
import { inlineCandidates, inlineTemporary } from "../algebraic/inline.ts";
import { mergeCandidates, mergeUpdates } from "../algebraic/merge-updates.ts";
import { moveCandidates, moveUp } from "../algebraic/move-up.ts";
import { onePass, onePassCandidates } from "../algebraic/one-pass.ts";
import { packWords } from "../algebraic/pack-words.ts";
import { type PadMapCandidate, padMap, padMapCandidates } from "../algebraic/pad-map.ts";
import { padCandidates, padReduction } from "../algebraic/pad-reduction.ts";
import type { Rewrite } from "../algebraic/rewrite.ts";
import { blocksCandidates, searchBlocks } from "../algebraic/search-blocks.ts";
import { splitDomain, splitOffers } from "../algebraic/split-domain.ts";
import { stageCandidates, stageWrites } from "../algebraic/stage-writes.ts";
import { widenHalf } from "../algebraic/widen-half.ts";
import type { Choice, Decider } from "../decisions.ts";
import { programOrder } from "../dependences/program-order.ts";
import { writesWhole } from "../dependences/total-write.ts";
import { findStatement, findTensor, type Program } from "../program.ts";
import type { Place } from "../schedule.ts";
import { preferredBlocks } from "./blocks-defaults.ts";
import { preferredPlaces, prefersInline } from "./cost-fusion.ts";
import { prefersFactor } from "./factor-defaults.ts";
import { fitBuffers } from "./fit-buffers.ts";
import { addsWhatFits, fitsBinding } from "./fits-binding.ts";
import { prefersOnePass } from "./one-pass-defaults.ts";
import { preferredPadding, prefersPack } from "./packing-defaults.ts";
import { prefersRows } from "./row-defaults.ts";

/** How many statements a family may add: splitting what was split has no end of its own. */
const addedStatements = 6;

/** What a candidate offers: a question, and the program that an answer leads to. */
interface Offer {
  readonly path: string;
  readonly values: readonly Choice[];
  readonly fallback: Choice;
  /** Takes statements apart by its first value and together by its last. */
  readonly fuses?: true;
  /** The program cannot stay as it is: no value stands for that. */
  readonly needed?: true;
  apply(program: Program, answer: Choice): Rewrite;
}

/** A rewrite to apply or not. */
function yesOrNo(path: string, fallback: boolean, apply: (program: Program) => Rewrite): Offer {
  return { path, values: [false, true], fallback, apply };
}

/** A rewritten program, and the temporaries that have several slots in storage. */
export interface Rewritten {
  readonly program: Program;
  readonly folds: readonly Place[];
}

type Family = (program: Program) => readonly Offer[];

/**
 * Asks every offer of a family, the ones that earlier answers made included. One that would make a
 * temporary that the device cannot hold is not legal.
 */
function applyFamily(
  program: Program,
  family: Family,
  profile: DeviceProfile,
  decider: Decider,
): Program {
  let current = program;
  const limit = program.statements.length + addedStatements;
  const asked = new Set<string>();
  let offers = family(current);
  for (;;) {
    const offer = offers.find((o) => !asked.has(o.path));
    if (offer === undefined || current.statements.length >= limit) return current;
    asked.add(offer.path);
    const answer = decider.decide(offer.path, offer.values, offer.fallback, offer.fuses);
    // The first value leaves the program as it is, if it may stay so.
    if (answer === offer.values[0] && offer.needed !== true) continue;
    const result = offer.apply(current, answer);
    if (result.kind === "rewritten" && addsWhatFits(current, result.program, profile)) {
      current = result.program;
      offers = family(current);
    } else decider.repair(offer.path, answer, offer.values[0] ?? offer.fallback);
  }
}

/** Dims of maps and of total reductions as one. */
function flattenFamily(profile: DeviceProfile): Family {
  return (program) =>
    flattenCandidates(program).map((c) =>
      yesOrNo(c.path, prefersRows(program, c, profile), (p) => flattenDomains(p, c)),
    );
}

/** Maps over rows rounded up to whole vectors, where the device can bind so much. */
function padMapFamily(profile: DeviceProfile): Family {
  const fits = (program: Program, { tensors, length }: PadMapCandidate): boolean =>
    program.tensors.every(
      (t) => !tensors.includes(t.name) || fitsBinding({ ...t, shape: [length] }, profile),
    );
  const candidates = (program: Program): readonly PadMapCandidate[] =>
    padMapCandidates(program).filter((c) => fits(program, c));
  return (program) =>
    candidates(program).map((c) =>
      yesOrNo(c.path, prefersRows(program, c, profile), (p) => padMap(p, c)),
    );
}

const merge: Family = (program) =>
  mergeCandidates(program).map((c) => ({
    path: c.path,
    values: [false, true],
    fallback: true,
    fuses: true,
    apply: (p) => mergeUpdates(p, c),
  }));

/** Temporaries where they are read: all of those that the device cannot hold. */
function inlineFamily(profile: DeviceProfile): Family {
  return (program) =>
    inlineCandidates(program).map((c): Offer => {
      const tensor = findTensor(program, c.tensor);
      const offer = {
        path: c.path,
        fuses: true as const,
        apply: (p: Program) => inlineTemporary(p, c),
      };
      return tensor === undefined || fitsBinding(tensor, profile)
        ? { ...offer, values: [false, true], fallback: prefersInline(program, c.tensor, profile) }
        : { ...offer, values: [true], fallback: true, needed: true };
    });
}

const stage: Family = (program) =>
  stageCandidates(program)
    .filter((c) => !c.needed)
    .map((c) => yesOrNo(c.path, false, (p) => stageWrites(p, c)));

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
function applyNeeded(program: Program, profile: DeviceProfile, decider: Decider): Rewritten {
  let current = program;
  const folds: Place[] = [];
  const folded = new Set<string>();
  for (;;) {
    const needed = stageCandidates(current).find((c) => c.needed && !folded.has(c.statement));
    if (needed === undefined) return { program: current, folds };
    const loop = foldLoop(current, needed.statement);
    const written = findStatement(current, needed.statement)?.write.tensor ?? "";
    const tensor = findTensor(current, written);
    const slotted = [2, 3].filter((n) => tensor !== undefined && fitsBinding(tensor, profile, n));
    const values = ["stage", ...(loop === null ? [] : slotted.map((n) => `${n} slots`))];
    const answer = decider.decide(`${needed.path}.how`, values, values.at(1) ?? "stage");
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

/** Maxima and sums of exponentials below them. */
function onePassFamily(profile: DeviceProfile): Family {
  return (program) =>
    onePassCandidates(program).map((c) =>
      yesOrNo(c.path, prefersOnePass(program, c, profile), (p) => onePass(p, c)),
    );
}

const expand: Family = (program) =>
  expandCandidates(program).map((c) => yesOrNo(c.path, false, (p) => expandTemporary(p, c)));

const split: Family = (program) =>
  splitOffers(program).map((c) => ({
    path: c.path,
    values: ["no", ...c.at],
    fallback: "no",
    apply: (p, at) => splitDomain(p, { ...c, at: Number(at) }),
  }));

function mayGainByPacking(program: Program, { statement, read }: CopyReadCandidate): boolean {
  const access = findStatement(program, statement)?.reads[read];
  const row = findTensor(program, access?.tensor ?? "")?.shape.at(-1) ?? 1;
  return row % packedPitch !== 0 || (access?.guard.length ?? 0) > 0;
}

/** Rows of a packed operand begin at multiples of so many elements: whole vectors. */
const packedPitch = 4;

/** Reads that use elements several times, of rows that are no whole vectors or have a border. */
function packFamily(profile: DeviceProfile): Family {
  return (program) =>
    copyReadCandidates(program)
      .filter((c) => c.reuse >= 2 && c.row > packedPitch && mayGainByPacking(program, c))
      .map((c) =>
        yesOrNo(c.path, prefersPack(program, c, profile), (p) =>
          copyRead(p, { statement: c.statement, read: c.read, pitch: packedPitch }),
        ),
      );
}

/** Reductions over whole tiles: steps that add nothing take the place of conditions. */
function padFamily(profile: DeviceProfile): Family {
  return (program) =>
    padCandidates(program).map((c) => ({
      path: c.path,
      values: ["no", ...c.multiples],
      fallback: preferredPadding(program, c, profile),
      apply: (p, answer) =>
        padReduction(p, { statement: c.statement, dim: c.dim, multiple: Number(answer) }),
    }));
}

/** `strided 8`, for example: how the parts are dealt, and the size that goes with it. */
function factorFamily(profile: DeviceProfile): Family {
  return (program) =>
    factorCandidates(program).map((c) => ({
      path: c.path,
      values: ["no", ...flatMap(c.sizes, (n) => factorOrders.map((order) => `${order} ${n}`))],
      fallback: prefersFactor(program, c, profile),
      apply: (p, answer) => {
        const [name, size] = String(answer).split(" ");
        const order = factorOrders.find((o) => o === name) ?? "strided";
        const { statement, dim } = c;
        return factorReduction(p, { statement, dim, order, size: Number(size) });
      },
    }));
}

/** Arg reductions by blocks: how many candidates one has. */
function blocksFamily(profile: DeviceProfile): Family {
  return (program) =>
    blocksCandidates(program).map((c) => ({
      path: c.path,
      values: ["no", ...c.sizes],
      fallback: preferredBlocks(program, c, profile),
      apply: (p, size) => searchBlocks(p, { statement: c.statement, size: Number(size) }),
    }));
}

function moveFamily(profile: DeviceProfile): Family {
  return (program) =>
    moveCandidates(program).map((c) => ({
      path: c.path,
      values: listOf(c.most + 1, (places) => places),
      fallback: preferredPlaces(program, c, profile),
      apply: (p, places) => moveUp(p, { statement: c.statement, places: Number(places) }),
    }));
}

/**
 * Makes the program one that the device can execute, then applies the rewrites that the decider asks
 * for.
 */
export function rewriteProgram(
  program: Program,
  profile: DeviceProfile,
  decider: Decider,
): Rewritten {
  const apply = (from: Program, families: readonly Family[]): Program =>
    families.reduce((p, family) => applyFamily(p, family, profile, decider), from);
  const flat = apply(program, [flattenFamily(profile)]);
  const whole = packWords(profile.features.float16 ? flat : widenHalf(flat));
  const { program: staged, folds } = applyNeeded(
    apply(whole, [merge, inlineFamily(profile), stage]),
    profile,
    decider,
  );
  const dealt = apply(staged, [
    onePassFamily(profile),
    padMapFamily(profile),
    expand,
    split,
    blocksFamily(profile),
    factorFamily(profile),
    moveFamily(profile),
    padFamily(profile),
    packFamily(profile),
  ]);
  const result = fitBuffers(dealt, profile.limits.maxStorageBuffers);
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
