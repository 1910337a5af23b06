/** Answers requests of the page, wherever this runs. */
import { format, fromEinsum, TcError } from "../../src/index.ts";
import { CallFailure } from "./call-failure.ts";
import type { CompileJob } from "./compile/compile-source.ts";
import { createCompilations } from "./compile/details.ts";
import { failureOf } from "./failure-of.ts";
import { createExecutor } from "./run/executor.ts";
import { runReference, verifyOutputs } from "./run/reference.ts";
import { createPause } from "./tune/pause.ts";
import type { WorkerCalls, WorkerEvent, WorkerKind, WorkerRequest } from "./worker-protocol.ts";

/** What becomes of a request. */
export type Answer =
  | { readonly ok: true; readonly value: WorkerCalls[WorkerKind]["answer"] }
  | { readonly ok: false; readonly message: string; readonly next: string };

/** Answers one request after the other; never rejects. */
export function answer(
  where: "worker" | "page",
  tell: (event: WorkerEvent) => void,
): (request: WorkerRequest) => Promise<Answer> {
  const executor = createExecutor(where, (state) => tell({ event: "gpu", state }));
  const compilations = createCompilations();
  const latest = createLatest(compilations, tell);
  let tuning: AbortController | null = null;
  const pause = createPause();
  const perform = async (request: WorkerRequest): Promise<WorkerCalls[WorkerKind]["answer"]> => {
    switch (request.kind) {
      case "compile":
        return await latest.compile(request.job);
      case "drop-compiling":
        return latest.drop();
      case "links":
      case "host":
      case "knobs":
      case "facts":
      case "product":
        return compilations.detail(request.kind, request.job);
      case "einsum":
        return einsum(request.formula);
      case "format":
        return format(request.source);
      case "open":
        return await executor.open();
      case "run":
        return await executor.run(request.job);
      case "time":
        return await executor.time();
      case "ceilings":
        return await executor.ceilings();
      case "reference":
        return runReference(request.job, request.maxPoints);
      case "verify":
        return verifyOutputs(request.job, request.outputs, request.maxPoints);
      case "tune": {
        tuning = new AbortController();
        const control = { signal: tuning.signal, unpaused: pause.over };
        // Only pages that tune load the tuner.
        const { tuneJob } = await import("./tune/tune-job.ts");
        return await tuneJob(request.job, (update) => tell({ event: "tune", update }), control);
      }
      case "pause-tuning":
        pause.set(request.isPaused);
        return null;
      case "stop-tuning":
        tuning?.abort();
        pause.set(false);
        return null;
      case "records": {
        const { recordsJob } = await import("./tune/records.ts");
        return await recordsJob(request.job, request.url);
      }
    }
  };
  return async (request) => {
    try {
      return { ok: true, value: await perform(request) };
    } catch (error) {
      return { ok: false, ...sourceFailureOf(error) };
    }
  };
}

/** Compiles what was asked for last, and gives up what was asked before. */
function createLatest(
  compilations: ReturnType<typeof createCompilations>,
  tell: (event: WorkerEvent) => void,
): {
  readonly compile: (job: CompileJob) => Promise<WorkerCalls["compile"]["answer"]>;
  readonly drop: () => null;
} {
  let wanted: CompileJob | null = null;
  return {
    compile: (job) => {
      wanted = job;
      return compilations.compile(
        job,
        (found) => tell({ event: "checked", found }),
        async () => {
          await nextTask();
          return wanted !== job;
        },
      );
    },
    drop: () => {
      wanted = null;
      return null;
    },
  };
}

function sourceFailureOf(error: unknown): ReturnType<typeof failureOf> {
  if (error instanceof TcError) return { message: error.message, next: "Change the source." };
  return failureOf(error);
}

/** Until what was asked meanwhile has been heard. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

function einsum(formula: string): string {
  try {
    return fromEinsum(formula);
  } catch (error) {
    throw error instanceof RangeError ? new CallFailure(error.message, "") : error;
  }
}
