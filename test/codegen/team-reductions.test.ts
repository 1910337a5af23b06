/** Rows that teams of invocations reduce, by trees and by subgroups, in all three executions. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Kernel, KernelStatement } from "../../src/codegen/kernel.ts";
import { mapKernelStatements } from "../../src/codegen/rewrite-kernel.ts";
import { verifyKernel } from "../../src/codegen/verify-kernel/verify-kernel.ts";
import { eachKernelStatement } from "../../src/codegen/walk-kernel.ts";
import { type Compiled, compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type DeviceProfile, gpuProfile } from "../../src/support/device-profile.ts";
import type { Choice, Mapping } from "../../src/support/mapping-file.ts";
import {
  describeFailure,
  executeInterpreted,
  executeOnDevice,
  isFailure,
  mapCase,
  type Prepared,
  prepareCase,
} from "../differential/differential.ts";
import type { Variant } from "../differential/variants.ts";
import { askedSizes, askingFor } from "../support/asking-profile.ts";
import { given } from "../support/given.ts";
import { someOf } from "../support/sweep.ts";
import { expectTaken, ofAnyName } from "./support/staged.ts";
import { wgslFaults } from "./support/validate-wgsl.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

type Sizes = Readonly<Record<string, number>>;
type Choices = Readonly<Record<string, Choice>>;

/** A GPU with subgroups of so many lanes. */
function gpuWith(lanes: number): DeviceProfile {
  const features = { ...gpuProfile.features, subgroups: true };
  return { ...gpuProfile, name: `gpu ${lanes}`, features, subgroups: { min: lanes, max: lanes } };
}

/** The subgroups of the device, under the heuristics of a GPU. */
function deviceAsGpu(): DeviceProfile {
  return gpuWith(runtime.profile.lanes);
}

/** All statements in one kernel, with a team for each row. */
function teamOf(team: number, combine: string, more: Choices = {}): Mapping {
  const ids = [0, 1, 2, 3].flatMap((s) => [`$${s}`, `$${s}#1`]);
  const factors = ids.map((id) => [`structure/statements/${id}/factor/r0`, "no"] as const);
  const choices = {
    ...Object.fromEntries(factors),
    "kernels/$0/team": team,
    "kernels/$0/combine": combine,
    ...more,
  };
  return given(ofAnyName(choices), "together");
}

/** Rows long enough for every team have the one that was asked for, combined as was asked for. */
function expectTeam(subject: Prepared, variant: Variant, team: number, combine: string): void {
  expectTaken(subject, variant, { "kernels/$0/team": team, "kernels/$0/combine": combine });
}

const sources: Readonly<Record<string, string>> = {
  "a sum that starts from something":
    "def f(float(N, D) x, float(N) z) -> (y) { y(n) = z(n)  y(n) += x(n, d) }",
  "a product and a least of integers":
    "def f(int(N, D) x) -> (y, z) { y(n) *=! x(n, d)  z(n) min=! x(n, d) }",
  "all and any": `def f(float(N, D) x) -> (y, z) {
  y(n) &&=! x(n, d) > -0.5
  z(n) ||=! x(n, d) > 1.5
}`,
  "the place of the least": "def f(float(N, D) x) -> (y) { y(n) argmin=! x(n, d) }",
  softmax: `def f(float(N, D) x) -> (y) {
  largest(n) max=! x(n, d)
  e(n, d) = exp(x(n, d) - largest(n))
  total(n) +=! e(n, d)
  y(n, d) = e(n, d) / total(n)
}`,
  "a logarithm of a sum of two dims": `def f(float(N, D, 3) x) -> (y) {
  largest(n) max=! x(n, d, e)
  total(n) +=! exp(x(n, d, e) - largest(n))
  y(n) = largest(n) + log(total(n))
}`,
  "parts of rows":
    "def f(float(N, D) x) -> (y) { y(n) +=! x(n, d) where d in n:D, exists x(n, d) }",
  "a sum of all": "def f(float(N, D) x) -> (y) { y +=! x(n, d) }",
};

function prepared(source: string, sizes: Sizes): Prepared {
  const population = "reals";
  const result = prepareCase({ name: "teams", source, sizes, population, inputSeed: 5 });
  if (result.kind !== "prepared") throw new Error(`${result.kind}: ${JSON.stringify(result)}`);
  return result.prepared;
}

function mapped(given: Prepared, options: Mapping, profile: DeviceProfile): Variant {
  const variant = mapCase(given, profile, { kind: "options", options });
  if (isFailure(variant)) throw new Error(describeFailure(given.tcCase, variant));
  return variant;
}

function agrees(given: Prepared, variant: Variant): void {
  const result = executeInterpreted(given, variant);
  if (isFailure(result)) throw new Error(describeFailure(given.tcCase, result));
  expect(result.compared).toBeGreaterThan(0);
}

async function agreesOnDevice(given: Prepared, variant: Variant): Promise<void> {
  agrees(given, variant);
  const result = await executeOnDevice(given, variant, runtime);
  if (isFailure(result)) throw new Error(describeFailure(given.tcCase, result));
}

function statementsOf({ plan }: Pick<Variant, "plan">): readonly KernelStatement[] {
  return plan.kernels.flatMap(({ kernel }) => [...eachKernelStatement(kernel.body)]);
}

const count = (all: readonly KernelStatement[], kind: KernelStatement["kind"]): number =>
  all.filter((s) => s.kind === kind).length;

/** Whether kernels ask for that many lanes: those with exchanges, in text that Tint takes. */
async function expectToAsk({ plan }: Variant, lanes: number): Promise<boolean> {
  const asks = plan.kernels.map(({ kernel, wgsl }) => {
    const hasExchange = [...eachKernelStatement(kernel.body)].some((s) => s.kind === "exchange");
    expect(wgsl.includes(`@subgroup_size(${lanes})`)).toBe(hasExchange);
    expect(wgsl.includes("subgroup")).toBe(hasExchange);
    return hasExchange;
  });
  for (const { wgsl, entryPoint } of plan.kernels) {
    expect(await wgslFaults(wgsl, entryPoint)).toEqual([]);
  }
  return asks.some((one) => one);
}

const sizes: readonly Sizes[] = [
  { N: 1, D: 1 },
  { N: 3, D: 37 },
  { N: 5, D: 64 },
  { N: 2, D: 131 },
];

const shapes: Readonly<Record<string, Choices>> = {
  "one row in a workgroup": { "kernels/$0/axes/0/workgroup": 1 },
  "rows in a workgroup, several for each team": {
    "kernels/$0/axes/0/workgroup": 2,
    "kernels/$0/axes/0/points": 2,
    "kernels/$0/inner": 4,
  },
  "neighbours in a row, steps written out": { "kernels/$0/inner": 2, "kernels/$0/unroll": 2 },
};

describe.each(Object.entries(sources))("%s", (name, source) => {
  const place = Object.keys(sources).indexOf(name);

  it.each(Object.entries(shapes))("by teams on the device: %s", async (shape, choices) => {
    const { lanes } = runtime.profile;
    const teams = [
      [4, "tree"],
      [4 * lanes, "tree"],
      [lanes, "subgroups"],
      [4 * lanes, "subgroups"],
    ] as const;
    const turn = place + Object.keys(shapes).indexOf(shape);
    for (const [n, given] of sizes.map((s) => prepared(source, s)).entries()) {
      for (const [team, combine] of someOf(teams, 2, turn + n)) {
        const variant = mapped(given, teamOf(team, combine, choices), deviceAsGpu());
        if ((given.tcCase.sizes["D"] ?? 0) >= 64) expectTeam(given, variant, team, combine);
        await agreesOnDevice(given, variant);
      }
    }
  });

  it.each([4, 8, 32])("by subgroups of %d lanes", (lanes) => {
    for (const [n, given] of sizes.map((s) => prepared(source, s)).entries()) {
      for (const [t, team] of [lanes, 64].entries()) {
        for (const choices of someOf(Object.values(shapes), 1, place + n + t)) {
          const variant = mapped(given, teamOf(team, "subgroups", choices), gpuWith(lanes));
          if ((given.tcCase.sizes["D"] ?? 0) >= 64) expectTeam(given, variant, team, "subgroups");
          agrees(given, variant);
        }
      }
    }
  });
});

describe("where kernels ask for the size of subgroups", () => {
  const rows: readonly Sizes[] = [
    { N: 3, D: 130 },
    { N: 2, D: 197 },
  ];

  const all = askedSizes.flatMap((lanes) =>
    Object.entries(sources).map(([name, source]) => [lanes, name, source] as const),
  );

  it.each(all)("by subgroups of %d: %s", async (lanes, name, source) => {
    const turn = askedSizes.indexOf(lanes) + Object.keys(sources).indexOf(name);
    const isHere =
      runtime.device.features.has("subgroup-size-control") && lanes === runtime.profile.lanes;
    for (const [n, size] of rows.entries()) {
      // One subgroup, and several.
      const team = (n + turn) % 2 === 0 ? lanes : Math.min(128, 4 * lanes);
      const choices = Object.values(shapes)[(n + turn) % 3] ?? {};
      const given = prepared(source, size);
      const options = teamOf(team, "subgroups", choices);
      const variant = mapped(given, options, askingFor(lanes, gpuProfile));
      expectTeam(given, variant, team, "subgroups");
      expect(await expectToAsk(variant, lanes)).toBe(true);
      await (isHere ? agreesOnDevice(given, variant) : agrees(given, variant));
    }
  });

  it("only kernels with exchanges do, which are the defaults of rows", async () => {
    const softmax = prepared(sources["softmax"] ?? "", { N: 3, D: 64 });
    const profile = askingFor(16, gpuProfile);
    const asking = mapped(softmax, teamOf(32, "subgroups"), profile);
    expect(await expectToAsk(asking, 16)).toBe(true);
    expect(await expectToAsk(mapped(softmax, teamOf(32, "tree"), profile), 16)).toBe(false);
    // By default, too.
    const { kernels } = mapped(softmax, given({}), profile).plan;
    expect(kernels.map((k) => k.kernel.subgroupSize)).toEqual([16]);
  });
});

describe("how parts are combined", () => {
  const softmax = prepared(sources["softmax"] ?? "", { N: 3, D: 64 });

  it("within one subgroup there is no barrier, and no memory", () => {
    const variant = mapped(softmax, teamOf(32, "subgroups"), gpuWith(32));
    const all = statementsOf(variant);
    expect(variant.plan.kernels).toHaveLength(1);
    expect(count(all, "barrier")).toBe(0);
    expect(count(all, "exchange")).toBe(2);
    expect(variant.plan.kernels.flatMap((k) => k.kernel.arrays.map((a) => a.space))).not.toContain(
      "workgroup",
    );
  });

  it("over several subgroups there is one value for each, and a barrier", () => {
    const variant = mapped(softmax, teamOf(64, "subgroups"), gpuWith(8));
    const [kernel] = variant.plan.kernels;
    const shared = kernel?.kernel.arrays.filter((a) => a.space === "workgroup");
    const rows = (kernel?.kernel.workgroupSize ?? 0) / 64;
    expect(shared?.map((a) => a.length)).toEqual([8 * rows]);
    // The second one waits for those who still read the first.
    expect(count(statementsOf(variant), "barrier")).toBe(3);
  });

  it("a tree halves what is left until two are", () => {
    const variant = mapped(softmax, teamOf(16, "tree"), gpuProfile);
    // 16, 8 and 4 parts of the largest, and before and after of the sum.
    expect(count(statementsOf(variant), "barrier")).toBe(4 + 5);
    expect(count(statementsOf(variant), "exchange")).toBe(0);
  });

  it("a reduction that subgroups have no operation for goes by pairs of lanes", () => {
    const least = prepared(sources["the place of the least"] ?? "", { N: 3, D: 40 });
    const all = statementsOf(mapped(least, teamOf(8, "subgroups"), gpuWith(8)));
    // Value and index, in three steps.
    const how = all.flatMap((s) => (s.kind === "exchange" ? [s.how] : []));
    expect(how.map((h) => h.kind)).toEqual(Array.from({ length: 6 }, () => "shuffle"));
    expect(new Set(how.flatMap((h) => (h.kind === "shuffle" ? [h.mask] : [])))).toEqual(
      new Set([4, 2, 1]),
    );
  });

  it("subgroups of a size that is not known are none", () => {
    const varying = { ...gpuWith(16), subgroups: { min: 8, max: 32 } };
    for (const profile of [varying, gpuProfile]) {
      const variant = mapped(softmax, teamOf(32, "subgroups"), profile);
      const combine = variant.decisions.find((d) => d.path.endsWith("/combine"));
      expect(combine?.values).toEqual(["no", "tree"]);
      expect(statementsOf(variant).some((s) => s.kind === "exchange")).toBe(false);
      agrees(softmax, variant);
    }
  });

  it("a team that is no whole subgroup takes the tree", () => {
    const variant = mapped(softmax, teamOf(16, "subgroups"), gpuWith(32));
    expect(count(statementsOf(variant), "exchange")).toBe(0);
    agrees(softmax, variant);
  });
});

describe("against sums by hand", () => {
  const [n, d] = [5, 45];
  const x = Int32Array.from({ length: n * d }, (_, at) => ((at * 37 + (at % 7) * 5) % 41) - 20);
  const rows = Array.from({ length: n }, (_, r) => [...x.slice(r * d, (r + 1) * d)]);
  const source = `def f(int(N, D) x, int(N) z) -> (s, least, at, some) {
    s(n) = z(n)
    s(n) += x(n, d)
    least(n) min=! x(n, d)
    at(n) argmin=! x(n, d)
    some(n) ||=! x(n, d) == 20
  }`;
  const z = Int32Array.from([100, -3, 0, 7, 1]);
  const compiled = (options: Mapping, profile: DeviceProfile): Compiled => {
    const result = compile(source, { sizes: { N: n, D: d }, profile, options });
    if (!result.ok) throw new Error(result.diagnostics.map((x) => x.message).join());
    return result;
  };

  it.each([
    ["tree", 16],
    ["tree", 64],
    ["subgroups", 8],
    ["subgroups", 32],
  ] as const)("by %s in teams of %d", (combine, team) => {
    const { plan } = compiled(teamOf(team, combine), gpuWith(8));
    expect(plan.kernels).toHaveLength(1);
    const { outputs, faults } = interpretPlan(plan, { x, z });
    expect(faults).toEqual([]);
    const least = rows.map((row) => Math.min(...row));
    expect([...(outputs["s"] ?? [])]).toEqual(
      rows.map((row, r) => row.reduce((a, b) => a + b, z[r] ?? 0)),
    );
    expect([...(outputs["least"] ?? [])]).toEqual(least);
    expect([...(outputs["at"] ?? [])]).toEqual(rows.map((row, r) => row.indexOf(least[r] ?? 0)));
    expect([...(outputs["some"] ?? [])].map(Boolean)).toEqual(rows.map((row) => row.includes(20)));
  });

  /** A kernel without the n-th of its barriers. */
  const without = (kernel: Kernel, n: number): Kernel => {
    let seen = 0;
    const body = mapKernelStatements(kernel.body, (s) =>
      s.kind === "barrier" && seen++ === n ? [] : [s],
    );
    return { ...kernel, body };
  };

  it.each([
    ["tree", 16],
    ["subgroups", 32],
  ] as const)("no barrier of %s can be left out", (combine, team) => {
    const { plan } = compiled(
      teamOf(team, combine, { "kernels/$0/axes/0/workgroup": 2 }),
      gpuWith(8),
    );
    const [first] = plan.kernels;
    if (first === undefined) throw new Error("no kernel");
    const barriers = count(statementsOf({ plan }), "barrier");
    expect(barriers).toBeGreaterThan(2);
    for (let b = 0; b < barriers; b++) {
      const wrong = { ...plan, kernels: [{ ...first, kernel: without(first.kernel, b) }] };
      const { faults } = interpretPlan(wrong, { x, z });
      expect(faults.map((f) => f.message).join(), `barrier ${b}`).toMatch(/race|barrier|both/i);
    }
  });

  it("an exchange under a condition that differs is refused", () => {
    const profile = gpuWith(8);
    const { plan } = compiled(teamOf(8, "subgroups"), profile);
    const [first] = plan.kernels;
    if (first === undefined) throw new Error("no kernel");
    const lane = {
      kind: "builtin",
      builtin: "lane",
      type: { scalar: "uint32", width: 1 },
    } as const;
    const zero = { kind: "literal", value: 0, type: { scalar: "uint32", width: 1 } } as const;
    const condition = {
      kind: "binary",
      operator: "==",
      left: lane,
      right: zero,
      type: { scalar: "bool", width: 1 },
    } as const;
    const body = mapKernelStatements(first.kernel.body, (s) =>
      s.kind === "exchange" ? [{ kind: "if", condition, then: [s], else: [] }] : [s],
    );
    const faults = verifyKernel({ ...first.kernel, body }, profile);
    expect(faults.join()).toContain("not uniform");
  });
});
