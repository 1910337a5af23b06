/** Rows by one subgroup each: partial results in its lanes, combined by broadcasts. */

import { afterAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Kernel, KernelStatement } from "../../../src/codegen/kernel.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import { mapKernelStatements } from "../../../src/codegen/rewrite-kernel.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { type Compiled, compile } from "../../../src/compile.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { openRuntime } from "../../../src/runtime/node/open-runtime.ts";
import { given } from "../../support/given.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());
const { profile } = runtime;
const { lanes } = profile;

/** A definition, the reductions that are divided, and the results that each lane has as a whole. */
interface Rows {
  readonly source: string;
  readonly sums: readonly string[];
  readonly whole: readonly string[];
}

/** The spread of a row: max - min, and how often the maximum is in it. */
const statistics: Rows = {
  source: `def f(float(N, D) x) -> (width, count) {
    top(n) max=! x(n, d)
    low(n) min=! x(n, d)
    width(n) = top(n) - low(n)
    count(n) +=! x(n, d) >= top(n) ? 1.0 : 0.0
  }`,
  sums: ["top", "low", "count"],
  whole: ["top", "low"],
};
const argmin: Rows = {
  source: "def f(float(N, D) x) -> (best) { best(n) argmin=! x(n, d) }",
  sums: ["best"],
  whole: [],
};
const sources = { statistics, argmin };

const rowsIn = ({ source, sums, whole }: Rows, n: number, d: number): Compiled => {
  const kernel = `kernels/${sums[0]}.part`;
  const statements = [...sums.flatMap((s) => [`${s}.part`, `${s}.combine`]), "width"];
  const after = statements.filter((s) => s !== `${sums[0]}.part`);
  const only = source.includes("width") ? after : after.filter((s) => s !== "width");
  const choices = [
    ...sums.map((s) => [`structure/statements/${s}/factor/r0`, `strided ${lanes}`] as const),
    ...only.map((s) => [`structure/statements/${s}/with`, true] as const),
    ...sums.map((s) => [`${kernel}/places/${s}_part`, "lanes"] as const),
    ...whole.map((t) => [`${kernel}/places/${t}`, "private"] as const),
    [`${kernel}/team`, lanes] as const,
    [`${kernel}/axes/0/workgroup`, 1] as const,
    [`${kernel}/lanes`, lanes] as const,
  ];
  const options = given(Object.fromEntries(choices), "plain");
  const result = compile(source, { sizes: { N: n, D: d }, profile, options });
  if (!result.ok) throw new Error(result.diagnostics.map((x) => x.code).join());
  expect(result.repairs).toEqual([]);
  if (n > 1) expect(result.unusedChoices).toEqual([]);
  return result;
};

const numbers = (n: number, d: number): Float32Array =>
  Float32Array.from({ length: n * d }, (_, at) => ((at * 11 + (at % 5) * 3) % 17) - 8);

function reference(x: Float32Array, n: number, d: number): Record<string, number[]> {
  const rows = Array.from({ length: n }, (_, r) => [...x.slice(r * d, (r + 1) * d)]);
  const top = rows.map((row) => Math.max(...row));
  const low = rows.map((row) => Math.min(...row));
  return {
    width: top.map((t, r) => t - (low[r] ?? 0)),
    count: rows.map((row, r) => row.filter((v) => v >= (top[r] ?? 0)).length),
    best: rows.map((row, r) => row.indexOf(low[r] ?? 0)),
  };
}

const sizes = [
  [3, 8 * lanes],
  [5, 4 * lanes + 3],
  [1, 61],
  [2, 2 * lanes + 1],
] as const;

describe("rows by subgroups", () => {
  it.each(Object.entries(sources))("compute %s in all executions", async (_name, source) => {
    for (const [n, d] of sizes) {
      const result = rowsIn(source, n, d);
      const x = numbers(n, d);
      const wanted = reference(x, n, d);
      const { plan, mapped } = result;
      expect(verifySchedule(mapped.program, mapped.schedule)).toEqual([]);
      expect(plan.kernels.flatMap((k) => verifyKernel(k.kernel, profile))).toEqual([]);
      const { outputs, faults } = interpretPlan(plan, { x });
      expect(faults.map((f) => f.message)).toEqual([]);
      using loaded = await runtime.load(plan);
      const onDevice = await loaded.run({ x });
      for (const [name, data] of Object.entries(outputs)) {
        expect(
          [...data].map((v) => v + 0),
          `${name} ${n} ${d}`,
        ).toEqual(wanted[name]);
        const read = [...((await onDevice[name]?.read()) ?? [])];
        expect(
          read.map((v) => v + 0),
          `${name} ${n} ${d}`,
        ).toEqual(wanted[name]);
        onDevice[name]?.dispose();
      }
    }
  });

  it("need no barrier and no memory of the workgroup", () => {
    const { plan, mapped } = rowsIn(sources.statistics, 3, 8 * lanes);
    const spaces = mapped.schedule.places.map((p) => p.space);
    expect(spaces).toContain("lanes");
    const inLanes = plan.kernels.filter((k) => k.kernel.subgroupSize !== undefined);
    expect(inLanes.length).toBeGreaterThan(0);
    for (const { kernel, wgsl } of inLanes) {
      expect(wgsl).not.toContain("Barrier()");
      expect(kernel.arrays.filter((a) => a.space === "workgroup")).toEqual([]);
    }
  });
});

/** The plan with the exchanges of its kernels changed. */
function changed(
  plan: Plan,
  change: (s: KernelStatement, k: Kernel) => readonly KernelStatement[],
) {
  const kernels = plan.kernels.map((k) => ({
    ...k,
    kernel: { ...k.kernel, body: mapKernelStatements(k.kernel.body, (s) => change(s, k.kernel)) },
  }));
  return { ...plan, kernels };
}

describe("mistakes in exchanges are noticed:", () => {
  const { plan } = rowsIn(sources.argmin, 3, 6 * lanes + 1);
  const x = numbers(3, 6 * lanes + 1);
  const right = reference(x, 3, 6 * lanes + 1)["best"];

  it.each([
    ["always the first lane", () => 0],
    ["lanes in pairs", (lane: number) => lane - (lane % 2)],
  ] as const)("%s", (_name, move) => {
    const wrong = changed(plan, (s) =>
      s.kind === "exchange" && s.how.kind === "broadcast" && s.how.lane.kind === "literal"
        ? [{ ...s, how: { ...s.how, lane: { ...s.how.lane, value: move(s.how.lane.value) } } }]
        : [s],
    );
    const { outputs } = interpretPlan(wrong, { x });
    expect([...(outputs["best"] ?? [])]).not.toEqual(right);
  });

  it("the own value instead of that of a lane", () => {
    const wrong = changed(plan, (s) =>
      s.kind === "exchange"
        ? [{ kind: "declare", name: s.name, type: s.type, value: s.value, mutable: false }]
        : [s],
    );
    const { outputs } = interpretPlan(wrong, { x });
    expect([...(outputs["best"] ?? [])]).not.toEqual(right);
  });

  it("before the value is there", () => {
    const early = changed(plan, (s) => (s.kind === "exchange" ? [] : [s]));
    const moved: Plan = {
      ...early,
      kernels: early.kernels.map((k, n) => {
        const all = plan.kernels[n]?.kernel.body.filter((s) => s.kind === "exchange") ?? [];
        return { ...k, kernel: { ...k.kernel, body: [...all, ...k.kernel.body] } };
      }),
    };
    const faults = moved.kernels.flatMap((k) => verifyKernel(k.kernel, profile));
    expect(faults.join()).toContain("is not declared here");
  });
});
