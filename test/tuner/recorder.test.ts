/** A run is recorded while it goes, and what was recorded is the answer of the next one. */
import { describe, expect, it } from "vitest";
import { isUnplanned } from "../../src/api/tuning/planned-task.ts";
import { createPlanner } from "../../src/api/tuning/planner.ts";
import { compile } from "../../src/compile.ts";
import { llvmpipeProfile } from "../../src/support/device-profile.ts";
import { memoryStore, type Store } from "../../src/support/line-store.ts";
import { answerOf, knowledgeOf, type Question, startsOf } from "../../src/tuner/answer.ts";
import type { Refusal } from "../../src/tuner/bench.ts";
import type { Candidate, Planner, TuningTask } from "../../src/tuner/candidate.ts";
import { type Database, databaseOf } from "../../src/tuner/database.ts";
import type { Effort, TuneResult } from "../../src/tuner/events.ts";
import { openDatabase } from "../../src/tuner/open-database.ts";
import { createRecorder, type Recorder } from "../../src/tuner/recorder.ts";
import {
  type Simulated,
  type SimulatedBench,
  simulatedBench,
} from "../../src/tuner/replay-bench.ts";
import { runTuning } from "../../src/tuner/run-tuning.ts";
import { device } from "./support/records.ts";

const rows = `def rows(float(N, M) x) -> (sum, y) {
  sum(n) +=! x(n, m)
  y(n, m) = x(n, m) / sum(n)
}`;
const product = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const generator = "g";

function plannerOf(task: TuningTask): Planner {
  const planner = createPlanner(task, llvmpipeProfile);
  if (isUnplanned(planner)) throw new Error(planner.refused);
  return planner;
}

function planned(planner: Planner, mapping = [...planner.wishes()][0]): Candidate {
  if (mapping === undefined) throw new Error("no wish");
  const candidate = planner.plan(mapping);
  if (isUnplanned(candidate)) throw new Error(candidate.refused);
  return candidate;
}

function questionOf(planner: Planner): Question {
  return { content: planner.content, kernels: planned(planner).kernels, device, generator };
}

/** A device on which every text has a time of its own, split evenly among kernels. */
function timeOf({ id, kernels }: Candidate): Simulated {
  const us = 50 + (Number.parseInt(id.slice(0, 6), 16) % 100);
  const names = kernels.map(({ name }) => name);
  return { us, kernels: Object.fromEntries(names.map((name) => [name, us / names.length])) };
}

/** A planner for which time passes: 100 ms for a plan. */
function slow(planner: Planner, { pass }: SimulatedBench): Planner {
  return {
    ...planner,
    plan: (mapping, alternative) => {
      pass(100);
      return planner.plan(mapping, alternative);
    },
  };
}

interface Run {
  readonly result: TuneResult;
  readonly notes: readonly string[];
  readonly recorder: Recorder;
}

interface Given {
  readonly effort?: Effort;
  readonly time?: (candidate: Candidate) => Simulated | Refusal;
  readonly signal?: AbortSignal;
}

/** Tunes with what the store knows, on a simulated device. */
async function tuned(task: TuningTask, store: Store, given: Given = {}): Promise<Run> {
  const { effort = "refine", time = timeOf, signal } = given;
  const planner = plannerOf(task);
  const { database, store: open } = await openDatabase(store);
  let seconds = 1;
  const now = (): number => seconds++;
  const recorder = createRecorder({ store: open, planner, device, generator, effort, now });
  const simulated = simulatedBench(time, { seed: 3 });
  const question = questionOf(planner);
  const events = runTuning(task, slow(planner, simulated), simulated.bench, {
    effort,
    budget: { candidates: 5 },
    seed: 1,
    now: simulated.now,
    starts: startsOf(database, question),
    ...knowledgeOf(database, device, generator),
    hooks: recorder.hooks,
    ...(signal === undefined ? {} : { signal }),
  });
  const notes: string[] = [];
  for await (const event of events) {
    if (event.type === "note") notes.push(event.text);
    if (event.type !== "done") continue;
    await recorder.won({ ...event.result, swept: true });
    await recorder.close();
    return { result: event.result, notes, recorder };
  }
  throw new Error("it has no end");
}

async function known(store: Store): Promise<Database> {
  return databaseOf(await store.read());
}

const task: TuningTask = { source: product, def: "mm", sizes: { M: 64, K: 48, N: 80 } };

describe("a run that was recorded", () => {
  it("is the exact answer to its task, also by other names, and to no other", async () => {
    const store = memoryStore();
    const { result } = await tuned(task, store);
    const database = await known(store);
    const planner = plannerOf(task);
    const answer = answerOf(database, questionOf(planner));
    expect(answer).toMatchObject({ source: { kind: "exact" }, expectedLoss: 1 });
    expect(answer.us).toBe(result.tuned?.us);
    expect(planned(planner, answer.mapping ?? undefined).mapping).toEqual(result.options);

    const renamed = product.replaceAll("A", "X").replaceAll("C(m, n)", "Z(m, n)");
    const other = plannerOf({ ...task, source: renamed.replace("(C)", "(Z)") });
    const found = answerOf(database, questionOf(other));
    expect(found.source).toEqual({ kind: "exact" });
    const there = planned(other, found.mapping ?? undefined);
    expect(other.canonical(there.mapping)).toEqual(planner.canonical(result.options));

    const asked = questionOf(planner);
    for (const question of [
      { ...asked, generator: "later" },
      { ...asked, device: { ...device, driver: "26" } },
      questionOf(plannerOf({ source: rows, sizes: { N: 64, M: 48 } })),
    ]) {
      expect(answerOf(database, question).source).toEqual({ kind: "default" });
    }
  });

  it("is no exact answer to who asks for more effort", async () => {
    const store = memoryStore();
    await tuned(task, store);
    const asked = questionOf(plannerOf(task));
    const database = await known(store);
    expect(answerOf(database, { ...asked, effort: "refine" }).source.kind).toBe("exact");
    expect(answerOf(database, { ...asked, effort: "quick" }).source.kind).not.toBe("exact");
  });

  it("answers other sizes, legally there, and says so", async () => {
    const store = memoryStore();
    await tuned(task, store);
    const database = await known(store);
    for (const sizes of [
      { M: 128, K: 48, N: 80 },
      { M: 61, K: 47, N: 79 },
      { M: 5, K: 48, N: 80 },
    ]) {
      const planner = plannerOf({ ...task, sizes });
      const { source, mapping, expectedLoss } = answerOf(database, questionOf(planner));
      expect(source).toMatchObject({ kind: "neighbour" });
      expect(expectedLoss).toBeGreaterThan(1);
      expect(planned(planner, mapping ?? undefined).kernels).not.toHaveLength(0);
      expect(startsOf(database, questionOf(planner))[0]?.kind).toBe("neighbour");
    }
  });

  it("answers for its kernels in another program", async () => {
    const store = memoryStore();
    await tuned({ ...task, def: "mm" }, store);
    const source = `def two(float(M, K) A, float(K, N) B, float(L) v) -> (w, D) {
  w(l) = exp(v(l))
  D(m, n) +=! A(m, k) * B(k, n)
}`;
    const planner = plannerOf({ source, sizes: { ...task.sizes, L: 7 } });
    const asked = questionOf(planner);
    const { source: from, mapping } = answerOf(await known(store), asked);
    const kernel = asked.kernels?.find((k) => k.key.startsWith("key:") && k.extents.length === 3);
    expect(from).toMatchObject({ kind: "neighbour" });
    expect(Object.keys(mapping?.kernels ?? {})).toEqual([kernel?.name]);
    const candidate = planned(planner, mapping ?? undefined);
    expect(candidate.repairs).toBe(0);
    const compiled = compile(source, {
      sizes: { ...task.sizes, L: 7 },
      profile: llvmpipeProfile,
      padded: true,
      options: mapping ?? "naive",
    });
    expect(compiled.ok && compiled.unusedChoices).toEqual([]);
  });

  it("answers in under a millisecond, with ten thousand records", async () => {
    const store = memoryStore();
    await tuned(task, store);
    const lines = await store.read();
    const many = Array.from({ length: 10_000 }, (_, n) => {
      const parsed = JSON.parse(lines[n % lines.length] ?? "");
      const sizes = parsed.key.sizes.map((s: number) => s + Math.floor(n / lines.length));
      return JSON.stringify({ ...parsed, key: { ...parsed.key, sizes } });
    });
    const database = databaseOf(many);
    expect(database.records.length).toBe(10_000);
    const asked = questionOf(plannerOf(task));
    const near = { ...asked, content: { ...asked.content, extents: [64, 47, 80] } };
    for (const question of [asked, near]) {
      // The least of many: others use this machine, too.
      const times = Array.from({ length: 50 }, () => {
        const begin = performance.now();
        answerOf(database, question);
        return performance.now() - begin;
      });
      expect(Math.min(...times)).toBeLessThan(1);
    }
  });

  it("makes the next one begin with its winner, and try nothing again that failed", async () => {
    const store = memoryStore();
    const failing = new Set<string>();
    const usual = planned(plannerOf(task));
    const time = (candidate: Candidate): Simulated | Refusal => {
      const found = timeOf(candidate);
      if (candidate.id === usual.id) return found;
      failing.add(candidate.id);
      return { kind: "wrong", gate: "integers", why: "one element" };
    };
    const first = await tuned(task, store, { time });
    expect(first.result.counts.wrong).toBeGreaterThan(0);
    const before = new Set(failing);
    failing.clear();
    await tuned(task, store, { time });
    for (const id of failing) expect(before.has(id)).toBe(false);
  });
});

describe("what is known to be slow", () => {
  it("is so beside others of the same at the same sizes, not beside whatever is short", async () => {
    const store = memoryStore();
    await tuned(task, store);
    const slowly = (candidate: Candidate): Simulated => ({ us: 100 * timeOf(candidate).us });
    await tuned({ ...task, sizes: { M: 128, K: 48, N: 80 } }, store, { time: slowly });
    const { known: times } = knowledgeOf(await known(store), device, generator);
    expect(Math.min(...times.values())).toBe(1);
    // The times of one run are within a factor of three.
    expect(Math.max(...times.values())).toBeLessThan(4);
  });
});

describe("a candidate in flight", () => {
  it("when a process ends is skipped from then on, with the one kernel that may be to blame", async () => {
    const store = memoryStore();
    const planner = plannerOf(task);
    const candidate = planned(planner);
    const now = (): number => 1;
    const options = { store, planner, device, generator, effort: "refine", now } as const;
    await createRecorder(options).hooks.trying?.(candidate);
    const { skip } = knowledgeOf(await known(store), device, generator);
    expect([...skip].sort()).toEqual([candidate.id, candidate.kernels[0]?.text].sort());
    expect(knowledgeOf(await known(store), { ...device, driver: "26" }, generator).skip.size).toBe(
      0,
    );
  });

  it("when a run is given up is not", async () => {
    const store = memoryStore();
    const abort = new AbortController();
    let count = 0;
    const { result } = await tuned(task, store, {
      signal: abort.signal,
      time: (candidate) => {
        count += 1;
        if (count === 3) abort.abort();
        return timeOf(candidate);
      },
    });
    expect(result.why).toBe("aborted");
    const database = await known(store);
    expect(knowledgeOf(database, device, generator).skip.size).toBe(0);
    expect(database.records.some((r) => r.outcome.kind === "unfinished")).toBe(true);
    expect(database.records.some((r) => r.outcome.kind === "ok" && r.outcome.won)).toBe(false);
  });
});

describe("a store that fails", () => {
  it("while it is written is told once, and the run goes on to the same end", async () => {
    const full: Store = {
      ...memoryStore(),
      append: () => Promise.reject(new Error("db.jsonl cannot be written: the disk is full")),
    };
    const planner = plannerOf(task);
    const now = (): number => 1;
    const options = { store: full, planner, device, generator, effort: "refine", now } as const;
    const recorder = createRecorder(options);
    const simulated = simulatedBench(timeOf, { seed: 3 });
    const run = runTuning(task, slow(planner, simulated), simulated.bench, {
      effort: "refine",
      seed: 1,
      now: simulated.now,
      hooks: recorder.hooks,
    });
    const notes: string[] = [];
    let result: TuneResult | null = null;
    for await (const event of run) {
      if (event.type === "note") notes.push(event.text);
      if (event.type === "done") result = event.result;
    }
    expect(notes).toEqual(["not recorded: db.jsonl cannot be written: the disk is full"]);
    expect(result?.options).toEqual((await tuned(task, memoryStore())).result.options);
    expect(recorder.records().length).toBeGreaterThan(4);
  });

  it("when it is read holds nothing, and is told", async () => {
    const store: Store = { ...memoryStore(), read: () => Promise.reject(new Error("no disk")) };
    const { database, notes } = await openDatabase(store);
    expect(database.records).toEqual([]);
    expect(notes).toEqual(["nothing is known of earlier runs: no disk"]);
  });

  it("to be one of ours is never written to", async () => {
    const store = memoryStore(["# My notes", "- buy milk"]);
    const { notes } = await openDatabase(store);
    expect(notes).toHaveLength(1);
    await tuned(task, store);
    expect(await store.read()).toEqual(["# My notes", "- buy milk"]);
  });
});
