import { describe, expect, it } from "vitest";
import { type Mapped, mapProgram } from "../../../src/ir/mapping/map-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { eachKernel, eachLeaf } from "../../../src/ir/schedule.ts";
import { baselineProfile, type DeviceProfile } from "../../../src/support/device-profile.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { given } from "../../support/given.ts";
import { softmax } from "../../support/programs.ts";
import {
  checked,
  checkedDraw,
  checkedResult,
  error,
  planOf,
  textOf,
} from "../support/mapped-program.ts";
import { randomProgram } from "../support/random-program.ts";

function withBuffers(most: number): DeviceProfile {
  const { limits } = baselineProfile;
  return { ...baselineProfile, limits: { ...limits, maxStorageBuffers: most } };
}

/** Copies of operands are named after these, in capitals here. */
function isNoCopy(statement: string): boolean {
  return !/\.[A-Z]\w*$/.test(statement);
}

/** What a kernel runs, copies left out, and binds. */
interface Counts {
  readonly statements: number;
  readonly buffers: number;
}

function countsOf(mapped: Mapped, profile: DeviceProfile): readonly Counts[] {
  const { kernels } = planOf(mapped, profile);
  return [...eachKernel(mapped.schedule.root)].map(({ kernel }, n) => ({
    statements: new Set(
      eachLeaf(kernel)
        .map((c) => c.leaf.statement)
        .filter(isNoCopy),
    ).size,
    buffers: kernels[n]?.bindings.length ?? 0,
  }));
}

describe("where a kernel may bind three buffers", () => {
  const profile = withBuffers(3);
  // Its input, its output, the maximum and the sum: four tensors.
  const program = softmax(3, 10);

  it("temporaries in registers do not count", () => {
    const mapped = checked(program, given(), profile);
    expect(countsOf(mapped, profile)).toMatchObject([{ buffers: 2 }]);
    expect(error(program, planOf(mapped, profile))).toBeLessThan(1e-5);
  });

  it("one that is told to stay in a buffer does", () => {
    const choices = { "kernels/m/places/M": "storage" };
    const { mapped, repairs, unused } = mapProgram(program, profile, given(choices));
    expect([...repairs, ...unused]).toEqual([]);
    expect(countsOf(mapped, profile)).toMatchObject([{ buffers: 3 }]);
  });

  it("what the caller sees stays in a buffer, and what does not fit is another kernel", () => {
    const shown: Program = {
      ...program,
      tensors: program.tensors.map((t) => (t.role === "temporary" ? { ...t, role: "output" } : t)),
    };
    const mapped = checked(shown, given({}, "together"), profile);
    const counts = countsOf(mapped, profile);
    expect(counts.length).toBeGreaterThan(1);
    for (const { buffers } of counts) expect(buffers).toBeLessThanOrEqual(3);
    expect(error(shown, planOf(mapped, profile))).toBeLessThan(1e-5);
  });

  it("of those that are told to stay in a buffer, as many do as there are buffers", () => {
    const choices = { "kernels/m/places/M": "storage", "kernels/m/places/S": "storage" };
    const first = checkedResult(program, mapProgram(program, profile, given(choices)));
    const { mapped } = first;
    expect(first.unused).toEqual([]);
    expect(first.repairs).toMatchObject([{ asked: "storage" }]);
    expect(countsOf(mapped, profile)).toMatchObject([{ buffers: 3 }]);
    expect(error(program, planOf(mapped, profile))).toBeLessThan(1e-5);
    const again = checkedResult(program, mapProgram(program, profile, first.mapping));
    expect(textOf(planOf(again.mapped, profile))).toBe(textOf(planOf(mapped, profile)));
    expect(again.repairs).toEqual([]);
    expect(again.unused).toEqual([]);
  });
});

describe("random programs under random options", () => {
  it.each([2, 3])("bind no more than %i buffers in kernels of several statements", (most) => {
    const profile = withBuffers(most);
    let several = 0;
    for (let seed = 0; seed < 6; seed++) {
      const program = randomProgram(seed);
      const { mapped, mapping } = checkedDraw(program, seededRandom(seed), profile);
      const plan = planOf(mapped, profile);
      expect(error(program, plan), `seed ${seed}`).toBeLessThan(1e-5);
      for (const { statements, buffers } of countsOf(mapped, profile)) {
        if (statements < 2) continue;
        several++;
        expect(buffers, `seed ${seed}`).toBeLessThanOrEqual(most);
      }
      const again = checked(program, mapping, profile);
      expect(textOf(planOf(again, profile)) === textOf(plan), `seed ${seed}`).toBe(true);
    }
    expect(several).toBeGreaterThan(0);
  });
});
