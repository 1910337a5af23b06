/**
 * Candidates of a tuning run: mappings of one program, as the tuner sees them. Pure data; what makes them of a
 * mapping is a {@link Planner}, which the tuner is given.
 */
import type { Choice, Mapping } from "../support/mapping-file.ts";

/** What is tuned: one definition at one set of sizes. Plain data, so that processes can send it. */
export interface TuningTask {
  readonly source: string;
  readonly def?: string;
  readonly sizes: Readonly<Record<string, number>>;
  /** Whether candidates may be inexact by definition, as Winograd's convolution is; false by default. */
  readonly approximate?: boolean;
}

/** A knob of a candidate: see `Decision` of the mapping. */
export interface CandidateKnob {
  /** For example `kernels/C/axes/0/workgroup`, or `structure/statements/C/factor`. */
  readonly path: string;
  /** What meets the necessary conditions, the plainest first. */
  readonly values: readonly Choice[];
  readonly value: Choice;
}

/** What a kernel, or a whole definition, computes: what its answers are stored under, see `StoreKey`. */
export interface Content {
  /** Of its canonical form, without sizes: `key:HASH` of a kernel, `def:HASH` of a definition. */
  readonly key: string;
  /** In the canonical order of its indices. */
  readonly extents: readonly number[];
  /** Of its tensors' elements, in canonical order. */
  readonly types: readonly string[];
  /** The greatest power of two, up to 16 bytes, that all rows of its tensors begin at. */
  readonly alignment: number;
}

/** Canonical names of what a kernel has, by its own names. */
export interface KernelNames {
  readonly statements: Readonly<Record<string, string>>;
  readonly tensors: Readonly<Record<string, string>>;
}

/** A kernel of a candidate. Given the structure, kernels are independent of each other. */
export interface CandidateKernel extends Content {
  /** Its first statement: paths of its knobs begin with `kernels/NAME/`, and its times are under it. */
  readonly name: string;
  /** Its answers are stored in these. */
  readonly names: KernelNames;
  /** Of its WGSL: the same text is the same kernel. */
  readonly text: string;
  /** Estimated microseconds in one execution; null where facts do not say. To ask may take as long as to compile. */
  readonly estimateUs: number | null;
  /** Why facts call it hopeless, one line each; empty where they do not. To ask takes as long. */
  readonly vetoes: readonly string[];
}

/** A mapping that was planned. */
export interface Candidate {
  /** Of the plan (WGSL of all kernels, and steps): the same id is the same candidate. */
  readonly id: string;
  /** The algorithm: a definition that stands for the one that is tuned; null for itself. */
  readonly alternative: string | null;
  /** Complete. */
  readonly mapping: Mapping;
  readonly knobs: readonly CandidateKnob[];
  readonly kernels: readonly CandidateKernel[];
  /** Of the structure alone: candidates that differ in nothing but kernels have the same. */
  readonly structure: string;
  /** Answers that were asked for and were not legal. */
  readonly repairs: number;
  /** Statements of its kernels after unrolling: what drivers need time for. */
  readonly statements: number;
  /** Bytes of temporaries. */
  readonly workspace: number;
}

/** A mapping that may become a candidate. */
export interface Proposal {
  readonly mapping: Mapping;
  readonly alternative?: string | null;
  /** Where it is planned already. */
  readonly planned?: Candidate;
  /** For example `default`, `wish`, `neighbour`, `random`, `step`. */
  readonly kind: string;
  readonly parent?: number;
  /** Whether somebody asked for it: it was found elsewhere. */
  readonly isStart?: true;
}

/** What was asked for cannot be a candidate. */
export interface Unplanned {
  readonly refused: string;
}

/** Makes candidates; pure and deterministic. */
export interface Planner {
  /** Of the definition. */
  readonly content: Content;
  /** A mapping in the canonical names of the definition (`$0`), which {@link plan} takes like its own. */
  canonical(mapping: Mapping): Mapping;
  /** The candidate of a mapping, whole or in part; legal, whatever was asked. */
  plan(mapping: Mapping, alternative?: string | null): Candidate | Unplanned;
  /**
   * The default first, other policies, then the policy's other wishes, kernel by kernel: at most a dozen,
   * made when asked for.
   */
  wishes(): Iterable<Mapping>;
  /**
   * Mappings with the structure of one, and kernels all over the space of its: the same few decisions in all of them, so
   * that what each brings can be told apart; at most a dozen. Each is made when it is asked for, which may
   * take as long as a plan.
   */
  designs(mapping: Mapping, alternative?: string | null): Iterable<Mapping>;
  /** Names of definitions that compute the same in another way (`#! alternative of NAME`). */
  readonly alternatives: readonly string[];
}
