import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { type PlanData, planData } from "../../src/emit/plan-data.ts";
import { readPlan } from "../../src/emit/read-plan.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { nestedRepeatPlan } from "../runtime/plans.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

const softmax = `def softmax(float(N, D) x) -> (y) {
  largest(n) max=! x(n, d)
  total(n) +=! exp(x(n, d) - largest(n))
  y(n, d) = exp(x(n, d) - largest(n)) / total(n)
}`;

/** The data of a plan after a way through a file. */
function kept(sizes: Readonly<Record<string, number>>): PlanData {
  const limits = { ...baselineProfile.limits, maxBindingBytes: 2 ** 30 };
  const compiled = compile(softmax, { sizes, profile: { ...baselineProfile, limits } });
  if (!compiled.ok) throw new Error("softmax does not compile");
  return JSON.parse(JSON.stringify(planData(compiled.plan))) as PlanData;
}

describe("a plan as data", () => {
  test("is the plan again, but for the bodies of its kernels and where they come from", async () => {
    const compiled = compile(softmax, { sizes: { N: 5, D: 7 } });
    if (!compiled.ok) throw new Error("softmax does not compile");
    const read = readPlan(kept({ N: 5, D: 7 }));
    if (!read.ok) throw new Error(read.fault);
    const data = planData(compiled.plan);
    const kernels = data.kernels.map(({ origins: _, ...kernel }) => kernel);
    expect(planData(read.plan)).toEqual({ ...data, kernels });
    const x = Float32Array.from({ length: 35 }, (_, n) => Math.sin(n));
    const results = [compiled.plan, read.plan].map(async (plan) => {
      const { y } = await (await runtime.load(plan)).run({ x });
      return await y?.read();
    });
    const [own, loaded] = await Promise.all(results);
    expect(loaded).toHaveLength(35);
    expect(loaded).toEqual(own);
  });

  test("holds repeats", () => {
    const data = planData(nestedRepeatPlan("table"));
    const read = readPlan(JSON.parse(JSON.stringify(data)));
    expect(read.ok && planData(read.plan)).toEqual(data);
  });

  test("keeps what a device has to be requested with", () => {
    expect(kept({ N: 3000, D: 20000 }).requirements).toEqual({
      requiredFeatures: [],
      requiredLimits: { maxStorageBufferBindingSize: 240_000_000 },
    });
  });

  test.each<[string, (data: Record<string, never>) => unknown]>([
    ["plan is no object", () => [1]],
    ["plan.schema is none of 1", (data) => ({ ...data, schema: 2 })],
    ['plan.type is none of "plan"', (data) => ({ ...data, type: "summary" })],
    ["plan.buffers is no list", (data) => ({ ...data, buffers: {} })],
    ["plan.kernels[0].grid has no 3 elements", change("kernels", { grid: [1, 2] })],
    ["plan.kernels[0].workgroupSize is no count", change("kernels", { workgroupSize: -1 })],
    ["plan.kernels[0].wgsl is no string", change("kernels", { wgsl: null })],
    ["plan.buffers[0].shape[0] is no count", change("buffers", { shape: [1.5] })],
    ['plan.buffers[0].type is none of "float32"', change("buffers", { type: "float64" })],
    ["plan.buffers has an id twice", change("buffers", { id: "y" })],
    ["binds x, which is no buffer", change("buffers", { id: "z" })],
    ['plan.steps[0].kind is none of "dispatch"', change("steps", { kind: "sleep" })],
    ["a step dispatches kernel 99, which is none", change("steps", { kernel: 99 })],
    ["a step fills q, which is no buffer", change("steps", { kind: "zero", buffer: "q" })],
    ["reads t outside of its repeat", change("kernels", { steps: ["t"] })],
  ])("is refused with what is wrong: %s", (fault, changed) => {
    const data = kept({ N: 5, D: 7 }) as unknown as Record<string, never>;
    const read = readPlan(changed(data));
    expect(read).toEqual({ ok: false, fault: expect.stringContaining(fault) });
  });
});

/** Changes the first element of a list of the data. */
function change(list: string, fields: object): (data: Record<string, never>) => unknown {
  return (data) => {
    const [first, ...rest] = data[list] as unknown as object[];
    return { ...data, [list]: [{ ...first, ...fields }, ...rest] };
  };
}
