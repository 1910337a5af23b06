import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type TuneOptions, tune } from "../../../src/api/tuning/tune.ts";
import { openRuntime, type Runtime, TcError } from "../../../src/node.ts";
import type { Admitted, Bench, Refusal } from "../../../src/tuner/bench.ts";
import type { TuneEvent, TuneResult } from "../../../src/tuner/events.ts";

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

test("kernels of a program are credited with what they took on the device", async () => {
  const two = `def two(float(N, N) a, float(N, N) b) -> (c, d) {
  c(m, n) +=! a(m, k) * b(k, n)
  d(m, n) +=! c(m, k) * b(k, n)
}`;
  const told: (readonly string[])[] = [];
  const hooks: TuneOptions["hooks"] = {
    measured: ({ candidate, kernels }) => {
      expect(Object.keys(kernels)).toEqual(candidate.kernels.map(({ name }) => name));
      told.push(Object.keys(kernels));
    },
  };
  const options = { sizes: { N: 64 }, effort: "refine", budget: 3_000, hooks } as const;
  for await (const event of tune(runtime, two, options)) {
    if (event.type === "note") expect(event.text).toBe("");
  }
  expect(told).toContainEqual(["c", "d"]);
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

/** Admits and times all candidates alike, at once. */
const indifferent: Bench = {
  clock: { kind: "replay", quantumNs: 1 },
  admit: async () => ({ kind: "ok", firstMs: 1, roughUs: 100 }),
  time: async (ids) => ids.map(() => ({ us: 100, kernels: {} })),
  release: () => undefined,
  close: async () => undefined,
};

test("while nobody asks for the next event it pauses, and its clock stands still", async () => {
  const { profile, adapter } = runtime;
  const budget = 4_000;
  const options = { sizes, effort: "refine", budget, bench: indifferent } as const;
  let last: TuneEvent | undefined;
  for await (const event of tune({ profile, adapter }, source, options)) {
    if (event.type === "candidate" && event.i === 0) {
      await new Promise((resolve) => setTimeout(resolve, budget + 100));
    }
    last = event;
  }
  if (last?.type !== "done") throw new Error("the last event is done");
  expect(last.result).toMatchObject({ complete: true });
  expect(last.result.counts.ok).toBeGreaterThan(1);
  expect(last.result.elapsedMs).toBeLessThan(budget);
});

test("needs a device, or a bench", async () => {
  const { profile, adapter } = runtime;
  const events = tune({ profile, adapter }, source, { sizes })[Symbol.asyncIterator]();
  await expect(events.next()).rejects.toThrow(/without a device, give a `bench`/);
});

/**
 * A search in which whatever is not the default is far better, the later it comes the more; the gates at other sizes say
 * what is given for each that is asked about, one after the other.
 */
async function searchWith(
  ...elsewhere: readonly (Admitted | Refusal)[]
): Promise<readonly TuneEvent[]> {
  const times = new Map<string, number>();
  const asked: string[] = [];
  const bench: Bench = {
    clock: { kind: "replay", quantumNs: 1 },
    admit: async ({ id }, { sweep }) => {
      const roughUs = times.get(id) ?? 1000 / (1 + times.size) ** 2;
      times.set(id, roughUs);
      if (sweep === undefined) return { kind: "ok", firstMs: 0, roughUs };
      if (!asked.includes(id)) asked.push(id);
      return elsewhere[Math.min(asked.indexOf(id), elsewhere.length - 1)] as Admitted | Refusal;
    },
    time: async (ids) => ids.map((id) => ({ us: times.get(id) ?? 0, kernels: {} })),
    release: () => undefined,
    close: async () => undefined,
  };
  const events: TuneEvent[] = [];
  const options = { sizes, effort: "refine", budget: 600_000, bench } as const;
  for await (const event of tune(runtime, source, options)) events.push(event);
  return events;
}

function resultIn(events: readonly TuneEvent[]): TuneResult {
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("the last event is done");
  return last.result;
}

const wrongElsewhere: Refusal = {
  kind: "wrong",
  gate: "sizes",
  why: "at M=1: integers: element 0",
};
const rightElsewhere: Admitted = { kind: "ok", firstMs: 0, roughUs: 10 };

/** The options of the candidates that ran, the fastest first. */
function rankingIn(events: readonly TuneEvent[]): readonly object[] {
  const ran = events.flatMap((e) => (e.type === "candidate" && e.status === "ok" ? [e] : []));
  return ran.toSorted((a, b) => (a.us ?? 0) - (b.us ?? 0)).map(({ options }) => options);
}

test("a winner that is wrong at other sizes does not win: the next best that is right there does", async () => {
  const events = await searchWith(wrongElsewhere, rightElsewhere);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "note", text: expect.stringContaining("at M=1") }),
  );
  const [, second] = rankingIn(events);
  const result = resultIn(events);
  expect(result).toMatchObject({ source: { kind: "tuned" }, swept: true, counts: { wrong: 1 } });
  expect(result.options).toEqual(second);
  expect(result.ratio).toBeCloseTo((result.tuned?.us ?? 0) / (result.default?.us ?? 1));
  expect(result.ratio).toBeLessThan(1);
});

test("the default wins where all finalists are wrong at other sizes, or nobody knows after one is", async () => {
  for (const then of [wrongElsewhere, { kind: "timeout", ms: 1 } as const]) {
    const events = await searchWith(wrongElsewhere, then);
    const result = resultIn(events);
    const wrong = then === wrongElsewhere ? 2 : 1;
    expect(result).toMatchObject({ source: { kind: "default" }, swept: false, counts: { wrong } });
    expect(result.ratio).toBe(1);
    const begun = events.find((e) => e.type === "candidate");
    expect(begun?.type === "candidate" && begun.options).toEqual(result.options);
  }
});

test("a winner is called right at other sizes only after the gates were passed at all of them", async () => {
  const right = await searchWith(rightElsewhere);
  expect(resultIn(right)).toMatchObject({ source: { kind: "tuned" }, swept: true });
  const unknown = await searchWith({ kind: "timeout", ms: 1 });
  expect(resultIn(unknown)).toMatchObject({ source: { kind: "tuned" }, swept: false });
});

test("a budget counts from the call, and ends the run whatever its bench does", async () => {
  let isClosed = false;
  const bench = async (): Promise<Bench> => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return {
      clock: { kind: "replay", quantumNs: 1 },
      admit: () => new Promise<never>(() => undefined),
      time: () => new Promise<never>(() => undefined),
      release: () => undefined,
      close: async () => {
        isClosed = true;
      },
    };
  };
  const result = resultIn(await eventsOf({ sizes, budget: 600, bench }));
  expect(result).toMatchObject({ source: { kind: "default" }, complete: false, why: "budget" });
  expect(result.elapsedMs).toBeGreaterThanOrEqual(300);
  expect(isClosed).toBe(true);
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
