/** Threads of browsers and of Node, as one kind. */
import { RuntimeFault } from "../runtime-fault.ts";

/** A thread, or a process, that runs a program of its own. */
export interface Thread {
  /** Of a process. */
  readonly processId?: number | undefined;
  post(message: unknown): void;
  /** Whether the thread keeps a program running that has nothing else to do: in Node only. */
  keepAlive(keep: boolean): void;
  /** Ends it at once, whatever it does. */
  terminate(): void;
}

/** What hears from a thread. */
export interface ThreadListener {
  message(data: unknown): void;
  /** It could not be started, or ended by itself. */
  failure(fault: RuntimeFault): void;
}

/** Starts a thread and listens to it. */
export type OpenThread = (listener: ThreadListener) => Thread;

/** A module worker of a browser, as a {@link Thread}. */
export function browserThread(worker: Worker, { message, failure }: ThreadListener): Thread {
  worker.addEventListener("message", ({ data }: MessageEvent<unknown>) => message(data));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    // An event without a message is a program that could not be loaded.
    const cause = event.message || "its program could not be loaded";
    failure(threadFault(cause));
  });
  return {
    post: (data) => worker.postMessage(data),
    keepAlive: () => undefined,
    terminate: () => worker.terminate(),
  };
}

/** A thread of Node that runs the module at `url`; null where this is not Node. */
export function nodeThread(url: string | URL, { message, failure }: ThreadListener): Thread | null {
  const threads = nodeThreads();
  if (threads === null) return null;
  // Flags such as --input-type are for the program that Node was started with.
  const worker = new threads.Worker(new URL(url), { execArgv: [] });
  worker.unref();
  worker.on("message", message);
  worker.on("error", (error) => failure(threadFault(String(error))));
  worker.on("exit", () => failure(threadFault("it ended by itself")));
  return {
    post: (data) => worker.postMessage(data),
    keepAlive: (keep) => (keep ? worker.ref() : worker.unref()),
    terminate: () => {
      worker.removeAllListeners();
      void worker.terminate();
    },
  };
}

/** The port of a thread, or of a process, to who started it, in browsers and in Node. */
export interface OwnPort {
  post(message: unknown): void;
  listen(listener: (data: unknown) => void): void;
}

/** Inside of a thread: its port. */
export function ownPort(): OwnPort {
  const parent = nodeThreads()?.parentPort ?? null;
  if (parent !== null) {
    return {
      post: (data) => parent.postMessage(data),
      listen: (listener) => void parent.on("message", listener),
    };
  }
  const { process }: { readonly process?: Partial<NodeJS.Process> } = globalThis;
  if (process?.send !== undefined && process.on !== undefined) {
    return {
      post: (data) => void process.send?.(data),
      listen: (listener) => void process.on?.("message", listener),
    };
  }
  return {
    post: (data) => globalThis.postMessage(data),
    listen: (listener) =>
      globalThis.addEventListener("message", ({ data }: MessageEvent<unknown>) => listener(data)),
  };
}

/** Without an import, which bundlers for pages would follow. */
function nodeThreads(): typeof import("node:worker_threads") | null {
  const { process }: { readonly process?: Partial<NodeJS.Process> } = globalThis;
  return process?.getBuiltinModule?.("node:worker_threads") ?? null;
}

function threadFault(cause: string): RuntimeFault {
  return new RuntimeFault("internal", `the thread failed: ${cause}`);
}
