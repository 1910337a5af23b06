/** Plans in the form that the loader of an emitted module executes. */
import {
  bytesOfBuffer,
  type Plan,
  type PlanBuffer,
  type PlanKernel,
  type Step,
} from "../codegen/plan.ts";
import { assertNever, defined } from "../support/assert.ts";
import { allocate, type ElementType, elementCount } from "../support/scalar-type.ts";
import { shareMemory } from "../support/share-memory.ts";
import { wordCount } from "../support/words.ts";
import { type Requirements, requirementsOf } from "./requirements.ts";

/** A tensor that a caller names. */
export interface ModuleTensor {
  readonly name: string;
  readonly role: Exclude<PlanBuffer["role"], "temporary">;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** The typed array that carries it. */
  readonly array: string;
  /** Of its buffer. */
  readonly bytes: number;
}

export interface ModuleKernel {
  readonly name: string;
  readonly entryPoint: string;
  readonly grid: readonly [number, number, number];
  /** The variables of repeats that it reads, in the order of their slots. */
  readonly steps: readonly string[];
  /** A tensor by name or scratch memory by number, how it is used, and the bytes of it. */
  readonly bindings: readonly (readonly [string | number, "read" | "read_write", number])[];
  readonly wgsl: string;
}

/** A kernel by number, or steps that are repeated. */
export type ModuleStep =
  | number
  | {
      readonly repeat: string;
      readonly extent: number;
      readonly body: readonly ModuleStep[];
    };

/** What a caller sees: the same for all plans of a module. */
export interface ModuleProgram {
  readonly name: string;
  readonly tensors: readonly ModuleTensor[];
}

/** All that the loader needs of a plan. */
export interface ModulePlan {
  readonly requirements: Requirements;
  /** Bytes of the buffers that temporaries share. */
  readonly scratch: readonly number[];
  readonly stepIndices: Plan["stepIndices"];
  readonly steps: readonly ModuleStep[];
  readonly kernels: readonly ModuleKernel[];
}

/**
 * What a module says of a plan's tensors.
 * @throws RangeError for a plan whose tensors are views: modules take dense ones.
 */
export function moduleProgram({ name, buffers }: Plan): ModuleProgram {
  const view = buffers.find(({ layout }) => layout !== undefined);
  if (view !== undefined) {
    throw new RangeError(
      `modules take dense tensors, and "${view.name}" is compiled for a view: ` +
        "compile without its layout, or write planData(plan), which readPlan makes a plan for runtime.load",
    );
  }
  return { name, tensors: buffers.flatMap(moduleTensor) };
}

/** The module's form of a plan: temporaries have places, and steps that fill become kernels. */
export function modulePlan(plan: Plan): ModulePlan {
  const temporaries = plan.buffers.filter(({ role }) => role === "temporary");
  const slots = shareMemory(
    temporaries.map((b) => ({ id: b.id, live: b.live, bytes: bytesOfBuffer(b) })),
  );
  const place = (id: string): readonly [string | number, number] => {
    const buffer = bufferOf(plan, id);
    const slot = slots.findIndex((s) => s.members.includes(id));
    return [slot < 0 ? buffer.name : slot, bytesOfBuffer(buffer)];
  };
  const moduleKernel = ({ kernel, wgsl, entryPoint, bindings }: PlanKernel): ModuleKernel => ({
    name: kernel.name,
    entryPoint,
    grid: kernel.grid,
    steps: kernel.steps,
    bindings: bindings.map(({ buffer, access }) => {
      const [where, bytes] = place(buffer);
      return [where, access, bytes];
    }),
    wgsl,
  });
  const fills = [...new Set(filled(plan.steps))];
  const numberOf = (step: Extract<Step, { kind: "dispatch" | "zero" }>): number =>
    step.kind === "dispatch" ? step.kernel : plan.kernels.length + fills.indexOf(step.buffer);
  return {
    requirements: requirementsOf(plan),
    scratch: slots.map((slot) => slot.bytes),
    stepIndices: plan.stepIndices,
    steps: plan.steps.map((step) => moduleStep(step, numberOf)),
    kernels: [
      ...plan.kernels.map(moduleKernel),
      ...fills.map((id) => moduleKernel(zeroKernel(bufferOf(plan, id)))),
    ],
  };
}

function bufferOf(plan: Plan, id: string): PlanBuffer {
  return defined(
    plan.buffers.find((buffer) => buffer.id === id),
    "buffer",
    id,
  );
}

function moduleTensor(buffer: PlanBuffer): readonly ModuleTensor[] {
  const { name, role, type, shape } = buffer;
  if (role === "temporary") return [];
  const array = allocate(type, 0)[Symbol.toStringTag];
  return [{ name, role, type, shape, array, bytes: bytesOfBuffer(buffer) }];
}

function moduleStep(
  step: Step,
  numberOf: (step: Extract<Step, { kind: "dispatch" | "zero" }>) => number,
): ModuleStep {
  switch (step.kind) {
    case "dispatch":
    case "zero":
      return numberOf(step);
    case "repeat": {
      const body = step.body.map((inner) => moduleStep(inner, numberOf));
      return { repeat: step.variable, extent: step.extent, body };
    }
    default:
      return assertNever(step);
  }
}

/** The buffers that steps fill with zeros, in the order of the steps. */
function filled(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind === "repeat") return filled(step.body);
    return step.kind === "zero" ? [step.buffer] : [];
  });
}

/** Workgroups that a dimension may have on every device. */
const widestGrid = 65535;
const zeroGroup = 64;

/** A kernel that fills a buffer with zero words. */
function zeroKernel(buffer: PlanBuffer): PlanKernel {
  const words = wordCount(buffer.type, elementCount(buffer.shape));
  const groups = Math.ceil(words / zeroGroup);
  const x = Math.min(groups, widestGrid);
  const y = x === 0 ? 0 : Math.ceil(groups / x);
  return {
    kernel: {
      name: `zero ${buffer.name}`,
      arrays: [],
      workgroupSize: zeroGroup,
      grid: [x, y, 1],
      steps: [],
      body: [],
    },
    wgsl: `@group(0) @binding(0) var<storage, read_write> words: array<u32>;

@compute @workgroup_size(${zeroGroup})
fn zero(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = (group.y * ${x}u + group.x) * ${zeroGroup}u + lane;
  if (i < ${words}u) {
    words[i] = 0u;
  }
}
`,
    entryPoint: "zero",
    bindings: [{ buffer: buffer.id, access: "read_write" }],
  };
}
