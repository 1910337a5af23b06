/** From a recorded dispatch to commands that execute a slice of it. */
import type { Plan, PlanKernel } from "../../codegen/plan.ts";
import { defined } from "../../support/assert.ts";
import type { PassCommands } from "../clock.ts";
import { type DeviceContext, scoped } from "../device-context.ts";
import { bufferUsage, computeStage } from "../gpu-flags.ts";
import type { RecordedDispatch } from "../record-dispatches.ts";
import type { Slice } from "./launch-in-slices.ts";
import { sliceWgsl } from "./slice-wgsl.ts";

/**
 * What is bound of a dispatch stays as it is: slices have a pipeline of their own for each kernel, and a second group with
 * the number of their first workgroup.
 */
export interface SliceEncoder {
  /** Compiles what slices of a dispatch need, once for its kernel. */
  prepare(dispatch: RecordedDispatch): Promise<void>;
  /** Writes a slice into a pass that has no other one, and is submitted next. */
  encode(pass: PassCommands, dispatch: RecordedDispatch, slice: Slice): void;
}

/** An encoder for the dispatches of one plan; stand in an error scope when you call it. */
export function createSliceEncoder(context: DeviceContext, plan: Plan): SliceEncoder {
  const { device } = context;
  const pipelines = new Map<number, GPUComputePipeline>();
  const visibility = computeStage;
  const layout = device.createBindGroupLayout({
    entries: [{ binding: 0, visibility, buffer: {} }],
  });
  const usage = bufferUsage.uniform | bufferUsage.copyDestination;
  const buffer = device.createBuffer({ size: 16, usage });
  const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
  return {
    prepare: async ({ kernel, encode }) => {
      if (kernel === null || pipelines.has(kernel)) return;
      const made = await scoped(context, `compile slices of "${plan.name}"`, () => {
        const whole: GPUComputePipeline[] = [];
        encode({ ...nothing, setPipeline: (pipeline) => void whole.push(pipeline) });
        const first = defined(whole[0], "pipeline").getBindGroupLayout(0);
        const pending = compile(device, plan, defined(plan.kernels[kernel], "kernel"), [
          first,
          layout,
        ]);
        // Awaited below; until then its rejection must not count as unhandled.
        pending.catch(() => {});
        return { pending };
      });
      pipelines.set(kernel, await made.pending);
    },
    encode: (pass, { kernel, encode }, { from, count }) => {
      const pipeline = defined(pipelines.get(kernel ?? -1), "pipeline of slices");
      device.queue.writeBuffer(buffer, 0, Uint32Array.of(from));
      encode({
        setPipeline: () => pass.setPipeline(pipeline),
        setBindGroup: (index: number, bound?: GPUBindGroup | null, offsets?: Iterable<number>) =>
          pass.setBindGroup(index, bound, offsets),
        setImmediates: (offset: number, data: GPUAllowSharedBufferSource) =>
          pass.setImmediates(offset, data),
        dispatchWorkgroups: () => {
          pass.setBindGroup(1, group);
          pass.dispatchWorkgroups(count);
        },
      });
    },
  };
}

const nothing: PassCommands = {
  setPipeline: () => {},
  setBindGroup: () => {},
  setImmediates: () => {},
  dispatchWorkgroups: () => {},
};

function compile(
  device: GPUDevice,
  { stepIndices }: Plan,
  one: PlanKernel,
  bindGroupLayouts: readonly GPUBindGroupLayout[],
): Promise<GPUComputePipeline> {
  const { name, steps } = one.kernel;
  const immediate = stepIndices === "immediate" ? 4 * steps.length : 0;
  const layout = device.createPipelineLayout({
    bindGroupLayouts,
    // Browsers without immediates must not see the member at all.
    ...(immediate > 0 ? { immediateSize: immediate } : {}),
  });
  const label = `slices of ${name}`;
  const module = device.createShaderModule({ label, code: sliceWgsl(one) });
  const { entryPoint } = one;
  return device.createComputePipelineAsync({ label, layout, compute: { module, entryPoint } });
}
