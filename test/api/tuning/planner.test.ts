import { expect, test, vi } from "vitest";
import { isUnplanned } from "../../../src/api/tuning/planned-task.ts";
import { createPlanner } from "../../../src/api/tuning/planner.ts";
import { generatorVersion } from "../../../src/codegen/generator.ts";
import { compile } from "../../../src/compile.ts";
import { gpuProfile, llvmpipeProfile } from "../../../src/support/device-profile.ts";
import type { Candidate, Planner, TuningTask } from "../../../src/tuner/candidate.ts";
import { given } from "../../support/given.ts";

// Drivers compile each candidate, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const rows = `def rows(float(N, M) x) -> (sum, y) {
  sum(n) +=! x(n, m)
  y(n, m) = x(n, m) / sum(n)
}`;
const task: TuningTask = { source: rows, sizes: { N: 64, M: 96 } };

function plannerOf(of: TuningTask, profile = llvmpipeProfile): Planner {
  const planner = createPlanner(of, profile);
  if (isUnplanned(planner)) throw new Error(planner.refused);
  return planner;
}

function planned(planner: Planner, ...mapping: Parameters<Planner["plan"]>): Candidate {
  const candidate = planner.plan(...mapping);
  if (isUnplanned(candidate)) throw new Error(candidate.refused);
  return candidate;
}

test("a candidate has a complete mapping, which gives the same candidate, and the plan of compile", () => {
  const planner = plannerOf(task);
  const candidate = planned(planner, given());
  expect(planned(planner, candidate.mapping)).toEqual({ ...candidate, repairs: 0 });
  expect(candidate.knobs.map(({ path }) => path)).toContain(
    `kernels/${candidate.kernels[0]?.name}/team`,
  );
  const compiled = compile(rows, { sizes: task.sizes, profile: llvmpipeProfile, padded: true });
  if (!compiled.ok) throw new Error("does not compile");
  const { generator, ...mapping } = compiled.options;
  expect(generator).toBe(generatorVersion);
  expect(candidate.mapping).toEqual(mapping);
  expect(candidate.kernels).toHaveLength(compiled.plan.kernels.length);
});

test("the same text is the same candidate, another kernel another one of the same structure", () => {
  const planner = plannerOf(task);
  const [first] = [planned(planner, given({}, "apart"))];
  const name = first.kernels[1]?.name ?? "";
  const other = planned(planner, {
    ...first.mapping,
    kernels: { ...first.mapping.kernels, [name]: { axes: [{ workgroup: 4 }, { workgroup: 4 }] } },
  });
  expect(other.id).not.toBe(first.id);
  expect(other.structure).toBe(first.structure);
  expect(other.kernels[0]?.text).toBe(first.kernels[0]?.text);
  expect(other.kernels[1]?.text).not.toBe(first.kernels[1]?.text);
  expect(other.kernels.map(({ key }) => key)).toEqual(first.kernels.map(({ key }) => key));
  expect(planned(planner, given({}, "together")).structure).not.toBe(first.structure);
});

test("content does not depend on names and sizes, extents and alignment say the sizes", () => {
  const other = rows.replaceAll("sum", "total").replaceAll("x(", "v(").replace(") x)", ") v)");
  const a = plannerOf(task);
  const b = plannerOf({ source: other, sizes: { N: 16, M: 31 } });
  expect(b.content.key).toBe(a.content.key);
  expect([a.content.extents, a.content.alignment]).toEqual([[64, 96], 16]);
  expect([b.content.extents, b.content.alignment]).toEqual([[16, 31], 4]);
  const [ka, kb] = [a, b].map((p) => planned(p, given({}, "naive")).kernels[0]);
  expect(kb?.key).toBe(ka?.key);
  expect([ka?.extents, kb?.extents]).toEqual([
    [64, 96],
    [16, 31],
  ]);
  const canonical = a.canonical(planned(a, given()).mapping);
  expect(JSON.stringify(canonical)).not.toContain("sum");
  expect(planned(b, canonical).mapping).toEqual(planned(b, planned(b, canonical).mapping).mapping);
});

test("facts estimate and veto for GPUs, and say nothing of processors", () => {
  const onGpu = planned(plannerOf(task, gpuProfile), given({}, "naive"));
  expect(onGpu.kernels.map(({ estimateUs }) => estimateUs ?? 0).every((us) => us > 0)).toBe(true);
  expect(onGpu.kernels.flatMap((k) => k.vetoes).length).toBeGreaterThan(0);
  const onCpu = planned(plannerOf(task), given({}, "naive"));
  expect(onCpu.kernels.map((k) => [k.estimateUs, k.vetoes])).toEqual([
    [null, []],
    [null, []],
  ]);
});

test("the default is the first wish; statements and workspace are those of the plan", () => {
  const planner = plannerOf(task);
  const wishes = [...planner.wishes()];
  expect(wishes.length).toBeLessThanOrEqual(12);
  const all = wishes.map((wish) => planned(planner, wish));
  expect(all[0]?.mapping).toEqual(planned(planner, given()).mapping);
  // Beside the policies', others of single kernels, which are legal as they are.
  const kernels = all.slice(3);
  expect(new Set(kernels.map(({ id }) => id)).size).toBeGreaterThan(0);
  expect(kernels.map(({ repairs }) => repairs)).toEqual(kernels.map(() => 0));
  expect(kernels.map(({ structure }) => structure)).toEqual(kernels.map(() => all[0]?.structure));
  const apart = planned(planner, given({}, "naive"));
  expect(apart.statements).toBeGreaterThan(5);
  expect(apart.workspace).toBe(0);
  const kept = planned(
    plannerOf({
      source: `def f(float(N) x) -> (y) {
  t(i) = exp(x(i))
  y(i) = t(i) + t(N - 1 - i)
}`,
      sizes: { N: 100 },
    }),
    given({}, "naive"),
  );
  expect(kept.workspace).toBe(400);
});

test("designs are kernels all over the space, of the structure that was asked for", () => {
  const product: TuningTask = {
    source: "def mm(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }",
    sizes: { M: 256, N: 256, K: 256 },
  };
  const profile = {
    ...gpuProfile,
    features: llvmpipeProfile.features,
    subgroups: { min: 8, max: 8 },
  };
  for (const of of [product, task]) {
    const planner = plannerOf(of, profile);
    const usual = planned(planner, given());
    const designs = [...planner.designs(usual.mapping)].map((mapping) => planned(planner, mapping));
    expect(designs.map(({ structure }) => structure)).toEqual(designs.map(() => usual.structure));
    expect(designs).toHaveLength(9);
    expect(new Set(designs.map(({ id }) => id)).size).toBeGreaterThanOrEqual(8);
    const [name = ""] = designs.map(({ kernels }) => kernels[0]?.name);
    const invocations = designs.map(({ knobs }) =>
      knobs
        .filter(({ path }) => path.startsWith(`kernels/${name}/`) && /workgroup$|team$/.test(path))
        .reduce((n, { value }) => n * Number(value), 1),
    );
    // A subgroup, some, many: fewer where there are not enough points for them.
    for (const n of [8, 64, 256]) expect(invocations).toContain(n);
  }
  const knobs = plannerOf(product, profile);
  const ways = [...knobs.designs(given())].map((mapping) => planned(knobs, mapping).knobs);
  const has = (word: RegExp, value: unknown): number =>
    ways.filter((own) => own.some((k) => word.test(k.path) && k.value === value)).length;
  expect(has(/stage$/, "workgroup")).toBe(3);
  expect(has(/spread$/, "steps") + has(/spread$/, "points")).toBe(3);
});

test("a task that does not compile has no planner, and a mapping that the device refuses no candidate", () => {
  const broken = createPlanner(
    { source: "def f(float(N) x) -> (y) { y(i) = z(i) }", sizes: {} },
    llvmpipeProfile,
  );
  expect(isUnplanned(broken) && broken.refused).toMatch(/^TC\d+: .*z/);
});
