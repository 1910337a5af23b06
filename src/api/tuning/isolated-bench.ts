/**
 * A bench whose device is elsewhere: in a process in Node, in a worker in browsers.
 *
 * What does not answer in time is ended, remembered and refused from then on; so is what the other side did not
 * survive, or lost its device over. Another process takes its place at once, where candidates that were admitted before
 * are compiled again when they are needed, without their gates. Before something is ended for want of an answer that
 * process is started, so that it has its device and its references by then.
 */
import { receivedError, type ThreadMessage } from "../../runtime/threads/messages.ts";
import type { OpenThread, Thread } from "../../runtime/threads/thread.ts";
import { invariant } from "../../support/assert.ts";
import {
  type AdmitOptions,
  type Admitted,
  type Bench,
  isRefusal,
  type Refusal,
  type Sample,
  type Tried,
} from "../../tuner/bench.ts";
import type { TuningTask } from "../../tuner/candidate.ts";
import type { BenchAnswer, BenchTask, OpenedBench } from "./bench-messages.ts";
import type { MeasurementHooks } from "./device-bench.ts";
import { withLimit } from "./with-limit.ts";

/** How to measure elsewhere. */
export interface IsolatedBenchOptions {
  /** As for `openRuntime`. */
  readonly adapter?: string;
  readonly measuring?: MeasurementHooks;
}

/** A bench elsewhere, with what is there. */
export interface IsolatedBench extends Bench, Pick<OpenedBench, "profile" | "adapter"> {
  /** Of the process that has the device now; null in browsers. */
  processId(): number | null;
  /** How many took the place of one that was ended or ended by itself. */
  replaced(): number;
}

/** The other side, from its start to its end. */
interface Worker {
  readonly thread: Thread;
  /** Resolves when it may be asked; rejects where it has no device, or the task does not compile. */
  readonly opened: Promise<OpenedBench>;
  /** Candidates that are compiled there. */
  readonly compiled: Set<string>;
  ask(task: BenchTask): Promise<BenchAnswer>;
  /** Ends it; what it was asked and did not answer rejects, so that nobody waits for that. */
  end(): void;
  isOver: boolean;
}

interface State {
  readonly open: OpenThread;
  readonly first: BenchTask;
  readonly hooks: MeasurementHooks;
  /** Candidates that were admitted and not released, with their rough times. */
  readonly admitted: Map<string, { readonly candidate: Tried; readonly roughUs: number }>;
  /** Candidates that are refused from now on. */
  readonly tombstones: Map<string, Refusal>;
  worker: Worker;
  /** Takes the worker's place when that is ended; null for one that is started only then. */
  spare: Worker | null;
  replaced: number;
  isClosed: boolean;
  last: Promise<unknown>;
}

/** The other side says by itself that something took too long, unless it hangs altogether. */
const graceMs = 100;
/** Beside a hundred times what a sample should take. */
const sampleMs = 5_000;
/** Until a process has its device and its references. */
const openMs = 60_000;
/** A spare process is started so long before something is ended, but not in the first second, or half of the time. */
const spareMs = { before: 3_000, least: 1_000 };

/** What a process that ended did not answer any more. */
class Gone extends Error {
  override readonly name: string = "Gone";
}

function startWorker(open: OpenThread, first: BenchTask): Worker {
  const waiting = new Map<number, { resolve(a: BenchAnswer): void; reject(e: unknown): void }>();
  let next = 0;
  const thread = open({
    message: (data) => {
      const said = data as ThreadMessage<BenchAnswer, never>;
      if (said.kind === "ready" || said.kind === "news") return;
      const asked = waiting.get(said.id);
      waiting.delete(said.id);
      if (waiting.size === 0) thread.keepAlive(false);
      if (said.kind === "done") asked?.resolve(said.result);
      else asked?.reject(receivedError(said.error));
    },
    failure: ({ message }) => over(message),
  });
  const over = (why: string): void => {
    worker.isOver = true;
    for (const { reject } of waiting.values()) reject(new Gone(why));
    waiting.clear();
  };
  const ask = (task: BenchTask): Promise<BenchAnswer> =>
    new Promise((resolve, reject) => {
      if (worker.isOver) {
        reject(new Gone("the process that measures is gone"));
        return;
      }
      const id = next++;
      waiting.set(id, { resolve, reject });
      thread.keepAlive(true);
      thread.post({ id, task });
    });
  const worker: Worker = {
    thread,
    compiled: new Set(),
    ask,
    end: () => {
      thread.terminate();
      over("the process that measures was ended");
    },
    isOver: false,
    opened: Promise.resolve().then(async () => {
      const answer = await withLimit(openMs, ask(first));
      invariant(answer !== null && answer.kind === "opened", "the other side did not open");
      return answer;
    }),
  };
  worker.opened.catch(() => undefined);
  return worker;
}

/** Ends the other side, and starts another one. */
function replace(state: State): void {
  state.worker.end();
  if (state.isClosed) return;
  state.replaced += 1;
  state.worker = readySpare(state) ?? startWorker(state.open, state.first);
  state.spare = null;
}

/** The spare process, unless it has come to an end. */
function readySpare({ spare }: State): Worker | null {
  return spare?.isOver === false ? spare : null;
}

/** Starts a spare process a while before the time for an answer is over; what it returns is called with the answer. */
function expectEnd(state: State, ms: number): () => void {
  const wait = Math.max(ms - spareMs.before, Math.min(spareMs.least, ms / 2));
  const timer = setTimeout(() => {
    if (!state.isClosed) state.spare = readySpare(state) ?? startWorker(state.open, state.first);
  }, wait);
  return () => clearTimeout(timer);
}

/** Whether the other side cannot go on after this. */
function isFatal({ kind }: Refusal): boolean {
  return kind === "timeout" || kind === "lost";
}

/** Asks about a candidate within some time; a refusal where the other side was the worse for it. */
async function askAbout(state: State, task: BenchTask, ms: number): Promise<BenchAnswer | Refusal> {
  try {
    await state.worker.opened;
    const answered = expectEnd(state, ms);
    try {
      return (await withLimit(ms + graceMs, state.worker.ask(task))) ?? { kind: "timeout", ms };
    } finally {
      answered();
    }
  } catch (error) {
    if (error instanceof Gone) return { kind: "lost", why: error.message };
    throw error;
  }
}

function outcomeOf(answer: BenchAnswer | Refusal): Admitted | Refusal | Sample {
  if (answer.kind === "outcome") return answer.outcome;
  if (answer.kind === "sample") return answer.sample;
  invariant(answer.kind !== "opened" && answer.kind !== "released", "an answer to something else");
  return answer;
}

/** Remembers a refusal, and gets another process where this one is no good any more. */
function note(state: State, id: string, outcome: Admitted | Refusal | Sample): void {
  if (!isRefusal(outcome)) return;
  state.tombstones.set(id, outcome);
  state.admitted.delete(id);
  if (isFatal(outcome)) replace(state);
}

async function admit(
  state: State,
  { id, alternative, mapping }: Tried,
  options: AdmitOptions,
): Promise<Admitted | Refusal> {
  // What else a candidate has is for this side.
  const candidate = { id, alternative, mapping };
  const known = state.tombstones.get(id);
  if (known !== undefined) return known;
  const answer = await askAbout(state, { kind: "admit", candidate, options }, options.timeoutMs);
  const outcome = outcomeOf(answer);
  note(state, id, outcome);
  invariant("kind" in outcome, "a sample in the place of an outcome");
  if (outcome.kind === "ok") {
    state.admitted.set(id, { candidate, roughUs: outcome.roughUs });
    state.worker.compiled.add(id);
  }
  return outcome;
}

async function timeOne(state: State, id: string, quanta: number): Promise<Sample | Refusal> {
  const known = state.tombstones.get(id);
  if (known !== undefined) return known;
  const entry = state.admitted.get(id);
  if (entry === undefined) return { kind: "invalid", why: `candidate ${id} was not admitted` };
  const ms = sampleMs + entry.roughUs / 10;
  if (!state.worker.compiled.has(id)) {
    const again = await admit(state, entry.candidate, { timeoutMs: 10 * ms, passed: true });
    if (isRefusal(again)) return again;
  }
  const { before, after } = state.hooks;
  await before?.(id);
  try {
    const outcome = outcomeOf(await askAbout(state, { kind: "time", id, quanta }, ms));
    note(state, id, outcome);
    invariant(isRefusal(outcome) || "us" in outcome, "an outcome in the place of a sample");
    return outcome;
  } finally {
    await after?.(id);
  }
}

async function inTurn<T>(state: State, act: () => Promise<T>): Promise<T> {
  const turn = state.last.then(act, act);
  state.last = turn.catch(() => undefined);
  return await turn;
}

/**
 * A bench in what `open` starts, a program that serves one (serve-bench.ts).
 * @throws Error where there is no adapter there, the task does not compile, or the naive kernel is wrong.
 */
export async function createIsolatedBench(
  open: OpenThread,
  task: TuningTask,
  { adapter, measuring = {} }: IsolatedBenchOptions = {},
): Promise<IsolatedBench> {
  const first: BenchTask = { kind: "open", task, adapter };
  const state: State = {
    open,
    first,
    hooks: measuring,
    admitted: new Map(),
    tombstones: new Map(),
    worker: startWorker(open, first),
    spare: null,
    replaced: 0,
    isClosed: false,
    last: Promise.resolve(),
  };
  const opened = await state.worker.opened.catch((error: unknown) => {
    state.worker.end();
    throw error;
  });
  return {
    clock: opened.clock,
    profile: opened.profile,
    adapter: opened.adapter,
    admit: (candidate, options) => inTurn(state, () => admit(state, candidate, options)),
    time: (ids, { quanta }) =>
      inTurn(state, async () => {
        const samples: (Sample | Refusal)[] = [];
        for (const id of ids) samples.push(await timeOne(state, id, quanta));
        return samples;
      }),
    release: (ids) => {
      for (const id of ids) {
        state.admitted.delete(id);
        state.worker.compiled.delete(id);
      }
      state.worker.ask({ kind: "release", ids }).catch(() => undefined);
    },
    close: async () => {
      state.isClosed = true;
      for (const worker of [state.worker, state.spare]) {
        worker?.end();
      }
    },
    processId: () => state.worker.thread.processId ?? null,
    replaced: () => state.replaced,
  };
}
