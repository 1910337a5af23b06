/** Plans that were compiled before, on any WebGPU device: the runtime without the compiler. */
export { type ReadPlan, readPlan } from "./emit/read-plan.ts";
export {
  type AdapterDescription,
  type AdapterKind,
  adapterText,
  requestComputeDevice,
} from "./runtime/device.ts";
export type { LoadedPlan } from "./runtime/load-plan.ts";
export type { RunOptions, TensorOutputs } from "./runtime/run-plan.ts";
export { createRuntime, type Runtime, type RuntimeOptions } from "./runtime/runtime.ts";
export { type FaultKind, RuntimeFault } from "./runtime/runtime-fault.ts";
export { createSlicer, type Launch, type Slicer } from "./runtime/slices/create-slicer.ts";
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
