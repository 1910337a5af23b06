import { describe, expect, it } from "vitest";
import type { KernelMapping } from "../../../src/ir/mapping/kernel-mapping.ts";
import {
  type Mapped,
  type MappingResult,
  mapProgram,
  mapWith,
} from "../../../src/ir/mapping/map-program.ts";
import { type Policy, policyOf } from "../../../src/ir/mapping/policy/policies.ts";
import { turnKnobs } from "../../../src/ir/mapping/space/kernel-space.ts";
import type { Knob } from "../../../src/ir/mapping/space/knob.ts";
import { plainMapping } from "../../../src/ir/mapping/space/plain-mapping.ts";
import type { Program } from "../../../src/ir/program.ts";
import { eachKernel, printSchedule } from "../../../src/ir/schedule.ts";
import { baselineProfile, type DeviceProfile } from "../../../src/support/device-profile.ts";
import type { Choice, Mapping } from "../../../src/support/mapping-file.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { type GivenChoices, given } from "../../support/given.ts";
import {
  cumulativeSum,
  factoredArgmax,
  lu,
  matmul,
  paddedStencil,
  reverse,
  scatterAdd,
  softmax,
} from "../../support/programs.ts";
import {
  checked,
  checkedDraw,
  checkedResult,
  error,
  planOf,
  textOf,
} from "../support/mapped-program.ts";
import { randomProgram } from "../support/random-program.ts";

function result(p: Program, mapping: Mapping): MappingResult {
  return checkedResult(p, mapProgram(p, baselineProfile, mapping));
}

const programs: readonly Program[] = [
  matmul(9, 7, 5),
  softmax(3, 10),
  reverse(9),
  cumulativeSum(7),
  factoredArgmax(3, 2, 4),
  scatterAdd(6, 3, 4),
  paddedStencil(11, 2),
  lu(5),
];

describe("a program under pinned answers", () => {
  it("has the tiles that were asked for", () => {
    const pinned = given(
      {
        "kernels/c/axes/0/workgroup": 4,
        "kernels/c/axes/0/points": 2,
        "kernels/c/axes/1/workgroup": 2,
        "kernels/c/axes/1/points": 4,
        "kernels/c/points": "vector",
        "kernels/c/unroll": 2,
      },
      "plain",
    );
    const { mapped, repairs } = result(matmul(16, 16, 6), pinned);
    const { schedule } = mapped;
    expect(repairs).toEqual([]);
    expect(printSchedule(schedule).split("\n").slice(0, 6)).toEqual([
      "grid kernel0.p0.grid in 0..2, grid kernel0.p1.grid in 0..2, workgroup kernel0.p0.workgroup in 0..4, workgroup kernel0.p1.workgroup in 0..2",
      "  sequence",
      "    unroll kernel0.p0.thread.0 in 0..2, vector kernel0.p1.thread.0 in 0..4",
      "      c.init(i = 8*kernel0.p0.grid + kernel0.p0.thread.0 + 2*kernel0.p0.workgroup, j = 8*kernel0.p1.grid + kernel0.p1.thread.0 + 4*kernel0.p1.workgroup)",
      "    serial c.r0.outer in 0..3, unroll c.r0.inner in 0..2, unroll kernel0.p0.thread.1 in 0..2, vector kernel0.p1.thread.1 in 0..4",
      "      c.update(i = 8*kernel0.p0.grid + kernel0.p0.thread.1 + 2*kernel0.p0.workgroup, j = 8*kernel0.p1.grid + kernel0.p1.thread.1 + 4*kernel0.p1.workgroup, k = c.r0.inner + 2*c.r0.outer)",
    ]);
  });

  it("is fused, or not, as asked", () => {
    const all = {
      "structure/statements/e/with": true,
      "structure/statements/s/with": true,
      "structure/statements/y/with": true,
    };
    const kernels = (choices: GivenChoices): number =>
      [...eachKernel(checked(softmax(3, 8), given(choices)).schedule.root)].length;
    expect(kernels({ "structure/statements/e/inline": false, ...all })).toBe(1);
    expect(
      kernels({
        "structure/statements/e/inline": false,
        ...all,
        "structure/statements/s/with": false,
        "structure/statements/e/with": false,
      }),
    ).toBe(3);
  });

  it("has its loop on the host or in the kernel", () => {
    const host = checked(cumulativeSum(6), given({ "structure/loops/$t0/on": "host" }));
    expect(printSchedule(host.schedule)).toMatch(/^host t in 0\.\.6/);
    const serial = checked(cumulativeSum(6), given({ "structure/loops/$t0/on": "serial" }));
    expect(printSchedule(serial.schedule)).toMatch(
      /^grid .*\n {2}serial t\.outer in 0\.\.3, unroll t\.inner in 0\.\.2/,
    );
  });
});

describe("choices that are not legal here", () => {
  it("become the nearest number, and are reported", () => {
    const asked = { "kernels/c/axes/0/workgroup": 100, "kernels/c/axes/1/points": 3 };
    const { mapped, repairs } = result(matmul(64, 64, 4), given(asked));
    expect(repairs).toEqual([
      { path: "kernels/c/axes/0/workgroup", asked: 100, used: 64 },
      { path: "kernels/c/axes/1/points", asked: 3, used: 4 },
    ]);
    expect(error(matmul(64, 64, 4), planOf(mapped))).toBe(0);
  });

  it("of another kind, or unknown words, become the plainest value", () => {
    const strange = {
      "kernels/c/axes/0/workgroup": "wide",
      "kernels/c/axes/1/points": 2,
      "kernels/c/points": "swizzled",
      "kernels/c/blocked": 7,
      "kernels/c/order/0": "last",
      "structure/statements/c/factor/r0": true,
    };
    const { mapped, repairs, decisions } = result(matmul(8, 8, 4), given(strange));
    for (const { path } of repairs) {
      const found = decisions.find((d) => d.path === path);
      expect(found?.value, path).toBe(found?.values[0]);
    }
    const paths = Object.keys(strange).filter((path) => !path.endsWith("1/points"));
    expect(repairs.map((r) => r.path).sort()).toEqual(paths.sort());
    expect(error(matmul(8, 8, 4), planOf(mapped))).toBe(0);
  });

  it("for paths that there are not change nothing, and are named", () => {
    const p = matmul(8, 8, 4);
    const other = result(
      p,
      given({ "kernels/other/axes/0/workgroup": 4, "kernels/c/nonsense": 1 }),
    );
    expect(textOf(planOf(other.mapped))).toBe(textOf(planOf(checked(p))));
    expect(other.repairs).toEqual([]);
    expect(other.unused).toEqual(["kernels/other/axes/0/workgroup", "kernels/c/nonsense"]);
  });

  it("of whole files for other programs still give a legal and right mapping", () => {
    const others = programs.map((p) => checkedDraw(p, seededRandom(3)).mapping);
    for (const p of programs) {
      for (const mapping of others) {
        const mapped = checked(p, { ...mapping, policy: "default" });
        expect(error(p, planOf(mapped)), JSON.stringify(mapping)).toBeLessThan(1e-5);
      }
    }
  });

  it("because two parts exclude each other are reported with both, and why", () => {
    const lanes = { min: 4, max: 4 };
    const features = { ...baselineProfile.features, subgroups: true };
    const profile: DeviceProfile = { ...baselineProfile, subgroups: lanes, features };
    const both = given(
      {
        "kernels/c/axes/0/points": 4,
        "kernels/c/axes/1/workgroup": 8,
        "kernels/c/points": "unroll",
        "kernels/c/lanes": 4,
        "kernels/c/spread": "points",
        "kernels/c/operands/c.read0/stage": "workgroup",
      },
      "plain",
    );
    const { repairs } = mapProgram(matmul(16, 16, 8), profile, both);
    expect(repairs).toHaveLength(1);
    expect(repairs[0]?.path).toBe("kernels/c/operands/c.read0/stage");
    expect(repairs[0]?.because).toContain("spread and staging do not go together");
  });
});

describe("a complete mapping", () => {
  const sameAgain = (p: Program, first: { mapping: Mapping; mapped: Mapped }): void => {
    const stored = JSON.parse(JSON.stringify(first.mapping)) as Mapping;
    const again = mapProgram(p, baselineProfile, stored);
    expect(textOf(planOf(again.mapped)), JSON.stringify(stored)).toBe(textOf(planOf(first.mapped)));
    expect([again.repairs, again.unused]).toEqual([[], []]);
    expect(again.mapping).toEqual(stored);
  };

  it("gives the same text again through JSON, with nothing to repair", () => {
    for (const [n, p] of programs.entries()) {
      const random = seededRandom(n);
      for (let round = 0; round < 2; round++) sameAgain(p, checkedDraw(p, random));
      sameAgain(p, result(p, given()));
    }
  });

  it("of random programs does so, too, and their schedules are legal", () => {
    let several = 0;
    for (let seed = 0; seed < 8; seed++) {
      const p = randomProgram(seed);
      const drawn = checkedDraw(p, seededRandom(seed));
      sameAgain(p, drawn);
      if ([...eachKernel(drawn.mapped.schedule.root)].length > 1) several++;
    }
    expect(several).toBeGreaterThan(3);
  });

  it("never consults a policy", () => {
    const p = softmax(3, 10);
    const { mapping, mapped } = result(p, given());
    const never: Policy = {
      structure: ({ path }) => {
        throw new Error(`asked about ${path}`);
      },
      kernel: (group) => plainMapping(group, baselineProfile),
    };
    const paths = new Map(result(p, mapping).decisions.map((d) => [d.path, d.value]));
    const again = mapWith(p, baselineProfile, paths, never);
    expect(textOf(planOf(again.mapped))).toBe(textOf(planOf(mapped)));
  });
});

describe("knobs", () => {
  it("have values without repetition, their own among them, numbers ascending", () => {
    for (const [n, p] of programs.entries()) {
      for (const { path, values, value } of checkedDraw(p, seededRandom(n)).decisions) {
        expect(values, path).toContain(value);
        expect(new Set(values).size, path).toBe(values.length);
        if (/\/(?:order|turnOrder)\//.test(path)) continue;
        const numbers = values.filter((v) => typeof v === "number");
        expect(numbers, path).toEqual([...numbers].sort((a, b) => a - b));
      }
    }
  });

  it("are turned once each, by paths of statements, loops and roles", () => {
    for (let seed = 0; seed < 20; seed++) {
      const p = programs[seed] ?? randomProgram(seed);
      const paths = checkedDraw(p, seededRandom(seed)).decisions.map((d) => d.path);
      expect(new Set(paths).size, `seed ${seed}`).toBe(paths.length);
      const role = /^(?:structure\/(?:statements|loops)|kernels)\/[^/]+(?:\/[\w.# ]+)+$/;
      expect(paths.filter((path) => !role.test(path))).toEqual([]);
    }
  });

  it("stay as they are where none of the values is chosen", () => {
    const profile = baselineProfile;
    const odd = (k: Knob): Choice => (k.path === "lanes" ? 5 : k.path === "unroll" ? 7 : k.value);
    const groups: KernelMapping[] = [];
    const none: Policy = {
      ...policyOf("default", profile),
      kernel: (group) => {
        const start = plainMapping(group, profile);
        groups.push(turnKnobs(group, profile, start, odd));
        return start;
      },
    };
    mapWith(matmul(64, 64, 16), profile, new Map(), none);
    expect(groups.map((m) => [m.lanes, m.unroll])).toEqual([[1, 1]]);
  });

  it("do not offer more invocations than the device has in a dimension", () => {
    const limits = { ...baselineProfile.limits, maxWorkgroupSizeX: 16 };
    const profile = { ...baselineProfile, limits };
    const most: Policy = {
      ...policyOf("default", profile),
      kernel: (group) =>
        turnKnobs(group, profile, plainMapping(group, profile), (k) => k.values.at(-1) ?? k.value),
    };
    const p = matmul(64, 64, 4);
    const { mapped } = checkedResult(p, mapWith(p, profile, new Map(), most));
    for (const { kernel } of planOf(mapped, profile).kernels) {
      expect(kernel.workgroupSize).toBeLessThanOrEqual(16);
    }
  });
});
