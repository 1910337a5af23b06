/** The dispatches of a plan one by one, each with all the state that it needs. */
import type { Plan, Step } from "../codegen/plan.ts";
import { defined, invariant } from "../support/assert.ts";
import { elementCount } from "../support/scalar-type.ts";
import { wordCount } from "../support/words.ts";
import type { PassCommands } from "./clock.ts";

/** A dispatch that can stand in any pass. */
export interface RecordedDispatch {
  /** The number of its kernel in the plan; null where it fills a buffer with zero. */
  readonly kernel: number | null;
  readonly encode: (pass: PassCommands) => void;
}

/**
 * The dispatches that `encode` makes of a plan's steps, in their order.
 */
export function recordDispatches(
  plan: Plan,
  encode: (pass: PassCommands) => void,
): readonly RecordedDispatch[] {
  const recorded = record(encode);
  const kernels = executed(plan, plan.steps);
  invariant(
    recorded.length === kernels.length,
    `${plan.name}: ${recorded.length} dispatches of ${kernels.length}`,
  );
  return recorded.map((one, n) => ({ kernel: kernels[n] ?? null, encode: one }));
}

/** What a pass is told, as one function for each dispatch: it sets all that was set before. */
function record(encode: (pass: PassCommands) => void): readonly ((pass: PassCommands) => void)[] {
  const found: ((pass: PassCommands) => void)[] = [];
  let pipeline: GPUComputePipeline | null = null;
  let group: GPUBindGroup | null = null;
  let offsets: readonly number[] = [];
  let immediates: GPUAllowSharedBufferSource | null = null;
  encode({
    setPipeline: (set) => {
      pipeline = set;
    },
    setBindGroup: (_index: number, set?: GPUBindGroup | null, dynamic?: Iterable<number>) => {
      group = set ?? null;
      offsets = [...(dynamic ?? [])];
    },
    setImmediates: (_offset: number, data: GPUAllowSharedBufferSource) => {
      immediates = data;
    },
    dispatchWorkgroups: (x, y = 1, z = 1) => {
      const own = { pipeline: defined(pipeline ?? undefined, "pipeline"), group, offsets };
      const data = immediates;
      found.push((pass) => {
        pass.setPipeline(own.pipeline);
        pass.setBindGroup(0, own.group, own.offsets);
        if (data !== null) pass.setImmediates(0, data);
        pass.dispatchWorkgroups(x, y, z);
      });
    },
  });
  return found;
}

/** The kernels of steps, as often as they are dispatched; null for what fills with zero. */
function executed(plan: Plan, steps: readonly Step[]): readonly (number | null)[] {
  const found: (number | null)[] = [];
  for (const step of steps) {
    if (step.kind === "repeat") {
      const once = executed(plan, step.body);
      for (let i = 0; i < step.extent; i++) found.push(...once);
    } else if (!isEmpty(plan, step)) {
      found.push(step.kind === "zero" ? null : step.kernel);
    }
  }
  return found;
}

/** Whether a step has nothing to do, and so no dispatch. */
function isEmpty(plan: Plan, step: Exclude<Step, { kind: "repeat" }>): boolean {
  if (step.kind === "dispatch") {
    const { grid } = defined(plan.kernels[step.kernel], "kernel", step.kernel).kernel;
    return grid.some((groups) => groups === 0);
  }
  const buffer = plan.buffers.find(({ id }) => id === step.buffer);
  const { type, shape } = defined(buffer, "buffer", step.buffer);
  return wordCount(type, elementCount(shape)) === 0;
}
