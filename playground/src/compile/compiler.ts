/**
 * Compiles the latest text in a worker. A text that has changed since is not compiled after it is checked, and an answer
 * to it is thrown away; a worker that is busy with an old text for long is replaced; none may work for ever. It is not that of `tc-wgsl/worker`,
 * which gives whole compilations: to receive one takes the page's thread 2 to 30 ms, what is shown of it less than one.
 */
import { Stopped } from "../call-failure.ts";
import { limitMs, startWorker, tookTooLong, type WorkerHandle } from "../worker-client.ts";
import type { CheckedView, CompileAnswer, CompileJob } from "./compile-source.ts";
import type { DetailAnswers } from "./details.ts";

/** What becomes of a job. `job` is the one that was submitted, for comparing. */
export type CompileEvent =
  | { readonly kind: "busy" }
  /** What is known before it is compiled. */
  | { readonly kind: "checked"; readonly job: CompileJob; readonly found: CheckedView }
  | { readonly kind: "answer"; readonly job: CompileJob; readonly answer: CompileAnswer }
  /** The compiler took too long, or has a bug. */
  | { readonly kind: "failed"; readonly job: CompileJob; readonly message: string };

export interface Compiler {
  /** Compiles this next, and forgets whatever came before. */
  submit(job: CompileJob): void;
  /** More of a job that is compiled; null where it does not compile, or something else came between; or why there is none. */
  detail<Kind extends keyof DetailAnswers>(
    kind: Kind,
    job: CompileJob,
  ): Promise<DetailAnswers[Kind] | Error | null>;
  /** Ends what is under way; the next job starts afresh. */
  stop(): void;
}

/** So long may an old text keep a new one waiting, in milliseconds. */
const patienceMs = 400;
const stoppedText = `the compiler was stopped after ${limitMs / 1000} s; change the text to try again`;

/** A compiler that reports to `onEvent`. */
export function createCompiler(onEvent: (event: CompileEvent) => void): Compiler {
  let worker: WorkerHandle | null = null;
  let running: { readonly job: CompileJob; readonly since: number } | null = null;
  let next: CompileJob | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const end = (): void => {
    worker?.terminate();
    worker = null;
    running = null;
    clearTimeout(timer);
  };
  const onChecked = (found: CheckedView): void => {
    // A newer text waits already.
    if (running === null || next !== null) return;
    onEvent({ kind: "checked", job: running.job, found });
  };
  const ready = (): WorkerHandle => (worker ??= startWorker({ onChecked }));
  const start = (job: CompileJob): void => {
    running = { job, since: performance.now() };
    clearTimeout(timer);
    timer = setTimeout(() => {
      end();
      onEvent({ kind: "failed", job, message: stoppedText });
    }, limitMs);
    ready()
      .call({ kind: "compile", job })
      .then(
        (answer) => finish(job, answer === null ? null : { kind: "answer", job, answer }),
        (error: Error) => finish(job, { kind: "failed", job, message: error.message }),
      );
  };
  const finish = (job: CompileJob, event: CompileEvent | null): void => {
    // A job that was ended has nothing to say any more.
    if (running?.job !== job) return;
    running = null;
    clearTimeout(timer);
    if (!startNext() && event !== null) onEvent(event);
  };
  const startNext = (): boolean => {
    const waiting = next;
    next = null;
    if (waiting !== null) start(waiting);
    return waiting !== null;
  };
  return {
    submit: (job) => {
      onEvent({ kind: "busy" });
      next = job;
      if (running === null) {
        startNext();
        return;
      }
      void worker?.call({ kind: "drop-compiling" }).catch(() => undefined);
      const { job: old, since } = running;
      const left = Math.max(0, since + patienceMs - performance.now());
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (running?.job !== old || next === null) return;
        end();
        startNext();
      }, left);
    },
    detail: (kind, job) => askDetail(ready(), kind, job, () => running ?? end()),
    stop: () => {
      next = null;
      const stopped = running?.job;
      end();
      if (stopped !== undefined)
        onEvent({ kind: "failed", job: stopped, message: "the compiler was stopped" });
    },
  };
}

/** `onLate` ends the worker, unless it runs a job meanwhile, which has a limit of its own. */
async function askDetail<Kind extends keyof DetailAnswers>(
  worker: WorkerHandle,
  kind: Kind,
  job: CompileJob,
  onLate: () => unknown,
): Promise<DetailAnswers[Kind] | Error | null> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    onLate();
  }, limitMs);
  const asked = worker.call({ kind, job } as { readonly kind: Kind; readonly job: CompileJob });
  try {
    return (await asked) as DetailAnswers[Kind] | null;
  } catch (error) {
    if (error instanceof Stopped) return isLate ? tookTooLong() : null;
    return error as Error;
  } finally {
    clearTimeout(timer);
  }
}
