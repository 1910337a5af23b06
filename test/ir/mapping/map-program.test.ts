import { describe, expect, it } from "vitest";
import {
  type Choice,
  type Decision,
  decider,
  defaultOptions,
  type Options,
  optionsOf,
} from "../../../src/ir/decisions.ts";
import { mapProgram } from "../../../src/ir/mapping/map-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { eachKernel, printSchedule } from "../../../src/ir/schedule.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import { seededRandom } from "../../../src/support/random.ts";
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
import { checked, error, planOf, textOf } from "../support/mapped-program.ts";
import { randomProgram } from "../support/random-program.ts";

function given(choices: Readonly<Record<string, Choice>>): Options {
  return { version: 1, choices };
}

function draw(random: ReturnType<typeof seededRandom>): (d: Decision) => Choice {
  return (d) => random.pick(d.values);
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
    const answers = decider(
      given({
        "kernel0.p0.workgroup": 4,
        "kernel0.p0.thread": 2,
        "kernel0.p1.workgroup": 2,
        "kernel0.p1.thread": 4,
        "kernel0.points": "vector",
        "kernel0.unroll": 2,
      }),
    );
    const { schedule } = checked(matmul(16, 16, 6), answers);
    expect(answers.repairs).toEqual([]);
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
    const all = { "kernel0.fuse1": true, "kernel0.fuse2": true, "kernel0.fuse3": true };
    const kernels = (choices: Readonly<Record<string, Choice>>): number =>
      [...eachKernel(checked(softmax(3, 8), decider(given(choices))).schedule.root)].length;
    expect(kernels({ "s1.inline": false, ...all })).toBe(1);
    expect(
      kernels({ "s1.inline": false, ...all, "kernel0.fuse2": false, "kernel1.fuse1": false }),
    ).toBe(3);
  });

  it("has its loop on the host or in the kernel", () => {
    const host = checked(cumulativeSum(6), decider(given({ "loop0.on": "host" })));
    expect(printSchedule(host.schedule)).toMatch(/^host t in 0\.\.6/);
    const serial = checked(cumulativeSum(6), decider(given({ "loop0.on": "serial" })));
    expect(printSchedule(serial.schedule)).toMatch(/^grid .*\n {2}serial t in 0\.\.6/);
  });
});

describe("answers that are not legal here", () => {
  it("become the nearest number, and are reported", () => {
    const answers = decider(given({ "kernel0.p0.workgroup": 100, "kernel0.p1.thread": 3 }));
    const mapped = checked(matmul(64, 64, 4), answers);
    expect(answers.repairs).toEqual([
      { path: "kernel0.p0.workgroup", asked: 100, used: 64 },
      { path: "kernel0.p1.thread", asked: 3, used: 4 },
    ]);
    expect(error(matmul(64, 64, 4), planOf(mapped))).toBe(0);
  });

  it("of another kind, or unknown words, become the default", () => {
    const strange = given({
      "kernel0.p0.workgroup": "wide",
      "kernel0.points": "swizzled",
      "kernel0.blocked": 7,
      "kernel0.innermost": 12,
      "s0.r0.factor": true,
    });
    const answers = decider(strange);
    const mapped = checked(matmul(8, 8, 4), answers);
    const byPath = new Map(answers.asked.map((a) => [a.decision.path, a] as const));
    for (const path of [
      "kernel0.p0.workgroup",
      "kernel0.points",
      "kernel0.blocked",
      "s0.r0.factor",
    ]) {
      expect(byPath.get(path)?.answer, path).toBe(byPath.get(path)?.decision.default);
    }
    expect(byPath.get("kernel0.innermost")?.answer).toBe(1);
    expect(answers.repairs.map((r) => r.path).sort()).toEqual(Object.keys(strange.choices).sort());
    expect(error(matmul(8, 8, 4), planOf(mapped))).toBe(0);
  });

  it("for paths that nobody asks about change nothing", () => {
    const answers = decider(given({ "kernel7.p0.workgroup": 4, nonsense: 1 }));
    const plain = decider(defaultOptions);
    const p = matmul(8, 8, 4);
    expect(textOf(planOf(checked(p, answers)))).toBe(textOf(planOf(checked(p, plain))));
    expect(answers.repairs).toEqual([]);
  });

  it("in combination, as vectors of an odd axis, are repaired and reported", () => {
    const answers = decider(
      given({ "kernel0.p1.workgroup": 1, "kernel0.p1.thread": 4, "kernel0.points": "vector" }),
    );
    const p = matmul(4, 3, 2);
    const mapped = checked(p, answers);
    expect(answers.repairs).not.toEqual([]);
    expect(error(p, planOf(mapped))).toBe(0);
  });

  it("of whole files for other programs still give a legal and right mapping", () => {
    const others = programs.map((p) => {
      const answers = decider(defaultOptions, draw(seededRandom(3)));
      checked(p, answers);
      return optionsOf(answers);
    });
    const everything = given(Object.assign({}, ...others.map((o) => o.choices)));
    for (const p of programs) {
      for (const options of [...others.slice(0, 2), everything]) {
        const mapped = checked(p, decider(options));
        expect(error(p, planOf(mapped)), JSON.stringify(options)).toBeLessThan(1e-5);
      }
    }
  });
});

describe("options", () => {
  it("through JSON give the same text again, with nothing to repair", () => {
    for (const [n, p] of programs.entries()) {
      const random = seededRandom(n);
      for (let round = 0; round < 2; round++) {
        const drawn = decider(defaultOptions, draw(random));
        const first = checked(p, drawn);
        const stored = JSON.parse(JSON.stringify(optionsOf(drawn))) as Options;
        const again = decider(stored);
        const second = mapProgram(p, baselineProfile, again);
        expect(textOf(planOf(second)), JSON.stringify(stored)).toBe(textOf(planOf(first)));
        expect(again.repairs).toEqual([]);
        expect(optionsOf(again)).toEqual(stored);
      }
    }
  });

  it("of random programs do so, too, and their schedules are legal", () => {
    let several = 0;
    for (let seed = 0; seed < 8; seed++) {
      const p = randomProgram(seed);
      const drawn = decider(defaultOptions, draw(seededRandom(seed)));
      const first = checked(p, drawn);
      const second = mapProgram(p, baselineProfile, decider(optionsOf(drawn)));
      expect(textOf(planOf(second)) === textOf(planOf(first)), `seed ${seed}`).toBe(true);
      if ([...eachKernel(first.schedule.root)].length > 1) several++;
    }
    expect(several).toBeGreaterThan(3);
  });

  it("hold only what differs from the defaults", () => {
    const plain = decider(defaultOptions);
    checked(matmul(8, 8, 4), plain);
    expect(optionsOf(plain)).toEqual(defaultOptions);
    const one = decider(given({ "kernel0.unroll": 2, "kernel0.blocked": true }));
    checked(matmul(8, 8, 4), one);
    expect(optionsOf(one)).toEqual(given({ "kernel0.unroll": 2 }));
  });
});

describe("decisions", () => {
  it("have values without repetition, their default among them, numbers ascending", () => {
    for (const [n, p] of programs.entries()) {
      const answers = decider(defaultOptions, draw(seededRandom(n)));
      checked(p, answers);
      for (const { decision } of answers.asked) {
        const { values, path } = decision;
        expect(values, path).toContain(decision.default);
        expect(new Set(values).size, path).toBe(values.length);
        const numbers = values.filter((v) => typeof v === "number");
        expect(numbers, path).toEqual([...numbers].sort((a, b) => a - b));
      }
    }
  });

  it("are asked once each, by paths of roles", () => {
    for (let seed = 0; seed < 20; seed++) {
      const answers = decider(defaultOptions, draw(seededRandom(seed)));
      const p = programs[seed] ?? randomProgram(seed);
      mapProgram(p, baselineProfile, answers);
      const paths = answers.asked.map((a) => a.decision.path);
      expect(new Set(paths).size, `seed ${seed}`).toBe(paths.length);
      const role = /^(?:(?:s|kernel|loop)\d+)(?:\.(?:[a-z]+\d*))+$/;
      expect(paths.filter((path) => !role.test(path))).toEqual([]);
    }
  });

  it("do not offer more invocations than the device has in a dimension", () => {
    const limits = { ...baselineProfile.limits, maxWorkgroupSizeX: 16 };
    const profile = { ...baselineProfile, limits };
    const most = decider(defaultOptions, (d) => d.values.at(-1) ?? d.default);
    const mapped = checked(matmul(64, 64, 4), most, profile);
    for (const { kernel } of planOf(mapped, profile).kernels) {
      expect(kernel.workgroupSize).toBeLessThanOrEqual(16);
    }
  });
});
