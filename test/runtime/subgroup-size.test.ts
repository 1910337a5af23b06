/** Subgroups of a size that kernels ask for: what is asked of adapters, and which devices take such plans. */
import { afterAll, describe, expect, it } from "vitest";
import type { Plan } from "../../src/codegen/plan.ts";
import { compile } from "../../src/compile.ts";
import { requirementsOf } from "../../src/emit/requirements.ts";
import { checkPlan } from "../../src/runtime/check-plan.ts";
import { requestComputeDevice } from "../../src/runtime/device.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { gpuProfile } from "../../src/support/device-profile.ts";
import { askingFor } from "../support/asking-profile.ts";

const feature = "subgroup-size-control";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** Sums of rows by subgroups of that size. */
function planAsking(size: number): Plan {
  const source = "def f(float(16, 1000) x) -> (y) { y(n) +=! x(n, d) }";
  const compiled = compile(source, { profile: askingFor(size, gpuProfile) });
  if (!compiled.ok) throw new Error("not compiled");
  expect(compiled.plan.kernels[0]?.wgsl).toContain(`@subgroup_size(${size})`);
  return compiled.plan;
}

it("asks an adapter for the feature if it has it", async () => {
  const asked: unknown[] = [];
  const adapterWith = (...features: string[]): GPUAdapter => {
    const requestDevice = async (descriptor: GPUDeviceDescriptor): Promise<unknown> => {
      asked.push(descriptor.requiredFeatures);
      return {};
    };
    return { limits: {}, features: new Set(features), requestDevice } as unknown as GPUAdapter;
  };
  await requestComputeDevice(adapterWith("subgroups", feature));
  await requestComputeDevice(adapterWith("subgroups"));
  expect(asked).toEqual([["subgroups", feature], ["subgroups"]]);
});

describe("a plan that asks for subgroups of 16", () => {
  const plan = planAsking(16);
  const fault = (min: number, max: number, ...features: readonly string[]): string | null => {
    const { limits } = runtime.device;
    const adapterInfo = { subgroupMinSize: min, subgroupMaxSize: max } as GPUAdapterInfo;
    try {
      checkPlan(plan, { limits, adapterInfo, features: new Set(features) });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it("says that it needs the feature, and the size", () => {
    expect(requirementsOf(plan)).toMatchObject({
      requiredFeatures: [feature, "subgroups"],
      subgroupSize: 16,
    });
  });

  it("runs where that is one of the sizes, or the only one", () => {
    for (const [min, max] of [
      [8, 32],
      [16, 32],
      [4, 16],
      [16, 16],
    ] as const) {
      expect(fault(min, max, "subgroups", feature)).toBeNull();
    }
  });

  it("is refused where it is not, or cannot be asked for", () => {
    const kernel = plan.kernels[0]?.kernel.name;
    const advice = "; compile for its profile, or use another";
    for (const [min, max] of [
      [32, 64],
      [4, 8],
      [0, 0],
    ] as const) {
      expect(fault(min, max, "subgroups", feature)).toBe(
        `kernel "${kernel}" is for subgroups of 16; this device has ${min} to ${max} ` +
          `(subgroupMinSize, subgroupMaxSize)${advice}`,
      );
    }
    for (const [min, max] of [
      [8, 32],
      [16, 16],
    ] as const) {
      expect(fault(min, max, "subgroups")).toBe(
        `kernel "${kernel}" is for subgroups of 16; this device has ${min} to ${max} ` +
          `(subgroupMinSize, subgroupMaxSize) without ${feature}${advice}`,
      );
    }
  });

  it("is one that the device at hand refuses, and runs at its own size", async () => {
    await expect(runtime.load(plan)).rejects.toMatchObject({ kind: "unsupported" });
    const { lanes } = runtime.profile;
    const own = planAsking(lanes);
    if (!runtime.device.features.has(feature)) {
      await expect(runtime.load(own)).rejects.toThrow(`without ${feature}`);
      return;
    }
    using loaded = await runtime.load(own);
    const x = Float32Array.from({ length: 16_000 }, (_, n) => n % 7);
    const { y } = await loaded.run({ x });
    const sums = Array.from({ length: 16 }, (_, n) =>
      x.slice(1000 * n, 1000 * n + 1000).reduce((a, b) => a + b),
    );
    expect([...((await y?.read()) ?? [])]).toEqual(sums);
  });
});
