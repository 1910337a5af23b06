/** The bench in a process of its own: the built package, and what its kernels may do to it. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { isUnplanned } from "../../../src/api/tuning/planned-task.ts";
import { createPlanner } from "../../../src/api/tuning/planner.ts";
import { compile } from "../../../src/compile.ts";
import type * as Node from "../../../src/node.ts";
import { isRefusal } from "../../../src/tuner/bench.ts";
import type { Candidate, TuningTask } from "../../../src/tuner/candidate.ts";
import { buildPackage } from "../../support/built-package.ts";
import { given } from "../../support/given.ts";

// Drivers compile each candidate, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const root: URL = new URL("../../../", import.meta.url);
const faulty: URL = new URL("test/api/tuning/support/faulty-process.js", root);
const task: TuningTask = {
  source: "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }",
  sizes: { M: 32, N: 32, K: 32 },
};
const patient = { timeoutMs: 30_000 };

let node: typeof Node;
let bench: Node.IsolatedBench;

beforeAll(async () => {
  buildPackage();
  node = (await import(/* @vite-ignore */ new URL("dist/node.js", root).href)) as typeof Node;
});
afterEach(async () => {
  delete process.env["TEST_HANGS"];
  delete process.env["TEST_LOSES"];
  await bench?.close();
});
afterAll(() => expect(isAlive(bench.processId())).toBe(false));

function isAlive(id: number | null): boolean {
  try {
    return id !== null && process.kill(id, 0);
  } catch {
    return false;
  }
}

/** Three candidates that differ in the sizes of their workgroups, so that their texts can be told apart. */
function candidates(): readonly [Candidate, Candidate, Candidate] {
  const planner = createPlanner(task, bench.profile);
  if (isUnplanned(planner)) throw new Error(planner.refused);
  const made = [2, 4, 8].map((size) => {
    const candidate = planner.plan(
      given({ "kernels/c/axes/0/workgroup": size, "kernels/c/axes/1/workgroup": 4 }, "naive"),
    );
    if (isUnplanned(candidate)) throw new Error(candidate.refused);
    return candidate;
  });
  return made as [Candidate, Candidate, Candidate];
}

/** A line of WGSL that a candidate has and the others do not. */
const marks = { second: "@workgroup_size(16)" };

test("marks tell candidates apart", async () => {
  bench = await node.createProcessBench(task);
  const texts = candidates().map(({ mapping }) => {
    const compiled = compile(task.source, {
      sizes: task.sizes,
      profile: bench.profile,
      options: mapping,
      padded: true,
    });
    return compiled.ok && (compiled.plan.kernels[0]?.wgsl ?? "").includes(marks.second);
  });
  expect(texts).toEqual([false, true, false]);
});

test.each([
  ["def f(float(N) x, float s) -> (x) { x(i) = x(i) * s }", { N: 1000 }],
  [
    "def f(float(M, K) A, float(K, N) B, float(M, N) C) -> (C) { C(m, n) += A(m, k) * B(k, n) }",
    { M: 20, N: 24, K: 28 },
  ],
  ["def f(int(N) at, int(V) h) -> (h) { h(at(i)) += 1 }", { N: 3000, V: 40 }],
])(
  "executes what updates its tensors again and again, each time on what they were: %s",
  async (source, own) => {
    const inPlace = { source, sizes: own };
    bench = await node.createProcessBench(inPlace);
    const planner = createPlanner(inPlace, bench.profile);
    if (isUnplanned(planner)) throw new Error(planner.refused);
    for (const wish of [...planner.wishes()].slice(0, 3)) {
      const candidate = planner.plan(wish);
      if (isUnplanned(candidate)) throw new Error(candidate.refused);
      const { id } = candidate;
      expect(await bench.admit(candidate, patient)).toMatchObject({ kind: "ok" });
      await bench.time([id, id], { quanta: 20 });
      // The gates compare with what one execution makes of the data: they have to be what they were.
      bench.release([id]);
      expect(await bench.admit(candidate, patient)).toMatchObject({ kind: "ok" });
    }
  },
);

test("measures as a bench in this process does", async () => {
  bench = await node.createProcessBench(task);
  const [a, b] = candidates();
  expect(await bench.admit(a, patient)).toMatchObject({ kind: "ok" });
  expect(await bench.admit(b, patient)).toMatchObject({ kind: "ok" });
  const samples = await bench.time([b.id, a.id, b.id], { quanta: 20 });
  expect(samples.filter((sample) => isRefusal(sample))).toEqual([]);
  expect(bench.replaced()).toBe(0);
});

test("an endless kernel is killed in time, remembered, and in nobody's way", async () => {
  process.env["TEST_HANGS"] = marks.second;
  bench = await node.createProcessBench(task, { program: faulty });
  const [a, hangs, c] = candidates();
  expect(await bench.admit(a, patient)).toMatchObject({ kind: "ok" });
  const first = bench.processId();
  const begun = performance.now();
  const outcome = await bench.admit(hangs, { timeoutMs: 1_500 });
  const took = performance.now() - begun;
  console.log(`killed after ${Math.round(took)} ms`);
  expect(outcome).toEqual({ kind: "timeout", ms: 1_500 });
  expect(took).toBeLessThan(1_500 + 500);
  expect(isAlive(bench.processId())).toBe(true);
  expect(bench.processId()).not.toBe(first);
  // Admitted before: compiled again, where it is.
  const [sample] = await bench.time([a.id], { quanta: 20 });
  console.log(`measured again after ${Math.round(performance.now() - begun)} ms`);
  expect(sample).toMatchObject({ us: expect.any(Number) });
  expect(await bench.admit(hangs, patient)).toEqual(outcome);
  expect(await bench.time([hangs.id], { quanta: 20 })).toEqual([outcome]);
  expect(await bench.admit(c, patient)).toMatchObject({ kind: "ok" });
  expect(bench.replaced()).toBe(1);
  expect(isAlive(first)).toBe(false);
});

test("a process that is killed from outside is replaced", async () => {
  bench = await node.createProcessBench(task);
  const [a, b] = candidates();
  expect(await bench.admit(a, patient)).toMatchObject({ kind: "ok" });
  process.kill(bench.processId() ?? 0, "SIGKILL");
  const outcome = await bench.admit(b, patient);
  expect(outcome).toMatchObject({ kind: "lost", why: expect.stringContaining("SIGKILL") });
  const [sample] = await bench.time([a.id], { quanta: 20 });
  expect(sample).toMatchObject({ us: expect.any(Number) });
  expect(bench.replaced()).toBe(1);
});

test("a lost device is replaced, and the candidate that lost it is refused", async () => {
  process.env["TEST_LOSES"] = marks.second;
  bench = await node.createProcessBench(task, { program: faulty });
  const [a, loses] = candidates();
  expect(await bench.admit(loses, patient)).toMatchObject({ kind: "lost" });
  expect(await bench.admit(a, patient)).toMatchObject({ kind: "ok" });
  expect(bench.replaced()).toBe(1);
});

test("a task that does not compile, or an adapter that there is not, is told", async () => {
  const broken = { source: "def f(float(N) x) -> (y) { y(i) = z(i) }", sizes: { N: 4 } };
  await expect(node.createProcessBench(broken)).rejects.toThrow(/TC\d+/);
  await expect(node.createProcessBench(task, { adapter: "no such adapter" })).rejects.toThrow(
    /no usable WebGPU adapter/,
  );
});
