/** Runs plans on a WebGPU device: in a worker, or in the page where workers have none. */
import {
  adapterText,
  createRuntime,
  createSlicer,
  type GpuTensor,
  type Launch,
  type LoadedPlan,
  type Runtime,
  readPlan,
  requestComputeDevice,
  type Slicer,
} from "../../../src/load.ts";
import type { Ceilings, Timer } from "../../../src/runtime.ts";
import { CallFailure } from "../call-failure.ts";
import type { RunAnswer, RunJob, TensorValue, TimeAnswer } from "../worker-protocol.ts";
import type { GpuState } from "./gpu-state.ts";
import { makeInputs } from "./inputs.ts";
import { isHeldUp, sliceTimes } from "./slice-times.ts";

/** A device of one place; all but `open` want that to have said `ready`. */
export interface Executor {
  open(): Promise<GpuState>;
  run(job: RunJob): Promise<RunAnswer>;
  /** Times what was run last. */
  time(): Promise<TimeAnswer>;
  /** Measures what the device can do at most. */
  ceilings(): Promise<Ceilings>;
  /** Gives the device up for good, also one that is being opened: of what is under way no more is launched. */
  close(): void;
}

interface LastRun {
  readonly loaded: LoadedPlan;
  readonly inputs: readonly TensorValue[];
  /** Where whole dispatches would hold the device up. */
  readonly slicer: Slicer | null;
}

/** Of an executor that was closed. */
const closed: GpuState = { kind: "unknown" };
const lostEarly: GpuState = { kind: "lost", message: "it was lost as it opened" };

/** `onState` hears of a device that is lost later. */
export function createExecutor(
  where: "worker" | "page",
  onState: (state: GpuState) => void,
): Executor {
  let runtime: Runtime | null = null;
  let last: LastRun | null = null;
  let isClosed = false;
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
      const device = await findDevice(() => isClosed);
      if ("kind" in device) return device;
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
      const timer = await made.timer().catch(() => null);
      if (runtime !== made) return isClosed ? closed : lostEarly;
      return readyState(made, where, timer);
    },
    run: async (job) => {
      const current = opened();
      const { tensors, notes } = makeInputs(job.plan.buffers, job.inputs);
      const read = readPlan(job.plan);
      if (!read.ok) throw new CallFailure(`the plan cannot be read: ${read.fault}`, "");
      last?.loaded.dispose();
      last = null;
      const loaded = await current.load(read.plan);
      last = { loaded, inputs: tensors, slicer: null };
      const start = performance.now();
      const slicer = createSlicer(current.device, loaded);
      if (slicer === null) {
        const outputs = await readAll(await loaded.run(hostInputs(tensors)));
        return { outputs, ms: performance.now() - start, notes };
      }
      const { launches, outputs } = await runSliced(current, loaded, slicer, tensors);
      if (isHeldUp(launches)) last = { loaded, inputs: tensors, slicer };
      return { outputs: await readAll(outputs), ms: performance.now() - start, notes };
    },
    time: async () => {
      const current = opened();
      if (last === null) throw new CallFailure("nothing was run yet", "Run it first.");
      const { loaded, inputs, slicer } = last;
      if (slicer !== null) {
        const { launches, outputs } = await runSliced(current, loaded, slicer, inputs);
        for (const tensor of Object.values(outputs)) tensor.dispose();
        // By now it is known what runs side by side.
        if (isHeldUp(launches)) return sliceTimes(launches);
        last = { loaded, inputs, slicer: null };
      }
      const { whole, kernels } = await loaded.profile(hostInputs(inputs));
      return { whole, kernels };
    },
    ceilings: async () => await opened().ceilings(),
    close: () => {
      isClosed = true;
      runtime?.dispose();
      runtime?.device.destroy();
      forget();
    },
  };
}

/** Tensors as arguments of a call. */
export function hostInputs(
  tensors: readonly TensorValue[],
): Record<string, { data: TensorValue["data"]; shape: readonly number[] }> {
  return Object.fromEntries(tensors.map(({ name, data, shape }) => [name, { data, shape }]));
}

/** Executes a plan in slices, with tensors of its own: what was launched, and what it wrote. */
async function runSliced(
  runtime: Runtime,
  { plan }: LoadedPlan,
  slicer: Slicer,
  inputs: readonly TensorValue[],
): Promise<{
  readonly launches: readonly Launch[];
  readonly outputs: Readonly<Record<string, GpuTensor>>;
}> {
  const io: Record<string, GpuTensor> = {};
  for (const { name, role, type, shape } of plan.buffers) {
    if (role === "temporary") continue;
    io[name] = runtime.tensor(type, shape, inputs.find((one) => one.name === name)?.data);
  }
  const launches = await slicer.run(io).catch(async (error: unknown) => {
    try {
      // Memory that could not be had is told by what reads it.
      for (const tensor of Object.values(io)) await tensor.read();
    } finally {
      for (const tensor of Object.values(io)) tensor.dispose();
    }
    throw error;
  });
  for (const { name } of plan.buffers.filter(({ role }) => role === "input")) {
    io[name]?.dispose();
    delete io[name];
  }
  return { launches, outputs: io };
}

/** What tensors hold; they are disposed of, also where one cannot be read. */
async function readAll(
  tensors: Readonly<Record<string, GpuTensor>>,
): Promise<readonly TensorValue[]> {
  const read: TensorValue[] = [];
  try {
    for (const [name, tensor] of Object.entries(tensors)) {
      read.push({ name, type: tensor.dtype, shape: tensor.shape, data: await tensor.read() });
    }
  } finally {
    for (const tensor of Object.values(tensors)) tensor.dispose();
  }
  return read;
}

/** A device, or why there is none; none is left once nobody wants it. */
async function findDevice(isClosed: () => boolean): Promise<GPUDevice | GpuState> {
  const adapter = await findAdapter();
  if (isClosed()) return closed;
  if ("kind" in adapter) return adapter;
  const device = await requestComputeDevice(adapter).catch((error: Error) => error);
  if (device instanceof Error) return { kind: "refused", message: device.message };
  if (!isClosed()) return device;
  device.destroy();
  return closed;
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
} as const;

function readyState(runtime: Runtime, where: "worker" | "page", timer: Timer | null): GpuState {
  const { adapter, profile, device } = runtime;
  return {
    kind: "ready",
    adapter: adapterText(adapter),
    software: adapter.kind !== "gpu",
    profile,
    features: Object.entries(shownFeatures).flatMap(([name, text]) =>
      device.features.has(name) ? [text] : [],
    ),
    timer,
    where,
  };
}
