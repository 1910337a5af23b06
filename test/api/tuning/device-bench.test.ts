import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createDeviceBench } from "../../../src/api/tuning/device-bench.ts";
import { isUnplanned } from "../../../src/api/tuning/planned-task.ts";
import { createPlanner } from "../../../src/api/tuning/planner.ts";
import { openRuntime, type Runtime } from "../../../src/node.ts";
import { isRefusal, type Sample } from "../../../src/tuner/bench.ts";
import type { Candidate, Planner, TuningTask } from "../../../src/tuner/candidate.ts";
import { given } from "../../support/given.ts";

// Drivers compile each candidate, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const product: TuningTask = {
  source: "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }",
  sizes: { M: 70, N: 66, K: 90 },
};
const softmax: TuningTask = {
  source: `def f(float(N, M) x) -> (y) {
  top(n) max=! x(n, m)
  e(n, m) = exp(x(n, m) - top(n))
  sum(n) +=! e(n, m)
  y(n, m) = e(n, m) / sum(n)
}`,
  sizes: { N: 190, M: 370 },
};

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime();
});
afterAll(() => runtime.dispose());

function plannerOf(task: TuningTask): Planner {
  const planner = createPlanner(task, runtime.profile);
  if (isUnplanned(planner)) throw new Error(planner.refused);
  return planner;
}

function planned(task: TuningTask, ...mapping: Parameters<Planner["plan"]>): Candidate {
  const candidate = plannerOf(task).plan(...mapping);
  if (isUnplanned(candidate)) throw new Error(candidate.refused);
  return candidate;
}

const patient = { timeoutMs: 60_000 };

test("sizes at which a result has no elements prove nothing against a candidate", async () => {
  const source = `def pool(float(C, H, W) x) -> (y) {
  y(c, h, w) max=! x(c, 2 * h + r, 2 * w + s) where r in 0:2, s in 0:2
}`;
  const pool: TuningTask = { source, sizes: { C: 4, H: 12, W: 12 } };
  const bench = await createDeviceBench(runtime, pool);
  try {
    const candidate = planned(pool, { version: 2, policy: "default" });
    const sweep = [
      { C: 129, H: 1, W: 9 },
      { C: 3, H: 7, W: 1 },
      { C: 3, H: 7, W: 9 },
    ];
    expect(await bench.admit(candidate, { ...patient, sweep })).toMatchObject({ kind: "ok" });
  } finally {
    await bench.close();
  }
});

describe.each([
  ["a product", product],
  ["a softmax, larger than the interpreter's budget", softmax],
])("%s", (_, task) => {
  test("is admitted with all policies, and timed one sample after the other", async () => {
    const bench = await createDeviceBench(runtime, task);
    try {
      const candidates = [...plannerOf(task).wishes()].map((wish) => planned(task, wish));
      for (const candidate of candidates) {
        expect(await bench.admit(candidate, patient)).toMatchObject({ kind: "ok" });
      }
      const ids = candidates.map(({ id }) => id);
      const samples = await bench.time([...ids, ...ids], { quanta: 20 });
      expect(samples.filter((sample) => isRefusal(sample))).toEqual([]);
      const times = samples as readonly Sample[];
      for (const [n, { us, kernels }] of times.entries()) {
        expect(us).toBeGreaterThan(0);
        const names = candidates[n % ids.length]?.kernels.map(({ name }) => name);
        expect(Object.keys(kernels)).toEqual(names);
        // On one scale: of an execution as users have it, with nothing between passes.
        const sum = Object.values(kernels).reduce((all, own) => all + own, 0);
        expect(sum / us).toBeCloseTo(1);
      }
      bench.release(ids.slice(0, 1));
      const [gone] = await bench.time(ids.slice(0, 1), { quanta: 20 });
      expect(gone).toMatchObject({ kind: "invalid" });
    } finally {
      await bench.close();
    }
  });
});

test("a candidate that takes too long is left alone: the bench goes on when it has ended", async () => {
  const bench = await createDeviceBench(runtime, product);
  const [slow, next] = [planned(product, given({}, "naive")), planned(product, given())];
  expect(await bench.admit(slow, { timeoutMs: 1 })).toEqual({ kind: "timeout", ms: 1 });
  // Who has no time to wait has not lost the device.
  expect(await bench.admit(next, { timeoutMs: 1 })).toEqual({ kind: "timeout", ms: 1 });
  expect(await bench.admit(next, patient)).toMatchObject({ kind: "ok" });
  const [sample, none] = await bench.time([next.id, slow.id], { quanta: 1 });
  expect(sample).toMatchObject({ us: expect.any(Number) });
  expect(none).toMatchObject({ kind: "invalid" });
  await bench.close();
});

test("a candidate that is given up is not held, whatever it had come to", async () => {
  const bench = await createDeviceBench(runtime, product);
  const [slow, next] = [planned(product, given({}, "naive")), planned(product, given())];
  const late: number[] = [];
  for (let timeoutMs = 1; timeoutMs < 60_000; timeoutMs *= 1.2) {
    const outcome = await bench.admit(slow, { timeoutMs });
    if (outcome.kind === "ok") break;
    late.push(timeoutMs);
    // What was begun has ended when the next one is admitted.
    await bench.admit(next, patient);
    bench.release([next.id]);
    await bench.admit(next, patient);
    expect(await bench.time([slow.id], { quanta: 1 })).toMatchObject([{ kind: "invalid" }]);
  }
  expect(late.length).toBeGreaterThan(0);
  await bench.close();
});

test("hooks are called around each measurement, in the order of the measurements", async () => {
  const calls: string[] = [];
  const hooks = {
    before: (id: string) => void calls.push(`before ${id}`),
    after: (id: string) => void calls.push(`after ${id}`),
  };
  const bench = await createDeviceBench(runtime, product, { hooks });
  const [a, b] = [planned(product, given()), planned(product, given({}, "naive"))];
  await bench.admit(a, patient);
  await bench.admit(b, patient);
  expect(calls).toEqual([]);
  await bench.time([b.id, a.id], { quanta: 1 });
  expect(calls).toEqual(
    [b, b, a, a].map(({ id }, n) => `${n % 2 === 0 ? "before" : "after"} ${id}`),
  );
  await bench.close();
});

test("the bench takes no memory of the runtime, and gives back its own", async () => {
  const before = runtime.memory();
  const bench = await createDeviceBench(runtime, product);
  await bench.admit(planned(product, given()), patient);
  await bench.close();
  expect(runtime.memory()).toEqual(before);
});

test("other algorithms are candidates with results of their own; approximate ones where they are allowed", async () => {
  const source = readFileSync(new URL("../../../examples/conv3x3.tc", import.meta.url), "utf8");
  const exact: TuningTask = { source, def: "conv3x3", sizes: { N: 1, C: 3, O: 4, H: 10, W: 10 } };
  const task: TuningTask = { ...exact, approximate: true };
  const own = plannerOf(exact).alternatives;
  const all = plannerOf(task).alternatives;
  expect(own.length).toBeGreaterThan(0);
  expect(all.length).toBeGreaterThan(own.length);
  const bench = await createDeviceBench(runtime, task);
  const ids = [];
  for (const alternative of all) {
    const candidate = planned(task, given(), alternative);
    expect(candidate.alternative).toBe(alternative);
    expect(await bench.admit(candidate, patient)).toMatchObject({ kind: "ok" });
    ids.push(candidate.id);
  }
  const samples = await bench.time(ids, { quanta: 1 });
  expect(samples.filter((sample) => isRefusal(sample))).toEqual([]);
  await bench.close();
});
