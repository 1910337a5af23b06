/**
 * A plan as data for JSON: all that a runtime needs, without the compiler's view of the kernels.
 *
 * ```
 * data   := schema 1, type "plan", name, requirements, buffers, shared?, kernels, steps, stepIndices
 * buffer := id, name, role, type, shape, bytes?, live, layout?
 * kernel := name, wgsl, entryPoint, workgroupSize, subgroupSize?, grid, steps, bindings, origins?
 * origins := parts, lines: each a list of numbers of parts, indices by name
 * step   := dispatch kernel | repeat variable in 0..extent { step* } | zero buffer
 * ```
 * docs/cli.md says what each field means.
 */
import type { Kernel } from "../codegen/kernel.ts";
import type { Origin, OriginPart } from "../codegen/origin.ts";
import type { Plan, PlanBuffer, PlanKernel, SharedBuffer, Step } from "../codegen/plan.ts";
import { wgslOrigins } from "../codegen/print-wgsl/wgsl-origins.ts";
import { type Requirements, requirementsOf } from "./requirements.ts";

/** A kernel with its text, its workgroups, and the buffers that it binds. */
export interface KernelData {
  readonly name: string;
  readonly wgsl: string;
  readonly entryPoint: string;
  readonly workgroupSize: number;
  /** Lanes that its subgroups must have; absent where any will do. */
  readonly subgroupSize?: number;
  readonly grid: readonly [number, number, number];
  /** The variables of repeats whose values it reads, in the order of their slots. */
  readonly steps: readonly string[];
  readonly bindings: PlanKernel["bindings"];
  /** Where its text comes from; absent where the plan was read from data itself. */
  readonly origins?: OriginData;
}

/** Where the text of a kernel comes from: for those who show it beside the source. */
export interface OriginData {
  /** What lines come from. */
  readonly parts: Origin;
  /** By line of `wgsl`, from the first on: numbers of parts. */
  readonly lines: readonly (readonly number[])[];
  /** By name in the text: the indices of the source that it counts. */
  readonly indices: Readonly<Record<string, readonly string[]>>;
}

/** A plan that JSON can hold. */
export interface PlanData {
  readonly schema: 1;
  readonly type: "plan";
  readonly name: string;
  /** What to request a device with. */
  readonly requirements: Requirements;
  readonly buffers: readonly PlanBuffer[];
  /** Absent where there are none. */
  readonly shared?: readonly SharedBuffer[];
  readonly kernels: readonly KernelData[];
  readonly steps: readonly Step[];
  readonly stepIndices: Plan["stepIndices"];
}

/** The plan as data; `readPlan` makes it a plan again. */
export function planData(plan: Plan): PlanData {
  const { name, buffers, shared, kernels, steps, stepIndices } = plan;
  return {
    schema: 1,
    type: "plan",
    name,
    requirements: requirementsOf(plan),
    buffers,
    ...(shared === undefined ? {} : { shared }),
    kernels: kernels.map(({ kernel, wgsl, entryPoint, bindings }) => ({
      name: kernel.name,
      wgsl,
      entryPoint,
      workgroupSize: kernel.workgroupSize,
      ...(kernel.subgroupSize === undefined ? {} : { subgroupSize: kernel.subgroupSize }),
      grid: kernel.grid,
      steps: kernel.steps,
      bindings,
      ...originData(kernel, stepIndices),
    })),
    steps,
    stepIndices,
  };
}

function originData(kernel: Kernel, stepIndices: Plan["stepIndices"]): Pick<KernelData, "origins"> {
  // A plan that was read from data has texts only.
  if (kernel.body.length === 0) return {};
  const { lines, indices } = wgslOrigins({ kernel }, stepIndices);
  const numbers = new Map<OriginPart, number>();
  const numbered = lines.map((origin) =>
    origin.map((part) => {
      const number = numbers.get(part) ?? numbers.size;
      numbers.set(part, number);
      return number;
    }),
  );
  return { origins: { parts: [...numbers.keys()], lines: numbered, indices } };
}
