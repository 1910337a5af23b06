import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { facts } from "../../../src/codegen/facts/facts.ts";
import { gpuProfile, namedProfiles } from "../../../src/support/device-profile.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { randomGuardedLoop } from "../support/random-guarded-loop.ts";
import { randomKernel } from "../support/random-kernel.ts";
import { bothCounts, planOf } from "./compare.ts";
import { branchingKernel, planOfKernel } from "./kernel-plans.ts";
import { closedPrograms, openPrograms } from "./programs.ts";

const nvidia = namedProfiles["nvidia"] ?? gpuProfile;
const mappings = [
  { name: "gpu", profile: gpuProfile, options: "default" },
  { name: "nvidia", profile: nvidia, options: "default" },
  { name: "naive", profile: gpuProfile, options: "naive" },
] as const;

describe("facts are what executing the kernels counts", () => {
  for (const program of closedPrograms) {
    it.each(mappings)(`${program.name}, $name`, (mapping) => {
      for (const sizes of program.sizes) {
        const plan = planOf(program, sizes, mapping.profile, mapping.options);
        const both = bothCounts(plan, mapping.profile, facts);
        expect(both.length).toBeGreaterThan(0);
        for (const { told, counted } of both) expect(told).toEqual(counted);
      }
    });
  }
});

describe("facts of kernels that no mapping made", () => {
  it("are what executing them counts, with sides, ends and selections", () => {
    const [both] = bothCounts(planOfKernel(branchingKernel), gpuProfile, facts);
    expect(both?.told).toEqual(both?.counted);
  });

  it.each([
    ["random kernels", randomKernel],
    ["random guarded loops", randomGuardedLoop],
  ])("are what executing them counts, of %s", (_, make) => {
    for (let seed = 0; seed < 25; seed++) {
      const kernel = make(seededRandom(seed));
      const [both] = bothCounts(planOfKernel(kernel), gpuProfile, facts);
      expect(both?.told, `seed ${seed}`).toEqual(both?.counted);
    }
  });
});

describe("facts of large kernels, of which some workgroups are looked at", () => {
  it("stand for the triangles that steps of a loop leave, whose first workgroups have nothing to do", () => {
    const source = readFileSync("examples/lu.tc", "utf8");
    const N = 256;
    const steps = Array.from({ length: N }, (_, k) => N - 1 - k);
    const squares = steps.reduce((sum, rows) => sum + rows ** 2, 0);
    const plan = planOf({ name: "lu", source, sizes: [{ N }] }, { N }, nvidia, "naive");
    const update = facts(plan, nvidia).at(-1);
    expect(update?.sampled).toBe(true);
    // Of each element a product, its sign and a difference; of each workgroup a row.
    const { count = 0, empty } = update?.workgroups ?? {};
    const rows = steps.reduce((sum, n) => sum + n, 0) / N;
    expect((update?.mostOperations.float ?? 0) / 3 / squares).toBeCloseTo(1, 1);
    expect((count - (empty ?? 0)) / rows).toBeCloseTo(1, 1);
  });
});

describe("what data decide", () => {
  it.each(openPrograms)("is null in $name, and bounded", (program) => {
    const plan = planOf(program, program.sizes[0] ?? {}, gpuProfile, "default");
    const accesses = facts(plan, gpuProfile).flatMap((kernel) => kernel.accesses);
    const open = accesses.filter(
      ({ memory }) => memory.space === "storage" && memory.sectors === null,
    );
    expect(open.length).toBeGreaterThan(0);
    for (const { memory, mostRequests } of open) {
      if (memory.space !== "storage") continue;
      expect(memory.usedShare).toBeNull();
      expect(memory.mostSectors).toBeGreaterThan(mostRequests);
    }
  });
});
