/** Which steps of a reduction a point takes in a row, and that the sums stay what they were. */

import { describe, expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import { band, printSchedule, type ScheduleNode, sequence } from "../../../src/ir/schedule.ts";
import { groupSteps, stepCounts } from "../../../src/ir/scheduling/group-steps.ts";
import {
  type DeviceProfile,
  gpuProfile,
  llvmpipeProfile,
} from "../../../src/support/device-profile.ts";
import { runSchedule } from "../../codegen/support/run-schedule.ts";
import { given } from "../../support/given.ts";
import { matmul } from "../../support/programs.ts";
import { leaf, nest, on } from "../legality/build-schedule.ts";

/** A product of `m` rows in one invocation, with `steps` steps of its sums written out around the rows. */
function product(m: number, n: number, steps: number, tiles: number): ScheduleNode {
  const rows = (copy: number) => on("unroll", `i${copy}`, m);
  const point = (copy: number) => ({ i: [`i${copy}`], j: ["g"] }) as const;
  const update = band(
    [on("serial", "ko", tiles), on("unroll", "ki", steps), rows(1)],
    leaf("c", { i: ["i1"], j: ["g"], k: [steps, "ko", "ki"] }, "update"),
  );
  return nest(
    [on("grid", "g", n)],
    sequence([
      band([rows(0)], leaf("c", point(0), "init")),
      update,
      band([rows(2)], leaf("c", point(2), "finish")),
    ]),
  );
}

function loopsOfUpdate(node: ScheduleNode): string {
  const lines = printSchedule({ root: node, places: [] }).split("\n");
  return lines[lines.findIndex((l) => l.includes("update")) - 1]?.trim() ?? "";
}

describe("steps of a reduction", () => {
  const [program, node] = [matmul(4, 3, 16), product(4, 3, 8, 2)];

  it("stay around the points in groups, and go inside of them in a group", () => {
    expect(loopsOfUpdate(node)).toBe("serial ko in 0..2, unroll ki in 0..8, unroll i1 in 0..4");
    expect(loopsOfUpdate(groupSteps(program, node, 4))).toBe(
      "serial ko in 0..2, unroll ki.group in 0..2, unroll i1 in 0..4, unroll ki.step in 0..4",
    );
  });

  it("go inside altogether where they are one group", () => {
    expect(loopsOfUpdate(groupSteps(program, node, 8))).toBe(
      "serial ko in 0..2, unroll i1 in 0..4, unroll ki in 0..8",
    );
  });

  it("stay where a group does not divide them", () => {
    expect(groupSteps(program, node, 3)).toBe(node);
    expect(groupSteps(program, node, 16)).toBe(node);
    expect(groupSteps(program, node, 1)).toBe(node);
  });

  it("are none where no point is inside of them", () => {
    expect(stepCounts(program, node)).toEqual([8]);
    expect(stepCounts(matmul(1, 3, 16), product(1, 3, 8, 2))).toEqual([]);
    expect(stepCounts(program, product(4, 3, 1, 16))).toEqual([]);
    expect(stepCounts(program, groupSteps(program, node, 8))).toEqual([]);
  });

  it("stay where the points of one sum are steps of another one beside it", () => {
    const loops = [on("grid", "g", 3), on("unroll", "ki", 8), on("unroll", "ii", 4)];
    const point = leaf("c", { i: ["ii"], j: ["g"], k: ["ki"] }, "update");
    const step = leaf("c", { i: [0], j: ["g"], k: [4, "ki", "ii"] }, "update");
    expect(stepCounts(program, nest(loops, point))).toEqual([8]);
    expect(stepCounts(program, nest(loops, point, step))).toEqual([]);
  });

  it.each([
    [4, 8, 2, 16],
    [4, 8, 4, 16],
    [4, 8, 8, 16],
    [5, 4, 2, 13],
    [3, 4, 4, 7],
    [2, 2, 2, 3],
  ])(
    "in groups are legal and add up the same: %d points, %d steps by %d of %d",
    async (m, steps, size, depth) => {
      const grouped = groupSteps(
        matmul(m, 3, depth),
        product(m, 3, steps, Math.ceil(depth / steps)),
        size,
      );
      await runSchedule(matmul(m, 3, depth), grouped);
    },
  );
});

describe("steps in a row", () => {
  const source = "def f(float(M,K) a, float(K,N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";

  function asked(profile: DeviceProfile, choices = {}): unknown {
    const sizes = { M: 64, K: 64, N: 64 };
    const result = compile(source, { sizes, profile, options: given(choices) });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    expect([result.repairs, result.unusedChoices]).toEqual([[], []]);
    const decision = result.decisions.find((d) => d.path === "kernels/c/steps");
    return decision === undefined ? null : [decision.values, decision.value];
  }

  it("are as many as are written out where that pays", () => {
    const written = { "kernels/$0/spread": "steps", "kernels/$0/spreadSteps": "unroll" };
    expect(asked(llvmpipeProfile, written)).toEqual([[1, 2, 4, "whole"], "whole"]);
  });

  it("are not asked where a loop counts them", () => {
    const counted = { "kernels/$0/spread": "steps", "kernels/$0/spreadSteps": "serial" };
    expect(asked(llvmpipeProfile, counted)).toBeNull();
  });

  it("are one on a device whose compiler orders them", () => {
    const unrolled = {
      "kernels/$0/unroll": 4,
      "kernels/$0/axes/0/points": 4,
      "kernels/$0/points": "unroll",
    };
    expect(asked(gpuProfile, unrolled)).toEqual([[1, 2, "whole"], 1]);
  });

  it("are not asked where no steps are written out", () => {
    expect(asked(llvmpipeProfile, { "kernels/$0/spread": "no", "kernels/$0/unroll": 1 })).toBe(
      null,
    );
  });
});
