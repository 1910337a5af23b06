/** Plans executed on the CPU by the kernel interpreter. */

import { assertNever, defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { own } from "../../support/own.ts";
import type { TensorData } from "../../support/scalar-type.ts";
import type { Plan, Step } from "../plan.ts";
import { type Fault, faultLog } from "./fault.ts";
import { type InterpretOptions, prepareKernel } from "./interpret-kernel.ts";
import { type PlanMemory, planMemory } from "./plan-memory.ts";

/** What a plan computed, and what was wrong on the way. */
export interface PlanExecution {
  /** Outputs and updated inouts by tensor name. */
  readonly outputs: Readonly<Record<string, TensorData>>;
  readonly faults: readonly Fault[];
}

type Dispatch = (indices: ReadonlyMap<string, number>) => void;

function executeSteps(
  steps: readonly Step[],
  indices: Map<string, number>,
  zero: PlanMemory["zero"],
  kernels: readonly Dispatch[],
): void {
  for (const step of steps) {
    switch (step.kind) {
      case "dispatch":
        defined(kernels[step.kernel], "kernel", step.kernel)(indices);
        break;
      case "repeat":
        for (let n = 0; n < step.extent; n++) {
          indices.set(step.variable, n);
          executeSteps(step.body, indices, zero, kernels);
        }
        break;
      case "zero":
        zero(step.buffer);
        break;
      default:
        assertNever(step);
    }
  }
}

/** How to execute a plan. */
export interface PlanInterpretOptions extends InterpretOptions {
  /**
   * For tensors that the plan takes at an offset: where their first element in memory lies, in
   * elements from the start of what is bound; 0 by default.
   */
  readonly offsets?: Readonly<Record<string, number>>;
}

/** The values of the step variables that hold offsets. */
function offsetIndices(plan: Plan, offsets: Readonly<Record<string, number>>): Map<string, number> {
  return new Map(
    flatMap(plan.buffers, ({ name, layout }): readonly (readonly [string, number])[] => {
      if (layout === undefined || layout.variable === null) return [];
      return [[layout.variable, (own(offsets, name) ?? 0) / (layout.offsetMultiple ?? 1)]];
    }),
  );
}

/**
 * Executes a plan on inputs by tensor name, which must be those that it asks for, of the right
 * lengths; where the plan takes a view, its elements are laid out so. Inputs are not changed: inouts
 * are copied. An output that is not written whole is a fault, and so is a write between the elements
 * of a view.
 */
export function interpretPlan(
  plan: Plan,
  inputs: Readonly<Record<string, TensorData>>,
  options: PlanInterpretOptions = {},
): PlanExecution {
  const races = options.races ?? true;
  const faults = faultLog(options.faultLimit ?? 20);
  const offsets = options.offsets ?? {};
  const { memory, read, zero, reportStrays } = planMemory(plan, { inputs, offsets, races });
  const { observer = null } = options;
  const environment = { memory, races, clock: { epoch: 0, dispatch: 0 }, faults, observer };
  const kernels = plan.kernels.map(({ kernel }): Dispatch => {
    const dispatch = prepareKernel(kernel, environment);
    return (indices) =>
      dispatch(kernel.steps.map((name) => defined(indices.get(name), "step index", name)));
  });
  executeSteps(plan.steps, offsetIndices(plan, offsets), zero, kernels);
  const written = plan.buffers.filter(({ role }) => role === "output" || role === "inout");
  const outputs = Object.fromEntries(written.map((b) => [b.name, read(b, faults)]));
  reportStrays(faults);
  return { outputs, faults: faults.list() };
}
