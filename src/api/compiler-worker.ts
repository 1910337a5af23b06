/** A compiler in a thread: what it does for its callers, and what its thread is told. */
import type { CompileRequest, CompileResult } from "../compile.ts";

/** What to compile, for what, and until when. The thread knows the previous compilation by itself. */
export interface WorkerCompileRequest extends Omit<CompileRequest, "previous"> {
  /** Aborting it gives this compilation up: the call rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** A compiler in a thread, which compiles one source after the other. */
export interface CompilerWorker extends Disposable {
  /**
   * As `compile` of `tc-wgsl`, with the same results and errors. Rejects with the reason of a signal
   * that is aborted, with an `AbortError` after `cancel`, and with RuntimeFault `internal` if the
   * thread fails; the next call has a new thread then.
   */
  compile(source: string, request?: WorkerCompileRequest): Promise<CompileResult>;
  /**
   * Gives up all that is under way. What is compiled next begins at once or, where something long
   * was running, a tenth of a second later in a new thread.
   */
  cancel(): void;
  /** Ends the thread. Also under `Symbol.dispose`. */
  dispose(): void;
}

/** What the thread is told to compile. */
export interface CompileTask {
  readonly kind: "compile";
  readonly source: string;
  readonly request: Omit<WorkerCompileRequest, "onStage" | "signal"> | undefined;
  /** Whether the stages are wanted, too. */
  readonly stages: boolean;
}
