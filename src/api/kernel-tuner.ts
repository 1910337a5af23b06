/** What definitions ask of a tuner: made by `createTuner` of tc-wgsl/tune, which no program carries that has none. */
import type { Runtime } from "../runtime/runtime.ts";
import type { Mapping } from "../support/mapping-file.ts";

/** A definition that is called, at some sizes. */
export interface CalledDefinition {
  readonly source: string;
  readonly def: string;
  readonly sizes: Readonly<Record<string, number>>;
}

/** Where it runs. */
export type CalledRuntime = Pick<Runtime, "device" | "profile" | "adapter">;

/** Finds options of definitions while they are called. Its methods never reject. */
export interface KernelTuner {
  /** The best options that are known for it and did not fail, without launching anything; null for the default. */
  known(runtime: CalledRuntime, called: CalledDefinition): Promise<Mapping | null>;
  /** After its first call: looks for faster options, on data of the tuner's own, and calls `use` with what it finds. */
  improve(
    runtime: CalledRuntime,
    called: CalledDefinition,
    use: (options: Mapping) => Promise<void>,
  ): Promise<void>;
  /** Options that were given do not run here: they are not given again. */
  failed(runtime: CalledRuntime, called: CalledDefinition, options: Mapping, why: string): void;
}
