/** Runs plans whose dispatches may take long: see launch-in-slices.ts. */
import type { Plan, PlanKernel } from "../../codegen/plan.ts";
import type { PassCommands } from "../clock.ts";
import { type DeviceContext, scoped, watchDevice } from "../device-context.ts";
import type { LoadedPlan } from "../load-plan.ts";
import { type RecordedDispatch, recordDispatches } from "../record-dispatches.ts";
import type { TensorOutputs } from "../run-plan.ts";
import { RuntimeFault } from "../runtime-fault.ts";
import { type Launchable, launchInSlices, type Part } from "./launch-in-slices.ts";
import { isLong, workgroupsOf } from "./long-kernels.ts";
import { createSliceEncoder, type SliceEncoder } from "./slice-encoder.ts";
import { firstSlice, type SliceSize } from "./slice-sizes.ts";

/** What was asked of the device in one submission. */
export interface Launch {
  /** Names of the kernels in it. */
  readonly kernels: readonly string[];
  /** The number of the dispatch that it is a slice of; null for whole ones. */
  readonly sliceOf: number | null;
  /** Workgroups of the slice; null for whole ones. */
  readonly groups: number | null;
  /** Milliseconds by the host's clock. */
  readonly ms: number;
}

/** Executes a plan in slices; what it finds out about their sizes holds for later runs. */
export interface Slicer {
  /**
   * Executes the plan, and resolves when the device is done, with what was launched one after the other. `io` are all
   * inputs, outputs and inout tensors. Until then nothing else may use these or the plan.
   * Rejects with RuntimeFault: once the device is lost or destroyed, the plan or a tensor is disposed of, nothing more is
   * launched.
   */
  run(io: TensorOutputs): Promise<readonly Launch[]>;
}

type Dispatch = RecordedDispatch & Launchable & { readonly place: number };

/**
 * A slicer for a plan that is loaded on the device; null where none of its dispatches that can be divided may take long, so
 * that `LoadedPlan.run` will do.
 */
export function createSlicer(device: GPUDevice, loaded: LoadedPlan): Slicer | null {
  const { plan } = loaded;
  const long = [...plan.kernels.entries()].filter(
    ([, kernel]) => isLong(kernel) && isDivisible(plan, kernel, device.limits),
  );
  return long.length === 0
    ? null
    : slicerOf(device, loaded, new Map(long.map(([n]) => [n, firstSlice])));
}

/**
 * A slicer that knows so much of the sizes of slices, by kernel; see {@link launchInSlices}.
 *
 * @param now milliseconds; the clock of the host unless a test has another.
 */
export function slicerOf(
  device: GPUDevice,
  loaded: LoadedPlan,
  sizes: Map<number, SliceSize>,
  now: () => number = () => performance.now(),
): Slicer {
  const { plan } = loaded;
  const context = watchDevice(device);
  let encoder: SliceEncoder | null = null;
  const launch = async (
    parts: readonly Part<Dispatch>[],
    slices: SliceEncoder,
    io: TensorOutputs,
  ): Promise<number> => {
    for (const { dispatch, slice } of parts) if (slice !== null) await slices.prepare(dispatch);
    // Throws if the plan was disposed of meanwhile: its memory, as that of tensors, is given to others.
    await loaded.prepare();
    if (Object.values(io).some(({ disposed }) => disposed)) {
      throw new RuntimeFault("misuse", "a tensor was disposed while it was in use");
    }
    return await execute(context, plan, now, (pass) => {
      for (const part of parts) encodePart(pass, part, slices);
    });
  };
  return {
    run: async (io) => {
      await loaded.prepare();
      const { recorded, slices } = await scoped(context, `run plan "${plan.name}"`, () => {
        encoder ??= createSliceEncoder(context, plan);
        // Of a pass it uses no more than what is recorded.
        const encode = (pass: PassCommands) => loaded.encode(pass as GPUComputePassEncoder, io);
        return { recorded: recordDispatches(plan, encode), slices: encoder };
      });
      const dispatches = recorded.map((one, place): Dispatch => {
        const kernel = one.kernel === null ? undefined : plan.kernels[one.kernel];
        const divides = kernel !== undefined && isDivisible(plan, kernel, device.limits);
        return { ...one, place, groups: divides ? workgroupsOf(kernel) : 0 };
      });
      const launches: Launch[] = [];
      const most = device.limits.maxComputeWorkgroupsPerDimension;
      await launchInSlices(dispatches, sizes, most, async (parts) => {
        const ms = await launch(parts, slices, io);
        launches.push({ ...describe(plan, parts), ms });
        return ms;
      });
      return launches;
    },
  };
}

/** Whether slices of a kernel can be numbered, and told where they begin. */
function isDivisible(
  { stepIndices }: Plan,
  one: PlanKernel,
  { maxUniformBuffersPerShaderStage: mostUniforms }: GPUSupportedLimits,
): boolean {
  const groups = workgroupsOf(one);
  const uniforms = stepIndices === "table" ? one.kernel.steps.length : 0;
  return groups > 1 && groups < 2 ** 32 && uniforms < mostUniforms;
}

function describe(plan: Plan, parts: readonly Part<Dispatch>[]): Omit<Launch, "ms"> {
  const names = parts.map(({ dispatch: { kernel } }) =>
    kernel === null ? "zero fill" : (plan.kernels[kernel]?.kernel.name ?? ""),
  );
  const [first] = parts;
  const slice = first?.slice ?? null;
  return {
    kernels: [...new Set(names)],
    sliceOf: first === undefined || slice === null ? null : first.dispatch.place,
    groups: slice?.count ?? null,
  };
}

/** Submits a pass, and waits until the device has executed it: how many milliseconds that took. */
async function execute(
  context: DeviceContext,
  { name }: Plan,
  now: () => number,
  encode: (pass: PassCommands) => void,
): Promise<number> {
  const { device } = context;
  const begun = now();
  const checked = scoped(context, `run plan "${name}"`, () => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encode(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
  });
  const done = device.queue.onSubmittedWorkDone().then(() => now() - begun);
  done.catch(() => {});
  await checked;
  const ms = await done.catch(async (error: unknown) => {
    throw (await context.loss()) ?? error;
  });
  // A device that is lost may say that it is done.
  context.check();
  return ms;
}

function encodePart(
  pass: PassCommands,
  { dispatch, slice }: Part<Dispatch>,
  slices: SliceEncoder,
): void {
  if (slice === null) dispatch.encode(pass);
  else slices.encode(pass, dispatch, slice);
}
