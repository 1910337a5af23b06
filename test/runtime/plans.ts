/** Small plans with hand-written WGSL. */
import type { Plan, PlanBuffer, PlanKernel, Step } from "../../src/codegen/plan.ts";

export type Role = PlanBuffer["role"];

/** A float32 buffer whose id is its name. */
export function buffer(
  name: string,
  role: Role,
  shape: readonly number[],
  options: Partial<PlanBuffer> = {},
): PlanBuffer {
  return { id: name, name, role, type: "float32", shape, live: [0, 0], ...options };
}

export interface KernelText {
  readonly name: string;
  readonly bindings: readonly (readonly [buffer: string, access: "read" | "read_write"])[];
  readonly groups: number;
  readonly steps?: readonly string[];
  /** Declarations after the bindings `b0`, `b1`, ... of type `array<f32>`. */
  readonly declarations?: string;
  /** The body; `i` is the invocation, 64 of them per workgroup. */
  readonly body: string;
}

export function kernel(text: KernelText): PlanKernel {
  const bindings = text.bindings.map(([id, access]) => ({ buffer: id, access }));
  const declared = bindings.map(
    ({ access }, n) => `@group(0) @binding(${n}) var<storage, ${access}> b${n}: array<f32>;`,
  );
  const immediates = text.declarations?.includes("var<immediate>");
  return {
    kernel: {
      name: text.name,
      arrays: [],
      workgroupSize: 64,
      grid: [text.groups, 1, 1],
      steps: text.steps ?? [],
      body: [],
    },
    wgsl: `${immediates ? "requires immediate_address_space;\n" : ""}${declared.join("\n")}
${text.declarations ?? ""}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  ${text.body}
}
`,
    entryPoint: "main",
    bindings,
  };
}

export function plan(
  name: string,
  buffers: readonly PlanBuffer[],
  kernels: readonly PlanKernel[],
  options: { steps?: readonly Step[]; stepIndices?: Plan["stepIndices"] } = {},
): Plan {
  const steps =
    options.steps ?? kernels.map((_, index): Step => ({ kind: "dispatch", kernel: index }));
  return { name, buffers, kernels, steps, stepIndices: options.stepIndices ?? "table" };
}

/** `C[i] = A[i] + s * B[i]` over 100 elements. */
export const addPlan: Plan = plan(
  "add",
  [
    buffer("A", "input", [10, 10]),
    buffer("B", "input", [10, 10]),
    buffer("s", "input", []),
    buffer("C", "output", [10, 10]),
  ],
  [
    kernel({
      name: "add",
      bindings: [
        ["A", "read"],
        ["B", "read"],
        ["s", "read"],
        ["C", "read_write"],
      ],
      groups: 2,
      body: "if (i < 100u) { b3[i] = b0[i] + b2[0] * b1[i]; }",
    }),
  ],
);

/** `x[i] = 2 * x[i] + 1` in place, over `count` elements. */
export function inPlacePlan(count: number): Plan {
  return plan(
    "in_place",
    [buffer("x", "inout", [count])],
    [
      kernel({
        name: "in_place",
        bindings: [["x", "read_write"]],
        groups: Math.ceil(count / 64),
        body: `if (i < ${count}u) { b0[i] = 2.0 * b0[i] + 1.0; }`,
      }),
    ],
  );
}

/** `y[t, u] = 10 * t + u` for t in [0, 5) and u in [0, 3), one dispatch per element. */
export function nestedRepeatPlan(stepIndices: Plan["stepIndices"]): Plan {
  const table = `@group(0) @binding(1) var<uniform> t: u32;
@group(0) @binding(2) var<uniform> u: u32;`;
  const immediate = `struct Steps { t: u32, u: u32 }
var<immediate> steps: Steps;`;
  const [t, u] = stepIndices === "table" ? ["t", "u"] : ["steps.t", "steps.u"];
  return plan(
    "nested",
    [buffer("y", "output", [5, 3])],
    [
      kernel({
        name: "nested",
        bindings: [["y", "read_write"]],
        groups: 1,
        steps: ["t", "u"],
        declarations: stepIndices === "table" ? table : immediate,
        body: `if (i == 0u) { b0[${t} * 3u + ${u}] = f32(10u * ${t} + ${u}); }`,
      }),
    ],
    {
      stepIndices,
      steps: [
        {
          kind: "repeat",
          variable: "t",
          extent: 5,
          body: [
            {
              kind: "repeat",
              variable: "u",
              extent: 3,
              body: [{ kind: "dispatch", kernel: 0 }],
            },
          ],
        },
      ],
    },
  );
}

/** A temporary of `count` elements, live over the steps [first, last]. */
export function temporary(name: string, count: number, first: number, last: number): PlanBuffer {
  return buffer(name, "temporary", [count], { live: [first, last] });
}

/** `x -> t1 -> t2 -> t3 -> y`, each adding 1, over `count` elements. */
export function chainPlan(count: number): Plan {
  const add = (name: string, from: string, to: string): PlanKernel =>
    kernel({
      name,
      bindings: [
        [from, "read"],
        [to, "read_write"],
      ],
      groups: Math.ceil(count / 64),
      body: `if (i < ${count}u) { b1[i] = b0[i] + 1.0; }`,
    });
  return plan(
    "chain",
    [
      buffer("x", "input", [count]),
      temporary("t1", count, 0, 1),
      temporary("t2", count, 1, 2),
      temporary("t3", count, 2, 3),
      buffer("y", "output", [count]),
    ],
    [add("k1", "x", "t1"), add("k2", "t1", "t2"), add("k3", "t2", "t3"), add("k4", "t3", "y")],
  );
}

/** Fills `y` with zero, then adds 3 to its first element; `count` elements. */
export function zeroPlan(count: number): Plan {
  return plan(
    "zeroed",
    [buffer("y", "output", [count])],
    [
      kernel({
        name: "first",
        bindings: [["y", "read_write"]],
        groups: 1,
        body: "if (i == 0u) { b0[0] = b0[0] + 3.0; }",
      }),
    ],
    {
      steps: [
        { kind: "zero", buffer: "y" },
        { kind: "dispatch", kernel: 0 },
      ],
    },
  );
}
