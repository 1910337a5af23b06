/** Answers requests of the page, wherever this runs. */
import { TcError } from "../../src/index.ts";
import { compileSource, factsText } from "./compile/compile-source.ts";
import { failureOf } from "./failure-of.ts";
import { createExecutor } from "./run/executor.ts";
import type { GpuState } from "./run/gpu-state.ts";
import { runReference, verifyOutputs } from "./run/reference.ts";
import type { WorkerCalls, WorkerKind, WorkerRequest } from "./worker-protocol.ts";

/** What becomes of a request. */
export type Answer =
  | { readonly ok: true; readonly value: WorkerCalls[WorkerKind]["answer"] }
  | { readonly ok: false; readonly message: string; readonly next: string };

/** Answers one request after the other; never rejects. */
export function answer(
  where: "worker" | "page",
  onState: (state: GpuState) => void,
): (request: WorkerRequest) => Promise<Answer> {
  const executor = createExecutor(where, onState);
  const perform = async (request: WorkerRequest): Promise<WorkerCalls[WorkerKind]["answer"]> => {
    switch (request.kind) {
      case "compile":
        return compileSource(request.job);
      case "facts":
        return factsText(request.job);
      case "open":
        return await executor.open();
      case "run":
        return await executor.run(request.job);
      case "time":
        return await executor.time();
      case "reference":
        return runReference(request.job);
      case "verify":
        return verifyOutputs(request.job, request.outputs, request.maxPoints);
    }
  };
  return async (request) => {
    try {
      return { ok: true, value: await perform(request) };
    } catch (error) {
      if (error instanceof TcError) {
        return { ok: false, message: error.message, next: "Change the source." };
      }
      return { ok: false, ...failureOf(error) };
    }
  };
}
