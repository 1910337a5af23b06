import { CallFailure } from "../call-failure.ts";
import { failureOf } from "../failure-of.ts";
import type { WorkerHandle } from "../worker-client.ts";
import type { WorkerCalls, WorkerKind, WorkerRequest } from "../worker-protocol.ts";
import { createExecutor, type Executor } from "./executor.ts";
import type { GpuState } from "./gpu-state.ts";

/** Runs in the page itself, for browsers whose workers have no WebGPU. It does not compile. */
export function openInPage(onGpu: (state: GpuState) => void): WorkerHandle {
  const executor = createExecutor("page", onGpu);
  return {
    terminate: executor.close,
    call: async (request) => {
      try {
        return (await perform(executor, request as WorkerRequest)) as never;
      } catch (error) {
        const { message, next } = failureOf(error);
        throw new CallFailure(message, next);
      }
    },
  };
}

async function perform(
  executor: Executor,
  request: WorkerRequest,
): Promise<WorkerCalls[WorkerKind]["answer"]> {
  switch (request.kind) {
    case "open":
      return await executor.open();
    case "run":
      return await executor.run(request.job);
    case "time":
      return await executor.time();
    case "ceilings":
      return await executor.ceilings();
    default:
      throw new Error(`the page leaves this to its workers: ${request.kind}`);
  }
}
