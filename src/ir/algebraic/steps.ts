/**
 * Algebraic rewrites as plain data, for the sequences that options, tests and searches keep.
 *
 * ```
 * step := gather | split | merge | factor | inline | expand | history | terms | leave | scan | chain | skew | parts | stage | whole | copy | turn | pad | dead,
 *         each with its target
 * ```
 */
import { assertNever } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Program } from "../program.ts";
import { type CopyReadTarget, copyRead, copyReadCandidates } from "./copy-read.ts";
import { deadStatements, removeDead } from "./dead.ts";
import { equalParts, type PartsTarget, partsCandidates } from "./equal-parts.ts";
import { type ExpandTarget, expandCandidates, expandTemporary } from "./expand.ts";
import {
  type FactorTarget,
  factorCandidates,
  factorOrders,
  factorReduction,
} from "./factor-reduction.ts";
import { type GatherTarget, gatherCandidates, gatherTerms, phaseOrders } from "./gather-terms.ts";
import { type InlineTarget, inlineCandidates, inlineTemporary } from "./inline.ts";
import { historyCandidates, keepHistory } from "./keep-history.ts";
import { type LeaveTarget, leaveCandidates, leaveLoop } from "./leave-loop.ts";
import { type MergeTarget, mergeCandidates, mergeUpdates } from "./merge-updates.ts";
import { type PadTarget, padCandidates, padReduction } from "./pad-reduction.ts";
import type { Rewrite } from "./rewrite.ts";
import { type ChainTarget, chainCandidates, scanChain } from "./scan-chain.ts";
import { type ScanTarget, scanCandidates, scanPrefix } from "./scan-prefix.ts";
import { type SkewTarget, skewCandidates, skewLoops } from "./skew-loops.ts";
import { type SplitTarget, splitCandidates, splitDomain } from "./split-domain.ts";
import { splitTerms, type TermsTarget, termsCandidates } from "./split-terms.ts";
import { type StageTarget, stageCandidates, stageWrites } from "./stage-writes.ts";
import { type TurnTarget, turnCandidates, turnRead } from "./turn-read.ts";
import { type WholeTarget, wholeCandidates, writeWhole } from "./write-whole.ts";

export type AlgebraicStep =
  | { readonly kind: "gather"; readonly target: GatherTarget }
  | { readonly kind: "split"; readonly target: SplitTarget }
  | { readonly kind: "merge"; readonly target: MergeTarget }
  | { readonly kind: "factor"; readonly target: FactorTarget }
  | { readonly kind: "inline"; readonly target: InlineTarget }
  | { readonly kind: "expand"; readonly target: ExpandTarget }
  | { readonly kind: "history"; readonly target: ExpandTarget }
  | { readonly kind: "terms"; readonly target: TermsTarget }
  | { readonly kind: "leave"; readonly target: LeaveTarget }
  | { readonly kind: "scan"; readonly target: ScanTarget }
  | { readonly kind: "chain"; readonly target: ChainTarget }
  | { readonly kind: "skew"; readonly target: SkewTarget }
  | { readonly kind: "parts"; readonly target: PartsTarget }
  | { readonly kind: "stage"; readonly target: StageTarget }
  | { readonly kind: "whole"; readonly target: WholeTarget }
  | { readonly kind: "copy"; readonly target: CopyReadTarget }
  | { readonly kind: "turn"; readonly target: TurnTarget }
  | { readonly kind: "pad"; readonly target: PadTarget }
  | { readonly kind: "dead" };

/** The names of the rewrites. */
export const algebraicKinds: readonly AlgebraicStep["kind"][] = [
  "gather",
  "split",
  "merge",
  "factor",
  "inline",
  "expand",
  "history",
  "terms",
  "leave",
  "scan",
  "chain",
  "skew",
  "parts",
  "stage",
  "whole",
  "copy",
  "turn",
  "pad",
  "dead",
];

/** A place where a rewrite applies: its path, and the steps that it offers there, one or more. */
export interface AlgebraicCandidate {
  readonly path: string;
  readonly steps: readonly AlgebraicStep[];
}

/** Applies one rewrite. */
export function applyStep(program: Program, step: AlgebraicStep): Rewrite {
  switch (step.kind) {
    case "gather":
      return gatherTerms(program, step.target);
    case "split":
      return splitDomain(program, step.target);
    case "merge":
      return mergeUpdates(program, step.target);
    case "factor":
      return factorReduction(program, step.target);
    case "inline":
      return inlineTemporary(program, step.target);
    case "expand":
      return expandTemporary(program, step.target);
    case "history":
      return keepHistory(program, step.target);
    case "terms":
      return splitTerms(program, step.target);
    case "leave":
      return leaveLoop(program, step.target);
    case "scan":
      return scanPrefix(program, step.target);
    case "chain":
      return scanChain(program, step.target);
    case "skew":
      return skewLoops(program, step.target);
    case "parts":
      return equalParts(program, step.target);
    case "stage":
      return stageWrites(program, step.target);
    case "whole":
      return writeWhole(program, step.target);
    case "copy":
      return copyRead(program, step.target);
    case "turn":
      return turnRead(program, step.target);
    case "pad":
      return padReduction(program, step.target);
    case "dead":
      return removeDead(program);
    default:
      return assertNever(step);
  }
}

function one(path: string, step: AlgebraicStep): AlgebraicCandidate {
  return { path, steps: [step] };
}

/** Those of loops. */
function loopCandidates(program: Program): readonly AlgebraicCandidate[] {
  return [
    ...historyCandidates(program).map((target) =>
      one(`${target.tensor}/history`, { kind: "history", target }),
    ),
    ...termsCandidates(program).map(({ path, statement, loop }) =>
      one(path, { kind: "terms", target: { statement, loop } }),
    ),
    ...leaveCandidates(program).map(({ path, statement, loop }) =>
      one(path, { kind: "leave", target: { statement, loop } }),
    ),
    ...chainCandidates(program).map(({ path, statement, chunks }) => ({
      path,
      steps: chunks.map((chunk): AlgebraicStep => {
        return { kind: "chain", target: { statement, chunk } };
      }),
    })),
    ...skewCandidates(program).map(({ path, loop }) =>
      one(path, { kind: "skew", target: { loop } }),
    ),
    ...partsCandidates(program).map(({ path, statement, dim, parts }) =>
      one(path, { kind: "parts", target: { statement, dim, parts } }),
    ),
    ...wholeCandidates(program).map((target) =>
      one(`${target.statement}/whole`, { kind: "whole", target }),
    ),
    ...turnCandidates(program).map(({ path, statement, read }) =>
      one(path, { kind: "turn", target: { statement, read } }),
    ),
  ];
}

/** All places where a rewrite applies, grouped by rewrite, in program order. */
export function algebraicCandidates(program: Program): readonly AlgebraicCandidate[] {
  const splits = splitCandidates(program).map(({ path, statement, dim, at }) => ({
    path,
    steps: at.map(
      (place): AlgebraicStep => ({ kind: "split", target: { statement, dim, at: place.at } }),
    ),
  }));
  const factors = factorCandidates(program).map(({ path, statement, dim, sizes }) => ({
    path,
    steps: flatMap(factorOrders, (order) =>
      sizes.map((size): AlgebraicStep => {
        return { kind: "factor", target: { statement, dim, order, size } };
      }),
    ),
  }));
  return [
    ...gatherCandidates(program).map(({ path, statement }) => ({
      path,
      steps: phaseOrders.map((phases): AlgebraicStep => {
        return { kind: "gather", target: { statement, phases } };
      }),
    })),
    ...splits,
    ...mergeCandidates(program).map(({ path, first, second }) =>
      one(path, { kind: "merge", target: { first, second } }),
    ),
    ...factors,
    ...inlineCandidates(program).map(({ path, tensor }) =>
      one(path, { kind: "inline", target: { tensor } }),
    ),
    ...expandCandidates(program).map(({ path, tensor, loop }) =>
      one(path, { kind: "expand", target: { tensor, loop } }),
    ),
    ...loopCandidates(program),
    ...scanCandidates(program).map(({ path, statement, chunks }) => ({
      path,
      steps: (["whole", ...chunks] as const).map((chunk): AlgebraicStep => {
        return { kind: "scan", target: { statement, chunk } };
      }),
    })),
    ...stageCandidates(program).map(({ path, statement }) =>
      one(path, { kind: "stage", target: { statement } }),
    ),
    ...copyReadCandidates(program).map(({ path, statement, read }) => ({
      path,
      steps: [1, 4].map((pitch): AlgebraicStep => {
        return { kind: "copy", target: { statement, read, pitch } };
      }),
    })),
    ...padCandidates(program).map(({ path, statement, dim, multiples }) => ({
      path,
      steps: multiples.map((multiple): AlgebraicStep => {
        return { kind: "pad", target: { statement, dim, multiple } };
      }),
    })),
    ...(deadStatements(program).length > 0 ? [one("dead", { kind: "dead" })] : []),
  ];
}
