/** The compilations of one definition on one device, by sizes and layouts. */
import type { Plan, PlanBuffer } from "../codegen/plan.ts";
import { type CompileRequest, compile, lowerSource } from "../compile.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Decision, Options, Repair } from "../ir/decisions.ts";
import type { LoadedPlan } from "../runtime/load-plan.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import { didYouMean } from "../support/edit-distance.ts";
import { type CallLayouts, callerBuffers, denseCall } from "./call-layouts.ts";
import type { CompilerWorker } from "./compiler-worker.ts";
import { TcError } from "./tc-error.ts";

/** What is compiled, and how. */
export interface CompilationSource {
  readonly source: string;
  readonly file?: string | undefined;
  /** The definition. */
  readonly name: string;
  readonly options?: "default" | "naive" | Options | undefined;
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

export interface Compilations {
  /** Compiles unless that was done before. */
  get(sizes: Sizes, layouts: CallLayouts): Promise<LoadedPlan>;
  /** What is compiled and loaded already. */
  find(sizes: Sizes, layouts: CallLayouts): LoadedPlan | undefined;
  /** The tensors of the definition; throws TcError where the source does not fit the sizes. */
  tensors(sizes: Sizes): readonly PlanBuffer[];
  /** All that is loaded, in the order in which it was asked for. */
  all(): readonly Compilation[];
  /** Gives the memory of all back and forgets them. */
  dispose(): void;
}

interface Loaded {
  readonly compilation: Compilation;
  readonly plan: LoadedPlan;
}

/** A compilation under way; `loaded` once it is there. */
interface Entry {
  readonly loading: Promise<Loaded>;
  loaded: Loaded | null;
}

/** No compilations yet. `get` rejects with TcError, or with RuntimeFault `argument` for options. */
export function createCompilations(runtime: Runtime, source: CompilationSource): Compilations {
  const known = new Map<string, Entry>();
  const signatures = new Map<string, readonly PlanBuffer[]>();
  const keyOf = (sizes: Sizes, { layouts, shared, padded }: CallLayouts): string =>
    JSON.stringify([...sizes, Object.entries(layouts), shared, padded]);
  const loadedFor = (sizes: Sizes, layouts: CallLayouts): Loaded | null =>
    known.get(keyOf(sizes, layouts))?.loaded ?? null;
  /** Memory without padding will do, too, for a plan that touches none. */
  const loadFor = async (sizes: Sizes, layouts: CallLayouts): Promise<Loaded> => {
    const padded = { ...layouts, padded: true };
    const known = loadedFor(sizes, padded)?.compilation;
    const compilation = known ?? (await compileFor(runtime, source, sizes, padded));
    if (layouts.padded) return await load(runtime, compilation);
    if (!touchesPadding(compilation.plan)) return await entryOf(sizes, padded).loading;
    return await load(runtime, await compileFor(runtime, source, sizes, layouts));
  };
  const entryOf = (sizes: Sizes, layouts: CallLayouts): Entry =>
    known.get(keyOf(sizes, layouts)) ?? start(sizes, layouts);
  const start = (sizes: Sizes, layouts: CallLayouts): Entry => {
    const key = keyOf(sizes, layouts);
    const entry: Entry = { loading: loadFor(sizes, layouts), loaded: null };
    known.set(key, entry);
    entry.loading.then(
      (loaded) => {
        if (known.get(key) === entry) entry.loaded = loaded;
        else loaded.plan.dispose();
      },
      () => {
        if (known.get(key) === entry) known.delete(key);
      },
    );
    return entry;
  };
  return {
    get: async (sizes, layouts) => (await entryOf(sizes, layouts).loading).plan,
    find: (sizes, layouts) => {
      const found = loadedFor(sizes, layouts);
      const padded = found ?? loadedFor(sizes, { ...layouts, padded: true });
      const fits = found !== null || (padded !== null && !touchesPadding(padded.compilation.plan));
      return fits ? padded?.plan : undefined;
    },
    tensors: (sizes) => {
      const key = keyOf(sizes, denseCall);
      const found = signatures.get(key) ?? signatureFor(source, sizes);
      signatures.set(key, found);
      return found;
    },
    all: () => loadedOf(known.values()).map(({ compilation }) => compilation),
    dispose: () => {
      for (const { plan } of loadedOf(known.values())) plan.dispose();
      known.clear();
      signatures.clear();
    },
  };
}

function signatureFor(
  { source, file, name }: CompilationSource,
  sizes: Sizes,
): readonly PlanBuffer[] {
  const lowered = lowerSource(source, { def: name, sizes: Object.fromEntries(sizes) });
  if (!lowered.ok) throw new TcError(lowered.diagnostics, source, file);
  return callerBuffers(lowered.program);
}

/** What is loaded, once: calls of several kinds may have one compilation. */
function loadedOf(entries: Iterable<Entry>): readonly Loaded[] {
  return [...new Set([...entries].flatMap(({ loaded }) => loaded ?? []))];
}

/** Whether kernels take more of a caller's tensor than its elements. */
function touchesPadding({ buffers }: Plan): boolean {
  return buffers.some(({ role, bytes }) => role !== "temporary" && bytes !== undefined);
}

async function compileFor(
  runtime: Runtime,
  { source, file, name, options, worker }: CompilationSource,
  sizes: Sizes,
  { layouts, shared, padded }: CallLayouts,
): Promise<Compilation> {
  const request: CompileRequest = {
    def: name,
    sizes: Object.fromEntries(sizes),
    profile: runtime.profile,
    layouts,
    shared,
    padded,
    ...(options === undefined ? {} : { options }),
  };
  const compiled =
    worker === undefined ? compile(source, request) : await worker.compile(source, request);
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

async function load(runtime: Runtime, compilation: Compilation): Promise<Loaded> {
  return { compilation, plan: await runtime.load(compilation.plan) };
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
