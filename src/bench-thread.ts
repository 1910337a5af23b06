/** The program of the worker that `createWorkerBench` starts in a browser: a module, to be run and not imported. */
import { serveBench } from "./api/tuning/serve-bench.ts";
import { requestComputeDevice } from "./runtime/device.ts";
import { createRuntime } from "./runtime/runtime.ts";
import { RuntimeFault } from "./runtime/runtime-fault.ts";

/** After the browser has lost its device there may be no adapter for a moment: so often one is asked for. */
const attempts = 20;
const betweenMs = 250;

async function findAdapter(): Promise<GPUAdapter> {
  const { gpu }: { readonly gpu?: GPU } = navigator;
  if (gpu === undefined) {
    throw new RuntimeFault("no-adapter", "workers of this browser have no WebGPU");
  }
  for (let n = 0; n < attempts; n++) {
    const adapter = await gpu.requestAdapter().catch(() => null);
    if (adapter !== null) return adapter;
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
  }
  throw new RuntimeFault("no-adapter", "the browser found no WebGPU adapter for the worker");
}

serveBench(async () => createRuntime({ device: await requestComputeDevice(await findAdapter()) }));
