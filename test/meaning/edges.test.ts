/** What docs/language.md says of edges of the language, in all executions. */
import { afterAll, describe, expect, it } from "vitest";
import { interpret } from "../../src/api/interpret.ts";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { TensorData } from "../../src/support/scalar-type.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

type Outputs = Readonly<Record<string, readonly number[]>>;
type Inputs = Readonly<Record<string, TensorData>>;

/** The outputs of the reference, of the kernels as they are interpreted, and of the device. */
async function everywhere(
  source: string,
  inputs: Inputs,
  sizes: Readonly<Record<string, number>>,
): Promise<readonly Outputs[]> {
  const result = compile(source, { sizes, profile: runtime.profile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  const numbers = (all: readonly (readonly [string, TensorData])[]): Outputs =>
    Object.fromEntries(all.map(([name, data]) => [name, [...data]]));
  const reference = Object.entries(interpret(source, inputs, { sizes }));
  const { outputs, faults } = interpretPlan(result.plan, inputs);
  expect(faults).toEqual([]);
  using loaded = await runtime.load(result.plan);
  const ran = Object.entries(await loaded.run(inputs));
  const read = ran.map(async ([name, tensor]) => [name, await tensor.read()] as const);
  return [
    numbers(reference.map(([name, { data }]) => [name, data] as const)),
    numbers(Object.entries(outputs)),
    numbers(await Promise.all(read)),
  ];
}

describe("the edges of the language", () => {
  it("a negative integer wraps into uint32, a negative float is 0 there", async () => {
    const source = `def f(int(2) x, float(2) z) -> (a, b, c, d) {
      a(i) = uint32(x(i))
      b(i) = uint32(z(i))
      c = uint32(-1)
      d = uint32(-1.0)
    }`;
    const inputs = { x: Int32Array.of(-1, -5), z: Float32Array.of(-1, 5e9) };
    for (const found of await everywhere(source, inputs, {})) {
      expect(found).toEqual({
        a: [4294967295, 4294967291],
        b: [0, 4294967295],
        c: [4294967295],
        d: [0],
      });
    }
  });

  it("what selects by isnan leaves NaNs out of extrema", async () => {
    const source = `def f(float(N, K) x) -> (least, where_least) {
      least(i) min=! isnan(x(i, k)) ? inf : x(i, k)
      where_least(i) argmin=! isnan(x(i, k)) ? inf : x(i, k)
    }`;
    const { NaN: nan } = Number;
    const x = Float32Array.of(1, nan, 2, nan, nan, nan, nan, 3, 1);
    for (const found of await everywhere(source, { x }, { N: 3, K: 3 })) {
      expect(found).toEqual({ least: [1, Infinity, 1], where_least: [0, 0, 2] });
    }
  });

  it("a minimum with a NaN in it is that NaN, or the least of the others", async () => {
    const source = "def f(float(K) x) -> (y) { y min=! x(k) }";
    const x = Float32Array.of(3, Number.NaN, 2);
    for (const { y = [] } of await everywhere(source, { x }, { K: 3 })) {
      expect(
        [2, Number.NaN].some((v) => Object.is(v, y[0])),
        String(y),
      ).toBe(true);
    }
  });

  it("a result may have no elements, and a sum nothing to add", async () => {
    const source = `def f(float(N) x) -> (y, t) {
      y(i) = x(i) + x(i + 1) where i in 0:N - 1
      t +=! x(i) where i in 1:N
    }`;
    for (const found of await everywhere(source, { x: Float32Array.of(5) }, { N: 1 })) {
      expect(found).toEqual({ y: [], t: [0] });
    }
  });

  it("a scatter cannot divide, and multiplies by the inverse instead", async () => {
    const source = (operation: string): string =>
      `def f(float(N) x, int(N) at, float(M) z) -> (z) { z(at(i)) ${operation} }`;
    const refused = compile(source("/= x(i)"), { sizes: { N: 4, M: 3 } });
    expect(refused.diagnostics.map((d) => d.code)).toContain("TC4007");
    const inputs = {
      x: Float32Array.of(2, 4, 8, 4),
      at: Int32Array.of(0, 0, 1, 7),
      z: Float32Array.of(16, 16, 3),
    };
    for (const found of await everywhere(source("*= 1 / x(i)"), inputs, { N: 4, M: 3 })) {
      expect(found).toEqual({ z: [2, 2, 3] });
    }
  });

  it("functions that are written out are off by 2^-125 more where intermediates count as 0", async () => {
    const x = Float32Array.from({ length: 40 }, (_, n) => ((n % 2 ? 1 : -1) * 2e-37) / 1.15 ** n);
    const source = "def f(float(N) x) -> (a, b) { a(i) = erf(x(i))\n b(i) = gelu(x(i)) }";
    const slack = 2 ** -125;
    for (const { a = [], b = [] } of await everywhere(source, { x }, { N: x.length })) {
      for (const [n, v] of x.entries()) {
        const [erf, gelu] = [(2 / Math.sqrt(Math.PI)) * v, v / 2];
        expect(Math.abs((a[n] ?? Number.NaN) - erf)).toBeLessThanOrEqual(
          2 ** -20 * Math.abs(erf) + slack,
        );
        expect(Math.abs((b[n] ?? Number.NaN) - gelu)).toBeLessThanOrEqual(
          2 ** -20 * Math.abs(gelu) + slack,
        );
      }
    }
  });
});
