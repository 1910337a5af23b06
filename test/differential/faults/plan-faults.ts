/** Mistakes in plans: what is dispatched, how often, in which order, on which memory. */
import type { Plan, Step } from "../../../src/codegen/plan.ts";
import type { CompilerFault } from "./inject.ts";

type ChangeSteps = (steps: readonly Step[]) => readonly Step[];

/** Steps changed on every level, inner ones first. */
function mapSteps(steps: readonly Step[], change: ChangeSteps): readonly Step[] {
  return change(
    steps.map((s) => (s.kind === "repeat" ? { ...s, body: mapSteps(s.body, change) } : s)),
  );
}

function planFault(name: string, change: (plan: Plan) => Plan): CompilerFault {
  return {
    name,
    inject: ({ variant: { plan } }) => {
      const changed = change(plan);
      return JSON.stringify([changed.steps, changed.buffers]) ===
        JSON.stringify([plan.steps, plan.buffers])
        ? null
        : changed;
    },
  };
}

function stepFault(name: string, change: ChangeSteps): CompilerFault {
  return planFault(name, (plan) => ({ ...plan, steps: mapSteps(plan.steps, change) }));
}

function withExtent(by: number): ChangeSteps {
  return (steps) =>
    steps.map((s) => (s.kind === "repeat" ? { ...s, extent: Math.max(0, s.extent + by) } : s));
}

function isZero(step: Step): boolean {
  return step.kind === "zero";
}

/** Mistakes in plans. */
export const planFaults: readonly CompilerFault[] = [
  stepFault("zero steps missing", (steps) => steps.filter((s) => !isZero(s))),
  stepFault("zero steps last", (steps) => [
    ...steps.filter((s) => !isZero(s)),
    ...steps.filter(isZero),
  ]),
  stepFault("last dispatch missing", (steps) => {
    return steps.at(-1)?.kind === "dispatch" ? steps.slice(0, -1) : steps;
  }),
  stepFault("first dispatch missing", (steps) => {
    const first = steps.findIndex((s) => s.kind === "dispatch");
    return first < 0 ? steps : steps.toSpliced(first, 1);
  }),
  stepFault("dispatches backwards", (steps) => steps.toReversed()),
  stepFault("neighbouring dispatches exchanged", (steps) => {
    const [a, b, ...rest] = steps;
    return a?.kind === "dispatch" && b?.kind === "dispatch" ? [b, a, ...rest] : steps;
  }),
  stepFault("dispatches twice", (steps) => {
    return steps.flatMap((s): readonly Step[] => (s.kind === "dispatch" ? [s, s] : [s]));
  }),
  stepFault("last repetition missing", withExtent(-1)),
  stepFault("one repetition too many", withExtent(1)),
  stepFault("repetitions done once", (steps) =>
    steps.map((s) => (s.kind === "repeat" && s.extent > 1 ? { ...s, extent: 1 } : s)),
  ),
  planFault("temporaries too small", (plan) => {
    const buffers = plan.buffers.map((b) => {
      if (b.role !== "temporary") return b;
      const [outer = 1, ...inner] = b.shape;
      return { ...b, shape: [Math.max(1, outer - 1), ...inner] };
    });
    return { ...plan, buffers };
  }),
  {
    name: "temporaries in each other's memory",
    inject: ({ variant: { plan } }) => {
      const [a, b] = plan.buffers.filter((buffer) => buffer.role === "temporary");
      if (a === undefined || b === undefined || a.type !== b.type) return null;
      const kernels = plan.kernels.map((k) => {
        const arrays = k.kernel.arrays.map((array) => {
          return array.buffer === b.id ? { ...array, buffer: a.id } : array;
        });
        return { ...k, kernel: { ...k.kernel, arrays } };
      });
      return { ...plan, kernels };
    },
  },
];
