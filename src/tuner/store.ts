/**
 * What is remembered of tuning: one record per candidate and kernel, appended and never changed. Stores hold lines
 * and know nothing of them; the database (database.ts) gives them their meaning.
 */
import type { Choices } from "../support/mapping-file.ts";
import type { Refusal } from "./bench.ts";
import type { Figures } from "./events.ts";

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
  /** Content in canonical names, without sizes: of a kernel, or of a whole definition (its structure). */
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

/** What became of one candidate. */
export interface TuningRecord {
  readonly schema: 1;
  readonly key: StoreKey;
  /** Its choices under `kernels/NAME`, or under `structure`, with canonical names. */
  readonly choices: Choices;
  /** Of its WGSL. */
  readonly text: string;
  /** `trying` is written before the first launch: a crash leaves it, and the candidate is skipped from then on. */
  readonly outcome:
    | { readonly kind: "trying" }
    | { readonly kind: "ok"; readonly figures: Figures; readonly defaultUs: number }
    | Refusal;
  readonly effort: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Lines that are kept. */
export interface Store {
  /** All lines, the oldest first. A store that cannot be read gives none, and tells `note` why. */
  read(): Promise<readonly string[]>;
  /** Appends lines, each whole or not at all. Rejects where they cannot be kept. */
  append(lines: readonly string[]): Promise<void>;
  /** Puts these lines in the place of all others, at once or not at all. */
  replace(lines: readonly string[]): Promise<void>;
  /** For messages: a path, or `memory`. */
  readonly name: string;
}
