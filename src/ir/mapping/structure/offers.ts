/**
 * The algebraic rewrites that a mapping may choose, family by family: the questions that a program offers, with
 * the values that are legal, and what each value makes of the program.
 *
 * A question is named after the statement that it starts from: `norm#1/merge`, `C/factor/r0`.
 */
import type { Limits } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { listOf } from "../../../support/list-of.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { type CopyReadCandidate, copyRead, copyReadCandidates } from "../../algebraic/copy-read.ts";
import { equalParts, type PartsCandidate, partsCandidates } from "../../algebraic/equal-parts.ts";
import { type ExpandCandidate, expandCandidates, expandTemporary } from "../../algebraic/expand.ts";
import {
  type FactorCandidate,
  factorCandidates,
  factorOrders,
  factorReduction,
} from "../../algebraic/factor-reduction.ts";
import {
  type FlattenCandidate,
  flattenCandidates,
  flattenDomains,
} from "../../algebraic/flatten-domain.ts";
import {
  type GatherCandidate,
  gatherCandidates,
  gatherTerms,
  phaseOrders,
} from "../../algebraic/gather-terms.ts";
import {
  type InlineCandidate,
  inlineTargets,
  inlineTemporary,
  mayInline,
} from "../../algebraic/inline.ts";
import {
  type LeaveCandidate,
  leaveLoop,
  leaveQuestions,
  mayLeave,
} from "../../algebraic/leave-loop.ts";
import {
  type MergeCandidate,
  mergeCandidates,
  mergeUpdates,
} from "../../algebraic/merge-updates.ts";
import { type MoveCandidate, moveCandidates, moveUp } from "../../algebraic/move-up.ts";
import { type OnePassCandidate, onePass, onePassCandidates } from "../../algebraic/one-pass.ts";
import { type PadMapCandidate, padMap, padMapCandidates } from "../../algebraic/pad-map.ts";
import { type PadCandidate, padCandidates, padReduction } from "../../algebraic/pad-reduction.ts";
import type { Rewrite } from "../../algebraic/rewrite.ts";
import {
  type ChainCandidate,
  chainCandidates,
  isStepOfScan,
  scanChain,
} from "../../algebraic/scan-chain.ts";
import { type ScanCandidate, scanCandidates, scanPrefix } from "../../algebraic/scan-prefix.ts";
import {
  type BlocksCandidate,
  blocksCandidates,
  searchBlocks,
} from "../../algebraic/search-blocks.ts";
import { type SkewCandidate, skewCandidates, skewLoops } from "../../algebraic/skew-loops.ts";
import { type SplitCandidate, splitDomain, splitOffers } from "../../algebraic/split-domain.ts";
import { splitTerms, type TermsCandidate, termsCandidates } from "../../algebraic/split-terms.ts";
import { type StageCandidate, stageCandidates, stageWrites } from "../../algebraic/stage-writes.ts";
import { type TurnCandidate, turnCandidates, turnRead } from "../../algebraic/turn-read.ts";
import {
  findStatement,
  findTensor,
  type Program,
  statementOf,
  tensorsOf,
  usersOf,
} from "../../program.ts";
import { countBuffers, countTensors } from "../group/count-buffers.ts";
import { fitsBinding } from "../group/fits-binding.ts";

/** What a rewrite is about: its family, and its candidate. */
export type Rewritable =
  | { readonly family: "gather"; readonly candidate: GatherCandidate }
  | { readonly family: "terms"; readonly candidate: TermsCandidate }
  | { readonly family: "leave"; readonly candidate: LeaveCandidate }
  | { readonly family: "scan"; readonly candidate: ScanCandidate }
  | { readonly family: "chain"; readonly candidate: ChainCandidate }
  | { readonly family: "skew"; readonly candidate: SkewCandidate }
  | { readonly family: "parts"; readonly candidate: PartsCandidate }
  | { readonly family: "flatten"; readonly candidate: FlattenCandidate }
  | { readonly family: "merge"; readonly candidate: MergeCandidate }
  | { readonly family: "inline"; readonly candidate: InlineCandidate }
  | { readonly family: "stage"; readonly candidate: StageCandidate }
  | { readonly family: "online"; readonly candidate: OnePassCandidate }
  | { readonly family: "vectors"; readonly candidate: PadMapCandidate }
  | { readonly family: "expand"; readonly candidate: ExpandCandidate }
  | { readonly family: "split"; readonly candidate: SplitCandidate }
  | { readonly family: "blocks"; readonly candidate: BlocksCandidate }
  | { readonly family: "factor"; readonly candidate: FactorCandidate }
  | { readonly family: "up"; readonly candidate: MoveCandidate }
  | { readonly family: "pad"; readonly candidate: PadCandidate }
  | { readonly family: "pack"; readonly candidate: CopyReadCandidate }
  | { readonly family: "turn"; readonly candidate: TurnCandidate };

/** What a candidate offers: a question, and the program that an answer leads to. */
export interface Offer {
  readonly path: string;
  /** The first leaves the program as it is, unless it is `needed`. */
  readonly values: readonly Choice[];
  readonly subject: Rewritable;
  /** The program cannot stay as it is: no value stands for that. */
  readonly needed?: true;
  /** Whether there is such a question: asked when its turn comes, of the program that offers it. */
  readonly isOpen?: () => boolean;
  apply(program: Program, answer: Choice): Rewrite;
}

/** The offers of a family in a program. */
export type Family = (program: Program, limits: Limits) => readonly Offer[];

/** A rewrite to apply or not. */
function yesOrNo(subject: Rewritable, apply: (program: Program) => Rewrite): Offer {
  return { path: subject.candidate.path, values: [false, true], subject, apply };
}

/** Scatters whose indices say which terms hit an element: where phases of places stand. */
const gather: Family = (program) =>
  gatherCandidates(program).map((candidate) => ({
    path: candidate.path,
    values: ["no", ...phaseOrders.map((order) => `phases ${order}`)],
    subject: { family: "gather", candidate },
    apply: (p, answer) => {
      const phases = answer === "phases inside" ? "inside" : "outside";
      return gatherTerms(p, { statement: candidate.statement, phases });
    },
  }));

/** What need not wait for a loop of the program: terms of sums, then whole statements. */
const apart: Family = (program) => [
  ...termsCandidates(program).map((candidate) =>
    yesOrNo({ family: "terms", candidate }, (p) => splitTerms(p, candidate)),
  ),
  ...leaveQuestions(program).map((candidate) => ({
    ...yesOrNo({ family: "leave", candidate }, (p) => leaveLoop(p, candidate)),
    isOpen: () => mayLeave(program, candidate),
  })),
];

/** Triangles whose results follow from each other: how many of them in a chunk. */
const scan: Family = (program) =>
  scanCandidates(program).map((candidate) => ({
    path: candidate.path,
    values: ["no", "whole", ...candidate.chunks],
    subject: { family: "scan", candidate },
    apply: (p, answer) => {
      const chunk = answer === "whole" ? answer : Number(answer);
      return scanPrefix(p, { statement: candidate.statement, chunk });
    },
  }));

/** Recurrences whose steps compose: how many of them in a chunk. */
const chain: Family = (program) =>
  chainCandidates(program).map((candidate) => ({
    path: candidate.path,
    values: ["no", ...candidate.chunks],
    subject: { family: "chain", candidate },
    apply: (p, answer) => {
      return scanChain(p, { statement: candidate.statement, chunk: Number(answer) });
    },
  }));

/** Nested loops that both carry something, as wavefronts. */
const skew: Family = (program) =>
  skewCandidates(program).map((candidate) =>
    yesOrNo({ family: "skew", candidate }, (p) => skewLoops(p, candidate)),
  );

/** Gates, and what else is read part by part. */
const parts: Family = (program) =>
  partsCandidates(program).map((candidate) =>
    yesOrNo({ family: "parts", candidate }, (p) => equalParts(p, candidate)),
  );

const flatten: Family = (program) =>
  flattenCandidates(program).map((candidate) =>
    yesOrNo({ family: "flatten", candidate }, (p) => flattenDomains(p, candidate)),
  );

const merge: Family = (program) =>
  mergeCandidates(program).map((candidate) =>
    yesOrNo({ family: "merge", candidate }, (p) => mergeUpdates(p, candidate)),
  );

/** Whether all readers of a temporary still bind few enough buffers when they compute it themselves. */
function readersFit(program: Program, tensor: string, { limits }: Limits): boolean {
  const { writers, readers } = usersOf(program, tensor);
  const made = flatMap(writers, tensorsOf);
  return readers.every((reader) => {
    const names = new Set([...tensorsOf(reader), ...made]);
    names.delete(tensor);
    const after = countTensors(program, names);
    return after <= limits.maxStorageBuffers || after <= countBuffers(program, [reader]);
  });
}

/**
 * Temporaries where they are read, if that leaves each reader few enough buffers; all of those that the
 * device cannot hold.
 */
const inline: Family = (program, limits) =>
  inlineTargets(program).map((candidate) => {
    const tensor = findTensor(program, candidate.tensor);
    const offer = yesOrNo({ family: "inline", candidate }, (p) => inlineTemporary(p, candidate));
    const fits = tensor === undefined || fitsBinding(tensor, limits);
    const isOpen = (): boolean =>
      (!fits || readersFit(program, candidate.tensor, limits)) && mayInline(program, candidate);
    return fits ? { ...offer, isOpen } : { ...offer, values: [true], needed: true, isOpen };
  });

const stage: Family = (program) =>
  stageCandidates(program)
    .filter((c) => !c.needed && !isStepOfScan(statementOf(program, c.statement)))
    .map((candidate) => yesOrNo({ family: "stage", candidate }, (p) => stageWrites(p, candidate)));

const online: Family = (program) =>
  onePassCandidates(program).map((candidate) =>
    yesOrNo({ family: "online", candidate }, (p) => onePass(p, candidate)),
  );

/** Maps over rows rounded up to whole vectors, where the device can bind so much. */
const vectors: Family = (program, limits) =>
  padMapCandidates(program)
    .filter((c) => fitsAfter(program, c, limits))
    .map((candidate) => yesOrNo({ family: "vectors", candidate }, (p) => padMap(p, candidate)));

function fitsAfter(
  program: Program,
  { tensors, length }: PadMapCandidate,
  limits: Limits,
): boolean {
  const padded = program.tensors.filter((tensor) => tensors.includes(tensor.name));
  return padded.every((tensor) => fitsBinding({ ...tensor, shape: [length] }, limits));
}

const expand: Family = (program) =>
  expandCandidates(program).map((candidate) =>
    yesOrNo({ family: "expand", candidate }, (p) => expandTemporary(p, candidate)),
  );

const split: Family = (program) =>
  splitOffers(program).map((candidate) => ({
    path: candidate.path,
    values: ["no", ...candidate.at.map((place) => place.name)],
    subject: { family: "split", candidate },
    apply: (p, name) => {
      const at = candidate.at.find((place) => place.name === name)?.at ?? 0;
      return splitDomain(p, { ...candidate, at });
    },
  }));

/** Arg reductions by blocks: how many candidates one has. */
const blocks: Family = (program) =>
  blocksCandidates(program).map((candidate) => ({
    path: candidate.path,
    values: ["no", ...candidate.sizes],
    subject: { family: "blocks", candidate },
    apply: (p, size) => searchBlocks(p, { statement: candidate.statement, size: Number(size) }),
  }));

/** `strided 8`, for example: how the parts are dealt, and the size that goes with it. */
const factor: Family = (program) =>
  factorCandidates(program).map((candidate) => ({
    path: candidate.path,
    values: [
      "no",
      ...flatMap(candidate.sizes, (n) => factorOrders.map((order) => `${order} ${n}`)),
    ],
    subject: { family: "factor", candidate },
    apply: (p, answer) => {
      const [name, size] = String(answer).split(" ");
      const order = factorOrders.find((o) => o === name) ?? "strided";
      const { statement, dim } = candidate;
      return factorReduction(p, { statement, dim, order, size: Number(size) });
    },
  }));

const up: Family = (program) =>
  moveCandidates(program).map((candidate) => ({
    path: candidate.path,
    values: listOf(candidate.most + 1, (places) => places),
    subject: { family: "up", candidate },
    apply: (p, places) => moveUp(p, { statement: candidate.statement, places: Number(places) }),
  }));

/** Reductions over whole tiles: steps that add nothing take the place of conditions. */
const pad: Family = (program) =>
  padCandidates(program).map((candidate) => ({
    path: candidate.path,
    values: ["no", ...candidate.multiples],
    subject: { family: "pad", candidate },
    apply: (p, answer) => {
      const { statement, dim } = candidate;
      return padReduction(p, { statement, dim, multiple: Number(answer) });
    },
  }));

/** Rows of a packed operand begin at multiples of so many elements: whole vectors. */
const packedPitch = 4;

function mayGainByPacking(program: Program, { statement, read }: CopyReadCandidate): boolean {
  const access = findStatement(program, statement)?.reads[read];
  const row = findTensor(program, access?.tensor ?? "")?.shape.at(-1) ?? 1;
  return row % packedPitch !== 0 || (access?.guard.length ?? 0) > 0;
}

/** Reads that use elements several times, of rows that are no whole vectors or have a border. */
const pack: Family = (program) =>
  copyReadCandidates(program)
    .filter((c) => c.reuse >= 2 && c.row > packedPitch && mayGainByPacking(program, c))
    .map((candidate) =>
      yesOrNo({ family: "pack", candidate }, (p) => {
        const { statement, read } = candidate;
        return copyRead(p, { statement, read, pitch: packedPitch });
      }),
    );

/** Weights of recurrences with columns for rows. */
const turn: Family = (program) =>
  turnCandidates(program).map((candidate) =>
    yesOrNo({ family: "turn", candidate }, (p) => turnRead(p, candidate)),
  );

/** Scatters that are none, statements that leave loops, and dims that are one, before anything else is asked. */
export const firstFamilies: readonly Family[] = [gather, apart, scan, skew, flatten];

/** What makes statements fewer, or takes steps of loops together, and lets them write elsewhere. */
export const joiningFamilies: readonly Family[] = [merge, chain, inline, stage];

/** What makes statements more, in another form or in another order. */
export const dealingFamilies: readonly Family[] = [
  online,
  vectors,
  expand,
  split,
  blocks,
  factor,
  up,
  pad,
  pack,
  turn,
  // Of a copy that was turned, each part reads its columns.
  parts,
];
