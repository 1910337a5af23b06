/** Where the points of a product's invocations are on GPUs, and how much of its operands is copied at once. */
import { expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { type Compiled, compile } from "../../../src/compile.ts";
import { defined } from "../../../src/support/assert.ts";
import { gpuProfile, llvmpipeProfile, namedProfiles } from "../../../src/support/device-profile.ts";
import { askingFor } from "../../support/asking-profile.ts";
import { given } from "../../support/given.ts";
import { chosen } from "../support/chosen.ts";

function product(a: string, b: string): string {
  const shape = (index: string): string => index.toUpperCase();
  return `def f(float(${shape(a)}) a, float(${shape(b)}) b) -> (c) { c(m, n) +=! a(${a}) * b(${b}) }`;
}

const rowsByColumns = product("m, k", "k, n");

function compiled(source: string, sizes: Readonly<Record<string, number>>): Compiled {
  const result = compile(source, { sizes, profile: gpuProfile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result;
}

function choices(result: Compiled, ...paths: readonly string[]): readonly unknown[] {
  return paths.map((path) => chosen(result, `kernels/$0/${path}`));
}

const large = { M: 1024, K: 1024, N: 1024 };

it("puts points apart along rows of a copy, and lets them be neighbours where vectors hold them", () => {
  const paths = ["blocked", "axes/0/subgroup"] as const;
  expect(choices(compiled(rowsByColumns, large), ...paths)).toEqual(["last", 8]);
  expect(choices(compiled(product("k, m", "k, n"), large), ...paths)).toEqual([true, 8]);
  expect(choices(compiled(product("m, k", "n, k"), large), ...paths)).toEqual([false, 8]);
  // Fewer rows than a workgroup has: neighbours leave whole invocations idle.
  const few = compiled(rowsByColumns, { ...large, M: 24, K: 128 });
  expect(choices(few, "blocked")).toEqual([true]);
});

it("makes subgroups blocks of fewer rows where there are few invocations along the last axis", () => {
  const source = `def f(float(C, H, W) x, float(O, C) w) -> (y) { y(o, h, v) +=! x(c, h, v) * w(o, c) }`;
  const result = compiled(source, { C: 64, H: 56, W: 56, O: 64 });
  expect(choices(result, "axes/2/workgroup", "axes/0/subgroup")).toEqual([2, 4]);
});

it.each(["intel-xe", "amd-rdna", "adreno"])(
  "are the same on %s whether or not kernels may ask for the size of subgroups: these do not",
  (name) => {
    const profile = defined(namedProfiles[name], "profile");
    const texts = [profile, askingFor(profile.lanes, profile)].map((on) => {
      const result = compile(rowsByColumns, { sizes: large, profile: on });
      if (!result.ok) throw new Error("it does not compile");
      return result.plan.kernels.map((k) => k.wgsl);
    });
    expect(texts[1]).toEqual(texts[0]);
  },
);

it("copies of odd rows those along the reduction alone", () => {
  const result = compiled(rowsByColumns, { M: 509, K: 509, N: 509 });
  const paths = ["operands/$0.read0/stage", "operands/$0.read1/stage"] as const;
  expect(choices(result, ...paths)).toEqual(["workgroup", "no"]);
});

it("copies at least what memory is read by of each row along the reduction", () => {
  const typed = (type: string): string =>
    `def f(${type}(M, K) a, ${type}(N, K) b) -> (int(M, N) c) { c(m, n) +=! int(a(m, k)) * int(b(n, k)) }`;
  const steps = (type: string): readonly unknown[] =>
    choices(compiled(typed(type), large), "reduced/0/0");
  expect([steps("int"), steps("int16"), steps("int8")]).toEqual([[8], [16], [32]]);
});

it("gives windows that leap fewer points along their rows, and more across them", () => {
  const convolution = (stride: number): string =>
    `def f(float(C, H, W) x, float(O, C, 3, 3) w) -> (y) {
      y(o, i, j) +=! pad(x(c, ${stride} * i + r - 1, ${stride} * j + s - 1)) * w(o, c, r, s)
        where i in 0:H / ${stride}, j in 0:W / ${stride}, r in 0:3, s in 0:3
    }`;
  const points = (stride: number): readonly unknown[] =>
    choices(
      compiled(convolution(stride), { C: 32, H: 112, W: 112, O: 64 }),
      "axes/1/points",
      "axes/2/points",
    );
  expect([points(1), points(2)]).toEqual([
    [2, 4],
    [4, 2],
  ]);
});

const apart = {
  "kernels/$0/axes/0/workgroup": 4,
  "kernels/$0/axes/0/points": 2,
  "kernels/$0/axes/1/workgroup": 4,
  "kernels/$0/axes/1/points": 4,
  "kernels/$0/axes/0/subgroup": 2,
  "kernels/$0/blocked": "last",
  "kernels/$0/points": "vector",
};

it.each([
  [8, 5, 16],
  [13, 7, 21],
])("computes a product of %i x %i x %i whose rows are apart", (M, K, N) => {
  const options = given(apart);
  const result = compile(rowsByColumns, { sizes: { M, K, N }, profile: gpuProfile, options });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  expect(result.repairs).toEqual([]);
  const a = Float32Array.from({ length: M * K }, (_, n) => ((n * 7) % 13) - 6);
  const b = Float32Array.from({ length: K * N }, (_, n) => ((n * 5) % 11) - 5);
  const wanted = Array.from({ length: M * N }, (_, at) =>
    Array.from(
      { length: K },
      (_k, k) => (a[Math.floor(at / N) * K + k] ?? 0) * (b[k * N + (at % N)] ?? 0),
    ).reduce((sum, x) => sum + x, 0),
  );
  const { outputs, faults } = interpretPlan(result.plan, { a, b });
  expect(faults.map((f) => f.message)).toEqual([]);
  expect([...(outputs["c"] ?? [])].map((v) => v + 0)).toEqual(wanted);
});

it("takes neighbours on a processor, where workgroup memory has no banks; the space has both", () => {
  const result = compile(rowsByColumns, { sizes: large, profile: llvmpipeProfile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  const decision = result.decisions.find((d) => d.path.endsWith("/blocked"));
  expect(decision).toMatchObject({ values: [true, false, "last"], value: true });
});
