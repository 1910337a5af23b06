/** The built package: the compiler in a thread of Node, and definitions that compile there. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as Compiler from "../../src/index.ts";
import type * as Node from "../../src/node.ts";
import type * as Threads from "../../src/worker.ts";
import { buildPackage } from "../support/built-package.ts";
import { given } from "../support/given.ts";
import { blockSizes, transformerBlock } from "./transformer-block.ts";

const root: URL = new URL("../../", import.meta.url);
const matmul = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const sizes = { M: 8, K: 8, N: 8 };

let compiler: typeof Compiler;
let node: typeof Node;
let threads: typeof Threads;
let worker: Threads.CompilerWorker;

async function built<Module>(name: string): Promise<Module> {
  return (await import(/* @vite-ignore */ new URL(`dist/${name}.js`, root).href)) as Module;
}

beforeAll(async () => {
  buildPackage();
  compiler = await built<typeof Compiler>("index");
  node = await built<typeof Node>("node");
  threads = await built<typeof Threads>("worker");
  worker = threads.createWorker();
});

afterAll(() => worker.dispose());

async function errorOf(call: () => unknown): Promise<Error> {
  try {
    await call();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error("it succeeded");
}

/** Counts the turns of the event loop until `call` is over. */
async function turnsDuring(call: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 5);
  await call();
  clearInterval(timer);
  return turns;
}

describe("a worker", () => {
  it("compiles to what `compile` does", async () => {
    const examples = new URL("examples/", root);
    const names = readdirSync(examples).filter((name) => /^[a-d].*\.tc$/.test(name));
    for (const name of names) {
      const source = readFileSync(new URL(name, examples), "utf8");
      for (const request of [{}, { profile: "gpu", padded: true }, { sizes: { N: -1 } }]) {
        const expected = compiler.compile(source, request);
        expect(await worker.compile(source, request), name).toEqual(expected);
      }
    }
    expect(names.length).toBeGreaterThan(10);
  });

  it("throws what `compile` throws", async () => {
    const calls: readonly (readonly [unknown, unknown])[] = [
      [3, {}],
      [matmul, null],
      [matmul, [3]],
      [matmul, { size: { M: 3 } }],
      [matmul, { sizes, profile: "abacus" }],
      [matmul, { sizes, options: "fast" }],
      [matmul, { sizes, layouts: { A: { strides: [1] } } }],
    ];
    for (const [source, request] of calls) {
      const expected = await errorOf(() => compiler.compile(source as string, request as object));
      const found = await errorOf(() => worker.compile(source as string, request as object));
      expect([found.name, found.message]).toEqual([expected.name, expected.message]);
      expect(found.constructor.name).toBe(expected.constructor.name);
    }
  });

  it("tells the stages as they are made", async () => {
    const expected: Compiler.StageResult[] = [];
    const found: Compiler.StageResult[] = [];
    compiler.compile(matmul, { sizes, onStage: (stage) => expected.push(stage) });
    await worker.compile(matmul, { sizes, onStage: (stage) => found.push(stage) });
    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(4);
  });

  it("answers the newest of many keystrokes, and gives the others up", async () => {
    await worker.compile(matmul, { sizes });
    const stale: Promise<unknown>[] = [];
    for (let n = 0; n < 20; n++) {
      worker.cancel();
      const request = { sizes: { ...blockSizes, T: 16 + n } };
      stale.push(errorOf(() => worker.compile(transformerBlock, request)));
    }
    worker.cancel();
    const result = await worker.compile(matmul, { sizes });
    expect(result.ok).toBe(true);
    const errors = await Promise.all(stale);
    expect(errors.map((error) => (error as Error).name)).toEqual(Array(20).fill("AbortError"));
  });

  it("gives one compilation up by its signal", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const dropped = errorOf(() => worker.compile(transformerBlock, { sizes: blockSizes, signal }));
    const kept = worker.compile(matmul, { sizes });
    controller.abort(new Error("enough"));
    expect((await dropped).message).toBe("enough");
    expect((await kept).ok).toBe(true);
  });

  it("does not keep a program running, and is no hindrance to flags of Node", () => {
    const program = `
      import { createWorker } from "tc-wgsl/worker";
      const worker = createWorker();
      const { ok } = await worker.compile(${JSON.stringify(matmul)}, { sizes: { M: 8, K: 8, N: 8 } });
      console.log(ok);`;
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", program],
      { cwd: root, encoding: "utf8", timeout: 60_000 },
    );
    expect({ stdout, stderr, status }).toEqual({ stdout: "true\n", stderr: "", status: 0 });
  });

  it("says that its thread cannot be started", async () => {
    const start = (): Worker => {
      const target = new EventTarget();
      queueMicrotask(() => target.dispatchEvent(new Event("error")));
      return Object.assign(target, {
        postMessage: () => {},
        terminate: () => {},
      }) as object as Worker;
    };
    const error = await errorOf(() => threads.createWorker({ start }).compile(matmul, { sizes }));
    expect(error.name).toBe("RuntimeFault");
    expect(error.message).toMatch(/^the thread failed: its program could not be/);
  });

  it("names options that it does not have", async () => {
    const error = await errorOf(() => threads.createWorker({ strat: 1 } as object));
    expect(error.message).toBe('createWorker: there is no option "strat"; did you mean "start"?');
  });
});

describe("define with a worker", () => {
  let runtime: Node.Runtime;

  beforeAll(async () => {
    runtime = await node.openRuntime({ adapter: "swiftshader" });
  });

  afterAll(() => runtime.dispose());

  it("gives the same results, and the event loop turns while it compiles", async () => {
    const numbers = (count: number): Float32Array =>
      Float32Array.from({ length: count }, (_, n) => Math.sin(n + 1) / 4);
    const { T = 0, D = 0, H = 0, E = 0, F = 0 } = blockSizes;
    const shapes = {
      x: [T, D],
      ...{ Wq: [D, H, E], Wk: [D, H, E], Wv: [D, H, E], Wo: [H, E, D] },
      ...{ W1: [D, F], b1: [F], W2: [F, D], b2: [D], g1: [D], g2: [D] },
    };
    const inputs = Object.fromEntries(
      Object.entries(shapes).map(([name, shape]) => {
        const data = numbers(shape.reduce((a, b) => a * b));
        return [name, { data, shape }];
      }),
    );
    const { block: plain } = runtime.define(transformerBlock as string);
    const { block: apart } = runtime.define(transformerBlock as string, { worker });
    const expected = await plain?.(inputs);
    const turns = await turnsDuring(async () => {
      await apart?.prepare(blockSizes);
    });
    const found = await apart?.(inputs);
    expect(await found?.["y"]?.read()).toEqual(await expected?.["y"]?.read());
    expect(apart?.compilations()).toEqual(plain?.compilations());
    expect(turns).toBeGreaterThan(10);
  });

  it("gives the same errors", async () => {
    const shift = "def shift(float(N) x) -> (y) { y(i) = x(i + 1) where i in 0:N }" as string;
    const options = given({ "kernels/$0/workgruop": 4 });
    const cases = [
      [shift, {}],
      [matmul as string, { options }],
      [matmul as string, { options: "fast" as never }],
    ] as const;
    for (const [source, more] of cases) {
      const call = async (given: Node.DefineOptions): Promise<void> => {
        const [kernel] = Object.values(runtime.define(source, given));
        await kernel?.prepare({ N: 8, M: 8, K: 8 });
      };
      const expected = await errorOf(() => call(more));
      const found = await errorOf(() => call({ ...more, worker }));
      expect([found.name, found.message]).toEqual([expected.name, expected.message]);
      expect(found.constructor).toBe(expected.constructor);
    }
  });

  it("rejects calls of what was given up, and compiles again when asked", async () => {
    const { mm } = runtime.define(matmul, { worker });
    const ready = worker.compile(transformerBlock, { sizes: blockSizes });
    const calls = [errorOf(() => ready), errorOf(() => mm.prepare(sizes))];
    await Promise.resolve();
    worker.cancel();
    const errors = await Promise.all(calls);
    expect(errors.map(({ name }) => name)).toEqual(["AbortError", "AbortError"]);
    await mm.prepare(sizes);
    expect(mm.compilations()).toHaveLength(1);
  });
});
