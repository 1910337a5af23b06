/** What calls leave behind on the heap. `scripts/host-memory.js` measures more of them, and the resident set. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRuntime, type Runtime } from "../../src/node.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

let rt: Runtime;

beforeAll(async () => {
  rt = await openRuntime({ adapter: "swiftshader" });
});

afterAll(() => rt.dispose());

const source = `
def add(float(N) a, float(N) b) -> (c) {
  t(i) = a(i) + b(i)
  c(i) = t(i) * t(N - 1 - i)
}`;

/** In MiB, when finalizers have run. */
async function heap(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed / 2 ** 20;
}

describe("the heap", () => {
  it("is as large after thousands of runs as after some", async () => {
    const { add } = rt.define(source);
    const data = new Float32Array(16).fill(1);
    const run = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) (await add({ a: data, b: data })).c.dispose();
    };
    await run(200);
    const before = await heap();
    await run(3000);
    expect((await heap()) - before).toBeLessThan(1);
    add.dispose();
  }, 180_000);

  it("falls back when a definition met sixty shapes", async () => {
    const { add } = rt.define(source, { keep: 4 });
    const shapes = async (from: number, to: number): Promise<void> => {
      for (let n = from; n < to; n++) {
        (await add({ a: new Float32Array(n), b: new Float32Array(n) })).c.dispose();
      }
    };
    await shapes(1, 20);
    const before = await heap();
    await shapes(20, 80);
    expect(add.statistics()).toEqual({ kept: 4, keep: 4, compiled: 79, dropped: 75 });
    // Sixty compilations took 200 MB; pipelines and solutions that are kept take some.
    expect((await heap()) - before).toBeLessThan(3);
    add.dispose();
  }, 180_000);
});
