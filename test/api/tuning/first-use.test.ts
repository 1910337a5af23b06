/** Tuning at first use: in the background, on data of its own, remembered, and never without being asked. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withDefine } from "../../../src/api/define.ts";
import { createTuner } from "../../../src/api/tuning/create-tuner.ts";
import { compile } from "../../../src/compile.ts";
import { openRuntime, type Runtime } from "../../../src/node.ts";
import { memoryStore, type Store } from "../../../src/support/line-store.ts";
import type { Bench } from "../../../src/tuner/bench.ts";
import { importsOf, readSources } from "../../structure/sources.ts";
import { steadyBench } from "./support/steady-bench.ts";

const product = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const A = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] };
const B = { data: Float32Array.of(1, 0, 0, 1, 1, 1), shape: [3, 2] };
const C = Float32Array.of(4, 5, 10, 11);

let rt: Runtime;

beforeAll(async () => {
  rt = await openRuntime();
});

afterAll(() => rt.dispose());

/** A tuner with such a bench, and what it did. */
function fastTuner(store: Store) {
  const benches: ReturnType<typeof steadyBench>[] = [];
  const notes: string[] = [];
  const tuner = createTuner({
    store,
    budget: 60_000,
    bench: async () => {
      const bench = steadyBench();
      benches.push(bench);
      return bench;
    },
    onNote: (text) => notes.push(text),
  });
  return { tuner, benches, notes };
}

describe("a definition with a tuner", () => {
  it("runs by default, then as was found to be faster, and is right all the while", async () => {
    const { tuner, benches, notes } = fastTuner(memoryStore());
    const { mm } = rt.define(product, { tuner });
    const before = await mm({ A, B });
    expect(await before.C.read()).toEqual(C);
    expect(mm.compilations()).toHaveLength(1);
    const usual = compile(product, {
      sizes: { M: 2, K: 3, N: 2 },
      profile: rt.profile,
      padded: true,
    });
    for (let n = 0; n < 5; n++) expect(await (await mm({ A, B })).C.read()).toEqual(C);
    await tuner.settled();
    expect(benches).toHaveLength(1);
    expect(benches[0]?.admitted()).toBeGreaterThan(1);
    expect(benches[0]?.admitted()).toBeLessThanOrEqual(5);
    expect(mm.compilations()).toHaveLength(1);
    expect(mm.compilations()[0]?.options).not.toEqual(usual.ok && usual.options);
    expect(await (await mm({ A, B })).C.read()).toEqual(C);
    await tuner.settled();
    expect(benches).toHaveLength(1);
    expect(notes).toEqual([]);
    mm.dispose();
  });

  it("launches nothing where the store knows it", async () => {
    const store = memoryStore();
    const first = fastTuner(store);
    const one = rt.define(product, { tuner: first.tuner });
    await one.mm({ A, B });
    await first.tuner.settled();
    const found = one.mm.compilations()[0]?.options;

    const second = fastTuner(store);
    const other = rt.define(product, { tuner: second.tuner });
    expect(await (await other.mm({ A, B })).C.read()).toEqual(C);
    await second.tuner.settled();
    expect(second.benches).toHaveLength(0);
    expect(other.mm.compilations()[0]?.options).toEqual(found);
    expect(other.mm.statistics().compiled).toBe(1);
  });

  it("is timed once for each set of sizes, and not at all with a budget of nothing", async () => {
    const { tuner, benches } = fastTuner(memoryStore());
    const { mm } = rt.define(product, { tuner });
    await Promise.all([mm({ A, B }), mm({ A, B }), mm({ A: B, B: A })]);
    await tuner.settled();
    expect(benches).toHaveLength(2);

    const bench = (): Promise<Bench> => Promise.reject(new Error("it was launched"));
    const notes: string[] = [];
    const idle = createTuner({ budget: 0, bench, onNote: (text) => notes.push(text) });
    const { mm: other } = rt.define(product, { tuner: idle });
    await other({ A, B });
    await idle.settled();
    expect(notes).toEqual([]);
  });

  it("runs by default, and says why, where it cannot be timed", async () => {
    const notes: string[] = [];
    const bench = (): Promise<Bench> => Promise.reject(new Error("no process"));
    const tuner = createTuner({ bench, onNote: (text) => notes.push(text) });
    const { mm } = rt.define(product, { tuner });
    expect(await (await mm({ A, B })).C.read()).toEqual(C);
    await tuner.settled();
    expect(notes).toEqual(["mm is not tuned: no process"]);
    expect(await (await mm({ A, B })).C.read()).toEqual(C);
  });

  it.each([
    [1, "the next best that is known"],
    [50, "the default"],
  ])("runs, where %i of what is known do not run on this device, as %s", async (refused) => {
    const store = memoryStore();
    const first = fastTuner(store);
    const { mm } = rt.define(product, { tuner: first.tuner });
    await mm({ A, B });
    await first.tuner.settled();
    const best = mm.compilations()[0]?.options;
    const usual = compile(product, {
      sizes: { M: 2, K: 3, N: 2 },
      profile: rt.profile,
      padded: true,
    });
    const byDefault = usual.ok ? usual.options : null;

    const loads: string[] = [];
    const failing = withDefine({
      ...rt,
      load: async (plan, options) => {
        loads.push(plan.name);
        const isUsual = usual.ok && JSON.stringify(plan) === JSON.stringify(usual.plan);
        if (!isUsual && loads.length <= refused) throw new Error("the driver refuses it");
        return await rt.load(plan, options);
      },
    });
    const second = fastTuner(store);
    const { mm: other } = failing.define(product, { tuner: second.tuner });
    expect(await (await other({ A, B })).C.read()).toEqual(C);
    await second.tuner.settled();
    const used = other.compilations()[0]?.options;
    expect(used).not.toEqual(best);
    if (refused === 1) expect(used).not.toEqual(byDefault);
    else expect(used).toEqual(byDefault);
    expect(loads.length).toBeGreaterThan(refused === 1 ? 1 : 2);
    expect(second.notes).toEqual(["options of mm do not run here: the driver refuses it"]);
    expect(second.benches).toHaveLength(0);
  });

  it("takes the best of its own, found or known, where another algorithm is the fastest", async () => {
    const source = `${product}
#! alternative of mm
def other(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! B(k, n) * A(m, k) }`;
    const store = memoryStore();
    const first = fastTuner(store);
    const { mm } = rt.define(source, { tuner: first.tuner });
    await mm({ A, B });
    await first.tuner.settled();
    const won = (await store.read()).filter((line) => line.includes('"won":true'));
    expect(won.some((line) => line.includes('"alternative":"other"'))).toBe(true);
    const usual = compile(source, {
      ...{ def: "mm", sizes: { M: 2, K: 3, N: 2 } },
      ...{ profile: rt.profile, padded: true },
    });
    const found = mm.compilations()[0]?.options;
    expect(found).not.toEqual(usual.ok && usual.options);

    const second = fastTuner(store);
    const { mm: again } = rt.define(source, { tuner: second.tuner });
    expect(await (await again({ A, B })).C.read()).toEqual(C);
    await second.tuner.settled();
    expect(second.benches).toHaveLength(0);
    expect(again.compilations()[0]?.options).toEqual(found);
    expect(again.statistics().compiled).toBe(1);
  });

  it("leaves what it updates in place as one call leaves it", async () => {
    const tuner = createTuner({ budget: 5_000 });
    const source = "def scale(float(N) x, float s) -> (x) { x(i) = x(i) * s }";
    const { scale } = rt.define(source, { tuner });
    const x = rt.tensor("float32", [5], Float32Array.of(1, 2, 3, 4, 5));
    await scale({ x, s: 3 });
    await tuner.settled();
    expect(await x.read()).toEqual(Float32Array.of(3, 6, 9, 12, 15));
    await scale({ x, s: 2 });
    expect(await x.read()).toEqual(Float32Array.of(6, 12, 18, 24, 30));
  });
});

describe("a program without a tuner", () => {
  it("carries none", () => {
    const sources = new Map(readSources().map((s) => [s.path, s]));
    const reached = new Set<string>();
    const visit = (path: string): void => {
      const source = sources.get(path);
      if (source === undefined || reached.has(path)) return;
      reached.add(path);
      for (const to of importsOf(source)) visit(to);
    };
    visit("src/runtime.ts");
    expect(reached).toContain("src/api/kernel-tuner.ts");
    expect([...reached].filter((path) => /^src\/(tuner|api\/tuning)\//.test(path))).toEqual([]);
  });
});

describe("a tuner that is none", () => {
  it.each([
    [{ effort: "some" }, "createTuner: `effort` is one of refine, quick, normal, full"],
    [{ budget: -1 }, "createTuner: `budget` is in milliseconds, got -1"],
    [{ stores: 1 }, 'createTuner: there is no option "stores"; did you mean "store"?'],
  ])("is refused: %o", (options, message) => {
    expect(() => createTuner(options as object)).toThrow(message);
  });

  it("is refused by define", () => {
    const tuner = {} as unknown as ReturnType<typeof createTuner>;
    expect(() => rt.define(product, { tuner })).toThrow(
      "define: `tuner` is made by `createTuner` of tc-wgsl/tune, got a value of type object",
    );
  });
});
