/** The compiler in a thread of its own, in browsers and in Node: nothing stalls while it compiles. */
import type { CompilerWorker, CompileTask, WorkerCompileRequest } from "./api/compiler-worker.ts";
import type { CompileResult, StageResult } from "./compile.ts";
import { browserThread, nodeThread, type OpenThread } from "./runtime/threads/thread.ts";
import { createThreadQueue } from "./runtime/threads/thread-queue.ts";
import { checkOptions, checkSourceText, type OptionNames } from "./support/check-call-shape.ts";

export type { CompilerWorker, WorkerCompileRequest } from "./api/compiler-worker.ts";
export { type FaultKind, RuntimeFault } from "./runtime/runtime-fault.ts";

export interface WorkerOptions {
  /**
   * Starts the thread, where a bundler or a policy of the page wants that to be done otherwise: a
   * module worker of `tc-wgsl/worker/thread`.
   */
  readonly start?: () => Worker;
}

const optionNames: OptionNames<WorkerOptions> = { start: true };

/**
 * A compiler in a thread, which the first call starts.
 * @throws TypeError for options that are none.
 */
export function createWorker(options: WorkerOptions = {}): CompilerWorker {
  checkOptions("createWorker", options, optionNames);
  const queue = createThreadQueue<CompileTask, CompileResult, StageResult>(
    openThread(options.start),
  );
  return {
    compile: async (source, request) => {
      checkSourceText("compile", source);
      const { signal, onStage, ...rest } = asObject(request);
      return await queue.run(
        {
          kind: "compile",
          source,
          // What is no object is refused by the thread, in the words of `compile`.
          request: isObject(request) ? rest : request,
          stages: onStage !== undefined,
        },
        { signal, onNews: onStage },
      );
    },
    cancel: () => queue.cancel(new DOMException("the compilation was cancelled", "AbortError")),
    dispose: queue.dispose,
    [Symbol.dispose]: queue.dispose,
  };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asObject(request: WorkerCompileRequest | undefined): WorkerCompileRequest {
  return isObject(request) && request !== undefined ? request : {};
}

/** Written so that bundlers see what the thread runs. */
function startWorker(): Worker {
  return new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" });
}

function openThread(start: (() => Worker) | undefined): OpenThread {
  if (start !== undefined) return (listener) => browserThread(start(), listener);
  // Not for bundlers, which would take the file for an asset of the page.
  const { url: here } = import.meta;
  return (listener) =>
    nodeThread(new URL("./worker-thread.js", here), listener) ??
    browserThread(startWorker(), listener);
}
