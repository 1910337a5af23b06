/**
 * What measures candidates: a device in this process, in another one, in a worker, or a recorded landscape. The
 * tuner knows no more of a device than this.
 */
import type { Candidate } from "./candidate.ts";

/** The clock of a bench. */
export interface BenchClock {
  readonly kind: "timestamp-query" | "wall" | "replay";
  /** Its step in nanoseconds. */
  readonly quantumNs: number;
}

/** Why a candidate has no time, which it never gets: it is remembered with its reason. */
export type Refusal =
  /** The device or the compiler refuses it. */
  | { readonly kind: "invalid"; readonly why: string }
  /** A gate caught it: its results are wrong. */
  | { readonly kind: "wrong"; readonly gate: GateName; readonly why: string }
  /** It ran for longer than it may, and what ran it was ended. */
  | { readonly kind: "timeout"; readonly ms: number }
  | { readonly kind: "out-of-memory"; readonly why: string }
  /** The device, or the process that has it, was lost while it ran; `untried`: before it, and for good. */
  | { readonly kind: "lost"; readonly why: string; readonly untried?: true };

/**
 * The gates that a candidate passes before it has a time. `races`: what the kernel interpreter says of memory, which a
 * device may not show.
 */
export type GateName = "integers" | "reals" | "guards" | "poison" | "sizes" | "races";

/** A candidate that is compiled, passed its gates, and may be timed. */
export interface Admitted {
  readonly kind: "ok";
  /** Making its pipelines and its first execution, in milliseconds of the host's clock. */
  readonly firstMs: number;
  /** One execution after the first, roughly, in microseconds. */
  readonly roughUs: number;
}

/** One sample of a candidate: microseconds of one execution. */
export interface Sample {
  readonly us: number;
  /** Microseconds per kernel of the candidate, by its name; empty where the clock cannot tell them apart. */
  readonly kernels: Readonly<Record<string, number>>;
}

/** Bounds of what a bench may spend on one candidate. */
export interface AdmitOptions {
  /** Milliseconds until it is ended, its compilation included. */
  readonly timeoutMs: number;
  /** Sizes that the gate sweeps beside the task's own: before answers may be reused elsewhere. */
  readonly sweep?: readonly Readonly<Record<string, number>>[];
  /** It passed its gates before, on a device that is gone since: it is compiled, and no more. */
  readonly passed?: boolean;
}

/** What a bench has to know of a candidate. */
export type Tried = Pick<Candidate, "id" | "alternative" | "mapping">;

export interface Bench {
  readonly clock: BenchClock;
  /** Compiles, runs once, and passes the candidate through the gates. Never rejects for a candidate's fault. */
  admit(candidate: Tried, options: AdmitOptions): Promise<Admitted | Refusal>;
  /**
   * Times candidates that were admitted, one sample each, in the given order; an id may occur several times. Spans
   * are at least `quanta` steps of the clock long. A refusal (a lost device, a hang) stands in the place of the sample.
   */
  time(
    ids: readonly string[],
    options: { readonly quanta: number },
  ): Promise<readonly (Sample | Refusal)[]>;
  /** Gives up candidates that no longer take part: their pipelines and buffers. */
  release(ids: readonly string[]): void;
  close(): Promise<void>;
}

/** Whether it is a refusal. */
export function isRefusal(outcome: Admitted | Refusal | Sample): outcome is Refusal {
  return "kind" in outcome && outcome.kind !== "ok";
}
