/** One definition, compiled for one device, some sizes and layouts. */
import type { Plan, PlanBuffer } from "../codegen/plan.ts";
import { type CompileRequest, compile, lowerSource } from "../compile.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Repair } from "../ir/mapping/map-program.ts";
import { knobWords } from "../ir/mapping/mapping.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import { didYouMean } from "../support/edit-distance.ts";
import type { Mapping, PolicyName } from "../support/mapping-file.ts";
import { type CallLayouts, callerBuffers } from "./call-layouts.ts";
import type { CompilerWorker } from "./compiler-worker.ts";
import type { KernelTuner } from "./kernel-tuner.ts";
import { TcError } from "./tc-error.ts";

/** What is compiled, and how. */
export interface CompilationSource {
  readonly source: string;
  readonly file?: string | undefined;
  /** The definition. */
  readonly name: string;
  readonly options?: PolicyName | Mapping | undefined;
  /** Temporaries that are outputs, too. */
  readonly temporaries?: readonly string[] | undefined;
  /** Who compiles; without one, the caller's thread does. */
  readonly worker?: Pick<CompilerWorker, "compile"> | undefined;
  /** Who knows options where none are given. */
  readonly tuner?: KernelTuner | undefined;
}

/** What a definition was compiled to, for some sizes. */
export interface Compilation {
  readonly sizes: Readonly<Record<string, number>>;
  /** How those of its tensors lie in memory that are views; see `compile`. */
  readonly layouts: CallLayouts["layouts"];
  /** Tensors that lie in one buffer, of which one is written. */
  readonly shared: CallLayouts["shared"];
  /** Whether it is for memory that goes on to a multiple of 16 bytes; see `compile`. */
  readonly padded: boolean;
  readonly plan: Plan;
  /** The answers that differ from the default of this device. */
  readonly options: Mapping;
  /** Answers of the given options that were not legal here, and what stands for them. */
  readonly repairs: readonly Repair[];
  /** Paths of the given options that no decision has here, as after tuning for other sizes. */
  readonly unusedChoices: readonly string[];
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Values by the names of sizes, in the order in which they occur. */
export type Sizes = ReadonlyMap<string, number>;

/**
 * The tensors of a definition, for some sizes.
 * @throws TcError where the source does not fit the sizes.
 */
export function signatureFor(
  { source, file, name, temporaries = [] }: CompilationSource,
  sizes: Sizes,
): readonly PlanBuffer[] {
  const request = { def: name, sizes: Object.fromEntries(sizes), temporaries };
  const lowered = lowerSource(source, request);
  if (!lowered.ok) throw new TcError(lowered.diagnostics, source, file);
  return callerBuffers(lowered.program);
}

/**
 * Compiles, in the worker if there is one, until the signal is aborted. Rejects with TcError, and with
 * RuntimeFault `argument` for options that are misspelt.
 */
export async function compileFor(
  runtime: Runtime,
  { source, file, name, options, temporaries, worker }: CompilationSource,
  sizes: Sizes,
  { layouts, shared, padded }: CallLayouts,
  signal: AbortSignal,
): Promise<Compilation> {
  const request: CompileRequest = {
    def: name,
    sizes: Object.fromEntries(sizes),
    profile: runtime.profile,
    layouts,
    shared,
    padded,
    ...(options === undefined ? {} : { options }),
    ...(temporaries === undefined ? {} : { temporaries }),
  };
  const compiled =
    worker === undefined
      ? compile(source, request)
      : await worker.compile(source, { ...request, signal });
  if (!compiled.ok) throw new TcError(compiled.diagnostics, source, file);
  const { plan, repairs, unusedChoices, diagnostics } = compiled;
  refuseMisspelt(unusedChoices);
  return {
    sizes: compiled.sizes,
    layouts,
    shared,
    padded,
    plan,
    options: compiled.options,
    repairs,
    unusedChoices,
    diagnostics,
  };
}

/** What a path is about: its last word that is no number, nor a name of the program. */
function lastWord(path: string): string {
  const words = path.split("/").filter((word) => !/^\d+$/.test(word));
  const parent = words.at(-2);
  return parent === "places" || parent === "joins" ? parent : (words.at(-1) ?? "");
}

/**
 * Options that were found for other sizes may say what is not asked here: a word that no mapping has, but for a
 * slip of the pen, is refused.
 */
function refuseMisspelt(unused: readonly string[]): void {
  for (const path of unused) {
    const word = lastWord(path);
    if (knobWords.has(word) || /^[prt]\d+$|^read\d+$/.test(word)) continue;
    const meant = didYouMean(word, knobWords);
    if (meant === undefined) continue;
    throw new RuntimeFault(
      "argument",
      `options: there is no "${word}" in "${path}"; did you mean "${meant}"?`,
    );
  }
}
