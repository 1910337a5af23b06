/** The compilations of one definition on one device, by sizes and layouts: the latest, and no more. */
import type { Plan, PlanBuffer } from "../codegen/plan.ts";
import type { LoadedPlan } from "../runtime/load-plan.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Mapping } from "../support/mapping-file.ts";
import { abortable } from "./abortable.ts";
import { type CallLayouts, denseCall } from "./call-layouts.ts";
import {
  type Compilation,
  type CompilationSource,
  compileFor,
  type Sizes,
  signatureFor,
} from "./compile-for-device.ts";
import type { CalledDefinition } from "./kernel-tuner.ts";

/** Which compilations a definition keeps. */
interface Kept extends CompilationSource {
  /** How many are kept that no call needs now. */
  readonly keep: number;
}

/** How many compilations a definition has, and had. */
export interface CompilationStatistics {
  /** Those that are kept: at most `keep`, and those that calls under way need. */
  readonly kept: number;
  readonly keep: number;
  /** Since the start: compilations that were made, the same one again after it was dropped too. */
  readonly compiled: number;
  /** Since the start: compilations that were dropped for others. */
  readonly dropped: number;
}

export interface Compilations {
  /**
   * Compiles unless that was done before, and calls `act` with the plan, which lives at least until
   * that is over. Rejects with the reason of the signal if that is aborted before `act` is called: a
   * compilation in a thread that nobody waits for is given up.
   */
  use<T>(
    sizes: Sizes,
    layouts: CallLayouts,
    signal: AbortSignal | undefined,
    act: (plan: LoadedPlan) => Promise<T>,
  ): Promise<T>;
  /** What is compiled and loaded already. */
  find(sizes: Sizes, layouts: CallLayouts): LoadedPlan | undefined;
  /** The tensors of the definition; throws TcError where the source does not fit the sizes. */
  tensors(sizes: Sizes): readonly PlanBuffer[];
  /** All that is loaded, the least recently used first. */
  all(): readonly Compilation[];
  statistics(): CompilationStatistics;
  /** Gives the memory of all back and forgets them. */
  dispose(): void;
}

/** A compilation, which may be under way. */
interface Entry {
  readonly sizes: Sizes;
  readonly layouts: CallLayouts;
  readonly key: string;
  readonly compilation: Promise<Compilation>;
  /** Ends the compilation where that is done in a thread; null once it is there. */
  giveUp: AbortController | null;
  /** Undefined until somebody wants to run it. */
  loading: Promise<LoadedPlan> | undefined;
  loaded: { readonly compilation: Compilation; readonly plan: LoadedPlan } | null;
  /** Calls that wait for it or run it. */
  users: number;
  /** The options that the tuner gave it; null for none. */
  tuned: Mapping | null;
  /** Whether the tuner is to look for better ones. */
  isToImprove: boolean;
  /** Whether it was encoded into a pass of the caller's, which may not be submitted yet. */
  isEncoded: boolean;
}

interface State {
  readonly runtime: Runtime;
  readonly source: Kept;
  /** By sizes and layouts, the least recently used first. */
  readonly known: Map<string, Entry>;
  readonly signatures: Map<string, readonly PlanBuffer[]>;
  /** Those that others took the place of, and that callers may have encoded. */
  readonly replaced: Entry[];
  compiled: number;
  dropped: number;
}

/** No compilations yet. `use` rejects with TcError, or with RuntimeFault `argument` for options. */
export function createCompilations(runtime: Runtime, source: Kept): Compilations {
  const { keep } = source;
  const [known, signatures] = [new Map<string, Entry>(), new Map<string, readonly PlanBuffer[]>()];
  const state: State = {
    runtime,
    source,
    known,
    signatures,
    replaced: [],
    compiled: 0,
    dropped: 0,
  };
  return {
    use: async (sizes, layouts, signal, act) => {
      // Memory without padding will do, too, for a plan that touches none.
      const padded = entryOf(state, sizes, { ...layouts, padded: true });
      return await using(state, padded, async () => {
        const { plan } = await abortable(padded.compilation, signal);
        if (layouts.padded || !touchesPadding(plan)) {
          return await act(await abortable(load(state, padded), signal));
        }
        const exact = entryOf(state, sizes, layouts);
        return await using(state, exact, async () => {
          await abortable(exact.compilation, signal);
          return await act(await abortable(load(state, exact), signal));
        });
      });
    },
    find: (sizes, layouts) => {
      const own = loadedFor(state, sizes, layouts);
      if (own !== null || layouts.padded) return own?.plan;
      const padded = loadedFor(state, sizes, { ...layouts, padded: true });
      return padded === null || touchesPadding(padded.compilation.plan) ? undefined : padded.plan;
    },
    tensors: (sizes) => {
      const key = keyOf(sizes, denseCall);
      const found = signatures.get(key) ?? signatureFor(source, sizes);
      renew(signatures, key, found);
      for (const oldest of signatures.keys()) {
        if (signatures.size > keep) signatures.delete(oldest);
      }
      return found;
    },
    all: () => loadedOf(state).map(({ compilation }) => compilation),
    statistics: () => {
      const { compiled, dropped } = state;
      return { kept: loadedOf(state).length, keep, compiled, dropped };
    },
    dispose: () => {
      for (const { plan } of loadedOf(state)) plan.dispose();
      for (const { loaded } of state.replaced.splice(0)) loaded?.plan.dispose();
      known.clear();
      signatures.clear();
    },
  };
}

function keyOf(sizes: Sizes, { layouts, shared, padded }: CallLayouts): string {
  return JSON.stringify([...sizes, Object.entries(layouts), shared, padded]);
}

function loadedOf({ known }: State): readonly NonNullable<Entry["loaded"]>[] {
  return [...known.values()].flatMap(({ loaded }) => loaded ?? []);
}

/** Puts an entry behind all others of a map. */
function renew<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key);
  map.set(key, value);
}

function loadedFor({ known }: State, sizes: Sizes, layouts: CallLayouts): Entry["loaded"] {
  const entry = known.get(keyOf(sizes, layouts));
  if (entry === undefined) return null;
  renew(known, entry.key, entry);
  entry.isEncoded = true;
  return entry.loaded;
}

/** Whether the tuner has a say in it: it measures dense tensors, and what the definition returns. */
function isTunable({ source }: State, { layouts, shared, padded }: CallLayouts): boolean {
  const { tuner, options, temporaries = [] } = source;
  const isDense = Object.keys(layouts).length === 0 && shared.length === 0 && padded;
  return tuner !== undefined && options === undefined && temporaries.length === 0 && isDense;
}

function newEntry(state: State, sizes: Sizes, layouts: CallLayouts): Entry {
  const { runtime, source } = state;
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const isToImprove = isTunable(state, layouts);
  const entry: Entry = {
    sizes,
    layouts,
    key: keyOf(sizes, layouts),
    compilation: isToImprove
      ? Promise.resolve().then(() => compileKnown(state, entry, signal))
      : compileFor(runtime, source, sizes, layouts, signal),
    giveUp,
    loading: undefined,
    loaded: null,
    users: 0,
    tuned: null,
    isToImprove,
    isEncoded: false,
  };
  return entry;
}

/** What the tuner is asked about. */
function calledOf({ source: { source, name } }: State, { sizes }: Entry): CalledDefinition {
  return { source, def: name, sizes: Object.fromEntries(sizes) };
}

/** Compiles with what the tuner knows. */
async function compileKnown(state: State, entry: Entry, signal: AbortSignal): Promise<Compilation> {
  const { runtime, source } = state;
  const options = (await source.tuner?.known(runtime, calledOf(state, entry))) ?? null;
  entry.tuned = options;
  const given = options === null ? source : { ...source, options };
  return await compileFor(runtime, given, entry.sizes, entry.layouts, signal);
}

/** After the first call: has the tuner look for better options. */
function beginImproving(state: State, entry: Entry): void {
  if (!entry.isToImprove || entry.loaded === null) return;
  entry.isToImprove = false;
  void state.source.tuner?.improve(state.runtime, calledOf(state, entry), (options) =>
    replace(state, entry, options),
  );
}

/** Puts a compilation with other options in the place of one, which calls that are under way still end with. */
async function replace(state: State, entry: Entry, options: Mapping): Promise<void> {
  const { runtime, source, known, replaced } = state;
  const { signal } = new AbortController();
  const given = { ...source, options };
  const compilation = await compileFor(runtime, given, entry.sizes, entry.layouts, signal);
  const plan = await runtime.load(compilation.plan);
  if (known.get(entry.key) !== entry) {
    plan.dispose();
    return;
  }
  const loaded = { compilation, plan };
  const loading = Promise.resolve(plan);
  known.set(entry.key, {
    ...entry,
    ...{ compilation: Promise.resolve(compilation), loading, loaded, users: 0, tuned: options },
    ...{ isToImprove: false, isEncoded: false },
  });
  state.compiled += 1;
  replaced.push(entry);
  dropReplaced(state);
}

/** Frees what was replaced and nobody uses; what callers may have encoded stays until all is disposed of. */
function dropReplaced({ replaced }: State): void {
  for (const entry of [...replaced]) {
    if (entry.users > 0 || entry.isEncoded) continue;
    replaced.splice(replaced.indexOf(entry), 1);
    entry.loaded?.plan.dispose();
  }
}

/** What is compiled for these sizes, or begins to be. */
function entryOf(state: State, sizes: Sizes, layouts: CallLayouts): Entry {
  const { known } = state;
  const key = keyOf(sizes, layouts);
  const found = known.get(key);
  if (found !== undefined) {
    renew(known, key, found);
    return found;
  }
  const entry = newEntry(state, sizes, layouts);
  known.set(key, entry);
  state.compiled += 1;
  entry.compilation.then(
    () => {
      entry.giveUp = null;
    },
    () => forget(state, entry),
  );
  return entry;
}

function forget({ known }: State, entry: Entry): void {
  if (known.get(entry.key) === entry) known.delete(entry.key);
}

/** Keeps an entry while `act` runs; after that those are dropped that are too many. */
async function using<T>(state: State, entry: Entry, act: () => Promise<T>): Promise<T> {
  entry.users += 1;
  try {
    return await act();
  } finally {
    entry.users -= 1;
    if (entry.users === 0 && entry.giveUp !== null && state.source.worker !== undefined) {
      forget(state, entry);
      entry.giveUp.abort();
    }
    dropReplaced(state);
    dropOldest(state);
    beginImproving(state, entry);
  }
}

function dropOldest(state: State): void {
  const { known, source } = state;
  for (const entry of known.values()) {
    if (known.size <= source.keep) return;
    const idle = entry.users === 0 && (entry.loading === undefined || entry.loaded !== null);
    if (!idle) continue;
    known.delete(entry.key);
    state.dropped += 1;
    entry.loaded?.plan.dispose();
  }
}

/** Compiles the pipelines of an entry, once. */
async function load(state: State, entry: Entry): Promise<LoadedPlan> {
  entry.loading ??= loadEntry(state, entry);
  return await entry.loading;
}

async function loadEntry(state: State, entry: Entry): Promise<LoadedPlan> {
  try {
    const compilation = await entry.compilation;
    entry.loaded = await loadOrDefault(state, entry, compilation);
    const { plan } = entry.loaded;
    // What was disposed of in the meantime is nobody's any more.
    if (state.known.get(entry.key) !== entry) plan.dispose();
    return plan;
  } catch (error) {
    forget(state, entry);
    throw error;
  }
}

/** Loads a compilation; where options of the tuner do not run here, with the next ones that it knows, then by default. */
async function loadOrDefault(
  state: State,
  entry: Entry,
  compilation: Compilation,
): Promise<NonNullable<Entry["loaded"]>> {
  const { runtime, source } = state;
  const { signal } = new AbortController();
  for (let tried = compilation; ; tried = await compileKnown(state, entry, signal)) {
    try {
      return { compilation: tried, plan: await runtime.load(tried.plan) };
    } catch (error) {
      if (entry.tuned === null) throw error;
      const why = error instanceof Error ? error.message : String(error);
      source.tuner?.failed(runtime, calledOf(state, entry), entry.tuned, why);
      entry.isToImprove = false;
    }
  }
}

/** Whether kernels take more of a caller's tensor than its elements. */
function touchesPadding({ buffers }: Plan): boolean {
  return buffers.some(({ role, bytes }) => role !== "temporary" && bytes !== undefined);
}
