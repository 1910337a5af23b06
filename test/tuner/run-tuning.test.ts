import { expect, test } from "vitest";
import { defined } from "../../src/support/assert.ts";
import type { Mapping } from "../../src/support/mapping-file.ts";
import type { Bench } from "../../src/tuner/bench.ts";
import { isRefusal, type Refusal } from "../../src/tuner/bench.ts";
import type { TuneEvent, TuneResult } from "../../src/tuner/events.ts";
import { type Landscape, recordedCandidates, replayPlanner } from "../../src/tuner/landscape.ts";
import {
  replayBench,
  type SimulatedBench,
  type SimulationOptions,
  simulatedBench,
} from "../../src/tuner/replay-bench.ts";
import { runTuning } from "../../src/tuner/run-tuning.ts";
import type { TuningOptions } from "../../src/tuner/session.ts";
import { bestUs, gemmLandscapes } from "./gemm-landscapes.ts";

function landscapeAt(n: number): Landscape {
  return defined(gemmLandscapes[n], "landscape", n);
}

const small = landscapeAt(1);
const landscape = landscapeAt(5);

interface Run {
  readonly events: readonly TuneEvent[];
  readonly result: TuneResult;
  readonly simulated: SimulatedBench;
}

/** A run on a landscape, to its end. */
async function tune(
  on: Landscape,
  options: Partial<TuningOptions> = {},
  simulation: Partial<SimulationOptions> = {},
  simulated = replayBench(on, { seed: 1, ...simulation }),
): Promise<Run> {
  const events: TuneEvent[] = [];
  const run = runTuning(on.task, replayPlanner(on), simulated.bench, {
    effort: "quick",
    seed: 1,
    now: simulated.now,
    ...options,
  });
  for await (const event of run) events.push(event);
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("the last event is not `done`");
  return { events, result: last.result, simulated };
}

/** The recorded time of what was found. */
function trueUs(on: Landscape, { options }: TuneResult): number {
  const text = JSON.stringify(options);
  const at = recordedCandidates(on).findIndex((c) => JSON.stringify(c.mapping) === text);
  return on.points[at]?.us ?? Number.POSITIVE_INFINITY;
}

test("a run finds a mapping near the best of a recorded landscape, and tells of it in order", async () => {
  const { events, result } = await tune(landscape, { effort: "normal" });
  expect(events[0]).toMatchObject({ type: "start", def: "gemm", effort: "normal", seed: 1 });
  expect(events.filter((e) => e.type === "candidate")[0]).toMatchObject({
    i: 0,
    from: { kind: "default" },
    status: "ok",
  });
  expect(trueUs(landscape, result)).toBeLessThan(1.03 * bestUs(landscape));
  expect(result).toMatchObject({ source: { kind: "tuned" }, complete: true });
  expect(result.tuned?.us).toBeLessThan(0.5 * (result.default?.us ?? 0));
  const best = events.filter((e) => e.type === "best").map((e) => e.us);
  expect(best.length).toBeGreaterThan(0);
});

test("two runs with one seed on a replayed landscape tell the same events", async () => {
  const [one, two] = [await tune(landscape), await tune(landscape)];
  expect(two.events).toEqual(one.events);
  const other = await tune(landscape, { seed: 2 });
  expect(other.events).not.toEqual(one.events);
});

test("no candidate is compiled twice, and no more than the budget", async () => {
  const { events, result } = await tune(landscape, { budget: { candidates: 10 } });
  const ids = events.flatMap((e) => (e.type === "candidate" ? [e.id] : []));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(10);
  expect(result).toMatchObject({ why: "budget", complete: true, counts: { ok: 10 } });
});

test("a space that is searched through ends the run before its budget", async () => {
  const { result } = await tune(landscape, { effort: "full" });
  expect(result).toMatchObject({ why: "exhausted", complete: true });
  expect(result.counts.ok).toBe(landscape.points.length);
});

test("a search that ends late leaves the duel its time, of what is kept for proofs", async () => {
  const slow: Landscape = {
    ...landscape,
    points: landscape.points.map((p) => ({ ...p, firstMs: 600 })),
  };
  const simulated = replayBench(slow, { seed: 1, noise: 0.2 });
  let late = 0;
  const bench: Bench = {
    ...simulated.bench,
    // A driver that cannot be stopped until the search should have ended long ago.
    admit: async (candidate, asked) => {
      if (simulated.now() > 10_000 && late === 0) {
        late = 17_200 - simulated.now();
        simulated.pass(late);
      }
      return await simulated.bench.admit(candidate, asked);
    },
  };
  const options = { effort: "normal", budget: { ms: 20_000 }, reserveMs: 3_000 } as const;
  const { result } = await tune(slow, options, {}, { ...simulated, bench });
  expect(late).toBeGreaterThan(0);
  expect(result).toMatchObject({ source: { kind: "tuned" }, why: "budget" });
  expect(result.default?.n).toBeGreaterThanOrEqual(8);
  expect(result.elapsedMs).toBeGreaterThan(17_000);
  expect(result.elapsedMs).toBeLessThan(1.02 * 20_000);
});

test("time that compilations take counts", async () => {
  const slow: Landscape = {
    ...small,
    points: small.points.map((p) => ({ ...p, firstMs: 900 })),
  };
  const { result } = await tune(slow);
  expect(result.why).toBe("budget");
  expect(result.counts.ok).toBeGreaterThanOrEqual(4);
  expect(result.counts.ok).toBeLessThanOrEqual(5);
  expect(result.elapsedMs).toBeLessThan(5_000);
  expect(trueUs(slow, result)).toBeLessThan(slow.points[slow.default]?.us ?? 0);
});

test("a run ends when its time is over, with its duel, however long compilations take", async () => {
  for (const [seed, firstMs] of [150, 700, 1_900, 30_000].entries()) {
    // Some take ten times as long as those before, so that nobody expects it.
    const slow: Landscape = {
      ...small,
      points: small.points.map((p, n) => ({ ...p, firstMs: n % 7 === 3 ? 10 * firstMs : firstMs })),
    };
    const refused: string[] = [];
    const hooks: TuningOptions["hooks"] = { refused: ({ id }) => void refused.push(id) };
    const { events, result } = await tune(slow, { seed, hooks, budget: { ms: 10_000 } });
    expect(result.elapsedMs).toBeLessThan(10_050);
    const cut = events.filter((e) => e.type === "candidate" && e.why?.includes("want of time"));
    // Nothing is known of what was given up.
    expect(cut.map((e) => (e.type === "candidate" ? e.status : ""))).toEqual(
      cut.map(() => "timeout"),
    );
    expect(refused.filter((id) => cut.some((e) => e.type === "candidate" && e.id === id))).toEqual(
      [],
    );
    const isDefaultCut = firstMs > 10_000;
    expect(result.complete).toBe(!isDefaultCut);
    expect(result.tuned === null).toBe(isDefaultCut);
    if (isDefaultCut) expect(events.map((e) => e.type)).toContain("note");
  }
});

test("of compilations that never end each is given less time than the one before: a tenth of a run, half of that, a third", async () => {
  const endless: Landscape = {
    ...landscape,
    points: landscape.points.map((p, n) => ({ ...p, firstMs: n % 3 === 1 ? 1e9 : 20 })),
  };
  const simulated = replayBench(endless, { seed: 1 });
  const waited: number[] = [];
  const bench: Bench = {
    ...simulated.bench,
    admit: async (candidate, options) => {
      const outcome = await simulated.bench.admit(candidate, options);
      if (outcome.kind === "timeout") waited.push(outcome.ms);
      return outcome;
    },
  };
  const ms = 20_000;
  await tune(endless, { budget: { ms } }, {}, { ...simulated, bench });
  expect(waited.length).toBeGreaterThan(3);
  for (const [n, own] of waited.entries()) expect(own).toBeLessThanOrEqual((0.1 * ms) / (n + 1));
});

test("the time of an effort does not keep the default from being compiled", async () => {
  const slow: Landscape = { ...small, points: small.points.map((p) => ({ ...p, firstMs: 3_000 })) };
  const { result } = await tune(slow, { effort: "refine" });
  expect(result).toMatchObject({ complete: true, source: { kind: "default" }, counts: { ok: 1 } });
  expect(result.tuned).not.toBeNull();
});

test("slow executions do not move the end", async () => {
  for (const us of [20_000, 200_000]) {
    const slow: Landscape = {
      ...landscape,
      points: landscape.points.map((p) => ({ ...p, us: us * (1 + (p.us ?? 1) / 1e5) })),
    };
    const { result } = await tune(slow, { budget: { ms: 5_000 } });
    expect(result.elapsedMs).toBeLessThan(5_000 + us / 500);
    expect(result.complete).toBe(true);
  }
});

test("a bench that never answers again does not move the end either", async () => {
  const simulated = replayBench(landscape, { seed: 1 });
  let admitted = 0;
  const bench = {
    ...simulated.bench,
    admit: (...args: Parameters<typeof simulated.bench.admit>) =>
      ++admitted < 15 ? simulated.bench.admit(...args) : new Promise<never>(() => {}),
  };
  const deadline = AbortSignal.timeout(50);
  const { result } = await tune(landscape, { deadline }, {}, { ...simulated, bench });
  expect(result).toMatchObject({ why: "budget", complete: false, source: { kind: "tuned" } });
});

test("of the best that are told each is better than the one before, and none is slower than the default", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const drift = (ms: number): number => 1 + 0.3 * Math.sin(ms / 40 + seed);
    const noisy = { seed, noise: 0.15, disturbed: 0.1, drift };
    const on = landscapeAt(seed % gemmLandscapes.length);
    const { events, result } = await tune(on, { seed }, noisy);
    const best = events.flatMap((e) => (e.type === "best" ? [e] : []));
    expect(best.length).toBeGreaterThan(0);
    expect(new Set(best.map((e) => e.defaultUs)).size).toBe(1);
    for (const [n, { us, defaultUs }] of best.entries()) {
      expect(us).toBeLessThanOrEqual(defaultUs);
      expect(us).toBeLessThan(best[n - 1]?.us ?? Number.POSITIVE_INFINITY);
    }
    expect(result.ratio).toBeLessThanOrEqual(result.source.kind === "tuned" ? 0.98 : 1);
  }
});

test("a signal ends the run with the best so far, even while the bench does not answer", async () => {
  const stop = new AbortController();
  const simulated = replayBench(landscape, { seed: 1 });
  let admitted = 0;
  const bench = {
    ...simulated.bench,
    admit: (...args: Parameters<typeof simulated.bench.admit>) => {
      if (++admitted < 15) return simulated.bench.admit(...args);
      stop.abort();
      return new Promise<never>(() => {});
    },
  };
  const { result } = await tune(landscape, { signal: stop.signal }, {}, { ...simulated, bench });
  expect(result).toMatchObject({ why: "aborted", complete: false, source: { kind: "tuned" } });
  expect(trueUs(landscape, result)).toBeLessThan(landscape.points[landscape.default]?.us ?? 0);
});

test("a signal ends the run while candidates are planned", async () => {
  const stop = new AbortController();
  const slow = replayPlanner(landscape);
  let planned = 0;
  const planner = {
    ...slow,
    plan: (...args: Parameters<typeof slow.plan>) => {
      // Asked for by a timer, which gets no turn unless the run gives it one.
      if (++planned === 20) setTimeout(() => stop.abort(), 0);
      const end = performance.now() + 10;
      while (performance.now() < end);
      return slow.plan(...args);
    },
  };
  const { bench, now } = replayBench(landscape, { seed: 1 });
  const run = runTuning(landscape.task, planner, bench, {
    ...({ effort: "full", seed: 1, now, signal: stop.signal } as const),
  });
  const events: TuneEvent[] = [];
  for await (const event of run) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: "done", result: { why: "aborted" } });
  expect(planned).toBeLessThan(40);
});

test("a signal that was given before the start leaves the default", async () => {
  const { events, result } = await tune(landscape, { signal: AbortSignal.abort() });
  expect(events.map((e) => e.type)).toEqual(["start", "done"]);
  expect(result).toMatchObject({ why: "aborted", source: { kind: "default" }, tuned: null });
});

/** A bench on which some candidates, counted by their admissions from 0, are refused. */
function refusing(which: (n: number) => Refusal | null): SimulatedBench {
  const times = new Map(
    recordedCandidates(landscape).map((c, n) => [c.id, landscape.points[n]?.us ?? 1]),
  );
  let n = 0;
  return simulatedBench(({ id }) => which(n++) ?? { us: times.get(id) ?? 1 }, { seed: 1 });
}

test("what is refused is remembered and told, and the run goes on", async () => {
  const kinds: Refusal[] = [
    { kind: "invalid", why: "a" },
    { kind: "wrong", gate: "integers", why: "b" },
    { kind: "timeout", ms: 5 },
    { kind: "out-of-memory", why: "c" },
    { kind: "lost", why: "d" },
  ];
  const told: string[] = [];
  const simulated = refusing((n) => (n % 2 === 1 ? (kinds[(n - 1) / 2] ?? null) : null));
  const hooks: TuningOptions["hooks"] = {
    refused: (_, refusal) => void told.push(refusal.kind),
  };
  const budget = { ms: 60_000 };
  const { events, result } = await tune(landscape, { hooks, budget }, {}, simulated);
  expect(told).toEqual(kinds.map((k) => k.kind));
  const statuses = events.flatMap((e) => (e.type === "candidate" ? [e.status] : []));
  expect(statuses).toEqual(expect.arrayContaining(told));
  expect(result.counts).toMatchObject({
    ok: 19,
    invalid: 1,
    wrong: 1,
    timeout: 1,
    "out-of-memory": 1,
    lost: 1,
  });
  expect(result.why).toBe("budget");
});

test("three losses in a row end the run with the best so far", async () => {
  const lost = await tune(
    landscape,
    {},
    {},
    refusing((n) => (n > 12 ? { kind: "lost", why: "gone" } : null)),
  );
  expect(lost.result).toMatchObject({ why: "lost", complete: false, counts: { ok: 13, lost: 3 } });
  expect(lost.result.source).toEqual({ kind: "tuned" });
  const between = refusing((n) => (n % 3 !== 0 ? { kind: "lost", why: "now and then" } : null));
  expect((await tune(landscape, {}, {}, between)).result.why).not.toBe("lost");
});

test("a bench that rejects has lost the candidate", async () => {
  const { bench, ...simulated } = replayBench(landscape, { seed: 1 });
  const admit = (): Promise<never> => Promise.reject(new Error("broken pipe"));
  const run = await tune(landscape, {}, {}, { ...simulated, bench: { ...bench, admit } });
  expect(run.result).toMatchObject({ why: "lost", complete: false, counts: { lost: 3 } });
  expect(run.events.find((e) => e.type === "candidate")).toMatchObject({ why: "broken pipe" });
});

test("what is known to be bad is skipped, and what is known to be slow is not tried again", async () => {
  const candidates = recordedCandidates(landscape);
  const bad = candidates.slice(20).map((c) => c.id);
  const known = new Map(candidates.slice(0, 20).map((c, n) => [c.id, n < 8 ? 1 : 100]));
  const { events } = await tune(landscape, { skip: new Set(bad), known });
  const ids = events.flatMap((e) => (e.type === "candidate" ? [e.id] : []));
  const [byDefault] = ids;
  expect(ids.filter((id) => bad.includes(id))).toEqual([]);
  expect(ids.filter((id) => known.get(id) === 100)).toEqual([byDefault]);
});

test("candidates that facts call hopeless are counted and never compiled", async () => {
  const planner = replayPlanner(landscape);
  const simulated = replayBench(landscape, { seed: 1 });
  const events: TuneEvent[] = [];
  const isVetoed = (id: string): boolean => Number(id.split("#")[1]) % 2 === 0;
  const tuning = runTuning(
    landscape.task,
    {
      ...planner,
      plan: (mapping, alternative) => {
        const planned = planner.plan(mapping, alternative);
        if ("refused" in planned || !isVetoed(planned.id)) return planned;
        // None of the fast ones: those show that facts are worth nothing here.
        const kernels = planned.kernels.map((k) => ({ ...k, vetoes: ["spills"] }));
        return { ...planned, kernels };
      },
    },
    {
      ...simulated.bench,
      admit: (candidate, options) => {
        const isSeed = candidate.id.endsWith(`#${landscape.default}`);
        expect(isVetoed(candidate.id) && !isSeed).toBe(false);
        return simulated.bench.admit(candidate, options);
      },
    },
    { effort: "full", seed: 1, now: simulated.now },
  );
  for await (const event of tuning) events.push(event);
  const last = events.at(-1);
  const result = last?.type === "done" ? last.result : null;
  expect(result?.counts.vetoed).toBeGreaterThan(10);
  expect(events.filter((e) => e.type === "candidate" && e.status === "vetoed")).toHaveLength(
    result?.counts.vetoed ?? 0,
  );
});

test("facts veto nothing on a device on which what they call hopeless is the fastest", async () => {
  const planner = replayPlanner(landscape);
  const best = recordedCandidates(landscape).find(
    (_, n) => landscape.points[n]?.us === bestUs(landscape),
  );
  const { bench, now } = replayBench(landscape, { seed: 1 });
  const counts = async (designs: readonly Mapping[]): Promise<Readonly<Record<string, number>>> => {
    const plan: typeof planner.plan = (mapping, alternative) => {
      const planned = planner.plan(mapping, alternative);
      if ("refused" in planned) return planned;
      return { ...planned, kernels: planned.kernels.map((k) => ({ ...k, vetoes: ["spills"] })) };
    };
    const planners = { ...planner, plan, designs: () => designs };
    const run = runTuning(landscape.task, planners, bench, { effort: "quick", seed: 1, now });
    for await (const event of run) if (event.type === "done") return event.result.counts;
    return {};
  };
  // The default is vetoed, too: a measured one of the fastest says that vetoes are worth nothing.
  expect(await counts([defined(best, "candidate", 0).mapping])).toMatchObject({ vetoed: 0 });
});

test("designs are tried after the seeds, whatever facts say of them", async () => {
  const planner = replayPlanner(landscape);
  const own = recordedCandidates(landscape).slice(-4);
  const { bench, now } = replayBench(landscape, { seed: 1 });
  const planners = { ...planner, designs: () => own.map(({ mapping }) => mapping) };
  const run = runTuning(landscape.task, planners, bench, { effort: "quick", seed: 1, now });
  const kinds = new Map<string, string>();
  for await (const e of run) if (e.type === "candidate") kinds.set(e.id, e.from.kind);
  expect(own.map(({ id }) => kinds.get(id))).toEqual(own.map(() => "design"));
  expect([...kinds.values()].indexOf("design")).toBeLessThan([...kinds.values()].indexOf("step"));
});

test("hooks are told before a launch and after a comparison; one that fails is noted once", async () => {
  const trying: string[] = [];
  const measured = new Set<string>();
  const { events } = await tune(landscape, {
    hooks: {
      trying: ({ id }) => void trying.push(id),
      measured: ({ candidate, figures, default: byDefault }) => {
        measured.add(candidate.id);
        expect(trying).toContain(candidate.id);
        expect(figures.n).toBe(figures.samples.length);
        expect(byDefault?.us).toBeGreaterThan(0);
        throw new Error("disk full");
      },
    },
  });
  const ids = events.flatMap((e) => (e.type === "candidate" ? [e.id] : []));
  expect(trying).toEqual(ids);
  expect(measured.size).toBeGreaterThan(10);
  expect(events.flatMap((e) => (e.type === "note" ? [e.text] : []))).toEqual([
    "not recorded: disk full",
  ]);
});

test("starts are tried before all but the default, and refine tries little else", async () => {
  const candidates = recordedCandidates(landscape);
  const best = landscape.points.findIndex((p) => p.us === bestUs(landscape));
  const starts = [3, best, 7].map((n) => ({
    mapping: candidates[n]?.mapping ?? { version: 2 as const },
    kind: "neighbour",
  }));
  const { events, result } = await tune(landscape, { effort: "refine", starts });
  const tried = events.flatMap((e) => (e.type === "candidate" ? [e] : []));
  expect(tried.slice(1, 4).map((e) => e.id)).toEqual([3, best, 7].map((n) => candidates[n]?.id));
  expect(tried.length).toBeLessThanOrEqual(5);
  expect(trueUs(landscape, result)).toBe(bestUs(landscape));
});

test("a default that does not run leaves the best of the others, beside no default", async () => {
  const { result } = await tune(
    landscape,
    {},
    {},
    refusing((n) => (n === 0 ? { kind: "invalid", why: "no" } : null)),
  );
  expect(result).toMatchObject({ default: null, source: { kind: "tuned" } });
  expect(result.tuned?.us).toBeGreaterThan(0);
});

test("refusals are told apart from times", () => {
  expect(isRefusal({ kind: "ok", firstMs: 1, roughUs: 1 })).toBe(false);
  expect(isRefusal({ kind: "timeout", ms: 1 })).toBe(true);
  expect(isRefusal({ us: 1, kernels: {} })).toBe(false);
});
