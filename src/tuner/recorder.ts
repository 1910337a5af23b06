/**
 * Purpose: writes what a tuning run finds to a store while it runs.
 *
 * Ensures: a `trying` record is kept before a candidate's first launch, and its outcome after it, so that a kill at any
 * moment loses at most the candidate in flight; what was given up without a crash is told apart from that. A store that
 * cannot be written rejects the hook, which the run tells in a note, and goes on.
 */
import type { Choices, Mapping } from "../support/mapping-file.ts";
import type { Refusal } from "./bench.ts";
import type { Candidate, CandidateKernel, Content, Planner } from "./candidate.ts";
import type { Effort, Figures, TuneResult } from "./events.ts";
import { canonicalChoices } from "./kernel-choices.ts";
import { printRecord } from "./record.ts";
import type { Measured, TuningHooks } from "./session.ts";
import type { Store, StoredDevice, StoredFigures, TuningRecord } from "./store.ts";

/** Whose run is recorded, and where. */
export interface RecorderOptions {
  readonly store: Store;
  readonly planner: Pick<Planner, "content" | "canonical">;
  readonly device: StoredDevice;
  /** Of the code generator. */
  readonly generator: string;
  readonly effort: Effort;
  /** Of a candidate's mapping as it is kept: see `TuningRecord`; without it records have none. */
  readonly seal?: (mapping: Mapping, alternative: string | null) => string | null;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** Records one run. */
export interface Recorder {
  readonly hooks: TuningHooks;
  /**
   * Records the winner of the final duel: the answer from now on, at other sizes too if it passed the gates there.
   * Nothing is recorded of a run that ended before its duel.
   */
  won(result: TuneResult): Promise<void>;
  /** At the end of a run, whatever ended it: what is still being tried was given up. */
  close(): Promise<void>;
  /** All records so far, also those that could not be kept. */
  records(): readonly TuningRecord[];
}

type Outcome = TuningRecord["outcome"];

/** A candidate or one of its kernels, for records. */
interface Subject {
  readonly content: Content;
  readonly choices: Choices;
  readonly text: string;
  readonly alternative: string | null;
  readonly seal: string | null;
}

interface State {
  readonly options: RecorderOptions;
  readonly written: TuningRecord[];
  /** What is being tried, by id of the candidate. */
  readonly pending: Map<string, readonly Subject[]>;
  /** Texts of kernels that ran. */
  readonly sound: Set<string>;
  /** By the mapping itself: results have that of their candidate. */
  readonly measured: Map<unknown, Measured>;
}

function whole({ planner, seal }: RecorderOptions, candidate: Candidate): Subject {
  const { id, mapping, alternative } = candidate;
  const own = alternative === null ? planner.canonical(mapping) : mapping;
  const { structure = {}, kernels = {} } = own;
  return {
    content: planner.content,
    choices: { structure, kernels },
    text: id,
    alternative,
    seal: seal?.(own, alternative) ?? null,
  };
}

function part({ mapping, alternative }: Candidate, kernel: CandidateKernel): Subject {
  const { key, extents, types, alignment, text } = kernel;
  const content = { key, extents, types, alignment };
  return { content, choices: canonicalChoices(mapping, kernel), text, alternative, seal: null };
}

/** The whole candidate, and the one kernel that is to blame if it does not come back. */
function blamed({ options, sound }: State, candidate: Candidate): readonly Subject[] {
  const unknown = candidate.kernels.filter(({ text }) => !sound.has(text));
  const [only, ...others] = unknown;
  const kernel = only === undefined || others.length > 0 ? [] : [part(candidate, only)];
  return [whole(options, candidate), ...kernel];
}

function recordOf({ options }: State, subject: Subject, outcome: Outcome): TuningRecord {
  const { device, generator, effort, now } = options;
  const { content, choices, text, alternative, seal } = subject;
  const { key: kernel, extents: sizes, types, alignment } = content;
  const isWhole = content === options.planner.content;
  return {
    schema: 1,
    key: { kernel, sizes, types, alignment, device, generator },
    choices,
    ...(isWhole && alternative !== null ? { alternative } : {}),
    ...(seal === null ? {} : { seal }),
    text,
    outcome,
    effort,
    at: Math.floor(now()),
  };
}

async function write(
  state: State,
  subjects: readonly (readonly [Subject, Outcome])[],
): Promise<void> {
  const records = subjects.map(([subject, outcome]) => recordOf(state, subject, outcome));
  state.written.push(...records);
  if (records.length > 0) await state.options.store.append(records.map(printRecord));
}

/** Figures without their samples. */
function summedUp({ us, mad, mean, variance, min, max, n }: Figures): StoredFigures {
  return { us, mad, mean, variance, min, max, n };
}

function okOf(figures: Figures, defaultUs: number | null, more: object) {
  return { kind: "ok", figures: summedUp(figures), defaultUs, ...more } as const;
}

/** What was measured of a candidate and of its kernels. */
function outcomesOf(
  { options }: State,
  { candidate, figures, kernels, default: first }: Measured,
  more: { readonly won?: true; readonly swept?: true },
): readonly (readonly [Subject, Outcome])[] {
  const own = candidate.kernels.flatMap((kernel): readonly (readonly [Subject, Outcome])[] => {
    const isOnly = candidate.kernels.length === 1;
    const found = kernels[kernel.name] ?? (isOnly ? figures : undefined);
    if (found === undefined) return [];
    const defaultUs = isOnly ? (first?.us ?? null) : null;
    return [[part(candidate, kernel), okOf(found, defaultUs, more)]];
  });
  const all = okOf(figures, first?.us ?? null, more);
  return [[whole(options, candidate), all], ...own];
}

async function refused(state: State, candidate: Candidate, refusal: Refusal): Promise<void> {
  const subjects = state.pending.get(candidate.id) ?? [whole(state.options, candidate)];
  state.pending.delete(candidate.id);
  await write(
    state,
    subjects.map((subject) => [subject, refusal] as const),
  );
}

/** What is known of a candidate before its first race. */
async function admitted(state: State, candidate: Candidate, us: number): Promise<void> {
  const rough = { us, mad: 0, mean: us, variance: 0, min: us, max: us, n: 1, samples: [us] };
  await measured(state, { candidate, figures: rough, kernels: {}, default: null });
}

async function measured(state: State, found: Measured): Promise<void> {
  const { candidate } = found;
  state.pending.delete(candidate.id);
  for (const { text } of candidate.kernels) state.sound.add(text);
  state.measured.set(candidate.mapping, found);
  await write(state, outcomesOf(state, found, {}));
}

/** Records a run of {@link runTuning}: its hooks are for the run's options. */
export function createRecorder(options: RecorderOptions): Recorder {
  const state: State = {
    options,
    written: [],
    pending: new Map(),
    sound: new Set(),
    measured: new Map(),
  };
  return {
    hooks: {
      trying: async (candidate) => {
        const subjects = blamed(state, candidate);
        state.pending.set(candidate.id, subjects);
        await write(
          state,
          subjects.map((subject) => [subject, { kind: "trying" }] as const),
        );
      },
      admitted: (candidate, roughUs) => admitted(state, candidate, roughUs),
      refused: (candidate, refusal) => refused(state, candidate, refusal),
      measured: (found) => measured(state, found),
    },
    won: async ({ options: mapping, tuned, default: first, complete, swept }) => {
      const found = state.measured.get(mapping);
      if (!complete || tuned === null || found === undefined) return;
      const more = { won: true, ...(swept ? { swept } : {}) } as const;
      const latest = { ...found, figures: tuned, default: first };
      await write(state, outcomesOf(state, latest, more));
    },
    close: async () => {
      const given = [...state.pending.values()].flat();
      state.pending.clear();
      await write(
        state,
        given.map((subject) => [subject, { kind: "unfinished" }] as const),
      );
    },
    records: () => state.written,
  };
}
