/**
 * Tasks for a thread, one after the other, of which the newest must not wait for what nobody wants any
 * more. A task that is given up before its turn is dropped. One that is given up while it runs may still
 * end, for a moment: most do, and a thread that has run is several times as fast as a new one. After
 * that, if another task waits, the thread is ended and a new one takes its place. While a thread loads
 * its program, no task is sent to it: so to give up all of them costs nothing.
 */
import { RuntimeFault } from "../runtime-fault.ts";
import { receivedError, type TaskMessage, type ThreadMessage } from "./messages.ts";
import type { OpenThread, Thread } from "./thread.ts";

/** A thread with its tasks. */
export interface ThreadQueue<Task, Result, News> {
  /**
   * Resolves with what the thread makes of the task. Rejects with what it threw, with the reason of
   * the signal or of `cancel`, with RuntimeFault `internal` where the thread failed, and `misuse`
   * after `dispose`.
   */
  run(task: Task, options?: TaskOptions<News>): Promise<Result>;
  /** Gives up all tasks: each rejects with `reason`. */
  cancel(reason: unknown): void;
  /** Gives up all tasks, and ends the thread. */
  dispose(): void;
}

/** For one task. */
export interface TaskOptions<News> {
  /** Aborting it gives the task up. */
  readonly signal?: AbortSignal | undefined;
  /** Hears what the thread has to say before it is done. */
  readonly onNews?: ((news: News) => void) | undefined;
}

/** Milliseconds that a task may go on that was given up, while another one waits. */
const patienceMs = 100;

interface Job {
  readonly message: TaskMessage<unknown>;
  readonly onNews: ((news: unknown) => void) | undefined;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

interface State {
  readonly open: OpenThread;
  readonly waiting: Job[];
  thread: Thread | null;
  /** Whether the thread has loaded its program. */
  ready: boolean;
  /** What the thread is at, and when that was given up, in milliseconds. */
  running: { readonly job: Job; givenUp: number | null } | null;
  timer: ReturnType<typeof setTimeout> | undefined;
  latest: number;
  disposed: boolean;
}

/** A queue without tasks. The thread is started by the first one. */
export function createThreadQueue<Task, Result, News>(
  open: OpenThread,
): ThreadQueue<Task, Result, News> {
  const state: State = {
    open,
    waiting: [],
    thread: null,
    ready: false,
    running: null,
    timer: undefined,
    latest: 0,
    disposed: false,
  };
  const cancel = (reason: unknown): void => {
    const { running, waiting } = state;
    for (const job of [...(running === null ? [] : [running.job]), ...waiting]) {
      giveUp(state, job, reason);
    }
  };
  return {
    // What a thread answers is of the types of its tasks.
    run: (task, options = {}) => enqueue(state, task, options as TaskOptions<unknown>) as never,
    cancel,
    dispose: () => {
      state.disposed = true;
      cancel(disposedFault());
      endThread(state);
    },
  };
}

function disposedFault(): RuntimeFault {
  return new RuntimeFault("misuse", "the worker was disposed");
}

async function enqueue(
  state: State,
  task: unknown,
  { signal, onNews }: TaskOptions<unknown>,
): Promise<unknown> {
  signal?.throwIfAborted();
  if (state.disposed) throw disposedFault();
  state.latest += 1;
  const message = { id: state.latest, task };
  return await new Promise((resolve, reject) => {
    const job: Job = {
      message,
      onNews,
      resolve: (result) => {
        signal?.removeEventListener("abort", abort);
        resolve(result);
      },
      reject: (reason) => {
        signal?.removeEventListener("abort", abort);
        reject(reason);
      },
    };
    const abort = (): void => giveUp(state, job, signal?.reason);
    signal?.addEventListener("abort", abort);
    state.waiting.push(job);
    advance(state);
  });
}

function giveUp(state: State, job: Job, reason: unknown): void {
  const { waiting, running } = state;
  job.reject(reason);
  const at = waiting.indexOf(job);
  if (at >= 0) waiting.splice(at, 1);
  else if (running?.job === job) running.givenUp ??= performance.now();
  advance(state);
}

/** Does what is next, if anything. */
function advance(state: State): void {
  const { waiting, running } = state;
  clearTimeout(state.timer);
  state.thread?.keepAlive(running?.givenUp === null || waiting.length > 0);
  if (waiting.length === 0 || running?.givenUp === null) return;
  if (running !== null) {
    const left = (running.givenUp ?? 0) + patienceMs - performance.now();
    if (left > 0) {
      state.timer = setTimeout(() => advance(state), left);
      return;
    }
    endThread(state);
  }
  if (state.thread === null) startThread(state);
  else if (state.ready) postNext(state, state.thread);
}

function postNext(state: State, thread: Thread): void {
  const job = state.waiting.shift();
  if (job === undefined) return;
  try {
    thread.post(job.message);
    state.running = { job, givenUp: null };
  } catch (error) {
    // What cannot be cloned, such as a function.
    job.reject(error);
    advance(state);
  }
}

function startThread(state: State): void {
  const heard: { by: Thread | null } = { by: null };
  const isCurrent = (): boolean => heard.by !== null && heard.by === state.thread;
  const thread = state.open({
    message: (data) => {
      if (isCurrent()) hear(state, data as ThreadMessage<unknown, unknown>);
    },
    failure: (fault) => {
      if (isCurrent()) fail(state, fault);
    },
  });
  heard.by = thread;
  state.thread = thread;
  thread.keepAlive(true);
}

function endThread(state: State): void {
  state.thread?.terminate();
  state.thread = null;
  state.ready = false;
  state.running = null;
}

function hear(state: State, message: ThreadMessage<unknown, unknown>): void {
  if (message.kind === "ready") state.ready = true;
  else if (state.running?.job.message.id === message.id) {
    const { job, givenUp } = state.running;
    if (message.kind === "news") {
      if (givenUp === null) job.onNews?.(message.news);
      return;
    }
    state.running = null;
    if (message.kind === "done") job.resolve(message.result);
    else job.reject(receivedError(message.error));
  }
  advance(state);
}

/** A thread that fails before it is ready will fail again, so that all that wait are told. */
function fail(state: State, fault: RuntimeFault): void {
  const { running, ready } = state;
  endThread(state);
  const lost = ready ? [running?.job] : state.waiting.splice(0);
  for (const job of lost) job?.reject(fault);
  advance(state);
}
