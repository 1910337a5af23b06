import { expect, it } from "vitest";
import { adapterRule } from "../../src/support/adapter-rules.ts";

const none = {
  vendor: "",
  architecture: "",
  device: "",
  description: "",
  isFallbackAdapter: false,
};

it.each([
  ["nvidia", "lovelace", "nvidia"],
  ["NVIDIA", "", "nvidia"],
  ["apple", "metal-3", "apple"],
  ["amd", "rdna-3", "amd-rdna"],
  ["amd", "", "amd-rdna"],
  ["amd", "gcn-5", "gpu"],
  ["intel", "gen-12lp", "intel-xe"],
  ["intel", "xe-2hpg", "intel-xe"],
  ["qualcomm", "adreno-7xx", "adreno"],
  ["arm", "valhall", "mali"],
  ["arm", "", "mali"],
  ["arm", "midgard", "gpu"],
  ["armenia", "", "gpu"],
  ["", "nvidia", "gpu"],
  ["", "", "gpu"],
])("the profile of %s %s is %s", (vendor, architecture, profile) => {
  expect(adapterRule({ ...none, vendor, architecture })).toMatchObject({ kind: "gpu", profile });
});

it("software adapters are known by any of their words, others by what WebGPU says", () => {
  const swiftshader = { architecture: "swiftshader", isFallbackAdapter: true };
  expect(adapterRule({ ...none, ...swiftshader }).profile).toBe("swiftshader");
  expect(adapterRule({ ...none, description: "llvmpipe (LLVM 19)" }).profile).toBe("llvmpipe");
  const other = { vendor: "intel", isFallbackAdapter: true };
  expect(adapterRule({ ...none, ...other })).toMatchObject({ kind: "cpu", profile: "llvmpipe" });
  expect(adapterRule({ ...none, device: "null-backend" }).profile).toBe("baseline");
});
