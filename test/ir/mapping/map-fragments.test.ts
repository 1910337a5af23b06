/** Sums of products on matrix units: when they are offered, and that they are right. */
import { describe, expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { type Compiled, compile } from "../../../src/compile.ts";
import { type Choice, defaultOptions } from "../../../src/ir/decisions.ts";
import { type DeviceProfile, gpuProfile } from "../../../src/support/device-profile.ts";
import { seededRandom } from "../../../src/support/random.ts";
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
  const options = { ...defaultOptions, choices };
  const result = compile(source, { sizes, profile: device, options });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  return result;
}

function decisionOf({ decisions }: Compiled, path: string): readonly unknown[] | undefined {
  return decisions.find((d) => d.path === path)?.values;
}

function usesUnit({ plan }: Compiled): boolean {
  return plan.kernels.some(({ wgsl }) => wgsl.includes("subgroupMatrixMultiplyAccumulate"));
}

const product = "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";
const halves = "def f(half(M, K) a, half(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";

describe("a matrix unit is offered", () => {
  it("for whole tiles of its types, and taken by default where they are known to be faster", () => {
    const result = compiled(product, { M: 64, N: 96, K: 40 });
    expect(decisionOf(result, "kernel0.matrix")).toEqual(["none", "float32 8x8x8"]);
    expect(decisionOf(result, "kernel0.p0.fragments")).toEqual([1, 2, 4, 8]);
    expect(usesUnit(result)).toBe(true);
    expect(usesUnit(compiled(product, { M: 64, N: 96, K: 40 }, { "kernel0.matrix": "none" }))).toBe(
      false,
    );
    const halved = compiled(halves, { M: 64, N: 96, K: 32 });
    expect(decisionOf(halved, "kernel0.matrix")).toEqual(["none", "float16 to float32 16x16x16"]);
  });

  it.each<[string, DeviceProfile]>([
    ["on a CPU", { ...profile, class: "cpu" }],
    ["where nobody measured it", { ...profile, costs: gpuProfile.costs }],
  ])("not by default %s", (_, device) => {
    const result = compiled(product, { M: 64, N: 64, K: 64 }, {}, device);
    expect(decisionOf(result, "kernel0.matrix")).toEqual(["none", "float32 8x8x8"]);
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
    expect(decisionOf(result, "kernel0.matrix")).toBeUndefined();
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
    { "kernel0.p0.fragments": 1, "kernel0.p1.fragments": 1, "kernel0.p1.subgroups": 4 },
    { "kernel0.p0.fragments": 4, "kernel0.p1.fragments": 2, "kernel0.unroll": 4 },
    { "kernel0.p0.subgroups": 2, "kernel0.p0.fragments": 2, "kernel0.unroll": 2 },
  ];
  const sizes = { M: 32, N: 64, K: 32 };
  const [a, b] = [draw(32 * 32, 1), draw(32 * 64, 2)];

  it.each(shapes)("is right in float32 and float16 with %o", (choices) => {
    const expected = reference(sizes, (m, n, k) => (a[m * 32 + k] ?? 0) * (b[k * 64 + n] ?? 0));
    for (const source of [product, halves]) {
      const result = compiled(source, sizes, choices);
      expect(usesUnit(result)).toBe(true);
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
