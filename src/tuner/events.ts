/** What a tuning run tells while it runs; the last event is `done`. The same in Node, browsers and `--json`. */
import type { Mapping } from "../support/mapping-file.ts";
import type { BenchClock, Refusal } from "./bench.ts";

/** How much a tuning run may spend: see {@link efforts}. */
export type Effort = "refine" | "quick" | "normal" | "full";

/** Candidates and milliseconds, whichever comes first; compile time counts. */
export const efforts: Readonly<
  Record<Effort, { readonly candidates: number; readonly ms: number }>
> = {
  refine: { candidates: 5, ms: 1_000 },
  quick: { candidates: 24, ms: 5_000 },
  normal: { candidates: 120, ms: 30_000 },
  full: { candidates: 600, ms: 300_000 },
};

/** Samples of a candidate, summed up; microseconds. */
export interface Figures {
  /** The median. */
  readonly us: number;
  /** The median of the absolute deviations from it. */
  readonly mad: number;
  readonly mean: number;
  readonly variance: number;
  readonly min: number;
  readonly max: number;
  readonly n: number;
  /** All samples, in the order in which they were taken. */
  readonly samples: readonly number[];
}

/** Where an answer comes from. */
export type AnswerSource =
  | { readonly kind: "tuned" }
  | { readonly kind: "default" }
  | { readonly kind: "exact" }
  | { readonly kind: "neighbour"; readonly distance: number }
  | { readonly kind: "given" };

export type TuneEvent =
  | {
      readonly type: "start";
      readonly def: string;
      readonly sizes: Readonly<Record<string, number>>;
      readonly effort: Effort;
      readonly budget: { readonly candidates: number; readonly ms: number };
      readonly seed: number;
      readonly clock: BenchClock;
      readonly adapter: string;
    }
  /** A candidate became something: `i` counts from 0, the default. */
  | {
      readonly type: "candidate";
      readonly def: string;
      readonly i: number;
      readonly id: string;
      readonly options: Mapping;
      readonly alternative: string | null;
      /** What it was made from: a seed, a random pick, or a step from candidate `parent`. */
      readonly from: { readonly kind: string; readonly parent?: number };
      readonly status: "ok" | "vetoed" | Refusal["kind"];
      readonly why?: string;
      /** Rough microseconds, where it ran. */
      readonly us?: number;
      readonly estimateUs: number | null;
      /** Milliseconds since the start. */
      readonly atMs: number;
    }
  /** A better one: after a comparison in turns, never from a single sample. */
  | {
      readonly type: "best";
      readonly def: string;
      readonly i: number;
      /** On the scale of the run, on which `defaultUs` is the same in all events: less in each, and never more than that. */
      readonly us: number;
      readonly defaultUs: number;
      readonly options: Mapping;
      readonly atMs: number;
    }
  | {
      readonly type: "progress";
      readonly def: string;
      readonly phase: "compile" | "measure" | "duel";
      readonly tried: number;
      readonly of: number;
      readonly elapsedMs: number;
      /** Estimated milliseconds until the end. */
      readonly leftMs: number;
    }
  /** Something that a person should know: a lost device, a file that cannot be written. */
  | { readonly type: "note"; readonly def: string; readonly text: string }
  | { readonly type: "done"; readonly def: string; readonly result: TuneResult };

/** What a tuning run found. */
export interface TuneResult {
  readonly def: string;
  readonly sizes: Readonly<Record<string, number>>;
  /** The winner of the final duel, complete. */
  readonly options: Mapping;
  readonly alternative: string | null;
  readonly source: AnswerSource;
  /** Null where nothing was launched, or the default does not run. */
  readonly default: Figures | null;
  readonly tuned: Figures | null;
  /**
   * The winner's time over the default's: the median over the rounds of the duel, in each of which both took turns. Null
   * where `default` is.
   */
  readonly ratio: number | null;
  /** False if it was ended before its duel: by a signal, a deadline or three losses in a row. */
  readonly complete: boolean;
  /** Whether the winner passed the gates at all awkward sizes, too: only then it may be an answer at others. */
  readonly swept: boolean;
  readonly why: "budget" | "exhausted" | "aborted" | "lost" | "known";
  readonly counts: Readonly<Record<"ok" | "vetoed" | Refusal["kind"], number>>;
  readonly elapsedMs: number;
}
