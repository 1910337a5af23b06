/** A worker, as functions that are called. */

import type { TuneEvent } from "../../src/tune.ts";
import { CallFailure, Stopped } from "./call-failure.ts";
import type { CheckedView } from "./compile/compile-source.ts";
import type { GpuState } from "./run/gpu-state.ts";
import type {
  WorkerCalls,
  WorkerEvent,
  WorkerKind,
  WorkerReply,
  WorkerRequest,
} from "./worker-protocol.ts";

/** Something that answers requests: a worker, or the same code in the page. */
export interface Answerer {
  call<Kind extends WorkerKind>(
    request: { readonly kind: Kind } & WorkerCalls[Kind]["ask"],
  ): Promise<WorkerCalls[Kind]["answer"]>;
}

export interface WorkerHandle extends Answerer {
  /** Ends it at once; what is under way rejects with {@link Stopped}. */
  terminate(): void;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Who hears of what a worker says unasked. */
export interface WorkerListeners {
  readonly onChecked?: (found: CheckedView) => void;
  readonly onGpu?: (state: GpuState) => void;
  readonly onTune?: (event: TuneEvent) => void;
}

/** Starts a worker with the compiler, the reference, the runtime and the tuner. */
export function startWorker(listeners: WorkerListeners = {}): WorkerHandle {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const waiting = new Map<number, Waiting>();
  let count = 0;
  let isEnded = false;
  const failAll = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.onmessage = ({ data }: MessageEvent<WorkerReply>): void => {
    if ("event" in data) {
      hear(listeners, data);
      return;
    }
    const entry = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.ok) entry?.resolve(data.value as never);
    else entry?.reject(new CallFailure(data.message, data.next));
  };
  worker.onerror = (event): void => {
    event.preventDefault();
    failAll(new Error(event.message || "the worker could not be loaded"));
  };
  return {
    call: (request) =>
      new Promise((resolve, reject) => {
        // Nobody would answer.
        if (isEnded) return reject(new Stopped());
        count += 1;
        waiting.set(count, { resolve, reject });
        worker.postMessage({ id: count, request: request as WorkerRequest });
      }),
    terminate: () => {
      worker.terminate();
      isEnded = true;
      failAll(new Stopped());
    },
  };
}

function hear({ onChecked, onGpu, onTune }: WorkerListeners, event: WorkerEvent): void {
  switch (event.event) {
    case "checked":
      onChecked?.(event.found);
      return;
    case "gpu":
      onGpu?.(event.state);
      return;
    case "tune":
      onTune?.(event.update);
  }
}

/** So long may a text keep a worker, in milliseconds. */
export const limitMs = 10_000;

/** Says that what was asked took longer than that. */
export function tookTooLong(ms: number = limitMs): CallFailure {
  return new CallFailure(`it was stopped after ${ms / 1000} s`, "Try less of it.");
}

/** Creates a worker that is started when it is asked; one that takes longer than `ms` is ended, and the next starts afresh. */
export function createHelper(ms: number = limitMs): WorkerHandle {
  let worker: WorkerHandle | null = null;
  const terminate = (): void => {
    worker?.terminate();
    worker = null;
  };
  return {
    call: async (request) => {
      worker ??= startWorker();
      const mine = worker;
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        if (worker === mine) worker = null;
        mine.terminate();
      }, ms);
      try {
        return await mine.call(request);
      } catch (error) {
        throw isLate ? tookTooLong(ms) : error;
      } finally {
        clearTimeout(timer);
      }
    },
    terminate,
  };
}

/** Asks a worker that ends with its answer: for what is seldom asked. */
export async function callOnce<Kind extends WorkerKind>(
  request: { readonly kind: Kind } & WorkerCalls[Kind]["ask"],
  ms: number = limitMs,
): Promise<WorkerCalls[Kind]["answer"]> {
  const helper = createHelper(ms);
  try {
    return await helper.call(request);
  } finally {
    helper.terminate();
  }
}
