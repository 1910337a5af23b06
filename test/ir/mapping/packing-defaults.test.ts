/** Whole tiles and packed operands at awkward sizes: in three executions, against plain loops. */

import { afterAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { type Compiled, compile } from "../../../src/compile.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { openRuntime } from "../../../src/runtime/node/open-runtime.ts";
import {
  baselineProfile,
  type DeviceProfile,
  gpuProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";
import type { Choice } from "../../../src/support/mapping-file.ts";
import { given } from "../../support/given.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

type Sizes = Readonly<Record<string, number>>;
type Numbers = readonly number[];

interface Case {
  readonly source: string;
  /** The sums of a (Z, M, K) and b (Z, K, N), element by element, for each (z, m, n). */
  combine(products: readonly (readonly [number, number])[]): number;
}

const total = (all: Numbers): number => all.reduce((a, b) => a + b, 0);

const cases: Readonly<Record<string, Case>> = {
  "a product of matrices": {
    source:
      "def f(float(Z, M, K) a, float(Z, K, N) b) -> (c) { c(z, m, n) +=! a(z, m, k) * b(z, k, n) }",
    combine: (all) => total(all.map(([x, y]) => x * y)),
  },
  "a product with an epilogue": {
    source: `def f(float(Z, M, K) a, float(Z, K, N) b) -> (c) {
      s(z, m, n) +=! a(z, m, k) * b(z, k, n)
      c(z, m, n) = fmax(s(z, m, n), 0.0) + 1.0
    }`,
    combine: (all) => Math.max(total(all.map(([x, y]) => x * y)), 0) + 1,
  },
  "least sums": {
    source:
      "def f(float(Z, M, K) a, float(Z, K, N) b) -> (c) { c(z, m, n) min=! a(z, m, k) + b(z, k, n) }",
    combine: (all) => Math.min(...all.map(([x, y]) => x + y)),
  },
  "greatest of what is smaller": {
    source:
      "def f(float(Z, M, K) a, float(Z, K, N) b) -> (c) { c(z, m, n) max=! fmin(a(z, m, k), b(z, k, n)) }",
    combine: (all) => Math.max(...all.map(([x, y]) => Math.min(x, y))),
  },
  "a product of integers": {
    source:
      "def f(int(Z, M, K) a, int(Z, K, N) b) -> (c) { c(z, m, n) +=! a(z, m, k) * b(z, k, n) }",
    combine: (all) => total(all.map(([x, y]) => x * y)),
  },
};

const shapes: readonly Sizes[] = [
  { Z: 1, M: 1, N: 1, K: 1 },
  { Z: 2, M: 9, N: 37, K: 37 },
  { Z: 1, M: 17, N: 33, K: 7 },
];

const answers: readonly Readonly<Record<string, Choice>>[] = [
  {},
  { "structure/statements/$0/pad/r0": 4 },
  { "structure/statements/$0/pad/r0": 8, "structure/statements/$0/pack/read1": true },
  {
    "structure/statements/$0/pad/r0": 8,
    "structure/statements/$0/pack/read0": true,
    "structure/statements/$0/pack/read1": true,
  },
];

function compiled(
  source: string,
  sizes: Sizes,
  choices: Readonly<Record<string, Choice>>,
  on: DeviceProfile,
): Compiled {
  const result = compile(source, { sizes, profile: on, options: given(choices) });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.code).join());
  return result;
}

function inputOf(source: string, count: number, seed: number): Float32Array | Int32Array {
  const values = Array.from({ length: count }, (_, n) => ((n * 7 + seed * 5) % 9) - 4);
  return source.includes("int(") ? Int32Array.from(values) : Float32Array.from(values);
}

function referenceOf(
  { combine }: Case,
  { Z = 0, M = 0, N = 0, K = 0 }: Sizes,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
): Numbers {
  return Array.from({ length: Z * M * N }, (_, at) => {
    const [z, m, n] = [Math.floor(at / (M * N)), Math.floor(at / N) % M, at % N];
    const products = Array.from({ length: K }, (_none, k) => {
      return [a[(z * M + m) * K + k] ?? 0, b[(z * K + k) * N + n] ?? 0] as const;
    });
    return combine(products);
  });
}

/** Numbers without signs of zeros. */
function plain(data: ArrayLike<number> | undefined): Numbers {
  return Array.from(data ?? [], (x) => x + 0);
}

describe("whole tiles at awkward sizes", () => {
  for (const [name, one] of Object.entries(cases)) {
    it(`give ${name} in all executions`, async () => {
      for (const sizes of shapes) {
        const { Z = 0, M = 0, N = 0, K = 0 } = sizes;
        const a = inputOf(one.source, Z * M * K, 1);
        const b = inputOf(one.source, Z * K * N, 2);
        const wanted = plain(referenceOf(one, sizes, a, b));
        for (const choices of answers) {
          const result = compiled(one.source, sizes, choices, runtime.profile);
          const context = JSON.stringify({ sizes, choices });
          // Of the second shape all is offered.
          if (K === 37) expect(result.unusedChoices, context).toEqual([]);
          const { mapped, plan, program } = result;
          expect(verifySchedule(mapped.program, mapped.schedule), context).toEqual([]);
          const wrong = plan.kernels.flatMap((k) => verifyKernel(k.kernel, runtime.profile));
          expect(wrong, context).toEqual([]);
          const { outputs, faults } = interpretPlan(plan, { a, b });
          expect(
            faults.map((f) => f.message),
            context,
          ).toEqual([]);
          expect(plain(outputs["c"]), context).toEqual(wanted);
          expect(plain(interpret(program, { a, b }).tensors.get("c")?.data)).toEqual(wanted);
          using loaded = await runtime.load(plan);
          const { c } = await loaded.run({ a, b });
          expect(plain(await c?.read()), context).toEqual(wanted);
          c?.dispose();
        }
      }
    }, 60_000);
  }
});

const matmul = "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";

/** The answers of the heuristic that are about packing, without those that change nothing. */
function packing(source: string, sizes: Sizes, on: DeviceProfile): readonly string[] {
  return compiled(source, sizes, {}, on).decisions.flatMap((d) =>
    /^structure\/.*\/(pad|pack)\//.test(d.path) && d.value !== false && d.value !== "no"
      ? [`${d.path.replace("structure/statements/", "")}: ${d.value}`]
      : [],
  );
}

describe("the default of packing", () => {
  it("makes the inner loop of an awkward size that of an even one", () => {
    for (const on of [llvmpipeProfile, swiftshaderProfile]) {
      const { plan } = compiled(matmul, { M: 509, N: 509, K: 509 }, {}, on);
      const text = plan.kernels.at(-1)?.wgsl ?? "";
      const loop = text.slice(text.indexOf("for ("), text.indexOf("\n  }", text.indexOf("for (")));
      expect(loop).not.toContain("if (");
      // Two steps, each of one or two vectors.
      expect(loop.match(/ b_copy\[/g)).toHaveLength(on === llvmpipeProfile ? 2 : 4);
      expect(text).toContain("b_copy: array<vec4<f32>,");
    }
  });

  it("rounds up to whole subgroups, with as few steps as that takes", () => {
    expect(packing(matmul, { M: 509, N: 512, K: 505 }, llvmpipeProfile)).toContain("c/pad/r0: 8");
    expect(packing(matmul, { M: 509, N: 512, K: 505 }, swiftshaderProfile)).toContain(
      "c/pad/r0: 4",
    );
  });

  it("leaves even sizes, short reductions and single uses alone", () => {
    expect(packing(matmul, { M: 512, N: 512, K: 512 }, llvmpipeProfile)).toEqual([]);
    expect(packing(matmul, { M: 509, N: 512, K: 512 }, llvmpipeProfile)).toEqual([]);
    expect(packing(matmul, { M: 509, N: 509, K: 7 }, llvmpipeProfile)).toEqual([]);
    expect(packing(matmul, { M: 1, N: 509, K: 509 }, llvmpipeProfile)).toEqual([]);
    const vector = "def f(float(M, K) a, float(K) x) -> (y) { y(m) +=! a(m, k) * x(k) }";
    expect(packing(vector, { M: 509, K: 509 }, llvmpipeProfile)).toEqual([]);
    const map = "def f(float(N, M) x) -> (y) { y(i, j) = x(i, j) + 1.0 }";
    expect(packing(map, { N: 509, M: 509 }, llvmpipeProfile)).toEqual([]);
  });

  it("copies an operand only if that is little beside its use", () => {
    const packs = (M: number): boolean =>
      packing(matmul, { M, N: 509, K: 512 }, llvmpipeProfile).includes("c/pack/read1: true");
    expect([8, 64, 509].map(packs)).toEqual([false, false, true]);
  });

  it("rounds up to whole vectors of steps on GPUs, and to whole tiles where that adds little", () => {
    for (const on of [baselineProfile, gpuProfile]) {
      expect(packing(matmul, { M: 509, N: 509, K: 509 }, on)).toEqual(["c/pad/r0: 4"]);
      expect(packing(matmul, { M: 509, N: 509, K: 501 }, on)).toEqual(["c/pad/r0: 16"]);
      expect(packing(matmul, { M: 509, N: 509, K: 33 }, on)).toEqual(["c/pad/r0: 4"]);
      expect(packing(matmul, { M: 509, N: 509, K: 500 }, on)).toEqual([]);
      expect(packing(matmul, { M: 509, N: 509, K: 31 }, on)).toEqual([]);
      expect(packing(matmul, { M: 1, N: 509, K: 509 }, on)).toEqual([]);
    }
  });

  it("leaves reductions of what the program computes alone: they may share their loops", () => {
    const rows = `def f(float(M, K) a, float(K, N) b) -> (c) {
      e(m, k) = exp(a(m, k))
      s(m) +=! e(m, k)
      c(m, n) +=! e(m, k) / s(m) * b(k, n)
    }`;
    const found = packing(rows, { M: 61, N: 61, K: 61 }, llvmpipeProfile);
    expect(found.filter((answer) => answer.includes("pad"))).toEqual([]);
  });
});
