/** Runs plans on a WebGPU device: in a worker, or in the page where workers have none. */
import {
  adapterText,
  createRuntime,
  type LoadedPlan,
  type Runtime,
  readPlan,
  requestComputeDevice,
} from "../../../src/load.ts";
import type { Ceilings } from "../../../src/runtime.ts";
import { CallFailure } from "../call-failure.ts";
import type { RunAnswer, RunJob, TensorValue, TimeAnswer } from "../worker-protocol.ts";
import type { GpuState } from "./gpu-state.ts";
import { makeInputs } from "./inputs.ts";

/** A device of one place; all but `open` want that to have said `ready`. */
export interface Executor {
  open(): Promise<GpuState>;
  run(job: RunJob): Promise<RunAnswer>;
  /** Times what was run last. */
  time(): Promise<TimeAnswer>;
  /** Measures what the device can do at most. */
  ceilings(): Promise<Ceilings>;
}

interface LastRun {
  readonly loaded: LoadedPlan;
  readonly inputs: readonly TensorValue[];
}

/** `onState` hears of a device that is lost later. */
export function createExecutor(
  where: "worker" | "page",
  onState: (state: GpuState) => void,
): Executor {
  let runtime: Runtime | null = null;
  let last: LastRun | null = null;
  const forget = (): void => {
    runtime = null;
    last = null;
  };
  const opened = (): Runtime => {
    if (runtime === null) throw new CallFailure("no device is open", "Run it again.");
    return runtime;
  };
  return {
    open: async () => {
      const adapter = await findAdapter();
      if ("kind" in adapter) return adapter;
      const device = await requestComputeDevice(adapter).catch((error: Error) => error);
      if (device instanceof Error) return { kind: "refused", message: device.message };
      const made = createRuntime({
        device,
        onLost: (fault) => {
          if (runtime !== made) return;
          forget();
          onState({ kind: "lost", message: fault.message });
        },
      });
      last?.loaded.dispose();
      last = null;
      runtime = made;
      return readyState(made, where);
    },
    run: async (job) => {
      const current = opened();
      const { tensors, notes } = makeInputs(job.plan.buffers, job.inputs);
      const read = readPlan(job.plan);
      if (!read.ok) throw new CallFailure(`the plan cannot be read: ${read.fault}`, "");
      last?.loaded.dispose();
      last = null;
      const loaded = await current.load(read.plan);
      last = { loaded, inputs: tensors };
      const start = performance.now();
      const results = await loaded.run(hostInputs(tensors));
      const outputs: TensorValue[] = [];
      for (const [name, tensor] of Object.entries(results)) {
        const data = await tensor.read();
        outputs.push({ name, type: tensor.dtype, shape: tensor.shape, data });
        tensor.dispose();
      }
      return { outputs, ms: performance.now() - start, notes };
    },
    time: async () => {
      opened();
      if (last === null) throw new CallFailure("nothing was run yet", "Run it first.");
      const { whole, kernels } = await last.loaded.profile(hostInputs(last.inputs));
      return { whole, kernels };
    },
    ceilings: async () => await opened().ceilings(),
  };
}

/** Tensors as arguments of a call. */
export function hostInputs(
  tensors: readonly TensorValue[],
): Record<string, { data: TensorValue["data"]; shape: readonly number[] }> {
  return Object.fromEntries(tensors.map(({ name, data, shape }) => [name, { data, shape }]));
}

/** The adapter, or the rung of the ladder that is missing. */
async function findAdapter(): Promise<GPUAdapter | GpuState> {
  if (!globalThis.isSecureContext) return { kind: "insecure" };
  const gpu: GPU | undefined = navigator.gpu;
  if (gpu === undefined) return { kind: "no-api" };
  return (await gpu.requestAdapter().catch(() => null)) ?? { kind: "no-adapter" };
}

const shownFeatures = {
  "shader-f16": "f16",
  subgroups: "subgroups",
  "timestamp-query": "timestamps",
} as const;

function readyState(runtime: Runtime, where: "worker" | "page"): GpuState {
  const { adapter, profile, device } = runtime;
  return {
    kind: "ready",
    adapter: adapterText(adapter),
    software: adapter.kind !== "gpu",
    profile,
    features: Object.entries(shownFeatures).flatMap(([name, text]) =>
      device.features.has(name) ? [text] : [],
    ),
    where,
  };
}
