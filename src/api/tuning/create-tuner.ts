/** Tuning at first use: definitions that are called are timed in the background, within what the caller allows. */
import { checkOptions, kindOf, type OptionNames } from "../../support/check-call-shape.ts";
import { memoryStore, type Store } from "../../support/line-store.ts";
import type { Mapping } from "../../support/mapping-file.ts";
import type { Bench } from "../../tuner/bench.ts";
import type { TuningTask } from "../../tuner/candidate.ts";
import { type Effort, efforts, type TuneResult } from "../../tuner/events.ts";
import type { CalledDefinition, CalledRuntime, KernelTuner } from "../kernel-tuner.ts";
import { type RememberedAnswer, rememberedAnswer, tuneWithStore } from "./remember.ts";

export interface TunerOptions {
  /** What is known, and where more of it goes; in memory by default. */
  readonly store?: Store;
  /** What may be spent on each definition and set of sizes: `refine` by default, 5 candidates and a second. */
  readonly effort?: Effort;
  /** Milliseconds, in the place of the effort's. 0: nothing is ever timed, what the store knows is used. */
  readonly budget?: number;
  /** Opens what measures; by default candidates run on the caller's device, in memory of their own. */
  readonly bench?: (runtime: CalledRuntime, task: TuningTask) => Promise<Bench>;
  /** Is told what people should know: files that cannot be written, definitions that could not be tuned. */
  readonly onNote?: (text: string) => void;
}

/** For the `tuner` of `define`. */
export interface Tuner extends KernelTuner {
  /** Resolves when nothing is being tuned. */
  settled(): Promise<void>;
}

const optionNames: OptionNames<TunerOptions> = {
  store: true,
  effort: true,
  budget: true,
  bench: true,
  onNote: true,
};

interface State {
  readonly options: TunerOptions;
  readonly store: Store;
  /** Options that did not run here, as text, by definition and sizes. */
  readonly failed: Map<string, Set<string>>;
  readonly told: Set<string>;
  /** One thing after the other: two runs at once would time each other. */
  last: Promise<unknown>;
}

function checkTuner(options: TunerOptions): void {
  checkOptions("createTuner", options, optionNames);
  const { effort, budget } = options;
  if (effort !== undefined && !Object.hasOwn(efforts, effort)) {
    const known = Object.keys(efforts).join(", ");
    throw new RangeError(`createTuner: \`effort\` is one of ${known}, got ${kindOf(effort)}`);
  }
  if (budget !== undefined && !(budget >= 0)) {
    throw new RangeError(`createTuner: \`budget\` is in milliseconds, got ${kindOf(budget)}`);
  }
}

/** A store that is read once: nobody else's lines are looked for while a program runs. */
function readOnce(store: Store): Store {
  let lines: Promise<readonly string[]> | null = null;
  const read = (): Promise<readonly string[]> => {
    lines ??= store.read();
    return lines;
  };
  return {
    ...store,
    read,
    append: async (more) => {
      const before = await read().catch(() => []);
      lines = Promise.resolve([...before, ...more]);
      await store.append(more);
    },
  };
}

function tell({ options, told }: State, text: string): void {
  if (told.has(text)) return;
  told.add(text);
  options.onNote?.(text);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function idOf({ source, def, sizes }: CalledDefinition): string {
  return JSON.stringify([source, def, Object.entries(sizes).sort()]);
}

/** What the store answers; algorithms that are other definitions are left to who calls them. */
async function known(
  state: State,
  runtime: CalledRuntime,
  called: CalledDefinition,
): Promise<{ readonly mapping: Mapping; readonly isExact: boolean } | null> {
  const { source, def, sizes } = called;
  const failed = state.failed.get(idOf(called));
  const isRefused = ({ mapping, alternative }: RememberedAnswer): boolean =>
    alternative !== null || failed?.has(JSON.stringify(mapping)) === true;
  const asked = { def, sizes, isRefused };
  const { answer, notes } = await rememberedAnswer(runtime, source, asked, state.store);
  for (const note of notes) tell(state, note);
  return answer && { mapping: answer.mapping, isExact: answer.source.kind === "exact" };
}

async function search(
  state: State,
  runtime: CalledRuntime,
  { source, def, sizes }: CalledDefinition,
): Promise<TuneResult | null> {
  const { options, store } = state;
  const { effort = "refine", budget } = options;
  const bench = await options.bench?.(runtime, { source, def, sizes });
  const own = {
    ...{ def, sizes, effort },
    ...(budget === undefined ? {} : { budget }),
    ...(bench === undefined ? {} : { bench }),
  };
  try {
    for await (const event of tuneWithStore(runtime, source, own, store)) {
      if (event.type === "note") tell(state, event.text);
      if (event.type === "done") return event.result;
    }
    return null;
  } finally {
    await bench?.close();
  }
}

async function improve(
  state: State,
  runtime: CalledRuntime,
  called: CalledDefinition,
  use: (options: Mapping) => Promise<void>,
): Promise<void> {
  if (state.options.budget === 0 || state.failed.has(idOf(called))) return;
  // What is known exactly was given to the first call.
  if ((await known(state, runtime, called))?.isExact === true) return;
  const result = await search(state, runtime, called);
  if (result?.source.kind !== "tuned") return;
  if (result.alternative === null) return await use(result.options);
  // What else was faster than the default is known by now.
  const other = await known(state, runtime, called);
  if (other?.isExact === true) await use(other.mapping);
}

/**
 * A tuner for `define(source, { tuner })`. The first call of a definition at new sizes runs as the store says, else by
 * default; after it a few candidates are timed on data of the tuner's own, and calls take the fastest from then on. With a
 * store that knows the sizes nothing is launched.
 * @throws TypeError and RangeError for options that are none.
 */
export function createTuner(options: TunerOptions = {}): Tuner {
  checkTuner(options);
  const store = readOnce(options.store ?? memoryStore());
  const state: State = {
    options,
    store,
    failed: new Map(),
    told: new Set(),
    last: Promise.resolve(),
  };
  const complain = ({ def }: CalledDefinition, error: unknown): null => {
    tell(state, `${def} is not tuned: ${textOf(error)}`);
    return null;
  };
  return {
    known: async (runtime, called) => {
      const found = await known(state, runtime, called).catch((e: unknown) => complain(called, e));
      return found?.mapping ?? null;
    },
    improve: (runtime, called, use) => {
      const done = state.last.then(async () => {
        await improve(state, runtime, called, use).catch((e: unknown) => complain(called, e));
      });
      state.last = done;
      return done;
    },
    failed: (_, called, mapping, why) => {
      const id = idOf(called);
      state.failed.set(id, new Set([...(state.failed.get(id) ?? []), JSON.stringify(mapping)]));
      tell(state, `options of ${called.def} do not run here: ${why}`);
    },
    settled: async () => {
      for (let last: unknown = null; last !== state.last; await state.last) last = state.last;
    },
  };
}
