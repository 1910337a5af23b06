/** Matrix units of adapters: what is asked of them, and what becomes of plans for others. */
import { afterAll, describe, expect, it } from "vitest";
import { compile } from "../../src/compile.ts";
import { requirementsOf } from "../../src/emit/requirements.ts";
import { profileOf, requestComputeDevice } from "../../src/runtime/device.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { profileWithUnits, unitOf } from "../support/matrix-profile.ts";

const feature = "chromium-experimental-subgroup-matrix";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const configs = [
  { componentType: "f32", resultComponentType: "f32", M: 8, N: 8, K: 4 },
  { componentType: "i8", resultComponentType: "i32", M: 16, N: 16, K: 32 },
  { componentType: "f16", resultComponentType: "f32", M: 16, N: 8, K: 16 },
];

/** A device like that at hand, but for features and the adapter's configurations. */
function deviceWith(features: readonly string[]): GPUDevice {
  const { limits, adapterInfo } = runtime.device;
  const { vendor, architecture, device, description } = adapterInfo;
  const names = { vendor, architecture, device, description, isFallbackAdapter: false };
  const info = {
    ...names,
    subgroupMinSize: 32,
    subgroupMaxSize: 32,
    subgroupMatrixConfigs: configs,
  };
  return { limits, adapterInfo: info, features: new Set(features) } as unknown as GPUDevice;
}

describe("the profile of a device", () => {
  it("has its matrix units of floats, if the device has the feature", () => {
    const { matrixUnits } = profileOf(deviceWith([feature, "subgroups", "shader-f16"]));
    expect(matrixUnits).toEqual([
      { component: "float32", result: "float32", rows: 8, columns: 8, depth: 4 },
      { component: "float16", result: "float32", rows: 16, columns: 8, depth: 16 },
    ]);
    expect(profileOf(deviceWith(["subgroups", "shader-f16"]))).not.toHaveProperty("matrixUnits");
  });

  it("leaves out those of float16 where shaders have none", () => {
    const { matrixUnits } = profileOf(deviceWith([feature, "subgroups"]));
    expect(matrixUnits?.map((u) => u.component)).toEqual(["float32"]);
  });
});

it("asks an adapter for the feature, if it has it", async () => {
  const asked: unknown[] = [];
  const adapterWith = (...features: string[]): GPUAdapter => {
    const requestDevice = async (descriptor: GPUDeviceDescriptor): Promise<unknown> => {
      asked.push(descriptor.requiredFeatures);
      return {};
    };
    return { limits: {}, features: new Set(features), requestDevice } as unknown as GPUAdapter;
  };
  await requestComputeDevice(adapterWith("subgroups", feature, "clip-distances"));
  await requestComputeDevice(adapterWith("subgroups"));
  expect(asked).toEqual([["subgroups", feature], ["subgroups"]]);
});

describe("a plan for matrix units", () => {
  const { lanes } = runtime.profile;
  const source = "def f(float(16, 16) a, float(16, 16) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";
  const profile = profileWithUnits(lanes, unitOf("float32", 8, 8, 8));
  const compiled = compile(source, { profile });
  if (!compiled.ok) throw new Error("not compiled");
  const { plan } = compiled;

  it("says that it needs them", () => {
    expect(requirementsOf(plan)).toMatchObject({
      requiredFeatures: [feature, "subgroups"],
      subgroupSize: lanes,
    });
  });

  it("is refused by a device without", async () => {
    await expect(runtime.load(plan)).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringContaining(
        "this device has none (chromium-experimental-subgroup-matrix)",
      ),
    });
  });
});
