/** Where the time of a plan goes: its kernels one by one, in order or alone, and traces of it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Plan, Step } from "../../src/codegen/plan.ts";
import {
  type Clock,
  observeStep,
  type PassCommands,
  type Sample,
} from "../../src/runtime/clock.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { profilePlan } from "../../src/runtime/profile-plan.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { chromeTrace } from "../../src/runtime/trace.ts";
import { buffer, inPlacePlan, kernel, nestedRepeatPlan, plan } from "./plans.ts";

const history = { pipelinesMs: 3, hasRun: false };

/** A plan whose kernel 0 runs once and kernel 1 `count` times after it. */
function twoKernels(count: number): Plan {
  const text = (name: string) =>
    kernel({ name, bindings: [["x", "read_write"]], groups: 1, body: "b0[i] = 1.0;" });
  const steps: readonly Step[] = [
    { kind: "dispatch", kernel: 0 },
    { kind: "repeat", variable: "t", extent: count, body: [{ kind: "dispatch", kernel: 1 }] },
  ];
  const kernels = [text("first"), text("second")];
  return plan("two", [buffer("x", "inout", [64])], kernels, { steps });
}

/** Encodes the dispatches of {@link twoKernels}; pipelines are numbers here. */
function encodeTwo(count: number): Sample {
  const dispatch = (pass: PassCommands, n: number): void => {
    pass.setPipeline(n as unknown as GPUComputePipeline);
    pass.setBindGroup(0, null);
    pass.dispatchWorkgroups(1);
  };
  return {
    before: () => undefined,
    encode: (pass) => {
      dispatch(pass, 0);
      for (let i = 0; i < count; i++) dispatch(pass, 1);
    },
  };
}

/** A clock in steps, on a device whose kernels take so many nanoseconds. */
function steppedClock(ns: readonly [number, number], quantumNs: number, most: number[]): Clock {
  const lengthOf = (sample: Sample): number => {
    let sum = 0;
    let pipeline = 0;
    sample.encode({
      setPipeline: (n) => {
        pipeline = n as unknown as number;
      },
      setBindGroup: () => undefined,
      setImmediates: () => undefined,
      dispatchWorkgroups: () => {
        sum += ns[pipeline] ?? 0;
      },
    });
    return sum;
  };
  const seen = (at: number): number => Math.floor(at / quantumNs) * quantumNs;
  return {
    kind: "timestamp-query",
    quantumNs,
    measure: async (sample, count) =>
      Array.from({ length: count }, () => seen(lengthOf(sample) + quantumNs / 2)),
    spans: async (passes) => {
      most.push(passes.length);
      let end = 0;
      return passes.map((sample) => {
        const begin = end;
        end += lengthOf(sample);
        return { begin: seen(begin), end: seen(end) };
      });
    },
  };
}

describe("profilePlan", () => {
  it("times kernels where they stand, if the clock can see them", async () => {
    const clock = steppedClock([5000, 2000], 1, []);
    const found = await profilePlan(clock, twoKernels(3), encodeTwo(3), history);
    expect(found.whole).toMatchObject({ us: 11, mad: 0, quantumNs: 1 });
    expect(found.kernels).toMatchObject([
      { kernel: "first", us: 5, mad: 0, dispatches: 1, measured: "in-order", work: null },
      { kernel: "second", us: 6, mad: 0, dispatches: 3, measured: "in-order", work: null },
    ]);
    expect(found.executionIs).toBe("seen");
    expect(found.execution.map(({ kernel, start, us }) => [kernel, start, us])).toEqual([
      ["first", 0, 5],
      ["second", 5, 2],
      ["second", 7, 2],
      ["second", 9, 2],
    ]);
  });

  it("times them alone, long enough, where its step is too coarse", async () => {
    const clock = steppedClock([5000, 200], 65536, []);
    const found = await profilePlan(clock, twoKernels(4), encodeTwo(4), history);
    const [first, second] = found.kernels;
    expect(first?.measured).toBe("alone");
    expect(second?.measured).toBe("alone");
    // Within 2 %, where a single dispatch is a thirteenth of a step, or a three-hundredth.
    expect(Math.abs((first?.us ?? 0) - 5)).toBeLessThan(0.1);
    expect(Math.abs((second?.us ?? 0) - 0.8)).toBeLessThanOrEqual(0.016);
    expect(found.executionIs).toBe("laid-out");
    expect(found.execution[1]?.start).toBe(first?.us);
  });

  it("times long kernels in order and short ones alone, with one coarse clock", async () => {
    const clock = steppedClock([50e6, 1000], 65536, []);
    const { kernels } = await profilePlan(clock, twoKernels(2), encodeTwo(2), history);
    expect(kernels.map(({ measured }) => measured)).toEqual(["in-order", "alone"]);
  });

  it("covers more dispatches than one submission has timestamps for", async () => {
    const most: number[] = [];
    const clock = steppedClock([5000, 1000], 1, most);
    const found = await profilePlan(clock, twoKernels(3000), encodeTwo(3000), history);
    expect(Math.max(...most)).toBe(1024);
    expect(found.kernels[1]).toMatchObject({ us: 3000, dispatches: 3000 });
    expect(found.execution).toHaveLength(3001);
    expect(found.execution.at(-1)).toMatchObject({ start: 3004, us: 1 });
  });
});

describe("profile on a device", () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await openRuntime();
  });
  afterAll(() => runtime.dispose());

  it("has every dispatch of loops, and tells the first run from later ones", async () => {
    const loaded = await runtime.load(nestedRepeatPlan("table"));
    const cold = await loaded.profile({}, { minMs: 1 });
    expect(cold.pipelinesMs).toBeGreaterThan(0);
    expect(cold.firstMs).toBeGreaterThan(0);
    expect(cold.kernels).toMatchObject([{ kernel: "nested", dispatches: 15 }]);
    expect(cold.kernels[0]?.us).toBeGreaterThan(0);
    expect(cold.execution).toHaveLength(15);
    const starts = cold.execution.map(({ start }) => start);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect((await loaded.profile({}, { minMs: 1 })).firstMs).toBeNull();
    // Replayed dispatches have the step indices of the loops.
    const { y } = await loaded.run({});
    expect([...((await y?.read()) ?? [])].slice(0, 4)).toEqual([0, 1, 2, 10]);
  });

  it("leaves tensors as they are and gives its memory back", async () => {
    const loaded = await runtime.load(inPlacePlan(3));
    const x = runtime.tensor("float32", [3], new Float32Array([1, 2, 3]));
    await loaded.profile({ x }, { minMs: 1 });
    const { bytesInUse } = runtime.memory();
    await loaded.profile({ x }, { minMs: 1 });
    expect(runtime.memory().bytesInUse).toBeLessThanOrEqual(bytesInUse);
    expect(await x.read()).toEqual(new Float32Array([1, 2, 3]));
  });

  it("measures what the adapter can do, and keeps no memory", async () => {
    const { bytesInUse, bytesFree } = runtime.memory();
    const { gflops, gigabytes, clock, quantumNs } = await runtime.ceilings();
    expect(await runtime.timer()).toEqual({ kind: clock, quantumNs });
    expect([clock, quantumNs > 0]).toEqual(["timestamp-query", true]);
    // A processor of today, however busy, and no GPU of tomorrow.
    for (const figure of [gflops, gigabytes]) {
      expect(figure).toBeGreaterThan(0.001);
      expect(figure).toBeLessThan(1e6);
    }
    const after = runtime.memory();
    expect(after.bytesInUse).toBeLessThanOrEqual(bytesInUse);
    expect(after.bytesFree).toBeLessThan(bytesFree + 2 ** 20);
  });
});

describe("chromeTrace", () => {
  it("has the host's stages end to end, then an execution of the device", async () => {
    const clock = steppedClock([5000, 2000], 1, []);
    const found = await profilePlan(clock, twoKernels(1), encodeTwo(1), history);
    const profile = { ...found, firstMs: 2 };
    const trace = chromeTrace(profile, { adapter: "a device", compileMs: 4 });
    const spans = trace.traceEvents.filter(({ ph }) => ph === "X");
    expect(spans.map(({ name, pid, ts, dur }) => [name, pid, ts, dur])).toEqual([
      ["compile", 1, 0, 4000],
      ["create pipelines", 1, 4000, 3000],
      ["first run", 1, 7000, 2000],
      ["first", 2, 9000, 5],
      ["second", 2, 9005, 2],
    ]);
    expect(trace.otherData).toMatchObject({ clock: "timestamp-query", quantumNs: 1 });
    const names = trace.traceEvents
      .filter(({ ph }) => ph === "M")
      .map(({ args }) => args?.["name"]);
    expect(names).toEqual(["host", "device: a device (clock timestamp-query, step 1 ns)"]);
  });

  it("leaves out stages that are not known", async () => {
    const clock = steppedClock([5000, 2000], 1, []);
    const again = { ...history, hasRun: true };
    const found = await profilePlan(clock, twoKernels(1), encodeTwo(1), again);
    const names = chromeTrace(found, { adapter: "a" }).traceEvents.map(({ name }) => name);
    expect(names).toEqual(["process_name", "process_name", "create pipelines", "first", "second"]);
  });
});

describe("observeStep", () => {
  /** A clock in steps of 65 536 ns that gives two timestamps a reading, `pace` apart. */
  const coarse = (pace: number) => {
    let now = 0n;
    return async (): Promise<readonly bigint[]> => {
      now += BigInt(pace);
      const stamp = (now / 65536n) * 65536n;
      return [stamp, stamp];
    };
  };

  it("finds the step of a coarse clock, also if it does not move within a reading", async () => {
    expect(await observeStep(coarse(100_003))).toBe(65536n);
    expect(await observeStep(coarse(30_011))).toBe(65536n);
  });

  it("takes no clock that stands still or runs backwards", async () => {
    expect(await observeStep(async () => [7n, 7n])).toBeNull();
    expect(await observeStep(async () => [0n, 0n])).toBeNull();
    expect(await observeStep(async () => [9n, 7n])).toBeNull();
  });
});
