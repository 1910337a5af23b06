/** From data to a plan: what comes from a file is checked, all of it. */
import type { Plan, Step } from "../codegen/plan.ts";
import { assertNever } from "../support/assert.ts";
import { elementTypes } from "../support/scalar-type.ts";
import type { PlanData } from "./plan-data.ts";

/** A plan that a runtime can load, or the first thing that is wrong with the data. */
export type ReadPlan =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly fault: string };

/**
 * Reads what `planData` made, after a way through JSON. The kernels of the plan have their
 * text, but no body: it can be loaded and executed, not interpreted.
 */
export function readPlan(data: unknown): ReadPlan {
  const fault = planShape(data, "plan") ?? referenceFault(data as PlanData);
  if (fault !== null) return { ok: false, fault };
  const { name, buffers, shared, kernels, steps, stepIndices } = data as PlanData;
  const plan: Plan = {
    name,
    buffers,
    ...(shared === undefined ? {} : { shared }),
    kernels: kernels.map(({ wgsl, entryPoint, bindings, origins: _, ...kernel }) => ({
      kernel: { ...kernel, arrays: [], body: [] },
      wgsl,
      entryPoint,
      bindings,
    })),
    steps,
    stepIndices,
  };
  return { ok: true, plan };
}

/** What is wrong with a value at a path; null if nothing is. */
type Shape = (value: unknown, path: string) => string | null;

function object(fields: Readonly<Record<string, Shape>>): Shape {
  return (value, path) => {
    if (!isObject(value)) return `${path} is no object`;
    for (const [name, shape] of Object.entries(fields)) {
      const fault = shape(value[name], `${path}.${name}`);
      if (fault !== null) return fault;
    }
    return null;
  };
}

function listOf(shape: Shape, length?: number): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path} is no list`;
    if (length !== undefined && value.length !== length) return `${path} has no ${length} elements`;
    for (const [n, element] of value.entries()) {
      const fault = shape(element, `${path}[${n}]`);
      if (fault !== null) return fault;
    }
    return null;
  };
}

function oneOf(...values: readonly unknown[]): Shape {
  const known = values.map((value) => JSON.stringify(value)).join(", ");
  return (value, path) => (values.includes(value) ? null : `${path} is none of ${known}`);
}

/** A field that may be missing. */
function optional(shape: Shape): Shape {
  return (value, path) => (value === undefined ? null : shape(value, path));
}

const text: Shape = (value, path) => (typeof value === "string" ? null : `${path} is no string`);

const count: Shape = (value, path) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? null : `${path} is no count`;

const integer: Shape = (value, path) =>
  Number.isSafeInteger(value) ? null : `${path} is no integer`;

const textOrNull: Shape = (value, path) => (value === null ? null : text(value, path));

const step: Shape = (value, path) => {
  if (!isObject(value)) return `${path} is no object`;
  const kinds: Readonly<Record<Step["kind"], Shape>> = {
    dispatch: object({ kernel: count }),
    zero: object({ buffer: text }),
    repeat: object({ variable: text, extent: count, body: listOf(step) }),
  };
  const kind = value["kind"];
  const fault = oneOf(...Object.keys(kinds))(kind, `${path}.kind`);
  return fault ?? kinds[kind as Step["kind"]](value, path);
};

const planShape = object({
  schema: oneOf(1),
  type: oneOf("plan"),
  name: text,
  buffers: listOf(
    object({
      id: text,
      name: text,
      role: oneOf("input", "output", "inout", "temporary"),
      type: oneOf(...elementTypes),
      shape: listOf(count),
      bytes: optional(count),
      live: listOf(count, 2),
      layout: optional(
        object({
          strides: listOf(integer),
          offsetMultiple: oneOf(null, 1, 2, 4),
          variable: textOrNull,
        }),
      ),
    }),
  ),
  shared: optional(listOf(object({ id: text, members: listOf(text), set: listOf(text) }))),
  kernels: listOf(
    object({
      name: text,
      wgsl: text,
      entryPoint: text,
      workgroupSize: count,
      subgroupSize: optional(count),
      grid: listOf(count, 3),
      steps: listOf(text),
      bindings: listOf(object({ buffer: text, access: oneOf("read", "read_write") })),
    }),
  ),
  steps: listOf(step),
  stepIndices: oneOf("immediate", "table"),
});

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first name of a buffer, kernel or variable that the plan does not have. */
function referenceFault(plan: PlanData): string | null {
  const own = new Set(plan.buffers.map((buffer) => buffer.id));
  if (own.size < plan.buffers.length) return "plan.buffers has an id twice";
  const lost = (plan.shared ?? []).flatMap(({ set }) => set).find((id) => !own.has(id));
  if (lost !== undefined) return `plan.shared has ${lost}, which is no buffer`;
  const ids = new Set([...own, ...(plan.shared ?? []).map(({ id }) => id)]);
  for (const { name, bindings } of plan.kernels) {
    const unknown = bindings.find(({ buffer }) => !ids.has(buffer));
    if (unknown !== undefined) return `kernel ${name} binds ${unknown.buffer}, which is no buffer`;
  }
  const offsets = plan.buffers.flatMap(({ layout }) => layout?.variable ?? []);
  return stepsFault(plan, plan.steps, offsets);
}

function stepsFault(
  plan: PlanData,
  steps: readonly Step[],
  variables: readonly string[],
): string | null {
  for (const one of steps) {
    const fault = stepFault(plan, one, variables);
    if (fault !== null) return fault;
  }
  return null;
}

function stepFault(plan: PlanData, one: Step, variables: readonly string[]): string | null {
  switch (one.kind) {
    case "repeat":
      return stepsFault(plan, one.body, [...variables, one.variable]);
    case "zero": {
      const known = plan.buffers.some(({ id }) => id === one.buffer);
      return known ? null : `a step fills ${one.buffer}, which is no buffer`;
    }
    case "dispatch": {
      const kernel = plan.kernels[one.kernel];
      if (kernel === undefined) return `a step dispatches kernel ${one.kernel}, which is none`;
      const free = kernel.steps.find((name) => !variables.includes(name));
      return free === undefined
        ? null
        : `kernel ${kernel.name} reads ${free} outside of its repeat`;
    }
    default:
      return assertNever(one);
  }
}
