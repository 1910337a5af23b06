/** Tuning with a memory: what a store knows before, during and after a run. */
import { generatorVersion } from "../../codegen/generator.ts";
import { adapterText } from "../../runtime/device.ts";
import type { Store } from "../../support/line-store.ts";
import { answerOf, answersOf, knowledgeOf, type Question, startsOf } from "../../tuner/answer.ts";
import { contentId, type Database } from "../../tuner/database.ts";
import { type Effort, efforts, type TuneEvent, type TuneResult } from "../../tuner/events.ts";
import { type Opened, openDatabase } from "../../tuner/open-database.ts";
import { createRecorder } from "../../tuner/recorder.ts";
import type { ReuseLosses } from "../../tuner/report/report.ts";
import { reuseLosses } from "../../tuner/report/reuse-losses.ts";
import type { TuningHooks } from "../../tuner/session.ts";
import { type Asked, ask, type RememberedAnswer } from "./ask.ts";
import { type TunedRuntime, type TuneOptions, tune } from "./tune.ts";

export { generatorVersion, type RememberedAnswer };

/** A definition whose options are asked for. */
export interface AskedOptions extends Pick<TuneOptions, "def" | "sizes"> {
  /** Answers that are no use, or did not run: the next best ones that are known take their place. */
  readonly isRefused?: (answer: RememberedAnswer) => boolean;
}

/**
 * What a store answers for a definition on a device, without launching anything; null where it knows nothing near, or
 * what it knows is not legal here. Its notes are lines for people.
 * @throws like {@link tune}.
 */
export async function rememberedAnswer(
  runtime: TunedRuntime,
  source: string,
  { isRefused = () => false, ...options }: AskedOptions,
  store: Store,
): Promise<{ readonly answer: RememberedAnswer | null; readonly notes: readonly string[] }> {
  const asked = ask(runtime, source, options);
  const { database, notes } = await openDatabase(store);
  for (const known of answersOf(database, asked.question)) {
    const answer = asked.answered(known);
    if (answer !== null && !isRefused(answer)) return { answer, notes };
  }
  return { answer: null, notes };
}

/**
 * What options of one size lose at others, as far as a store knows it of a definition on a device; null where it was not
 * tuned at two sizes.
 */
export async function rememberedLosses(
  runtime: TunedRuntime,
  source: string,
  options: Pick<TuneOptions, "def" | "sizes">,
  store: Store,
): Promise<ReuseLosses | null> {
  const { question } = ask(runtime, source, options);
  const { database } = await openDatabase(store);
  const { content, device, generator } = question;
  const { key: kernel, types, alignment } = content;
  const known = database.contents.get(contentId({ kernel, types, alignment, device, generator }));
  return known === undefined ? null : reuseLosses(known);
}

/** The events of a run that launches nothing. */
function* knownEvents(
  { task: { def = "", sizes } }: Asked,
  { adapter, effort, seed }: { adapter: string; effort: Effort; seed: number },
  { mapping, alternative, source }: RememberedAnswer,
): Generator<TuneEvent> {
  const clock = { kind: "replay", quantumNs: 0 } as const;
  yield { type: "start", def, sizes, effort, budget: efforts[effort], seed, clock, adapter };
  const counts = {
    ok: 0,
    vetoed: 0,
    invalid: 0,
    wrong: 0,
    timeout: 0,
    "out-of-memory": 0,
    lost: 0,
  };
  const result: TuneResult = {
    ...{ def, sizes, options: mapping, alternative, source, counts },
    ...{ default: null, tuned: null, ratio: null, complete: true, swept: false },
    ...{ why: "known", elapsedMs: 0 },
  };
  yield { type: "done", def, result };
}

/** The hooks of one after those of the other, whatever becomes of these. */
function bothHooks(first: TuningHooks, then: TuningHooks): TuningHooks {
  type Hook<A extends readonly unknown[]> = ((...args: A) => Promise<void> | void) | undefined;
  const both =
    <A extends readonly unknown[]>(one: Hook<A>, other: Hook<A>) =>
    async (...args: A): Promise<void> => {
      try {
        await one?.(...args);
      } finally {
        await other?.(...args);
      }
    };
  return {
    trying: both(first.trying, then.trying),
    admitted: both(first.admitted, then.admitted),
    refused: both(first.refused, then.refused),
    measured: both(first.measured, then.measured),
  };
}

/** What to tune where there is a store. */
export interface StoredTuneOptions extends TuneOptions {
  /** Searches although the store has an answer; false by default. */
  readonly again?: boolean;
}

/**
 * {@link tune} with a store: gives what it knows of as much effort, else starts from what it knows beside what is given,
 * and adds all that is found while it runs. A store that cannot be read or written is told in notes.
 */
export async function* tuneWithStore(
  runtime: TunedRuntime,
  source: string,
  { again = false, ...options }: StoredTuneOptions,
  store: Store,
): AsyncGenerator<TuneEvent> {
  const { effort = "quick", seed = 1 } = options;
  const asked = ask(runtime, source, { ...options, effort });
  const opened = await openDatabase(store);
  const answer = asked.answered(answerOf(opened.database, asked.question));
  if (!again && answer?.source.kind === "exact") {
    yield* knownEvents(asked, { adapter: adapterText(runtime.adapter), effort, seed }, answer);
    return;
  }
  const events = recorded(runtime, source, { ...options, effort, seed }, { asked, opened });
  yield* answer === null ? events : besideAnswer(events, answer);
}

/** Whether an event tells of the candidate that an answer is. */
function isOf(event: TuneEvent, { mapping, alternative }: RememberedAnswer): boolean {
  return (
    event.type === "candidate" &&
    event.alternative === alternative &&
    JSON.stringify(event.options) === JSON.stringify(mapping)
  );
}

/**
 * The events of a run, in whose result an answer by other sizes takes the place of a default that won since the run ended
 * before the answer was tried: of that nothing is known that was not known before.
 */
async function* besideAnswer(
  events: AsyncIterable<TuneEvent>,
  answer: RememberedAnswer,
): AsyncGenerator<TuneEvent> {
  let wasTried = false;
  for await (const event of events) {
    wasTried ||= isOf(event, answer);
    if (event.type !== "done" || wasTried || event.result.source.kind !== "default") {
      yield event;
      continue;
    }
    const text = "there was no time to try what was known before: that is the answer";
    yield { type: "note", def: event.def, text };
    const { mapping, alternative, source } = answer;
    const result: TuneResult = {
      ...event.result,
      ...{ options: mapping, alternative, source },
      ...{ default: null, tuned: null, ratio: null, complete: false, swept: false },
    };
    yield { ...event, result };
  }
}

/** What a caller gives, and what a database knows. */
function besideStored(
  { starts = [], skip, known }: TuneOptions,
  database: Database,
  question: Question,
): Pick<TuneOptions, "starts" | "skip" | "known"> {
  const stored = knowledgeOf(database, question.device, question.generator);
  return {
    starts: [...starts, ...startsOf(database, question)],
    skip: new Set([...stored.skip, ...(skip ?? [])]),
    known: new Map([...stored.known, ...(known ?? [])]),
  };
}

async function* recorded(
  runtime: TunedRuntime,
  source: string,
  options: TuneOptions & { readonly effort: Effort },
  { asked, opened }: { readonly asked: Asked; readonly opened: Opened },
): AsyncGenerator<TuneEvent> {
  const { planner, question, seal, task } = asked;
  const { def = "" } = task;
  const { device, generator } = question;
  const { effort } = options;
  const recorder = createRecorder({
    ...{ store: opened.store, planner: planner(), device, generator, effort, seal },
    now: () => Date.now() / 1000,
  });
  const run = tune(runtime, source, {
    ...options,
    ...besideStored(options, opened.database, question),
    hooks: bothHooks(recorder.hooks, options.hooks ?? {}),
  });
  try {
    for await (const event of run) {
      if (event.type === "done") {
        const why = await recorder.won(event.result).then(() => null, textOf);
        if (why !== null) yield { type: "note", def, text: why };
      }
      yield event;
      if (event.type === "start") {
        for (const text of opened.notes) yield { type: "note", def, text };
      }
    }
  } finally {
    // What cannot be written any more was told before.
    await recorder.close().catch(() => undefined);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
