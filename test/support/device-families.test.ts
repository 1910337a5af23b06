import { describe, expect, it } from "vitest";
import { deviceFamilies } from "../../src/support/device-families.ts";
import { gpuProfile, namedProfiles } from "../../src/support/device-profile.ts";
import { familySources } from "../../src/support/family-sources.ts";
import { readDocument } from "../docs/support/markdown.ts";

const families = Object.values(deviceFamilies);

describe("families of GPUs", () => {
  it.each(families)("have a source for each figure of $name", ({ name, device, ...figures }) => {
    expect(device).not.toBe("");
    const sources = familySources[name];
    expect(Object.keys(sources).sort()).toEqual(Object.keys(figures).sort());
    for (const source of Object.values(sources)) expect(source.length).toBeGreaterThan(5);
  });

  it.each(families)("compute at the clock of $name what its maker says", (family) => {
    const { cores, fmaPerClock, gigahertz, gflops, name } = family;
    // With dual issue, which few kernels reach, it is twice as much.
    const dual = name === "amd-rdna" ? 2 : 1;
    expect((2 * cores * fmaPerClock * gigahertz * dual) / gflops).toBeCloseTo(1, 1);
  });

  it.each(families)("are in the table of docs/facts.md: $name", (family) => {
    const { name, device, cores, width, gflops, cacheGBs, memoryGBs, banks, bankBytes } = family;
    const rates = `${cacheGBs}, ${memoryGBs} | ${banks} x ${bankBytes} B`;
    const row = `| \`${name}\` | ${device} | ${cores} | ${width} | ${gflops} | ${rates} |`;
    expect(readDocument("docs/facts.md").split("\n")).toContain(row);
  });

  it("have profiles with their cores and true width, but what is unknown", () => {
    for (const { name, cores, width, subgroups } of families) {
      if (name === "gpu") continue;
      expect(namedProfiles[name]).toMatchObject({
        name,
        family: name,
        cores,
        lanes: width,
        subgroups,
      });
    }
    expect(namedProfiles["gpu"]).toBe(gpuProfile);
  });
});
