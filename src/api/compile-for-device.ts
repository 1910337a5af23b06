/** One definition, compiled for one device, some sizes and layouts. */
import type { Plan, PlanBuffer } from "../codegen/plan.ts";
import { type CompileRequest, compile, lowerSource } from "../compile.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Decision, Options, Repair } from "../ir/decisions.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import { didYouMean } from "../support/edit-distance.ts";
import { type CallLayouts, callerBuffers } from "./call-layouts.ts";
import type { CompilerWorker } from "./compiler-worker.ts";
import { TcError } from "./tc-error.ts";

/** What is compiled, and how. */
export interface CompilationSource {
  readonly source: string;
  readonly file?: string | undefined;
  /** The definition. */
  readonly name: string;
  readonly options?: "default" | "naive" | Options | undefined;
  /** Temporaries that are outputs, too. */
  readonly temporaries?: readonly string[] | undefined;
  /** Who compiles; without one, the caller's thread does. */
  readonly worker?: Pick<CompilerWorker, "compile"> | undefined;
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
  readonly options: Options;
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
  const { plan, repairs, unusedChoices, diagnostics, decisions } = compiled;
  refuseMisspelt(unusedChoices, decisions);
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

/** What a decision is about: the last word of its path, without its number. */
function lastWord(path: string): string {
  return (path.split(".").at(-1) ?? "").replace(/\d+$/, "");
}

/** Whether a word is one of some, or may be a misspelt one. */
function isLikeOne(word: string, words: ReadonlySet<string>): boolean {
  return words.has(word) || didYouMean(word, words) !== undefined;
}

/**
 * Options that were found for other sizes may answer what is not asked here. A path that differs
 * from one that is asked in its words, and not in its numbers alone, is a slip of the pen.
 */
function refuseMisspelt(unused: readonly string[], decisions: readonly Decision[]): void {
  const roleOf = (path: string): string => path.replace(/\d+/g, "#");
  const roles = new Set(decisions.map((d) => roleOf(d.path)));
  const words = new Set(decisions.map((d) => lastWord(d.path)));
  for (const path of unused) {
    if (roles.has(roleOf(path)) || !isLikeOne(lastWord(path), words)) continue;
    const meant = didYouMean(
      path,
      decisions.map((d) => d.path),
    );
    if (meant === undefined) continue;
    throw new RuntimeFault(
      "argument",
      `options: no decision is called "${path}"; did you mean "${meant}"?`,
    );
  }
}
