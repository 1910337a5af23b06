/** Tensors whose memory goes on to a whole vector, in all executions, against plain loops. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { verifyKernel } from "../../src/codegen/verify-kernel/verify-kernel.ts";
import { type Compiled, compile, interpret } from "../../src/index.ts";
import { openRuntime, type Runtime } from "../../src/node.ts";
import { baselineProfile, namedProfiles } from "../../src/support/device-profile.ts";
import type { TensorData } from "../../src/support/scalar-type.ts";
import { someOf } from "../support/sweep.ts";
import { type Case, cases, type Inputs, type Results, type Shape, shapes } from "./cases.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

/** The same numbers; 0 and -0 are. */
function expectResults(found: Readonly<Record<string, TensorData>>, expected: Results): void {
  for (const [name, values] of Object.entries(expected)) {
    const data = [...(found[name] ?? [])];
    expect(data, name).toHaveLength(values.length);
    const off = data.findIndex((v, n) => {
      const value = values[n] ?? Number.NaN;
      return !(Math.abs(v - value) <= 2 ** -20 * Math.abs(value));
    });
    expect(off < 0 ? "" : `${name}[${off}] is ${data[off]}, not ${values[off]}`).toBe("");
  }
}

function compiled(
  source: string,
  N: number,
  M: number,
  profile: string | Runtime["profile"],
): Compiled {
  const result = compile(source, { sizes: { N, M }, padded: true, profile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  return result;
}

type Shaped = Readonly<Record<string, { data: TensorData; shape: readonly number[] }>>;

function shapedInputs(inputs: Inputs, shape: readonly number[]): Shaped {
  const scalars = new Set(["s"]);
  return Object.fromEntries(
    Object.entries(inputs).map(([name, data]) => [
      name,
      { data, shape: scalars.has(name) ? [] : shape },
    ]),
  );
}

/** Executes plans for profiles in the kernel interpreter, which must find no fault. */
function expectInterpreted(one: Case, inputs: Inputs, shape: Shape, expected: Results): void {
  const [N, M] = shape;
  const turn = cases.indexOf(one) + shapes.indexOf(shape);
  for (const profile of someOf(["baseline", "llvmpipe", "swiftshader"], 1, turn)) {
    const { plan } = compiled(one.source, N, M, profile);
    for (const { kernel } of plan.kernels) {
      expect(verifyKernel(kernel, namedProfiles[profile] ?? baselineProfile)).toEqual([]);
    }
    const { outputs, faults } = interpretPlan(plan, inputs);
    expect(faults, `${N} by ${M} for ${profile}`).toEqual([]);
    expectResults(outputs, expected);
  }
}

/** Calls it on the device, twice: the second time in memory that holds what the first left there. */
async function expectOnDevice(one: Case, given: Shaped, shape: Shape, expected: Results) {
  const { f } = runtime.define(one.source as string);
  if (f === undefined) throw new Error("no definition");
  for (let run = 0; run < 2; run++) {
    const found: Record<string, TensorData> = {};
    for (const [name, tensor] of Object.entries(await f(given))) {
      expect(tensor.shape, name).toEqual(expected[name]?.length === 1 ? tensor.shape : shape);
      found[name] = await tensor.read();
      tensor.dispose();
    }
    expectResults(found, expected);
  }
}

test.each(cases)("$name: elements and nothing else, whatever padding holds", async (one) => {
  for (const shape of shapes) {
    const [N, M] = shape;
    const inputs = one.inputs(N * M);
    const expected = one.results(inputs, N * M);
    const given = shapedInputs(inputs, shape);
    const reference = interpret(one.source, given, { sizes: { N, M } });
    const asData = Object.entries(reference).map(([name, { data }]) => [name, data] as const);
    expectResults(Object.fromEntries(asData), expected);
    expectInterpreted(one, inputs, shape, expected);
    await expectOnDevice(one, given, shape, expected);
  }
});
