/**
 * What is remembered of tuning: one record per candidate and kernel, appended and never changed. Stores hold lines
 * and know nothing of them; the database (database.ts) gives them their meaning.
 */
import type { Choices } from "../support/mapping-file.ts";
import type { Refusal } from "./bench.ts";
import type { Effort, Figures } from "./events.ts";

export type { Store } from "../support/line-store.ts";

/** The device that a record is about; all of it takes part in equality. */
export interface StoredDevice {
  /** Of all that kernels depend on: limits, features, subgroups. */
  readonly profile: string;
  readonly vendor: string;
  readonly architecture: string;
  /** For example `vulkan`. */
  readonly backend: string;
  readonly driver: string;
}

/** What a record is an answer to. */
export interface StoreKey {
  /** Content in canonical names, without sizes: of a kernel (`key:HASH`), or of a definition (`def:HASH`). */
  readonly kernel: string;
  /** Extents in the canonical order of the kernel's indices. */
  readonly sizes: readonly number[];
  readonly types: readonly string[];
  /** The greatest power of two, up to 16 bytes, that all rows begin at. */
  readonly alignment: number;
  readonly device: StoredDevice;
  /** The code generator's version: records of another one are seeds, no answers. */
  readonly generator: string;
}

/** Samples of a candidate, summed up. */
export type StoredFigures = Omit<Figures, "samples">;

/** What became of one candidate. */
export interface TuningRecord {
  readonly schema: 1;
  readonly key: StoreKey;
  /** Of a kernel its choices, of a definition `structure` and `kernels`: with canonical names. */
  readonly choices: Choices;
  /** Of a definition: the algorithm that the choices are for, see `Candidate`; left out for itself. */
  readonly alternative?: string;
  /** Of a definition: that planning gave these choices, and of which program; what is without one is planned again. */
  readonly seal?: string;
  /** Of its WGSL; of a definition its candidate's id. */
  readonly text: string;
  /** `trying` is written before the first launch: a crash leaves it, and the candidate is skipped from then on. */
  readonly outcome:
    | { readonly kind: "trying" }
    /** It was given up for reasons of its run: nothing is known of it. */
    | { readonly kind: "unfinished" }
    | {
        readonly kind: "ok";
        readonly figures: StoredFigures;
        /** The median of the default beside it; null where that does not run, or was not measured yet. */
        readonly defaultUs: number | null;
        /** It won the final duel of its run. */
        readonly won?: true;
        /** It passed the gates at other sizes, too: it may be an answer there. */
        readonly swept?: true;
      }
    | Refusal;
  readonly effort: Effort;
  /** Seconds since 1970. */
  readonly at: number;
}
