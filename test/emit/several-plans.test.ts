/** Modules with plans for several profiles: which one they take, on made-up adapters, and what it computes, on a real one. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Plan } from "../../src/codegen/plan.ts";
import { compile } from "../../src/compile.ts";
import type { PlanFor } from "../../src/emit/plan-for.ts";
import { printModule } from "../../src/emit/print-module.ts";
import { profileOf } from "../../src/runtime/device.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { deviceFamilies } from "../../src/support/device-families.ts";
import { type DeviceProfile, gpuProfile } from "../../src/support/device-profile.ts";
import { addPlan } from "../runtime/plans.ts";
import { askingFor } from "../support/asking-profile.ts";
import { openFolder, type SeveralModule } from "./emitted.ts";

const folder = openFolder();

afterAll(() => folder.remove());

/** A device, or an adapter, of which nothing but what it says of itself is there. */
function made(
  info: Partial<GPUAdapterInfo>,
  { features = [], limits = {} }: { features?: readonly string[]; limits?: object } = {},
): GPUDevice {
  const words = { vendor: "", architecture: "", device: "", description: "" };
  const adapterInfo = { ...words, isFallbackAdapter: false, ...info };
  return { adapterInfo, features: new Set(features), limits } as unknown as GPUDevice;
}

/** The same plan for all, as far as these tests look. */
function same(...profiles: readonly string[]): readonly PlanFor[] {
  return profiles.map((profile) => ({ profile, plan: addPlan }));
}

describe("the choice", () => {
  const nvidia = { vendor: "nvidia", architecture: "lovelace" };
  const swiftshader = { vendor: "google", architecture: "swiftshader", isFallbackAdapter: true };

  test.each([
    ["nvidia apple gpu", nvidia, "nvidia", "nvidia", false],
    ["nvidia apple gpu", { vendor: "apple" }, "apple", "apple", false],
    ["nvidia apple gpu", { vendor: "arm", architecture: "valhall" }, "gpu", "mali", true],
    ["nvidia apple gpu", { vendor: "imagination" }, "gpu", "gpu", false],
    ["nvidia baseline", { vendor: "intel" }, "baseline", "intel-xe", true],
    ["apple nvidia", { vendor: "qualcomm" }, "apple", "adreno", true],
    ["gpu nvidia nvidia-lovelace", nvidia, "nvidia-lovelace", "nvidia", false],
    ["nvidia gpu swiftshader", swiftshader, "swiftshader", "swiftshader", false],
    ["nvidia gpu", swiftshader, "gpu", "swiftshader", true],
  ] as const)("among %s for %o is %s", async (list, info, profile, wanted, isFallback) => {
    const module = await folder.loadSeveral(same(...list.split(" ")));
    expect(module.profiles).toEqual(list.split(" "));
    const chosen = { profile, wanted, isFallback, refused: [] };
    expect(module.choose(made(info))).toMatchObject(chosen);
    const { adapterInfo, ...rest } = made(info);
    expect(module.choose({ ...rest, info: adapterInfo } as unknown as GPUAdapter)).toMatchObject(
      chosen,
    );
  });

  test("follows the rule by which the runtime chooses a profile", async () => {
    const families = Object.keys(deviceFamilies);
    const module = await folder.loadSeveral(same(...families, "llvmpipe", "swiftshader"));
    const words = ["", "nvidia", "AMD", "apple", "intel", "arm", "qualcomm", "mesa"];
    const architectures = ["", "rdna-3", "gcn-5", "midgard", "valhall", "swiftshader", "llvmpipe"];
    for (const vendor of words) {
      for (const architecture of architectures) {
        const device = made({ vendor, architecture });
        const { class: kind, family = "gpu", name } = profileOf(device);
        const { profile, isFallback } = module.choose(device);
        expect([vendor, architecture, profile, isFallback]).toEqual([
          vendor,
          architecture,
          kind === "cpu" ? name : family,
          false,
        ]);
      }
    }
  });

  test("is a plan that runs there, and says why no nearer one is", async () => {
    const [kernel] = addPlan.kernels;
    if (kernel === undefined) throw new Error("the plan has no kernel");
    const wide = { ...kernel, wgsl: `enable subgroups;\n${kernel.wgsl}` };
    const ofLanes = (lanes: number): Plan => ({
      ...addPlan,
      kernels: [{ ...wide, kernel: { ...kernel.kernel, subgroupSize: lanes } }],
    });
    const module = await folder.loadSeveral([
      { profile: "nvidia", plan: ofLanes(32) },
      { profile: "gpu", plan: addPlan },
    ]);
    const lanes = { subgroupMinSize: 32, subgroupMaxSize: 32 };
    const features = ["subgroups"];
    expect(module.choose(made({ ...nvidia, ...lanes }, { features }))).toMatchObject({
      profile: "nvidia",
      requirements: { requiredFeatures: ["subgroups"], subgroupSize: 32 },
    });
    expect(module.choose(made({ ...nvidia, ...lanes }))).toMatchObject({
      profile: "gpu",
      isFallback: true,
      requirements: { requiredFeatures: [] },
      refused: [
        {
          profile: "nvidia",
          why: "the device lacks subgroups; request it with `choose(adapter).requirements`",
        },
      ],
    });
    const four = made({ ...nvidia, subgroupMinSize: 4, subgroupMaxSize: 4 }, { features });
    expect(module.choose(four).refused).toEqual([
      { profile: "nvidia", why: "made for devices with subgroups of 32" },
    ]);
    const alone = await folder.loadSeveral([{ profile: "nvidia", plan: ofLanes(32) }]);
    expect(() => alone.choose(made(nvidia))).toThrow(
      "add: none of its plans runs here; for nvidia: the device lacks subgroups",
    );
    await expect(alone.load(made(nvidia), "nvidia")).rejects.toThrow("add for nvidia: the device");
    await expect(alone.load(made(nvidia), "apple")).rejects.toThrow(
      "add has no plan for apple; it has nvidia",
    );
  });
});

describe("a plan that asks for the size of its subgroups", () => {
  const source = "def f(float(16, 1000) x) -> (y) { y(n) +=! x(n, d) }";
  const planOf = (profile: DeviceProfile | string): Plan => {
    const compiled = compile(source, { profile });
    if (!compiled.ok) throw new Error("it does not compile");
    return compiled.plan;
  };
  const plans = [
    { profile: "intel-xe", plan: planOf(askingFor(16, gpuProfile)) },
    { profile: "gpu", plan: planOf("gpu") },
  ];
  const intel = { vendor: "intel", architecture: "gen-12lp" };
  const of = (subgroupMinSize: number, subgroupMaxSize: number, ...features: string[]) =>
    made({ ...intel, subgroupMinSize, subgroupMaxSize }, { features, limits: gpuLimits });
  const gpuLimits = {
    maxComputeWorkgroupStorageSize: 32768,
    maxStorageBuffersPerShaderStage: 10,
  };

  test("is taken where that size is in the device's range, and another elsewhere", async () => {
    const module = await folder.loadSeveral(plans);
    const both = ["subgroups", "subgroup-size-control"];
    for (const [min, max] of [
      [8, 32],
      [16, 16],
    ] as const) {
      expect(module.choose(of(min, max, ...both))).toMatchObject({
        profile: "intel-xe",
        requirements: { requiredFeatures: ["subgroup-size-control", "subgroups"] },
      });
      expect(module.choose(of(min, max, "subgroups"))).toMatchObject({
        profile: "gpu",
        refused: [
          {
            profile: "intel-xe",
            why: "the device lacks subgroup-size-control; request it with `choose(adapter).requirements`",
          },
        ],
      });
    }
    for (const [min, max] of [
      [32, 64],
      [4, 8],
    ] as const) {
      expect(module.choose(of(min, max, ...both))).toMatchObject({
        profile: "gpu",
        refused: [{ profile: "intel-xe", why: "made for devices with subgroups of 16" }],
      });
    }
  });
});

describe("what is printed", () => {
  const print = (plans: readonly PlanFor[]): string => printModule(plans, { producer: "a test" });

  test("has kernels that are the same once", () => {
    const text = print(same("nvidia", "apple", "gpu"));
    expect(text.match(/@compute/g)).toHaveLength(1);
    expect(text).toMatch(/^\/\/ add, compiled for nvidia, apple, gpu by a test\./);
  });

  test("is of one program", () => {
    const [A, ...rest] = addPlan.buffers;
    if (A === undefined) throw new Error("the plan has no buffers");
    const plan = { ...addPlan, buffers: [{ ...A, shape: [7] }, ...rest] };
    const wrong: readonly (readonly [readonly PlanFor[], RegExp])[] = [
      [[], /at least one plan/],
      [same("gpu", "gpu"), /two plans for "gpu"/],
      [[...same("gpu"), { profile: "mali", plan }], /"gpu" and "mali" have not the same tensors/],
    ];
    for (const [plans, message] of wrong) expect(() => print(plans)).toThrow(message);
  });
});

describe("on the device of this machine", () => {
  const profiles = ["nvidia", "apple", "gpu", "swiftshader"] as const;
  const source = readFileSync(new URL("../../examples/matmul.tc", import.meta.url), "utf8");
  let module: SeveralModule;
  let device: GPUDevice;
  let close: () => void;

  beforeAll(async () => {
    const plans = profiles.map((profile): PlanFor => {
      const result = compile(source, { profile });
      if (!result.ok) throw new Error(`${profile}: the example does not compile`);
      return { profile, plan: result.plan };
    });
    module = await folder.loadSeveral(plans);
    const runtime = await openRuntime();
    device = runtime.device;
    close = () => runtime.dispose();
  });

  afterAll(() => close());

  test("every plan that runs there computes the same, and says which it is", async () => {
    const A = Float32Array.from({ length: 48 * 40 }, (_, n) => n % 7);
    const B = Float32Array.from({ length: 40 * 56 }, (_, n) => n % 5);
    const chosen = await module.load(device);
    expect(chosen.profile).toBe(module.choose(device).profile);
    const { C } = await chosen.run({ A, B });
    const element = (m: number, n: number): number =>
      Array.from({ length: 40 }, (_, k) => (A[m * 40 + k] ?? 0) * (B[k * 56 + n] ?? 0)).reduce(
        (sum, term) => sum + term,
      );
    expect(C).toEqual(
      Float32Array.from({ length: 48 * 56 }, (_, i) => element(Math.floor(i / 56), i % 56)),
    );
    const refused = new Map(module.choose(device).refused.map((r) => [r.profile, r.why]));
    const ran: string[] = [];
    for (const profile of profiles.filter((name) => !refused.has(name))) {
      const loaded = await module.load(device, profile).catch((error: Error) => error);
      // Made for other subgroups than this device has.
      if (loaded instanceof Error) {
        expect(loaded.message).toContain(`matmul for ${profile}: `);
        continue;
      }
      expect([loaded.profile, await loaded.run({ A, B })]).toEqual([profile, { C }]);
      loaded.dispose();
      ran.push(profile);
    }
    expect(ran).toContain("gpu");
    expect(ran.length).toBeGreaterThan(1);
    chosen.dispose();
  });
});
