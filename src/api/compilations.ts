/** The compilations of one definition on one device, by sizes and layouts: the latest, and no more. */
import type { Plan, PlanBuffer } from "../codegen/plan.ts";
import type { LoadedPlan } from "../runtime/load-plan.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { abortable } from "./abortable.ts";
import { type CallLayouts, denseCall } from "./call-layouts.ts";
import {
  type Compilation,
  type CompilationSource,
  compileFor,
  type Sizes,
  signatureFor,
} from "./compile-for-device.ts";

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
  readonly key: string;
  readonly compilation: Promise<Compilation>;
  /** Ends the compilation where that is done in a thread; null once it is there. */
  giveUp: AbortController | null;
  /** Undefined until somebody wants to run it. */
  loading: Promise<LoadedPlan> | undefined;
  loaded: { readonly compilation: Compilation; readonly plan: LoadedPlan } | null;
  /** Calls that wait for it or run it. */
  users: number;
}

interface State {
  readonly runtime: Runtime;
  readonly source: Kept;
  /** By sizes and layouts, the least recently used first. */
  readonly known: Map<string, Entry>;
  readonly signatures: Map<string, readonly PlanBuffer[]>;
  compiled: number;
  dropped: number;
}

/** No compilations yet. `use` rejects with TcError, or with RuntimeFault `argument` for options. */
export function createCompilations(runtime: Runtime, source: Kept): Compilations {
  const { keep } = source;
  const [known, signatures] = [new Map<string, Entry>(), new Map<string, readonly PlanBuffer[]>()];
  const state: State = { runtime, source, known, signatures, compiled: 0, dropped: 0 };
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
  return entry.loaded;
}

/** What is compiled for these sizes, or begins to be. */
function entryOf(state: State, sizes: Sizes, layouts: CallLayouts): Entry {
  const { runtime, source, known } = state;
  const key = keyOf(sizes, layouts);
  const giveUp = new AbortController();
  const found = known.get(key);
  const entry: Entry = found ?? {
    key,
    compilation: compileFor(runtime, source, sizes, layouts, giveUp.signal),
    giveUp,
    loading: undefined,
    loaded: null,
    users: 0,
  };
  renew(known, key, entry);
  if (found !== undefined) return found;
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
    dropOldest(state);
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
    const plan = await state.runtime.load(compilation.plan);
    entry.loaded = { compilation, plan };
    // What was disposed of in the meantime is nobody's any more.
    if (state.known.get(entry.key) !== entry) plan.dispose();
    return plan;
  } catch (error) {
    forget(state, entry);
    throw error;
  }
}

/** Whether kernels take more of a caller's tensor than its elements. */
function touchesPadding({ buffers }: Plan): boolean {
  return buffers.some(({ role, bytes }) => role !== "temporary" && bytes !== undefined);
}
