import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { createRuntime, type Runtime } from "../../src/runtime/runtime.ts";
import {
  addPlan,
  buffer,
  chainPlan,
  inPlacePlan,
  kernel,
  nestedRepeatPlan,
  plan,
  zeroPlan,
} from "./plans.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

function ramp(count: number, scale = 1): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => scale * i);
}

describe("run", () => {
  it("computes from arrays, arrays with shapes, numbers and tensors on the device", async () => {
    const loaded = await runtime.load(addPlan);
    const a = { data: ramp(100), shape: [10, 10] };
    const b = runtime.tensor("float32", [10, 10], ramp(100, 10));
    const { C } = await loaded.run({ A: a, B: b, s: 0.5 });
    expect(C?.shape).toEqual([10, 10]);
    expect(await C?.read()).toEqual(ramp(100, 6));
    const { C: again } = await loaded.run({ A: ramp(100), B: b, s: new Float32Array([2]) });
    expect(await again?.read()).toEqual(ramp(100, 21));
    expect(await C?.read(), "an earlier result stays").toEqual(ramp(100, 6));
  });

  it("reads one tensor under two names", async () => {
    const loaded = await runtime.load(addPlan);
    const a = runtime.tensor("float32", [10, 10], ramp(100));
    const { C } = await loaded.run({ A: a, B: a, s: 1 });
    expect(await C?.read()).toEqual(ramp(100, 2));
  });

  it("writes into an output that the caller gives", async () => {
    const loaded = await runtime.load(addPlan);
    const target = runtime.tensor("float32", [10, 10]);
    expect(await target.read(), "a new tensor is zero").toEqual(new Float32Array(100));
    const inputs = { A: ramp(100), B: ramp(100), s: 2 };
    const { C } = await loaded.run(inputs, { outputs: { C: target } });
    expect(C).toBe(target);
    expect(await target.read()).toEqual(ramp(100, 3));
  });

  it("uses ranges of the caller's own buffers", async () => {
    const loaded = await runtime.load(addPlan);
    const own = runtime.device.createBuffer({ size: 1024, usage: 0x80 | 0x8 });
    runtime.device.queue.writeBuffer(own, 512, ramp(100, 4) as Float32Array<ArrayBuffer>);
    const { C } = await loaded.run({ A: { buffer: own, offset: 512 }, B: ramp(100), s: 1 });
    expect(await C?.read()).toEqual(ramp(100, 5));
  });

  it("copies an array in memory that threads share", async () => {
    const loaded = await runtime.load(inPlacePlan(3));
    const shared = new Float32Array(new SharedArrayBuffer(12));
    shared.set([1, 2, 3]);
    const { x } = await loaded.run({ x: shared });
    expect(await x?.read()).toEqual(new Float32Array([3, 5, 7]));
  });

  it("updates an inout tensor in place, and a copy of an inout array", async () => {
    const loaded = await runtime.load(inPlacePlan(5));
    const tensor = runtime.tensor("float32", [5], ramp(5));
    const { x } = await loaded.run({ x: tensor });
    expect(x).toBe(tensor);
    expect(await tensor.read()).toEqual(new Float32Array([1, 3, 5, 7, 9]));
    const array = ramp(5);
    const { x: copied } = await loaded.run({ x: array });
    expect(array).toEqual(ramp(5));
    expect(await copied?.read()).toEqual(new Float32Array([1, 3, 5, 7, 9]));
  });

  it.each(["table", "immediate"] as const)("gives step indices by %s", async (mode) => {
    const loaded = await runtime.load(nestedRepeatPlan(mode));
    const { y } = await loaded.run({});
    expect([...((await y?.read()) ?? [])]).toEqual(
      Array.from({ length: 15 }, (_, i) => 10 * Math.floor(i / 3) + (i % 3)),
    );
  });

  it.each([1, 7, 64, 1000, 4099])("fills %i words with zero, whatever they held", async (count) => {
    const dirty = await runtime.load(inPlacePlan(count));
    for (let i = 0; i < 3; i++) {
      const { x } = await dirty.run({ x: ramp(count).fill(9) });
      x?.dispose();
    }
    const loaded = await runtime.load(zeroPlan(count));
    const { y } = await loaded.run({});
    const expected = new Float32Array(count);
    expected[0] = 3;
    expect(await y?.read()).toEqual(expected);
  });

  it("runs tensors without elements", async () => {
    const empty = plan(
      "empty",
      [buffer("x", "input", [0, 4]), buffer("y", "output", [4, 0])],
      [
        kernel({
          name: "empty",
          bindings: [
            ["x", "read"],
            ["y", "read_write"],
          ],
          groups: 0,
          body: "b1[i] = b0[i];",
        }),
      ],
    );
    const loaded = await runtime.load(empty);
    const { y } = await loaded.run({ x: new Float32Array(0) });
    expect(await y?.read()).toEqual(new Float32Array(0));
  });

  it("carries every type of element", async () => {
    for (const [dtype, data] of [
      ["int32", new Int32Array([-1, 2, -2147483648])],
      ["uint32", new Uint32Array([1, 4294967295])],
      ["bool", new Uint32Array([0, 1, 1])],
      ["float32", new Float32Array([Number.NaN, Number.NEGATIVE_INFINITY, -0])],
    ] as const) {
      expect(await runtime.tensor(dtype, [data.length], data).read()).toEqual(data);
    }
  });
});

describe("memory", () => {
  it("shares memory between temporaries that are never live together", async () => {
    const count = 1000;
    const own = createRuntime({ device: runtime.device });
    const loaded = await own.load(chainPlan(count));
    await loaded.prepare();
    const used = own.memory().bytesInUse;
    expect(used).toBeGreaterThanOrEqual(2 * 4 * count);
    expect(used, "two of three temporaries live at once").toBeLessThan(3 * 4 * count);
    const { y } = await loaded.run({ x: ramp(count) });
    expect(await y?.read()).toEqual(ramp(count).map((value) => value + 4));
    y?.dispose();
    loaded.dispose();
    expect(own.memory().bytesInUse).toBe(0);
  });

  it("creates no buffer after the first of 200 runs", async () => {
    const own = createRuntime({ device: runtime.device });
    const loaded = await own.load(chainPlan(500));
    const once = async (): Promise<number | undefined> => {
      const { y } = await loaded.run({ x: ramp(500) });
      const last = (await y?.read())?.at(-1);
      y?.dispose();
      return last;
    };
    await once();
    const memory = own.memory();
    for (let i = 0; i < 200; i++) expect(await once()).toBe(503);
    expect(own.memory()).toEqual(memory);
  });

  it("frees everything of 50 plans that come and go", async () => {
    const own = createRuntime({ device: runtime.device });
    for (let i = 0; i < 50; i++) {
      const loaded = await own.load(chainPlan(100 + i));
      const { y } = await loaded.run({ x: ramp(100 + i) });
      y?.dispose();
      loaded.dispose();
    }
    expect(own.memory().bytesInUse).toBe(0);
  });
});

describe("encode", () => {
  it("writes into the caller's pass, twice in one submission", async () => {
    const loaded = await runtime.load(chainPlan(100));
    await loaded.prepare();
    const x = runtime.tensor("float32", [100], ramp(100));
    const middle = runtime.tensor("float32", [100]);
    const y = runtime.tensor("float32", [100]);
    const encoder = runtime.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    loaded.encode(pass, { x, y: middle });
    loaded.encode(pass, { x: middle, y });
    pass.end();
    runtime.device.queue.submit([encoder.finish()]);
    expect(await y.read()).toEqual(ramp(100).map((value) => value + 8));
  });

  it("refuses to allocate: before prepare, without an output, or from an array", async () => {
    const loaded = await runtime.load(chainPlan(100));
    const x = runtime.tensor("float32", [100]);
    const encoder = runtime.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    expect(() => loaded.encode(pass, { x })).toThrow(/call prepare\(\) before encode\(\)/);
    await loaded.prepare();
    expect(() => loaded.encode(pass, { x })).toThrow(/tensor "y": missing/);
    expect(() => loaded.encode(pass, { x, y: ramp(100) })).toThrow(/needs a GpuTensor/);
    pass.end();
  });
});
