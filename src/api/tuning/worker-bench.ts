import { browserThread } from "../../runtime/threads/thread.ts";
import type { TuningTask } from "../../tuner/candidate.ts";
import {
  createIsolatedBench,
  type IsolatedBench,
  type IsolatedBenchOptions,
} from "./isolated-bench.ts";

/** Options of {@link createWorkerBench}. */
export interface WorkerBenchOptions extends Pick<IsolatedBenchOptions, "measuring"> {
  /** Starts a module worker of `tc-wgsl/tune/thread`, in the way of the page's bundler. */
  readonly start: () => Worker;
}

/**
 * A bench in a worker of a browser, with a device of its own: a kernel that hangs, or a device that is lost, ends
 * nothing but that worker, which is replaced. It ends with `close`.
 * @throws Error where the worker finds no adapter, or the task does not compile.
 */
export async function createWorkerBench(
  task: TuningTask,
  { start, measuring }: WorkerBenchOptions,
): Promise<IsolatedBench> {
  const options = measuring === undefined ? {} : { measuring };
  return await createIsolatedBench((listener) => browserThread(start(), listener), task, options);
}
