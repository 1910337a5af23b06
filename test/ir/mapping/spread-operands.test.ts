/** Operands spread over lanes, chosen by a decision: in three executions, against plain loops. */

import { afterAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { type Compiled, compile } from "../../../src/compile.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { openRuntime } from "../../../src/runtime/node/open-runtime.ts";
import type { DeviceProfile } from "../../../src/support/device-profile.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import { given } from "../../support/given.ts";
import { someOf } from "../../support/sweep.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());
const { profile } = runtime;
const lanes = profile.lanes;

type Sizes = Readonly<Record<string, number>>;
type Numbers = readonly number[];

interface Case {
  readonly source: string;
  readonly inputs: Readonly<Record<string, (s: Sizes) => number>>;
  /** The elements of the result, by plain loops. */
  reference(s: Sizes, input: (name: string) => Numbers): Numbers;
  readonly type?: "float32" | "int32";
}

const small = (count: number, seed: number): Numbers =>
  Array.from({ length: count }, (_, n) => ((n * 7 + seed * 5) % 9) - 4);

const range = (n: number): Numbers => Array.from({ length: n }, (_, k) => k);

/** Combines over `k` for each (m, n). */
function contraction<T>(
  { M = 0, N = 0, K = 0 }: Sizes,
  combine: (all: readonly T[]) => number,
  at: (m: number, n: number, k: number) => T,
): Numbers {
  return range(M).flatMap((m) => range(N).map((n) => combine(range(K).map((k) => at(m, n, k)))));
}

const total = (all: Numbers): number => all.reduce((a, b) => a + b, 0);
const AB = {
  A: ({ M = 0, K = 0 }: Sizes): number => M * K,
  B: ({ K = 0, N = 0 }: Sizes): number => K * N,
};
const product = (s: Sizes, input: (name: string) => Numbers) => {
  const [a, b] = [input("A"), input("B")];
  const { K = 0, N = 0 } = s;
  return (m: number, n: number, k: number) => [a[m * K + k] ?? 0, b[k * N + n] ?? 0] as const;
};

const cases: Readonly<Record<string, Case>> = {
  "a matrix product": {
    source: "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }",
    inputs: AB,
    reference: (s, input) => {
      const at = product(s, input);
      return contraction(s, total, (m, n, k) => at(m, n, k)[0] * at(m, n, k)[1]);
    },
  },
  "one of int32": {
    source: "def f(int32(M, K) A, int32(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }",
    inputs: AB,
    type: "int32",
    reference: (s, input) => {
      const at = product(s, input);
      return contraction(s, total, (m, n, k) => at(m, n, k)[0] * at(m, n, k)[1]);
    },
  },
  "one of float16": {
    source:
      "def f(half(M, K) A, half(K, N) B) -> (C) { C(m, n) +=! float(A(m, k)) * float(B(k, n)) }",
    inputs: AB,
    reference: (s, input) => {
      const at = product(s, input);
      return contraction(s, total, (m, n, k) => at(m, n, k)[0] * at(m, n, k)[1]);
    },
  },
  "a min-plus product with what was computed for all lanes": {
    source:
      "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) min=! abs(A(m, k)) * 2 + B(k, n) }",
    inputs: AB,
    reference: (s, input) => {
      const at = product(s, input);
      const least = (all: Numbers): number => Math.min(...all);
      return contraction(s, least, (m, n, k) => Math.abs(at(m, n, k)[0]) * 2 + at(m, n, k)[1]);
    },
  },
  "the place of the greatest product": {
    source: "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) argmax=! A(m, k) * B(k, n) }",
    inputs: AB,
    type: "int32",
    reference: (s, input) => {
      const at = product(s, input);
      const place = (all: Numbers): number => all.indexOf(Math.max(...all));
      return contraction(s, place, (m, n, k) => at(m, n, k)[0] * at(m, n, k)[1]);
    },
  },
  "a product of three, and a bias": {
    source: `def f(float(M, K) A, float(K, N) B, float(K) w, float(N) bias) -> (C) {
      C(m, n) +=! A(m, k) * w(k) * B(k, n)
      C(m, n) += bias(n)
    }`,
    inputs: { ...AB, w: ({ K = 0 }) => K, bias: ({ N = 0 }) => N },
    reference: (s, input) => {
      const at = product(s, input);
      const [w, bias] = [input("w"), input("bias")];
      const sums = contraction(
        s,
        total,
        (m, n, k) => at(m, n, k)[0] * (w[k] ?? 0) * at(m, n, k)[1],
      );
      return sums.map((x, i) => x + (bias[i % (s["N"] ?? 1)] ?? 0));
    },
  },
};

const steps: Case = {
  source: `def f(float(M, N) A, float(N, N) B, float(K) w) -> (C) {
  for t in K {
    if t == 0 { s(t, m, n) +=! A(m, j) * B(j, n) }
    else      { s(t, m, n) +=! C(t - 1, m, j) * B(j, n) }
    C(t, m, n) = min(max(s(t, m, n) + w(t), -5), 5)
  }
}`,
  inputs: { A: ({ M = 0, N = 0 }) => M * N, B: ({ N = 0 }) => N * N, w: ({ K = 0 }) => K },
  reference: ({ M = 0, N = 0, K = 0 }, input) => {
    const [b, w] = [input("B"), input("w")];
    let state = input("A");
    return range(K).flatMap((t) => {
      const at = (m: number, n: number, k: number): number =>
        (state[m * N + k] ?? 0) * (b[k * N + n] ?? 0);
      const sums = contraction({ M, N, K: N }, total, at);
      state = sums.map((x) => Math.min(Math.max(x + (w[t] ?? 0), -5), 5));
      return state;
    });
  },
};

const shapes: readonly Sizes[] = [
  { M: 8, N: 4 * lanes, K: 4 * lanes },
  { M: 5, N: 3 * lanes + 1, K: 2 * lanes + 3 },
  { M: 1, N: 1, K: 17 },
  { M: 7, N: 13, K: 11 },
];

const tiles: readonly Readonly<Record<string, number | string | boolean>>[] = [
  {},
  { "kernels/$0/axes/0/points": 2, "kernels/$0/axes/1/points": 4, "kernels/$0/points": "vector" },
  { "kernels/$0/axes/0/points": 4, "kernels/$0/axes/1/points": 2, "kernels/$0/points": "unroll" },
  { "kernels/$0/axes/0/workgroup": 2, "kernels/$0/points": "serial", "kernels/$0/blocked": false },
];

function compiled(source: string, sizes: Sizes, choices: object, on = profile): Compiled {
  const spread = {
    "kernels/$0/axes/1/workgroup": lanes,
    "kernels/$0/lanes": lanes,
    "kernels/$0/spread": "steps",
  };
  // Statements that are merged begin a kernel with the later one's name.
  const all = Object.entries({ ...spread, ...choices }).flatMap(([path, value]) => [
    [path, value],
    [path.replace("kernels/$0/", "kernels/$0#1/"), value],
  ]);
  const options = given(Object.fromEntries(all));
  const result = compile(source, { sizes, profile: on, options });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.code).join());
  return result;
}

function faultsOf({ plan, mapped }: Compiled): readonly string[] {
  return [
    ...verifySchedule(mapped.program, mapped.schedule).map((f) => f.message),
    ...plan.kernels.flatMap((k) => verifyKernel(k.kernel, profile)),
  ];
}

/** Expects the same result of all executions as of plain loops. */
async function expectAll(one: Case, sizes: Sizes, choices: object): Promise<void> {
  const context = JSON.stringify({ sizes, choices });
  const drawn = Object.entries(one.inputs).map(
    ([input, count], seed) => [input, small(count(sizes), seed)] as const,
  );
  const make = one.source.includes("(int32(") ? Int32Array : Float32Array;
  const inputs = Object.fromEntries(drawn.map(([input, data]) => [input, make.from(data)]));
  const wanted = one.reference(sizes, (input) => Array.from(inputs[input] ?? []));
  const result = compiled(one.source, sizes, choices);
  expect(faultsOf(result), context).toEqual([]);
  // Points that are no neighbours do not load for each other.
  const isApart = "kernels/$0/blocked" in choices && result.repairs.length > 0;
  if (isApart) expect(JSON.stringify(choices)).toContain('"points"');
  if (sizes === shapes[0] && !isApart) {
    expect(result.repairs, context).toEqual([]);
    const used = result.decisions.filter((d) => /\/spread(Steps|Block)?$/.test(d.path));
    const asked = Object.entries(choices).filter(([path]) => path.includes("/spread"));
    expect(used.map((d) => d.value)).toEqual(expect.arrayContaining(asked.map(([, v]) => v)));
  }
  const { outputs, faults } = interpretPlan(result.plan, inputs);
  expect(
    faults.map((f) => f.message),
    context,
  ).toEqual([]);
  expect(
    [...(outputs["C"] ?? [])].map((x) => x + 0),
    context,
  ).toEqual(wanted);
  const meant = interpret(result.program, inputs).tensors.get("C")?.data ?? [];
  expect([...meant].map((x) => x + 0)).toEqual(wanted);
  using loaded = await runtime.load(result.plan);
  const { C } = await loaded.run(inputs);
  expect(
    [...((await C?.read()) ?? [])].map((x) => x + 0),
    context,
  ).toEqual(wanted);
  C?.dispose();
}

/** Each lane loads a step, and these are counted by a loop. */
const counted = { "kernels/$0/spread": "steps", "kernels/$0/spreadSteps": "serial" };

/** Each lane loads for a point, or two of them, so many steps at once. */
const ofPoints = (block: number, points = lanes): Readonly<Record<string, number | string>> => ({
  "kernels/$0/spread": "points",
  "kernels/$0/spreadBlock": block,
  "kernels/$0/axes/0/points": points,
});

const ways = [
  { "kernels/$0/spread": "steps" },
  counted,
  ofPoints(1),
  ofPoints(2, 2 * lanes),
  ofPoints(4),
];

/** One dispatch for each step of a recurrence. */
const onHost = {
  "structure/statements/$0/leave/t0": false,
  "structure/loops/$t0/on": "host",
  "kernels/$0/axes/0/points": 2,
  "kernels/$0/axes/1/points": 1,
};

describe("operands spread over lanes", () => {
  for (const [n, [name, one]] of Object.entries(cases).entries()) {
    it(`give ${name} in all executions`, async () => {
      // Each way with each shape and tile, in one case or another; the next is compiled while the device runs one.
      const all = shapes.flatMap((sizes, s) =>
        tiles.flatMap((choices, t) =>
          someOf(ways, 1, n + s + t).map((way) => expectAll(one, sizes, { ...choices, ...way })),
        ),
      );
      await Promise.all(all);
    });
  }

  it("give a recurrence whose first step is another sum in all executions", async () => {
    for (const [M, N, K] of [
      [8, 2 * lanes, 3],
      [5, 3 * lanes + 1, 5],
      [3, 2 * lanes, 17],
      [1, 1, 1],
    ] as const) {
      for (const way of ways) await expectAll(steps, { M, N, K }, { ...onHost, ...way });
    }
  });

  it("are loaded once for all lanes, with what they alone decide computed", () => {
    const sizes = { M: 8, N: 4 * lanes, K: 4 * lanes };
    const { source } = cases["a min-plus product with what was computed for all lanes"] ?? {};
    const { plan, repairs } = compiled(source ?? "", sizes, { "kernels/$0/axes/0/points": 2 });
    expect(repairs).toEqual([]);
    const text = plan.kernels[0]?.wgsl ?? "";
    expect(text.match(/ A\[/g)).toHaveLength(2);
    expect(text.match(/abs\(/g)).toHaveLength(2);
    expect(text.match(/subgroupBroadcast\(/g)).toHaveLength(2 * lanes);
  });

  it("are given away once in a loop that counts steps", () => {
    const sizes = { M: 8, N: 4 * lanes, K: 4 * lanes };
    const { source } = cases["a matrix product"] ?? {};
    const choices = { "kernels/$0/axes/0/points": 2, ...counted };
    const { plan, repairs } = compiled(source ?? "", sizes, choices);
    expect(repairs).toEqual([]);
    const text = plan.kernels[0]?.wgsl ?? "";
    expect(text.match(/ A\[/g)).toHaveLength(2);
    expect(text.match(/subgroupShuffle\(/g)).toHaveLength(2);
    expect(text).not.toContain("subgroupBroadcast(");
  });

  it("are given away by the lanes of points, so many steps of each at once", () => {
    const sizes = { M: 4 * lanes, N: 4 * lanes, K: 4 * lanes };
    const { source } = cases["a matrix product"] ?? {};
    for (const block of [1, 2, 4]) {
      const { plan, repairs } = compiled(source ?? "", sizes, ofPoints(block, 2 * lanes));
      expect(repairs).toEqual([]);
      const text = plan.kernels[0]?.wgsl ?? "";
      // Neighbouring steps are a vector.
      expect(text.match(/ A\[/g)).toHaveLength(2);
      expect(text.match(/subgroupBroadcast\(/g)).toHaveLength(2 * lanes * block);
    }
  });

  it("are none where an invocation has fewer points than a subgroup has lanes that load for them", () => {
    const sizes = { M: 4 * lanes, N: 4 * lanes, K: 4 * lanes };
    const { source } = cases["a matrix product"] ?? {};
    const { repairs } = compiled(source ?? "", sizes, ofPoints(1, lanes / 2));
    expect(repairs.map((r) => [r.path, r.used])).toEqual([["kernels/C/spread", "no"]]);
  });

  /** The tensors that a kernel's lanes load one step's elements of, for all. */
  const spreadIn = (source: string, sizes: Sizes, choices: object): readonly string[] => {
    const { mapped, repairs } = compiled(source, sizes, choices);
    expect(repairs).toEqual([]);
    const { statements } = mapped.program;
    const parts = statements.filter((s) => s.write.tensor.includes("_part"));
    return parts.map((s) => s.reads[0]?.tensor ?? "");
  };

  it("are those of sums that some steps of a loop leave out, too, but not of what few steps have", () => {
    const sizes = { M: 8, N: 2 * lanes };
    expect(spreadIn(steps.source, { ...sizes, K: 15 }, onHost)).toEqual(["A", "C"]);
    expect(spreadIn(steps.source, { ...sizes, K: 16 }, onHost)).toEqual(["C"]);
  });

  it("are spread only where subgroups have one size, and something is the same in all lanes", () => {
    const spreads = (source: string, sizes: Sizes, choices: object, on: DeviceProfile): boolean =>
      compiled(source, sizes, choices, on).decisions.some(
        (d) => d.path === "kernels/C/spread" && d.value !== "no",
      );
    const { source } = cases["a matrix product"] ?? {};
    const sizes = { M: 4, N: 2 * lanes, K: 32 };
    expect(spreads(source ?? "", sizes, {}, profile)).toBe(true);
    expect(spreads(source ?? "", sizes, { "kernels/$0/lanes": 1 }, profile)).toBe(false);
    expect(spreads(source ?? "", { ...sizes, K: lanes }, {}, profile)).toBe(false);
    expect(spreads(source ?? "", sizes, {}, baselineProfile)).toBe(false);
    const ranged = { ...profile, subgroups: { min: lanes, max: 2 * lanes } };
    expect(spreads(source ?? "", sizes, {}, ranged)).toBe(false);
    const rows = "def f(float(M, N, K) A) -> (C) { C(m, n) +=! A(m, n, k) }";
    expect(spreads(rows, sizes, {}, profile)).toBe(false);
  });

  it("are left alone where a step is not the same for all lanes", () => {
    const triangle =
      "def f(float(N, K) A, float(K) w) -> (C) { C(n) +=! A(n, k) * w(k) where n in 0:N, k in 0:n+1 }";
    const choices = { "kernels/$0/axes/0/workgroup": lanes };
    const result = compiled(triangle, { N: 3 * lanes, K: 3 * lanes }, choices);
    expect(faultsOf(result)).toEqual([]);
    const inputs = {
      A: Float32Array.from(small(9 * lanes * lanes, 1)),
      w: Float32Array.from(small(3 * lanes, 2)),
    };
    const { outputs, faults } = interpretPlan(result.plan, inputs);
    expect(faults).toEqual([]);
    const wanted = range(3 * lanes).map((n) =>
      total(range(n + 1).map((k) => (inputs.A[n * 3 * lanes + k] ?? 0) * (inputs.w[k] ?? 0))),
    );
    expect([...(outputs["C"] ?? [])]).toEqual(wanted);
  });
});
