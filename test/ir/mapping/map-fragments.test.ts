/** Sums of products on matrix units: when they are offered, and that they are right. */

import { describe, expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { type Compiled, compile } from "../../../src/compile.ts";
import { type DeviceProfile, gpuProfile } from "../../../src/support/device-profile.ts";
import type { Choice } from "../../../src/support/mapping-file.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { wgslFaults } from "../../codegen/support/validate-wgsl.ts";
import { given } from "../../support/given.ts";
import { profileWithUnits, unitOf } from "../../support/matrix-profile.ts";

const float8 = unitOf("float32", 8, 8, 8);
const half16 = unitOf("float16", 16, 16, 16);
const profile = profileWithUnits(32, float8, half16);

type Sizes = Readonly<Record<string, number>>;

function compiled(
  source: string,
  sizes: Sizes,
  choices: Readonly<Record<string, Choice>> = {},
  device: DeviceProfile = profile,
): Compiled {
  const options = given(choices);
  const result = compile(source, { sizes, profile: device, options });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  return result;
}

function decisionOf({ decisions }: Compiled, path: string): readonly unknown[] | undefined {
  return decisions.find((d) => d.path === `kernels/c/${path}`)?.values;
}

function usesUnit({ plan }: Compiled): boolean {
  return plan.kernels.some(({ wgsl }) => wgsl.includes("subgroupMatrixMultiplyAccumulate"));
}

const product = "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";
const halves = "def f(half(M, K) a, half(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";

describe("a matrix unit is offered", () => {
  it("for whole tiles of its types, and taken by default where they are known to be faster", () => {
    const result = compiled(product, { M: 64, N: 96, K: 40 });
    expect(decisionOf(result, "unit")).toEqual(["none", "float32 8x8x8"]);
    expect(decisionOf(result, "axes/0/fragments")).toEqual([1, 2, 4, 8]);
    expect(usesUnit(result)).toBe(true);
    expect(
      usesUnit(compiled(product, { M: 64, N: 96, K: 40 }, { "kernels/$0/unit": "none" })),
    ).toBe(false);
    const halved = compiled(halves, { M: 64, N: 96, K: 32 });
    expect(decisionOf(halved, "unit")).toEqual(["none", "float16 to float32 16x16x16"]);
  });

  it.each<[string, DeviceProfile]>([
    ["on a CPU", { ...profile, class: "cpu" }],
    ["where nobody measured it", { ...profile, costs: gpuProfile.costs }],
  ])("not by default %s", (_, device) => {
    const result = compiled(product, { M: 64, N: 64, K: 64 }, {}, device);
    expect(decisionOf(result, "unit")).toEqual(["none", "float32 8x8x8"]);
    expect(usesUnit(result)).toBe(false);
  });

  it.each([
    ["a row too few", product, { M: 63, N: 64, K: 64 }],
    ["a prime depth", product, { M: 64, N: 64, K: 61 }],
    ["sizes of 1", product, { M: 1, N: 1, K: 1 }],
    ["a product of three", product.replace("b(k, n)", "b(k, n) * a(m, k)"), { M: 8, N: 8, K: 8 }],
    ["a maximum", product.replace("+=!", "max=!"), { M: 8, N: 8, K: 8 }],
    ["a sum in the product", product.replace("b(k, n)", "(b(k, n) + 1)"), { M: 8, N: 8, K: 8 }],
    ["integers", product.replaceAll("float(", "int("), { M: 8, N: 8, K: 8 }],
    ["float32 for halves", halves, { M: 8, N: 8, K: 8 }],
    [
      "every other element",
      "def f(float(8, 16) a, float(8, 8) b) -> (c) { c(m, n) +=! a(m, 2 * k) * b(k, n) }",
      {},
    ],
    [
      "rows that begin between multiples of 16 bytes",
      "def f(float(8, 9) a, float(8, 8) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) where k in 0:8 }",
      {},
    ],
    [
      "a sum over a triangle",
      "def f(float(8, 8) a, float(8, 8) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) where k in 0:m+1 }",
      {},
    ],
  ] as const)("not for %s", (_, source, sizes) => {
    const result = compiled(source, sizes);
    expect(decisionOf(result, "unit")).toBeUndefined();
    expect(usesUnit(result)).toBe(false);
  });

  it("not where subgroups have several sizes, or are larger than a workgroup", () => {
    const sizes = { M: 64, N: 64, K: 64 };
    const several: DeviceProfile = { ...profile, subgroups: { min: 8, max: 32 } };
    expect(usesUnit(compiled(product, sizes, {}, several))).toBe(false);
    const limits = { ...gpuProfile.limits, maxInvocationsPerWorkgroup: 16 };
    expect(usesUnit(compiled(product, sizes, {}, { ...profile, limits }))).toBe(false);
  });
});

/** Inputs of small integers and halves of such, so that sums are exact. */
function draw(count: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length: count }, () => random.integer(-8, 8) / 2);
}

/** Sums in float64. */
function reference(
  { M, N, K }: { readonly M: number; readonly N: number; readonly K: number },
  term: (m: number, n: number, k: number) => number,
): readonly number[] {
  const sum = (m: number, n: number): number => {
    let total = 0;
    for (let k = 0; k < K; k++) total += term(m, n, k);
    return total;
  };
  return Array.from({ length: M * N }, (_, e) => sum(Math.floor(e / N), e % N));
}

describe("a kernel in fragments", () => {
  const shapes: readonly Readonly<Record<string, Choice>>[] = [
    {},
    {
      "kernels/$0/axes/0/fragments": 1,
      "kernels/$0/axes/1/fragments": 1,
      "kernels/$0/axes/1/subgroups": 4,
    },
    { "kernels/$0/axes/0/fragments": 4, "kernels/$0/axes/1/fragments": 2, "kernels/$0/unroll": 4 },
    { "kernels/$0/axes/0/subgroups": 2, "kernels/$0/axes/0/fragments": 2, "kernels/$0/unroll": 2 },
  ];
  const sizes = { M: 32, N: 64, K: 32 };
  const [a, b] = [draw(32 * 32, 1), draw(32 * 64, 2)];

  it.each(shapes)("is right in float32 and float16 with %o", (choices) => {
    const expected = reference(sizes, (m, n, k) => (a[m * 32 + k] ?? 0) * (b[k * 64 + n] ?? 0));
    for (const source of [product, halves]) {
      const result = compiled(source, sizes, choices);
      expect(usesUnit(result)).toBe(true);
      if (source === product) expect([...result.repairs, ...result.unusedChoices]).toEqual([]);
      const { outputs, faults } = interpretPlan(result.plan, { a, b });
      expect(faults).toEqual([]);
      expect([...(outputs["c"] ?? [])]).toEqual(expected);
    }
  });

  it("takes rows and columns however they lie, a batch and what is there already", () => {
    const source = `def f(float(B, K, M) a, float(B, N, K) b, float(B, M, N) d) -> (c) {
  c(z, m, n) = d(z, m, n)
  c(z, m, n) += b(z, n, k) * a(z, k, m)
}`;
    const [B, M, N, K] = [3, 16, 8, 24];
    const [x, y, d] = [draw(B * K * M, 3), draw(B * N * K, 4), draw(B * M * N, 5)];
    const result = compiled(source, { B, M, N, K });
    expect(usesUnit(result)).toBe(true);
    const { outputs, faults } = interpretPlan(result.plan, { a: x, b: y, d });
    expect(faults).toEqual([]);
    const at = (z: number, m: number, n: number, k: number): number =>
      (x[(z * K + k) * M + m] ?? 0) * (y[(z * N + n) * K + k] ?? 0);
    const expected = [0, 1, 2].flatMap((z) =>
      reference({ M, N, K }, (m, n, k) => at(z, m, n, k)).map(
        (sum, e) => sum + (d[z * M * N + e] ?? 0),
      ),
    );
    expect([...(outputs["c"] ?? [])]).toEqual(expected);
  });

  it("slides windows over rows", () => {
    const source = `def f(float(W, C) x, float(R, C, D) w) -> (y) {
  y(i, d) +=! x(i + r, c) * w(r, c, d) where i in 0:16
}`;
    const [W, C, R, D] = [18, 8, 3, 16];
    const [x, w] = [draw(W * C, 6), draw(R * C * D, 7)];
    const result = compiled(source, { W, C, R, D });
    expect(usesUnit(result)).toBe(true);
    const { outputs, faults } = interpretPlan(result.plan, { x, w });
    expect(faults).toEqual([]);
    const expected = reference({ M: 16, N: D, K: R * C }, (i, d, k) => {
      const [r, c] = [Math.floor(k / C), k % C];
      return (x[(i + r) * C + c] ?? 0) * (w[(r * C + c) * D + d] ?? 0);
    });
    expect([...(outputs["y"] ?? [])]).toEqual(expected);
  });
});

/** What follows a product of `a` and `b` in its kernel: its text, and its results of a sum at an element. */
interface Epilogue {
  readonly parameters: string;
  readonly statements: string;
  readonly results: string;
  element(sum: number, more: Readonly<Record<string, number>>): Readonly<Record<string, number>>;
}

const epilogues: Readonly<Record<string, Epilogue>> = {
  "an activation": {
    parameters: "",
    statements: "c(m, n) = fmax(c(m, n), 0.0)",
    results: "c",
    element: (sum) => ({ c: Math.max(sum, 0) }),
  },
  "a bias that the sum starts from": {
    parameters: ", float(N) d",
    statements: "c(m, n) += d(n)",
    results: "c",
    element: (sum, { d = 0 }) => ({ c: sum + d }),
  },
  "a bias and an activation, with the sum in registers": {
    parameters: ", float(N) d",
    statements: "y(m, n) = fmax(c(m, n) + d(n), 0.0)",
    results: "y",
    element: (sum, { d = 0 }) => ({ y: Math.max(sum + d, 0) }),
  },
  "a residual, a scale and a cast": {
    parameters: ", float(M, N) r, float alpha",
    statements: "y(m, n) = half(alpha * c(m, n) + r(m, n))",
    results: "y",
    element: (sum, { r = 0, alpha = 0 }) => ({ y: alpha * sum + r }),
  },
  "several results, of which one is made of another": {
    parameters: ", float(M, N) r, float(N) d",
    statements: `c(m, n) += d(n)
  y(m, n) = c(m, n) * r(m, n)
  z(m, n) = y(m, n) - c(m, n)`,
    results: "y, z",
    element: (sum, { r = 0, d = 0 }) => ({ y: (sum + d) * r, z: (sum + d) * r - sum - d }),
  },
  "the sum itself beside what is made of it": {
    parameters: ", float(N) d",
    statements: "y(m, n) = 2 * c(m, n) + d(n)",
    results: "c, y",
    element: (sum, { d = 0 }) => ({ c: sum, y: 2 * sum + d }),
  },
  "a part of the elements": {
    parameters: ", float(N) d",
    statements: "y(m, n) = c(m, n) + d(n) where m in 0:M - 3, n in 0:N",
    results: "c, y",
    element: (sum, { d = 0 }) => ({ c: sum, y: sum + d }),
  },
};

describe.each(Object.entries(epilogues))("behind a product in fragments, %s", (_, epilogue) => {
  const { parameters, statements, results, element } = epilogue;
  const shapes: readonly Readonly<Record<string, Choice>>[] = [
    {},
    { "kernels/$0/axes/0/fragments": 2, "kernels/$0/axes/1/subgroups": 2, "kernels/$0/unroll": 2 },
    {
      "kernels/$0/axes/0/fragments": 1,
      "kernels/$0/axes/0/subgroups": 4,
      "kernels/$0/axes/1/fragments": 4,
      "kernels/$0/places/$0": "storage",
    },
  ];

  it.each(shapes)("is run by the lanes that have its elements, with %o", async (choices) => {
    // Units whose fragments have more, and fewer, elements than subgroups have lanes.
    for (const [unit, lanes, type] of [
      [float8, 32, "float"],
      [half16, 32, "half"],
      [unitOf("float32", 4, 2, 4), 16, "float"],
    ] as const) {
      const sizes = { M: 32, N: 64, K: 16 };
      const { M, N, K } = sizes;
      const source = `def f(${type}(M, K) a, ${type}(K, N) b${parameters}) -> (${results}) {
  c(m, n) +=! a(m, k) * b(k, n)
  ${statements}
}`;
      const fused = {
        "structure/statements/$0#1/with": true,
        "structure/statements/$1/with": true,
        "structure/statements/$2/with": true,
        // The kernel is named after what the sum is where a statement is merged into it.
        ...Object.fromEntries(
          Object.entries(choices).flatMap(([path, choice]) =>
            ["c", "c#1"].map((kernel) => [path.replace("kernels/$0", `kernels/${kernel}`), choice]),
          ),
        ),
      };
      const result = compiled(source, sizes, fused, profileWithUnits(lanes, unit));
      expect(result.plan.kernels.length).toBe(1);
      expect(usesUnit(result)).toBe(true);
      if (unit === float8) {
        expect(result.repairs).toEqual([]);
        const shape = Object.keys(choices).filter((path) => /axes|unroll/.test(path));
        const unused = result.unusedChoices.filter((path) => /axes|unroll/.test(path));
        // Those of the other name.
        expect(unused).toHaveLength(shape.length);
      }
      const r = draw(M * N, 4).map((x) => Math.sign(x) + 1);
      const all = { a: draw(M * K, 1), b: draw(K * N, 2), d: draw(N, 3), r };
      const inputs = { ...all, alpha: Float32Array.of(0.5) };
      const names = result.program.tensors.map((t) => t.name);
      const own = Object.fromEntries(Object.entries(inputs).filter(([n]) => names.includes(n)));
      const { outputs, faults } = interpretPlan(result.plan, own);
      expect(faults).toEqual([]);
      const { a, b, d } = all;
      const sums = reference(sizes, (m, n, k) => (a[m * K + k] ?? 0) * (b[k * N + n] ?? 0));
      for (const [name, values] of Object.entries(outputs)) {
        const expected = Array.from(values, (_value, e) => {
          const more = { d: d[e % N] ?? 0, r: r[e] ?? 0, alpha: 0.5 };
          return element(sums[e] ?? 0, more)[name];
        });
        expect([...values]).toEqual(expected);
      }
      for (const { wgsl, entryPoint } of result.plan.kernels) {
        expect(await wgslFaults(wgsl, entryPoint)).toEqual([]);
      }
    }
  });
});

describe("a kernel in fragments has nothing beside it", () => {
  const sizes = { M: 32, N: 32, K: 16 };
  const fused = {
    "structure/statements/$1/with": true,
    "structure/statements/$2/with": true,
    "kernels/$0/unit": "float32 8x8x8",
  };

  it.each([
    ["that reduces its rows", "float(N) d", "c(m, n) +=! a(m, k) * b(k, n) s(m) +=! c(m, n)"],
    ["that comes before", "float(M, N) r", "s(m, n) = r(m, n) c(m, n) +=! a(m, k) * b(k, n)"],
    ["that changes a factor", "float(N) d", "c(m, n) +=! h(m, k) * b(k, n) s(m, n) = c(m, n)"],
  ])("%s", (_, parameter, statements) => {
    const before = statements.includes("h(") ? "h(m, k) = fmax(a(m, k), 0.0)" : "";
    const source = `def f(float(M, K) a, float(K, N) b, ${parameter}) -> (c, s) {
  ${before}
  ${statements}
}`;
    const inlined = { ...fused, "structure/statements/$0/inline": true };
    const { plan } = compiled(source, sizes, inlined);
    const together = plan.kernels.filter(
      ({ wgsl, kernel }) =>
        wgsl.includes("subgroupMatrixMultiplyAccumulate") &&
        kernel.arrays.filter((array) => array.access === "read_write").length > 1,
    );
    expect(together).toEqual([]);
  });

  it("is made of temporaries in registers, that nothing else holds", () => {
    const source = `def f(float(M, K) a, float(K, N) b, float(N) d) -> (y) {
  c(m, n) +=! a(m, k) * b(k, n)
  y(m, n) = fmax(c(m, n) + d(n), 0.0)
}`;
    const { plan, decisions } = compiled(source, sizes, fused);
    expect(plan.buffers.map((buffer) => buffer.id)).toEqual(["a", "b", "d", "y"]);
    expect(decisions.find((one) => one.path === "kernels/c/places/c")).toMatchObject({
      values: ["storage", "private"],
      value: "private",
    });
    const stored = compiled(source, sizes, { ...fused, "kernels/$0/places/$0": "storage" });
    expect(stored.plan.buffers.map((buffer) => buffer.id)).toContain("c");
  });
});
