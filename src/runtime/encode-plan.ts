/** From a plan and its buffers to the commands of one compute pass. */
import type { Plan, PlanKernel, Step } from "../codegen/plan.ts";
import { bytesOfBuffer, stepTableLength } from "../codegen/plan.ts";
import { assertNever, defined } from "../support/assert.ts";
import { elementCount } from "../support/scalar-type.ts";
import { wordCount } from "../support/words.ts";
import type { PassCommands } from "./clock.ts";
import { bindingAlignment } from "./gpu-flags.ts";
import { type Pipeline, zeroGrid } from "./pipelines.ts";

/** Where a buffer of the plan lives: a range of a buffer on the device. */
export interface BoundBuffer {
  readonly buffer: GPUBuffer;
  /** Bytes, a multiple of 256. */
  readonly offset: number;
  /** Bytes; by default those of the dense buffer of the plan. */
  readonly size?: number;
}

/** The pipelines of a plan: one per kernel, and those that fill with zero, by element width. */
export interface PlanPipelines {
  readonly kernels: readonly Pipeline[];
  readonly zero: { readonly scalar: Pipeline; readonly vector: Pipeline } | null;
}

/** Writes the plan's dispatches into a pass: no submission, no copy, no host write. */
export interface PlanEncoder {
  /**
   * @param bound a place for each buffer of the plan, by id; one for those that it binds together.
   * @param offsets the values of the step variables that hold offsets of views.
   * @param next the pass to go on with after each dispatch; the same one where it is left out.
   * @returns whether all of this was bound before, so that nothing was made for it.
   */
  encode(
    pass: PassCommands,
    bound: ReadonlyMap<string, BoundBuffer>,
    offsets: ReadonlyMap<string, number>,
    next?: () => PassCommands,
  ): boolean;
}

/** Sets of buffers per kernel for which bind groups are kept. */
const keptGroups = 16;

/**
 * An encoder for one plan.
 *
 * @param table the step table (see `Plan.stepIndices`), needed unless {@link planTableLength} is 0.
 * @param wordOf a uniform buffer with a value that is not in the table.
 */
export function createPlanEncoder(
  device: GPUDevice,
  plan: Plan,
  pipelines: PlanPipelines,
  table: GPUBuffer | null,
  wordOf: (value: number) => GPUBuffer,
): PlanEncoder {
  const { groups, made } = createGroupCache(device);
  const buffers = new Map(plan.buffers.map((buffer) => [buffer.id, buffer]));
  return {
    encode: (first, bound, offsets, next = () => first) => {
      const before = made();
      let pass = first;
      const place = (id: string): GPUBufferBinding => {
        const { buffer, offset, size } = defined(bound.get(id), "place of buffer", id);
        if (size !== undefined) return { buffer, offset, size };
        const planned = defined(buffers.get(id), "buffer", id);
        return { buffer, offset, size: bytesOfBuffer(planned) };
      };
      const slotOf = (name: string): GPUBuffer => {
        const value = offsets.get(name) ?? 0;
        if (value >= offsetTableLength) return wordOf(value);
        return defined(table ?? undefined, "step table");
      };
      const kernelGroups = plan.kernels.map((kernel, index) =>
        groups(
          `kernel ${index}`,
          defined(pipelines.kernels[index], "pipeline").groupLayout,
          kernel.bindings.map((binding) => place(binding.buffer)),
          plan.stepIndices === "table" ? kernel.kernel.steps.map(slotOf) : [],
        ),
      );
      const dispatch = (index: number, indices: ReadonlyMap<string, number>): void => {
        const kernel = defined(plan.kernels[index], "kernel", index);
        const [x, y, z] = kernel.kernel.grid;
        // Allowed by WebGPU, but Dawn prints a warning for each.
        if (x * y * z === 0) return;
        const pipeline = defined(pipelines.kernels[index], "pipeline");
        pass.setPipeline(pipeline.pipeline);
        setStepIndices(pass, plan, kernel, defined(kernelGroups[index], "bind group"), indices);
        pass.dispatchWorkgroups(x, y, z);
        pass = next();
      };
      const zero = (id: string): void => {
        const binding = place(id);
        const { type, shape } = defined(buffers.get(id), "buffer", id);
        const words = wordCount(type, elementCount(shape));
        const width = words % 4 === 0 ? 4 : 1;
        const zeroing = defined(pipelines.zero ?? undefined, "zero pipelines");
        const { pipeline, groupLayout } = width === 4 ? zeroing.vector : zeroing.scalar;
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, groups(`zero ${width}`, groupLayout, [binding], []));
        const most = device.limits.maxComputeWorkgroupsPerDimension;
        const [x, y] = zeroGrid(words / width, most);
        if (words > 0) pass.dispatchWorkgroups(x, y);
        pass = next();
      };
      encodeSteps(plan.steps, offsets, { dispatch, zero });
      return made() === before;
    },
  };
}

interface StepSink {
  dispatch(kernel: number, indices: ReadonlyMap<string, number>): void;
  zero(buffer: string): void;
}

function encodeSteps(
  steps: readonly Step[],
  indices: ReadonlyMap<string, number>,
  sink: StepSink,
): void {
  for (const step of steps) {
    switch (step.kind) {
      case "dispatch":
        sink.dispatch(step.kernel, indices);
        break;
      case "repeat":
        for (let i = 0; i < step.extent; i++) {
          encodeSteps(step.body, new Map([...indices, [step.variable, i]]), sink);
        }
        break;
      case "zero":
        sink.zero(step.buffer);
        break;
      default:
        assertNever(step);
    }
  }
}

function setStepIndices(
  pass: PassCommands,
  plan: Plan,
  kernel: PlanKernel,
  group: GPUBindGroup,
  indices: ReadonlyMap<string, number>,
): void {
  const values = kernel.kernel.steps.map((name) => defined(indices.get(name), "index of", name));
  if (plan.stepIndices === "table") {
    const views = offsetVariables(plan);
    const inTable = (value: number, slot: number): boolean =>
      value < offsetTableLength || !views.has(kernel.kernel.steps[slot] ?? "");
    pass.setBindGroup(
      0,
      group,
      values.map((value, slot) => (inTable(value, slot) ? value * bindingAlignment : 0)),
    );
    return;
  }
  pass.setBindGroup(0, group);
  if (values.length > 0) pass.setImmediates(0, new Uint32Array(values));
}

interface GroupCache {
  groups(
    user: string,
    layout: GPUBindGroupLayout,
    storage: readonly GPUBufferBinding[],
    steps: readonly GPUBuffer[],
  ): GPUBindGroup;
  /** How many were made so far. */
  made(): number;
}

/** Bind groups by the buffers in them: a run that repeats creates none. */
function createGroupCache(device: GPUDevice): GroupCache {
  const numbers = new WeakMap<GPUBuffer, number>();
  let next = 0;
  const numberOf = (buffer: GPUBuffer): number => {
    const known = numbers.get(buffer);
    if (known !== undefined) return known;
    next += 1;
    numbers.set(buffer, next);
    return next;
  };
  const cache = new Map<string, Map<string, GPUBindGroup>>();
  let count = 0;
  const groups: GroupCache["groups"] = (user, layout, storage, steps) => {
    const bound = storage.map((s) => `${numberOf(s.buffer)}+${s.offset ?? 0}:${s.size}`);
    const key = [...bound, ...steps.map(numberOf)].join();
    const known = cache.get(user) ?? new Map<string, GPUBindGroup>();
    cache.set(user, known);
    const found = known.get(key);
    if (found !== undefined) return found;
    const entries = storage.map((resource, binding): GPUBindGroupEntry => ({ binding, resource }));
    for (const [slot, buffer] of steps.entries()) {
      entries.push({ binding: storage.length + slot, resource: { buffer, size: 4 } });
    }
    const group = device.createBindGroup({ layout, entries });
    count += 1;
    if (known.size >= keptGroups) known.clear();
    known.set(key, group);
    return group;
  };
  return { groups, made: () => count };
}

/** True if some kernel of the plan reads its step indices from the table. */
function needsStepTable(plan: Plan): boolean {
  return plan.stepIndices === "table" && plan.kernels.some((k) => k.kernel.steps.length > 0);
}

/** Offsets below this are in the step table; all of views alone in their binding. */
const offsetTableLength = 256;

/** The step variables that hold offsets of views. */
function offsetVariables({ buffers }: Plan): ReadonlySet<string> {
  return new Set(buffers.flatMap(({ layout }) => layout?.variable ?? []));
}

/** Entries that the plan's step table must have; 0 if it needs none. */
export function planTableLength(plan: Plan): number {
  if (!needsStepTable(plan)) return 0;
  const offsets = offsetVariables(plan).size > 0 ? offsetTableLength : 0;
  return Math.max(stepTableLength(plan.steps), offsets);
}

/** True if a step, at any depth, fills a buffer with zero. */
export function fillsWithZero(steps: readonly Step[]): boolean {
  return steps.some((step) =>
    step.kind === "repeat" ? fillsWithZero(step.body) : step.kind === "zero",
  );
}
