/** Which sums are divided by default, and that divided sums mean the same in all executions. */

import { afterAll, describe, expect, it } from "vitest";
import { type Compiled, compile } from "../../../src/compile.ts";
import { boundPath } from "../../../src/ir/mapping/canonical-names.ts";
import { openRuntime } from "../../../src/runtime/node/open-runtime.ts";
import {
  baselineProfile,
  type DeviceProfile,
  gpuProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";
import type { Mapping } from "../../../src/support/mapping-file.ts";
import { executed, prepared, type Sizes } from "../../codegen/support/staged.ts";
import { wgslFaults } from "../../codegen/support/validate-wgsl.ts";
import { given as mappingWith } from "../../support/given.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

function compiled(source: string, sizes: Sizes, profile: DeviceProfile): Compiled {
  const result = compile(source, { sizes, profile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result;
}

function factorOf({ program, decisions }: Compiled): unknown {
  const path = boundPath(program, "structure/statements/$0/factor/r0");
  return decisions.find((d) => d.path === path)?.value;
}

/** The invocations of each kernel. */
function invocationsOf({ plan }: Compiled): readonly number[] {
  return plan.kernels.map(({ kernel }) => {
    return kernel.workgroupSize * kernel.grid.reduce((count, n) => count * n, 1);
  });
}

const product = "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";
const turned = "def f(float(K, M) x, float(N, K) y) -> (z) { z(n, m) max=! x(k, m) + y(n, k) }";
const row = "def f(float(K) x, float(K, N) b) -> (y) { y(n) +=! x(k) * b(k, n) }";
const column = "def f(float(M, K) a, float(K) x) -> (y) { y(m) +=! a(m, k) * x(k) }";

describe("by default on GPUs", () => {
  it("a long sum with few results is divided until it fills the device", () => {
    for (const source of [product, turned]) {
      const sizes = { M: 64, K: 16384, N: 64 };
      const result = compiled(source, sizes, gpuProfile);
      expect(factorOf(result)).toBe("slices 256");
      const [part = 0, combined = 0] = invocationsOf(result);
      expect(part).toBeGreaterThanOrEqual(8 * gpuProfile.lanes * gpuProfile.cores);
      expect(combined).toBe(64 * 64);
    }
  });

  it("a smaller device gets fewer slices", () => {
    const sizes = { M: 64, K: 16384, N: 64 };
    expect(factorOf(compiled(product, sizes, baselineProfile))).toBe("slices 512");
    const tiny = { ...gpuProfile, cores: 1 };
    expect(factorOf(compiled(product, sizes, tiny))).toBe("no");
  });

  it.each<readonly [string, string, Sizes]>([
    ["as many results as invocations", product, { M: 1024, K: 16384, N: 1024 }],
    ["a sum of less than two slices", product, { M: 64, K: 511, N: 64 }],
    ["tiles that fill the device but for their rest", product, { M: 509, K: 509, N: 509 }],
    ["a sum of few steps", row, { K: 100, N: 64 }],
    ["rows that a team shares", column, { M: 1024, K: 4096 }],
    ["columns enough", row, { K: 1024, N: 16384 }],
  ])("nothing is divided for %s", (_, source, sizes) => {
    expect(factorOf(compiled(source, sizes, gpuProfile))).toBe("no");
  });

  it("a sum over windows has slices of whole windows, a power of two of channels", () => {
    const window = `def f(float(C, H, W) x, float(O, C, 3, 3) w) -> (y) {
      y(o, i, j) +=! x(c, i + r, j + s) * w(o, c, r, s)
    }`;
    const result = compiled(window, { C: 256, H: 10, W: 10, O: 16 }, gpuProfile);
    expect(factorOf(result)).toBe("slices 32");
  });

  it("a launch that takes longer must save more", () => {
    const sizes = { M: 64, K: 8192, N: 64 };
    expect(factorOf(compiled(product, sizes, gpuProfile))).toBe("slices 256");
    const slow = { ...gpuProfile, costs: { ...gpuProfile.costs, launch: 500_000 } };
    expect(factorOf(compiled(product, sizes, slow))).toBe("no");
  });

  it("invocations side by side read a matrix side by side", () => {
    const teams = (source: string, sizes: Sizes, kernel: string): readonly unknown[] =>
      compiled(source, sizes, gpuProfile).decisions.flatMap((d) =>
        d.path === `kernels/${kernel}/team` ? [d.value] : [],
      );
    // The vector is read along the sum in both, the matrix in one.
    expect(teams(column, { M: 1024, K: 1024 }, "y")).toEqual([256]);
    expect(teams(row, { K: 1024, N: 1024 }, "y.part")).toEqual([1]);
    expect(factorOf(compiled(row, { K: 1024, N: 1024 }, gpuProfile))).toBe("slices 64");
  });
});

it("software adapters divide what they divided", () => {
  for (const profile of [llvmpipeProfile, swiftshaderProfile]) {
    expect(factorOf(compiled(product, { M: 64, K: 4096, N: 64 }, profile))).toBe("no");
    expect(factorOf(compiled(row, { K: 4096, N: 64 }, profile))).toBe("no");
  }
});

describe("sums in slices mean the same", () => {
  /** Of so few invocations that small sums do not fill it, and with launches that cost nothing. */
  const small: DeviceProfile = {
    ...baselineProfile,
    name: "small",
    lanes: 4,
    cores: 2,
    costs: { ...baselineProfile.costs, launch: 100 },
  };

  it.each<readonly [string, string, Sizes]>([
    ["a product", product, { M: 8, K: 1031, N: 7 }],
    ["the least sums", turned.replace("max=!", "min=!"), { M: 5, K: 769, N: 9 }],
    ["a row by a matrix", row, { K: 331, N: 13 }],
  ])("by default on a small device: %s", async (_, source, sizes) => {
    const given = prepared(source, sizes);
    const variant = await executed(given, mappingWith(), runtime, small);
    const path = boundPath(given.program, "structure/statements/$0/factor/r0");
    const factor = variant.decisions.find((d) => d.path === path);
    expect(factor?.value).toMatch(/^slices /);
    expect(variant.plan.kernels.length).toBe(2);
    for (const { wgsl, entryPoint } of variant.plan.kernels) {
      expect(await wgslFaults(wgsl, entryPoint)).toEqual([]);
    }
  });

  const definitions: readonly (readonly [string, string, readonly Sizes[]])[] = [
    [
      "a product",
      product,
      [
        { M: 5, K: 23, N: 7 },
        { M: 16, K: 32, N: 32 },
        { M: 1, K: 2, N: 1 },
      ],
    ],
    [
      "places of the greatest sums",
      "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) argmax=! a(m, k) + b(k, n) }",
      [{ M: 5, K: 17, N: 11 }],
    ],
    [
      "a product that starts from a bias, with an activation",
      `def f(float(M, K) a, float(K, N) b, float(N) d) -> (c) {
        c(m, n) = d(n) where m in 0:M
        c(m, n) += a(m, k) * b(k, n)
        c(m, n) = fmax(c(m, n), 0.0)
      }`,
      [{ M: 5, K: 17, N: 11 }],
    ],
    [
      "a triangle",
      "def f(float(M, M) a, float(M, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) where k in 0:m + 1 }",
      [{ M: 13, N: 5 }],
    ],
    ["a total", "def f(float(K) x) -> (y) { y +=! x(k) }", [{ K: 37 }]],
    [
      "a product in each step of a loop",
      `def f(float(B, K) x, float(K, K) W) -> (h) {
        h(0, b, k) = x(b, k)
        for t in 0:3 { h(t + 1, b, k) +=! h(t, b, j) * W(j, k) where b in 0:B, k in 0:K, j in 0:K }
      }`,
      [{ B: 3, K: 11 }],
    ],
  ];

  /** The mapping that divides each sum that the program has of its first tensor. */
  const inSlices = (size: number): Mapping => {
    const paths = ["$0", "$0#1", "$0#2"].map((s) => `structure/statements/${s}/factor/r0`);
    return mappingWith(Object.fromEntries(paths.map((path) => [path, `slices ${size}`])));
  };

  it.each(definitions)("if asked for: %s", async (_, source, sizes) => {
    const taken = new Set<unknown>();
    for (const given of sizes) {
      for (const size of [2, 4, 16]) {
        const { decisions } = await executed(prepared(source, given), inSlices(size), runtime);
        for (const d of decisions) taken.add(d.value);
      }
    }
    const longest = Math.max(...sizes.map(({ K = 0, M = 0 }) => Math.max(K, M)));
    for (const size of [2, 4, 16].filter((n) => n < longest)) {
      expect([...taken]).toContain(`slices ${size}`);
    }
  });
});
