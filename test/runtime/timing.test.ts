import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "../../src/runtime/clock.ts";
import { requestComputeDevice } from "../../src/runtime/device.ts";
import { openAdapter } from "../../src/runtime/node/open-adapter.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { createRuntime, type Runtime } from "../../src/runtime/runtime.ts";
import { driftOf, measurePlan, median } from "../../src/runtime/timing.ts";
import { inPlacePlan } from "./plans.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

it("tells how much longer the later samples took", () => {
  expect(driftOf([10, 10, 30, 11, 11, 11])).toBeCloseTo(0.1);
  expect(driftOf([4, 4, 9, 2, 2])).toBeCloseTo(-0.5);
  expect([driftOf([]), driftOf([3]), driftOf([0, 5])]).toEqual([0, 0, 0]);
});

describe("time", () => {
  it("measures more for more work, with the device's clock", async () => {
    const small = await runtime.load(inPlacePlan(64));
    const large = await runtime.load(inPlacePlan(3 << 20));
    const few = await small.time({ x: new Float32Array(64) }, { minMs: 1 });
    const many = await large.time({ x: new Float32Array(3 << 20) }, { minMs: 1 });
    expect(few).toMatchObject({ clock: "timestamp-query" });
    expect(few.quantumNs).toBeGreaterThanOrEqual(1);
    expect(few.quantumNs).toBeLessThan(65536);
    expect(few.n).toBeGreaterThanOrEqual(10);
    expect(few.us).toBeGreaterThan(0);
    expect(few.mad).toBeGreaterThanOrEqual(0);
    expect(many.us).toBeGreaterThan(few.us);
    expect(many.us).toBeLessThan(1e6);
  });

  it("leaves inout tensors as they are and gives its memory back", async () => {
    const loaded = await runtime.load(inPlacePlan(3));
    const x = runtime.tensor("float32", [3], new Float32Array([1, 2, 3]));
    await loaded.time({ x }, { minMs: 1 });
    const { created } = runtime.memory();
    await loaded.time({ x }, { minMs: 1 });
    expect(runtime.memory().created).toBe(created);
    expect(await x.read()).toEqual(new Float32Array([1, 2, 3]));
  });

  it("falls back to the host's clock without timestamps", async () => {
    const { adapter } = await openAdapter();
    const device = await adapter.requestDevice();
    expect(device.features.has("timestamp-query")).toBe(false);
    const loaded = await createRuntime({ device }).load(inPlacePlan(1 << 16));
    const timing = await loaded.time({ x: new Float32Array(1 << 16) }, { minMs: 5 });
    expect(timing.clock).toBe("wall");
    expect(timing.us).toBeGreaterThan(0);
    expect(timing.us).toBeLessThan(1e6);
  });

  it("refuses to measure with wrong arguments", async () => {
    const loaded = await runtime.load(inPlacePlan(3));
    await expect(loaded.time({})).rejects.toThrow(/tensor "x": missing/);
  });
});

describe("measurePlan", () => {
  /** A clock with a step, on a plan that takes `ns` per execution. */
  function fakeClock(ns: number, quantumNs: number, submissions: number[]): Clock {
    return {
      kind: "timestamp-query",
      quantumNs,
      measure: async (sample, count) => {
        let executions = 0;
        sample.encode({ end: () => executions++ } as unknown as GPUComputePassEncoder);
        submissions.push(executions * count);
        const elapsed = Math.ceil((executions * ns) / quantumNs) * quantumNs;
        return Array.from({ length: count }, () => elapsed);
      },
      spans: null,
    };
  }
  const once = {
    before: () => undefined,
    encode: (pass: GPUComputePassEncoder) => pass.end(),
  };

  it("resolves plans that are shorter than the clock's step", async () => {
    const timing = await measurePlan(fakeClock(5000, 65536, []), once);
    expect(timing.us).toBeGreaterThan(4.9);
    expect(timing.us).toBeLessThan(5.2);
  });

  it("keeps submissions short for plans that are long", async () => {
    const submissions: number[] = [];
    const timing = await measurePlan(fakeClock(80e6, 1, submissions), once, { minMs: 1 });
    expect(timing).toMatchObject({ us: 80000, mad: 0, n: 10 });
    expect(Math.max(...submissions.slice(2))).toBe(1);
  });
});

describe("median", () => {
  it("takes the middle, or the mean of the middle two", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });
});

describe("requestComputeDevice", () => {
  it("asks for all that the adapter has", async () => {
    const { adapter } = await openAdapter();
    const offered = adapter.limits.maxStorageBuffersPerShaderStage;
    const device = await requestComputeDevice(adapter);
    expect(device.limits.maxStorageBuffersPerShaderStage).toBe(offered);
    expect(device.features.has("subgroups")).toBe(adapter.features.has("subgroups"));
    device.destroy();
  });
});
