/** Tuning what updates its tensors leaves the caller's as they are, until the one run that is asked for. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createDeviceBench } from "../../../src/api/tuning/device-bench.ts";
import { createPlanner } from "../../../src/api/tuning/planner.ts";
import { tuneWithStore } from "../../../src/api/tuning/remember.ts";
import { tune } from "../../../src/api/tuning/tune.ts";
import { type GpuTensor, openRuntime, type Runtime } from "../../../src/node.ts";
import { memoryStore } from "../../../src/support/line-store.ts";
import type { Candidate } from "../../../src/tuner/candidate.ts";
import type { TuneEvent } from "../../../src/tuner/events.ts";

// Drivers compile each candidate, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

interface Case {
  readonly name: string;
  readonly source: string;
  readonly sizes: Readonly<Record<string, number>>;
  /** The caller's tensors, and what the updated one is after one run. */
  readonly inputs: Readonly<
    Record<string, readonly [type: "float32" | "int32", shape: readonly number[]]>
  >;
  readonly updated: string;
}

const cases: readonly Case[] = [
  {
    name: "x(i) = x(i) * s",
    source: "def f(float(N) x, float s) -> (x) { x(i) = x(i) * s }",
    sizes: { N: 1000 },
    inputs: { x: ["float32", [1000]], s: ["float32", []] },
    updated: "x",
  },
  {
    name: "C += A * B",
    source:
      "def f(float(M, K) A, float(K, N) B, float(M, N) C) -> (C) { C(m, n) += A(m, k) * B(k, n) }",
    sizes: { M: 20, N: 24, K: 28 },
    inputs: { A: ["float32", [20, 28]], B: ["float32", [28, 24]], C: ["float32", [20, 24]] },
    updated: "C",
  },
  {
    name: "a scatter",
    source: "def f(int(N) at, int(V) h) -> (h) { h(at(i)) += 1 }",
    sizes: { N: 3000, V: 40 },
    inputs: { at: ["int32", [3000]], h: ["int32", [40]] },
    updated: "h",
  },
];

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime();
});
afterAll(() => runtime.dispose());

/** Small whole numbers, so that one run more or less is seen. */
function dataOf(type: "float32" | "int32", shape: readonly number[]): Float32Array | Int32Array {
  const values = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, n) => 2 + (n % 7));
  return type === "float32" ? Float32Array.from(values) : Int32Array.from(values);
}

/** Calls `act`, and gives the buffers that were bound meanwhile. */
async function boundDuring(act: () => Promise<void>): Promise<ReadonlySet<GPUBuffer>> {
  const { device } = runtime;
  const bound = new Set<GPUBuffer>();
  const original = device.createBindGroup.bind(device);
  device.createBindGroup = (descriptor) => {
    for (const { resource } of descriptor.entries) {
      if (typeof resource === "object" && "buffer" in resource) bound.add(resource.buffer);
    }
    return original(descriptor);
  };
  try {
    await act();
  } finally {
    device.createBindGroup = original;
  }
  return bound;
}

describe.each(cases)("$name", ({ source, sizes, inputs, updated }) => {
  const tensors: Record<string, GpuTensor> = {};
  const task = { source, def: "f", sizes };
  beforeAll(() => {
    for (const [name, [type, shape]] of Object.entries(inputs)) {
      tensors[name] = runtime.tensor(type, shape, dataOf(type, shape));
    }
  });

  async function expectUntouched(act: () => Promise<void>): Promise<void> {
    const bound = await boundDuring(act);
    expect(bound.size).toBeGreaterThan(0);
    for (const [name, [type, shape]] of Object.entries(inputs)) {
      const tensor = tensors[name];
      if (tensor === undefined) throw new Error(`no tensor ${name}`);
      expect(bound.has(tensor.buffer)).toBe(false);
      expect(await tensor.read()).toEqual(dataOf(type, shape));
    }
  }

  async function expectUpdatedOnce(): Promise<void> {
    const { f } = runtime.define(source);
    const definition = f as unknown as (given: object) => Promise<Record<string, GpuTensor>>;
    const host = Object.fromEntries(
      Object.entries(inputs).map(([name, [type, shape]]) => [
        name,
        { data: dataOf(type, shape), shape },
      ]),
    );
    const once = await (await definition(host))[updated]?.read();
    await definition(tensors);
    expect(await tensors[updated]?.read()).toEqual(once);
    expect(once).not.toEqual(dataOf(...(inputs[updated] as ["float32", number[]])));
  }

  function candidates(): readonly Candidate[] {
    const planner = createPlanner(task, runtime.profile);
    if ("refused" in planner) throw new Error(planner.refused);
    return [...planner.wishes()].flatMap((wish) => {
      const candidate = planner.plan(wish);
      return "refused" in candidate ? [] : [candidate];
    });
  }

  test("a bench binds none of the caller's tensors, and restores its own for each execution", async () => {
    await expectUntouched(async () => {
      const bench = await createDeviceBench(runtime, task);
      const all = candidates();
      const ids = all.map(({ id }) => id);
      const admit = async (): Promise<void> => {
        for (const candidate of all) {
          expect(await bench.admit(candidate, { timeoutMs: 60_000 })).toMatchObject({ kind: "ok" });
        }
      };
      await admit();
      await bench.time([...ids, ...ids], { quanta: 20 });
      // The gates compare with what one execution makes of the data: they have to be what they were.
      bench.release(ids);
      await admit();
      await bench.close();
    });
  });

  test("calls that time a definition, or its kernels, leave what it updates as it was", async () => {
    const { f } = runtime.define(source);
    const definition = f as unknown as Record<
      "time" | "profile",
      (given: object) => Promise<unknown>
    >;
    await definition.time(tensors);
    await definition.profile(tensors);
    const [type, shape] = inputs[updated] ?? ["float32", []];
    expect(await tensors[updated]?.read()).toEqual(dataOf(type, shape));
  });

  /** That all of some candidates are right, although each was executed again and again. */
  async function expectRight(events: AsyncIterable<TuneEvent>): Promise<void> {
    const all: TuneEvent[] = [];
    for await (const event of events) all.push(event);
    const last = all.at(-1);
    if (last?.type !== "done") throw new Error("the last event is done");
    expect(last.result.counts).toMatchObject({ wrong: 0, lost: 0 });
    expect(last.result.counts.ok).toBeGreaterThan(0);
  }

  test("tuning leaves them as they were, and the one run after it updates them once", async () => {
    const options = { def: "f", sizes, effort: "refine" } as const;
    await expectUntouched(() => expectRight(tune(runtime, source, options)));
    const store = memoryStore();
    await expectUntouched(() => expectRight(tuneWithStore(runtime, source, options, store)));
    expect((await store.read()).length).toBeGreaterThan(0);
    await expectUpdatedOnce();
  });
});
