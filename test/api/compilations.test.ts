/** How many compilations a definition keeps, and which. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRuntime, type Runtime } from "../../src/node.ts";
import type { CompilerWorker } from "../../src/worker.ts";

/** With a temporary between its kernels. */
const source = `
def twice(float(N, N) A) -> (C) {
  t(i, j) +=! A(i, k) * A(k, j)
  C(i, j) +=! t(i, k) * A(k, j)
}`;

let rt: Runtime;

beforeAll(async () => {
  rt = await openRuntime({ adapter: "swiftshader" });
});

afterAll(() => rt.dispose());

/** A matrix of ones: each element of the result is the square of its size. */
function ones(n: number): { data: Float32Array; shape: number[] } {
  return { data: new Float32Array(n * n).fill(1), shape: [n, n] };
}

describe("compilations", () => {
  it("are as many as 32, however many shapes there are", async () => {
    const { fill } = rt.define("def fill(float(N) x) -> (y) { y(i) = x(i) + N }");
    for (let n = 1; n <= 60; n++) {
      const { y } = await fill({ x: new Float32Array(n) });
      if (n % 10 === 0) expect(await y.read()).toEqual(new Float32Array(n).fill(n));
      y.dispose();
    }
    expect(fill.statistics()).toEqual({ kept: 32, keep: 32, compiled: 60, dropped: 28 });
    expect(fill.compilations().map(({ sizes }) => sizes["N"])).toEqual(
      Array.from({ length: 32 }, (_, n) => 29 + n),
    );
    fill.dispose();
    expect(fill.statistics()).toMatchObject({ kept: 0, compiled: 60 });
  });

  it("are those that were used last, and give their temporaries back", async () => {
    const { twice } = rt.define(source, { keep: 2 });
    const sizes = (): readonly unknown[] => twice.compilations().map((c) => c.sizes["N"]);
    const before = rt.memory().bytesInUse;
    for (const n of [44, 45]) (await twice({ A: ones(n) })).C.dispose();
    const two = rt.memory().bytesInUse - before;
    for (const n of [40, 41, 40, 42]) (await twice({ A: ones(n) })).C.dispose();
    expect(sizes()).toEqual([40, 42]);
    for (const n of [43, 44, 45]) (await twice({ A: ones(n) })).C.dispose();
    expect(sizes()).toEqual([44, 45]);
    expect(rt.memory().bytesInUse - before).toBe(two);
    const { C } = await twice({ A: ones(40) });
    expect((await C.read()).at(0)).toBe(1600);
    expect(twice.statistics()).toEqual({ kept: 2, keep: 2, compiled: 9, dropped: 7 });
    twice.dispose();
  });

  it("are not dropped under calls that need them", async () => {
    const { twice } = rt.define(source, { keep: 1 });
    const calls = [3, 4, 5, 6, 3, 4].map(async (n) => (await twice({ A: ones(n) })).C.read());
    const results = await Promise.all(calls);
    expect(results.map((data) => data[0])).toEqual([9, 16, 25, 36, 9, 16]);
    expect(twice.statistics()).toMatchObject({ kept: 1, compiled: 4, dropped: 3 });
  });

  it("are made ahead for a list of sizes", async () => {
    const { twice } = rt.define(source, { keep: 8 });
    await twice.prepare([5, 6, 7].map((N) => ({ N })));
    const { compiled } = twice.statistics();
    for (const n of [5, 6, 7]) (await twice({ A: ones(n) })).C.dispose();
    expect(twice.statistics()).toMatchObject({ compiled, dropped: 0 });
    expect(new Set(twice.compilations().map((c) => c.sizes["N"]))).toEqual(new Set([5, 6, 7]));
    await expect(twice.prepare(Array.from({ length: 9 }, (_, N) => ({ N })))).rejects.toThrow(
      '"twice": prepare for 9 sizes, 8 compilations are kept: define(source, { keep: 18 })',
    );
    twice.dispose();
  });

  it("in a thread are given up when no call waits for them any more", async () => {
    const given: AbortSignal[] = [];
    const worker: Pick<CompilerWorker, "compile"> = {
      compile: (_, { signal } = {}) =>
        new Promise((_, reject) => {
          if (signal === undefined) throw new Error("no signal");
          given.push(signal);
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    };
    const { twice } = rt.define(source, { worker });
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) => twice({ A: ones(4) }, { signal }));
    for (const call of calls) call.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve));
    first.abort(new Error("one"));
    await expect(calls[0]).rejects.toThrow("one");
    expect(given.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort(new Error("two"));
    await expect(calls[1]).rejects.toThrow("two");
    expect(given.map(({ aborted }) => aborted)).toEqual([true]);
    // The next call has a compilation of its own.
    const third = new AbortController();
    const next = twice({ A: ones(4) }, { signal: third.signal });
    await new Promise((resolve) => setTimeout(resolve));
    expect(given.map(({ aborted }) => aborted)).toEqual([true, false]);
    third.abort(new Error("three"));
    await expect(next).rejects.toThrow("three");
  });
});
