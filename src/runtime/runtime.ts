/** The runtime on a WebGPU device: any device, in Node or in a browser. */
import type { Plan } from "../codegen/plan.ts";
import { checkOptions, kindOf, type OptionNames } from "../support/check-call-shape.ts";
import type { DeviceProfile } from "../support/device-profile.ts";
import type { ElementType, HalfArray, TensorData, TypedArrays } from "../support/scalar-type.ts";
import { type Ceilings, measureCeilings } from "./ceilings.ts";
import type { Timer } from "./clock.ts";
import { type AdapterDescription, describeAdapter, profileOf } from "./device.ts";
import { type WatchOptions, watchDevice } from "./device-context.ts";
import { type LoadedPlan, type LoadOptions, loadPlan } from "./load-plan.ts";
import { createPlanHost } from "./plan-host.ts";
import type { PoolStatistics } from "./pool.ts";
import type { RuntimeFault } from "./runtime-fault.ts";
import type { GpuTensor } from "./tensor.ts";

/** Executes plans on one device. */
export interface Runtime extends Disposable {
  readonly device: GPUDevice;
  readonly adapter: AdapterDescription;
  /** What to compile for, to run here. */
  readonly profile: DeviceProfile;
  /**
   * A tensor on the device with the given elements (`bool`: words 0 and 1; `float16`: numbers in a
   * Float32Array, or bits in a Uint16Array or Float16Array), or zeros.
   * Throws RuntimeFault `argument`; memory that cannot be had is told by what reads the tensor.
   */
  tensor<Type extends ElementType>(
    dtype: Type,
    shape: readonly number[],
    data?: TensorData | HalfArray,
  ): GpuTensor<TypedArrays[Type]>;
  /** Compiles a plan's pipelines. Rejects with RuntimeFault `unsupported` or `shader`. */
  load(plan: Plan, options?: LoadOptions): Promise<LoadedPlan>;
  /** What the adapter can do at most, measured now: see `Ceilings`. Rejects with RuntimeFault. */
  ceilings(): Promise<Ceilings>;
  /** The clock of all times that are measured here; observed at the first call. Rejects with RuntimeFault. */
  timer(): Promise<Timer>;
  /** What the pool of buffers holds. */
  memory(): PoolStatistics;
  /**
   * Frees all memory of the runtime, also of tensors in use; whatever was made by it rejects with
   * RuntimeFault `misuse` from then on. A given device lives on. A second call does nothing.
   */
  dispose(): void;
}

export interface RuntimeOptions {
  /** Never destroyed by the runtime. */
  readonly device: GPUDevice;
  /** By default what the device says of its adapter. */
  readonly adapterDescription?: AdapterDescription;
  /** By default made from the device. */
  readonly profile?: DeviceProfile;
  /** Called once if the device is lost without being destroyed. */
  readonly onLost?: (fault: RuntimeFault) => void;
}

const optionNames: OptionNames<RuntimeOptions> = {
  device: true,
  adapterDescription: true,
  profile: true,
  onLost: true,
};

/**
 * A runtime on a device that the caller owns.
 * @throws TypeError for options that are none.
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  checkOptions("createRuntime", options, optionNames);
  const { device }: { readonly device?: unknown } = options;
  if (typeof device !== "object" || device === null || !("queue" in device)) {
    const given = device instanceof Promise ? "a promise; await it" : kindOf(device);
    throw new TypeError(`createRuntime: \`device\` is a GPUDevice, got ${given}`);
  }
  return makeRuntime(options, {});
}

/** A runtime on a device that nobody else uses: errors outside all scopes are its own. */
export function createExclusiveRuntime(options: RuntimeOptions): Runtime {
  const runtime = makeRuntime(options, { uncaptured: true });
  const dispose = (): void => {
    runtime.dispose();
    options.device.destroy();
  };
  return { ...runtime, dispose, [Symbol.dispose]: dispose };
}

const unknownAdapter: AdapterDescription = {
  kind: "gpu",
  vendor: "",
  architecture: "",
  device: "",
  description: "",
};

function makeRuntime(options: RuntimeOptions, watch: WatchOptions): Runtime {
  const { device } = options;
  const onLost = options.onLost === undefined ? {} : { onLost: options.onLost };
  const context = watchDevice(device, { ...watch, ...onLost });
  const host = createPlanHost(context);
  const dispose = (): void => {
    context.close();
    host.destroy();
  };
  return {
    device,
    adapter: options.adapterDescription ?? describeDevice(device),
    profile: options.profile ?? profileOf(device),
    // Its elements are read as what `allocate` gives for the type.
    tensor: host.tensors.create as Runtime["tensor"],
    load: async (plan, options) => {
      context.check();
      return await loadPlan(host, plan, options);
    },
    ceilings: async () => {
      context.check();
      return await measureCeilings(host);
    },
    timer: async () => {
      context.check();
      const { kind, quantumNs } = await host.clock();
      return { kind, quantumNs };
    },
    memory: host.pool.statistics,
    dispose,
    [Symbol.dispose]: dispose,
  };
}

function describeDevice(device: GPUDevice): AdapterDescription {
  // Undefined in implementations older than GPUDevice.adapterInfo.
  const info: GPUAdapterInfo | undefined = device.adapterInfo;
  return info === undefined ? unknownAdapter : describeAdapter(info);
}
