/** Temporaries as outputs. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile, interpret } from "../../src/index.ts";
import { openRuntime, type Runtime } from "../../src/node.ts";

const source: string = `def f(float(N, D) x) -> (y) {
  m(n) max=! x(n, d)
  s(n) +=! exp(x(n, d) - m(n))
  y(n, d) = exp(x(n, d) - m(n)) / s(n)
}`;
const x = { data: Float32Array.of(1, 2, 3, 3, 2, 1), shape: [2, 3] };

describe("temporaries", () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await openRuntime();
  });
  afterAll(() => runtime.dispose());

  it("gives what temporaries hold, where they are registers otherwise", async () => {
    const kernel = runtime.define(source, { temporaries: ["m", "s"] })["f"];
    const found = await kernel?.({ x });
    expect(Object.keys(found ?? {}).sort()).toEqual(["m", "s", "y"]);
    expect([...((await found?.["m"]?.read()) ?? [])]).toEqual([3, 3]);
    const s = interpret(source, { x }, { temporaries: ["s"] })["s"];
    const sums = await found?.["s"]?.read();
    expect(s?.shape).toEqual([2]);
    for (const n of [0, 1]) expect(sums?.[n]).toBeCloseTo(s?.data[n] ?? 0, 5);
  });

  it("changes nothing of a plan that it names outputs of, or nothing in", () => {
    const sizes = { N: 8, D: 16 };
    const plain = compile(source, { sizes });
    for (const temporaries of [[], ["y"]]) {
      expect(compile(source, { sizes, temporaries })).toMatchObject({
        plan: { kernels: plain.ok ? plain.plan.kernels.map(({ wgsl }) => ({ wgsl })) : [] },
      });
    }
  });

  it("refuses what the definition does not make", () => {
    const ask = (name: string) => compile(source, { sizes: { N: 2, D: 3 }, temporaries: [name] });
    expect(() => ask("x")).toThrow('temporaries: "f" makes no tensor "x"; it makes y, m, s');
    expect(() => interpret(source, { x }, { temporaries: ["sum"] })).toThrow(
      /makes no tensor "sum"/,
    );
  });
});
