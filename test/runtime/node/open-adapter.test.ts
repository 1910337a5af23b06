import { describe, expect, it, vi } from "vitest";
import {
  type AdapterDescription,
  type AdapterKind,
  adapterText,
  describeAdapter,
  profileOf,
  requestComputeDevice,
} from "../../../src/runtime/device.ts";
import { chooseAdapter, openAdapter } from "../../../src/runtime/node/open-adapter.ts";
import { RuntimeFault } from "../../../src/runtime/runtime-fault.ts";
import { subgroupLanes } from "../../../src/support/device-profile.ts";

function described(kind: AdapterKind, device: string): { description: AdapterDescription } {
  return { description: { kind, device, vendor: "", architecture: "", description: "" } };
}

describe("openAdapter", () => {
  it("finds an adapter on any machine, and says which", async () => {
    vi.stubEnv("TC_ADAPTER", "");
    const { adapter, description } = await openAdapter().finally(() => vi.unstubAllEnvs());
    expect(["gpu", "llvmpipe", "swiftshader", "cpu"]).toContain(description.kind);
    expect(adapter.limits.maxStorageBuffersPerShaderStage).toBeGreaterThanOrEqual(8);
    expect(adapterText(description)).toContain(description.kind);
  });

  it("opens the bundled SwiftShader by a part of its name, again and again", async () => {
    for (let i = 0; i < 3; i++) {
      const { adapter, description } = await openAdapter("SWIFT");
      expect(description.kind).toBe("swiftshader");
      const device = await requestComputeDevice(adapter);
      expect(profileOf(device, { cores: 4 })).toMatchObject({
        name: "swiftshader",
        class: "cpu",
        lanes: 4,
        cores: 4,
        subgroups: { min: 4, max: 4 },
        features: { immediates: true, subgroups: true, float16: false },
        limits: { maxInvocationsPerWorkgroup: 256, maxStorageBuffers: 12 },
      });
      device.destroy();
    }
  });

  it("leaves the choice of child processes alone", async () => {
    const { VK_DRIVER_FILES: before } = process.env;
    await openAdapter("swiftshader");
    const { VK_DRIVER_FILES: after } = process.env;
    expect(after).toBe(before);
  });

  it("names everything that it tried when nothing fits", async () => {
    const error: unknown = await openAdapter("abacus").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RuntimeFault);
    expect(error).toMatchObject({ kind: "no-adapter" });
    const { message } = error as RuntimeFault;
    expect(message).toMatch(
      /^no usable WebGPU adapter for "abacus":\n {2}- drivers of this system: /,
    );
    expect(message).toMatch(/\n {2}- bundled SwiftShader: not "abacus": .*swiftshader/i);
    expect(message).toMatch(/"auto" takes the best/);
  });
});

describe("chooseAdapter", () => {
  const software = described("llvmpipe", "llvmpipe (LLVM 19.1.7, 256 bits)");
  const integrated = described("gpu", "Intel UHD");
  const discrete = described("gpu", "NVIDIA RTX");
  const all = [software, integrated, discrete];

  it("prefers real GPUs, in the order of the driver", () => {
    expect(chooseAdapter(all, "auto")).toBe(integrated);
    expect(chooseAdapter([software], "auto")).toBe(software);
  });

  it("obeys gpu, software and parts of names", () => {
    expect(chooseAdapter(all, "gpu")).toBe(integrated);
    expect(chooseAdapter([software], "gpu")).toBeUndefined();
    expect(chooseAdapter(all, "software")).toBe(software);
    expect(chooseAdapter(all, "nvidia")).toBe(discrete);
    expect(chooseAdapter(all, "amd")).toBeUndefined();
  });

  it("never takes the back end that does not execute", () => {
    expect(chooseAdapter([described("null", "null-backend")], "auto")).toBeUndefined();
    expect(chooseAdapter([described("null", "null-backend")], "null")).toBeUndefined();
  });
});

describe("profileOf a GPU", () => {
  const limits = { maxComputeInvocationsPerWorkgroup: 256, maxImmediateSize: 0 };
  const device = (info: object, features: readonly string[]): GPUDevice =>
    ({
      adapterInfo: { device: "", description: "", isFallbackAdapter: false, ...info },
      features: new Set(features),
      limits,
    }) as unknown as GPUDevice;

  it("has the true width of its family, where Dawn tells of less", () => {
    const m2 = {
      vendor: "apple",
      architecture: "metal-3",
      subgroupMinSize: 4,
      subgroupMaxSize: 64,
    };
    const profile = profileOf(device(m2, ["subgroups"]));
    expect(profile).toMatchObject({ name: "apple-metal-3", family: "apple", lanes: 32, cores: 10 });
    expect(profile.subgroups).toEqual({ min: 4, max: 64 });
  });

  it("has a width that the adapter has", () => {
    const info = { vendor: "amd", architecture: "gcn-5", subgroupMinSize: 64, subgroupMaxSize: 64 };
    expect(profileOf(device(info, ["subgroups"])).lanes).toBe(64);
    const none = { vendor: "intel", architecture: "", subgroupMinSize: 4, subgroupMaxSize: 128 };
    expect(profileOf(device(none, []))).toMatchObject({ lanes: 16, cores: 6, subgroups: null });
  });

  it.each([
    ["intel", "xe-lpg", 8, 32, 16],
    ["amd", "rdna-3", 32, 64, 32],
    ["qualcomm", "adreno-7xx", 64, 128, 64],
    ["apple", "metal-3", 4, 64, 32],
    // A width that is not in the range becomes the nearest that is.
    ["intel", "xe-2hpg", 32, 64, 32],
    ["qualcomm", "adreno-6xx", 16, 32, 32],
    ["", "", 4, 128, 32],
  ])(
    "of %s %s with %d to %d lanes has kernels ask for %d",
    (vendor, architecture, min, max, width) => {
      const info = { vendor, architecture, subgroupMinSize: min, subgroupMaxSize: max };
      const both = profileOf(device(info, ["subgroups", "subgroup-size-control"]));
      expect(both.subgroups).toEqual({ min, max, width });
      expect([both.lanes, subgroupLanes(both), both.features.subgroups]).toEqual([
        width,
        width,
        true,
      ]);
      const without = profileOf(device(info, ["subgroups"]));
      expect(without.subgroups).toEqual({ min, max });
      expect([without.lanes, subgroupLanes(without)]).toEqual([width, null]);
      expect(profileOf(device(info, ["subgroup-size-control"])).subgroups).toBeNull();
    },
  );

  it("asks for nothing where all subgroups have one size", () => {
    const info = { vendor: "nvidia", architecture: "", subgroupMinSize: 32, subgroupMaxSize: 32 };
    const profile = profileOf(device(info, ["subgroups", "subgroup-size-control"]));
    expect(profile.subgroups).toEqual({ min: 32, max: 32 });
  });

  it("is that of any GPU where nobody knows the maker", () => {
    const profile = profileOf(device({ vendor: "", architecture: "" }, []));
    expect(profile).toMatchObject({ name: "gpu", lanes: 32, cores: 64 });
    expect(profile.family).toBeUndefined();
  });
});

describe("describeAdapter", () => {
  it.each([
    ["swiftshader", { device: "swiftshader-device-subzero-", isFallbackAdapter: true }],
    ["llvmpipe", { description: "llvmpipe (LLVM 19.1.7, 256 bits)", isFallbackAdapter: true }],
    ["cpu", { device: "another one", isFallbackAdapter: true }],
    ["gpu", { vendor: "nvidia", isFallbackAdapter: false }],
    ["null", { device: "null-backend", isFallbackAdapter: false }],
  ] as const)("knows %s", (kind, info) => {
    const empty = { vendor: "", architecture: "", device: "", description: "" };
    expect(describeAdapter({ ...empty, ...info } as unknown as GPUAdapterInfo).kind).toBe(kind);
  });
});
