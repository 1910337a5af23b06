import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDeviceBench } from "../../../src/api/tuning/device-bench.ts";
import { type TuneOptions, tune } from "../../../src/api/tuning/tune.ts";
import { openRuntime, type Runtime, TcError } from "../../../src/node.ts";
import type { TuneEvent } from "../../../src/tuner/events.ts";

// Drivers compile each candidate, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const source = "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";
const sizes = { M: 48, N: 40, K: 32 };

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime();
});
afterAll(() => runtime.dispose());

async function eventsOf(options: TuneOptions): Promise<readonly TuneEvent[]> {
  const events: TuneEvent[] = [];
  for await (const event of tune(runtime, source, options)) events.push(event);
  return events;
}

test("begins with the default, and ends with a winner that is complete and no slower", async () => {
  const calls: string[] = [];
  const measuring = {
    before: () => void calls.push("before"),
    after: () => void calls.push("after"),
  };
  const events = await eventsOf({ sizes, effort: "refine", budget: 4_000, seed: 3, measuring });
  expect(events[0]).toMatchObject({ type: "start", def: "f", effort: "refine", seed: 3, sizes });
  expect(events.find((e) => e.type === "candidate")).toMatchObject({ i: 0, status: "ok" });
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("the last event is done");
  const { tuned, default: usual, options, counts } = last.result;
  expect(counts.wrong + counts.invalid + counts.lost).toBe(0);
  expect(tuned?.us).toBeLessThanOrEqual(1.02 * (usual?.us ?? 0));
  expect(options.policy).toBe("plain");
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter((c) => c === "before").length).toBe(calls.length / 2);
});

test("a signal ends it early, with the best so far", async () => {
  const controller = new AbortController();
  let last: TuneEvent | undefined;
  for await (const event of tune(runtime, source, {
    sizes,
    effort: "full",
    signal: controller.signal,
  })) {
    if (event.type === "candidate" && event.i === 1) controller.abort();
    last = event;
  }
  expect(last).toMatchObject({ type: "done", result: { complete: false, why: "aborted" } });
});

test("a winner that is wrong at other sizes does not win", async () => {
  const bench = await createDeviceBench(runtime, { source, def: "f", sizes });
  const suspicious: typeof bench = {
    ...bench,
    admit: async (candidate, options) =>
      options.sweep === undefined
        ? await bench.admit(candidate, options)
        : { kind: "wrong", gate: "sizes", why: "at M=1: integers: element 0" },
    // Whatever is not the default is far better.
    time: async (ids) => ids.map((id) => ({ us: id === first ? 1000 : 10, kernels: {} })),
  };
  let first = "";
  const events: TuneEvent[] = [];
  const options = { sizes, effort: "normal", budget: 8_000, bench: suspicious } as const;
  for await (const event of tune(runtime, source, options)) {
    if (event.type === "candidate" && event.i === 0) first = event.id;
    events.push(event);
  }
  expect(events).toContainEqual(
    expect.objectContaining({ type: "note", text: expect.stringContaining("at M=1") }),
  );
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("the last event is done");
  expect(last.result.source).toEqual({ kind: "default" });
  expect(last.result.counts.wrong).toBe(1);
  const begun = events.find((e) => e.type === "candidate");
  expect(begun?.type === "candidate" && begun.options).toEqual(last.result.options);
  await bench.close();
});

test("mistakes are told at once: in the source, in options, and in their values", () => {
  const call = (text: string, options: object): (() => unknown) => {
    return () => tune(runtime, text, options as TuneOptions);
  };
  expect(call("def f(float(N) x) -> (y) { y(i) = z(i) }", { sizes: { N: 4 } })).toThrow(TcError);
  expect(call(source, { sizes, efort: "full" })).toThrow(/did you mean "effort"/);
  expect(call(source, { sizes, effort: "most" })).toThrow(/refine, quick, normal, full/);
  expect(call(source, { sizes, budget: -1 })).toThrow(/milliseconds/);
});
