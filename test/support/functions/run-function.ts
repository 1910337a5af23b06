/** A function on many arguments at once, on a device and in the interpreter of kernels. */
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Kernel, Width } from "../../../src/codegen/kernel.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import { printWgsl } from "../../../src/codegen/print-wgsl/print-wgsl.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { ScalarType, TensorData } from "../../../src/support/scalar-type.ts";
import { allocate } from "../../../src/support/scalar-type.ts";
import {
  call,
  groupX,
  kernelOf,
  load,
  local,
  op,
  storage,
  store,
  typed,
  u,
} from "../../codegen/support/kernels.ts";

/** A plan that applies the function to each of `length` tuples, `width` at a time. */
export function functionPlan(
  name: string,
  length: number,
  types: readonly ScalarType[],
  result: ScalarType,
  width: Width = 1,
): Plan {
  const invocation = op(op(groupX, "*", u(64)), "+", local);
  const at = width === 1 ? invocation : op(invocation, "*", u(width));
  const ids = types.map((_, n) => "xyz".charAt(n));
  const parts = types.map((type, n) => load(ids[n] ?? "", at, type, width));
  const kernel: Kernel = kernelOf(
    [
      ...types.map((scalar, n) => storage(ids[n] ?? "", length, "read", { scalar, width })),
      storage("out", length, "read_write", { scalar: result, width }),
    ],
    [store("out", at, call(name, parts, typed(result, width)))],
    { workgroupSize: 64, grid: [length / 64 / width, 1, 1] },
  );
  const buffers = kernel.arrays.map((array) => ({
    id: array.id,
    name: array.id,
    role: array.access === "read" ? ("input" as const) : ("output" as const),
    type: array.scalar,
    shape: [array.length],
    live: [0, 0] as const,
  }));
  return {
    name: kernel.name,
    buffers,
    kernels: [{ kernel, ...printWgsl(kernel, "table") }],
    steps: [{ kind: "dispatch", kernel: 0 }],
    stepIndices: "table",
  };
}

/** The inputs of such a plan: the arguments and zeros up to a multiple of 256. */
function inputsOf(
  values: readonly ArrayLike<number>[],
  types: readonly ScalarType[],
): {
  readonly length: number;
  readonly inputs: Readonly<Record<string, TensorData>>;
} {
  const length = Math.ceil((values[0]?.length ?? 0) / 256) * 256;
  const inputs = types.map((type, n) => {
    const data = allocate(type, length);
    data.set(values[n] ?? []);
    return ["xyz".charAt(n), data] as const;
  });
  return { length, inputs: Object.fromEntries(inputs) };
}

/** The results in both executions. */
export async function runFunction(
  runtime: Runtime,
  name: string,
  values: readonly ArrayLike<number>[],
  types: readonly ScalarType[] = values.map(() => "float32"),
  result: ScalarType = types[0] ?? "float32",
  width: Width = 1,
): Promise<{ readonly device: ArrayLike<number>; readonly interpreted: ArrayLike<number> }> {
  const { length, inputs } = inputsOf(values, types);
  const plan = functionPlan(name, length, types, result, width);
  const { outputs, faults } = interpretPlan(plan, inputs);
  if (faults.length > 0) throw new Error(`${name}: ${JSON.stringify(faults[0])}`);
  using loaded = await runtime.load(plan);
  const onDevice = await loaded.run(inputs);
  using tensor = onDevice["out"];
  const device = (await tensor?.read()) ?? [];
  return { device, interpreted: outputs["out"] ?? [] };
}
