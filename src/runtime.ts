/** Definitions on any WebGPU device, in Node or in a browser. */
import { type Runtime, withDefine } from "./api/define.ts";
import { createRuntime as createDeviceRuntime, type RuntimeOptions } from "./runtime/runtime.ts";

export type { CompilationStatistics } from "./api/compilations.ts";
export type { Compilation } from "./api/compile-for-device.ts";
export type { Runtime } from "./api/define.ts";
export type {
  CallOptions,
  DefineOptions,
  Kernel,
  Kernels,
  KernelsOf,
  TimeOptions,
} from "./api/kernel.ts";
export { TcError } from "./api/tc-error.ts";
export type { Ceilings } from "./runtime/ceilings.ts";
export type { Timer } from "./runtime/clock.ts";
export {
  type AdapterDescription,
  type AdapterKind,
  adapterText,
  requestComputeDevice,
} from "./runtime/device.ts";
export type { LoadedPlan, LoadOptions } from "./runtime/load-plan.ts";
export type { DispatchSpan, KernelTime, Profile } from "./runtime/profile-plan.ts";
export type { RunOptions, TensorOutputs } from "./runtime/run-plan.ts";
export type { RuntimeOptions } from "./runtime/runtime.ts";
export { type FaultKind, RuntimeFault } from "./runtime/runtime-fault.ts";
export type { GpuTensor } from "./runtime/tensor.ts";
export type {
  ArrayInput,
  BufferInput,
  NestedArray,
  OnnxTensor,
  TensorInput,
  TensorInputs,
} from "./runtime/tensor-input.ts";
export type { SliceRange, ViewOptions } from "./runtime/tensor-view.ts";
export type { Timing, TimingOptions } from "./runtime/timing.ts";
export { chromeTrace, type Trace, type TraceContext, type TraceEvent } from "./runtime/trace.ts";

/**
 * A runtime on a device that the caller owns: it is never destroyed here. For all that it can do,
 * get the device from `requestComputeDevice`.
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  return withDefine(createDeviceRuntime(options));
}
