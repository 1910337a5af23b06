/** Definitions in Node: finds an adapter, or brings one. */
import { type Runtime, withDefine } from "./api/define.ts";
import {
  createIsolatedBench,
  type IsolatedBench,
  type IsolatedBenchOptions,
} from "./api/tuning/isolated-bench.ts";
import { openChild } from "./runtime/node/child-process.ts";
import {
  type OpenRuntimeOptions,
  openRuntime as openDeviceRuntime,
} from "./runtime/node/open-runtime.ts";
import type { TuningTask } from "./tuner/candidate.ts";

export type { IsolatedBench, IsolatedBenchOptions } from "./api/tuning/isolated-bench.ts";
export type { OpenRuntimeOptions } from "./runtime/node/open-runtime.ts";
export { openValidator, type Validator } from "./runtime/node/open-validator.ts";
export * from "./runtime.ts";

/**
 * Opens an adapter and a device on it: a real GPU, else software Vulkan of the system, else the
 * bundled SwiftShader; `runtime.adapter` says which. `dispose` destroys the device.
 * @throws RuntimeFault `no-adapter` naming all that was tried.
 */
export async function openRuntime(options: OpenRuntimeOptions = {}): Promise<Runtime> {
  return withDefine(await openDeviceRuntime(options));
}

/** Options of {@link createProcessBench}. */
export interface ProcessBenchOptions extends IsolatedBenchOptions {
  /** The program of the process, where it does not lie beside this module. */
  readonly program?: URL;
}

/**
 * A bench in a process of its own: a kernel that hangs, or a driver that crashes, ends nothing but that process, which
 * is replaced. It ends with `close`, and with this process.
 * @throws Error where the process finds no adapter, or the task does not compile.
 */
export async function createProcessBench(
  task: TuningTask,
  {
    program = new URL("./bench-process.js", import.meta.url),
    ...options
  }: ProcessBenchOptions = {},
): Promise<IsolatedBench> {
  return await createIsolatedBench(openChild(program), task, options);
}
