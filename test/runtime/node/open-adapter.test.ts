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
