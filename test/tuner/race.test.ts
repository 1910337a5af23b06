import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/support/random.ts";
import type { Bench } from "../../src/tuner/bench.ts";
import type { Candidate } from "../../src/tuner/candidate.ts";
import { duel, type Finalist, winnerOf } from "../../src/tuner/duel.ts";
import { type Raced, race } from "../../src/tuner/race.ts";
import { type SimulationOptions, simulatedBench } from "../../src/tuner/replay-bench.ts";
import { median, rankOf } from "../../src/tuner/statistics.ts";

const wait = <T>(promise: Promise<T>): Promise<T> => promise;

function candidateOf(id: string): Candidate {
  return {
    id,
    alternative: null,
    mapping: { version: 2 },
    knobs: [],
    kernels: [],
    structure: "",
    repairs: 0,
    statements: 1,
    workspace: 0,
  };
}

/** A bench that holds candidates of these times, named by their place. */
async function benchOf(
  times: readonly number[],
  options: SimulationOptions,
): Promise<{ readonly bench: Bench; readonly ids: readonly string[]; now: () => number }> {
  const { bench, now } = simulatedBench(({ id }) => ({ us: times[Number(id)] ?? 1 }), options);
  const ids = times.map((_, n) => String(n));
  for (const id of ids) await bench.admit(candidateOf(id), { timeoutMs: 1 });
  return { bench, ids, now };
}

async function lastOf<T>(run: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const next = await run.next();
    if (next.done === true) return next.value;
  }
}

/** The place of the best of a race, by its rank. */
function bestOf(raced: ReadonlyMap<string, Raced>, bench: Bench): number {
  const [best] = [...raced].sort(
    ([, a], [, b]) => rankOf(a.samples, bench.clock) - rankOf(b.samples, bench.clock),
  );
  return Number(best?.[0]);
}

/** 48 candidates between 100 and 300 microseconds. */
function field(seed: number): readonly number[] {
  const random = seededRandom(seed);
  return Array.from({ length: 48 }, () => 100 + 200 * random.next());
}

/** The mean regret of races: how much longer than the best the one takes that was found best. */
async function meanRegret(options: Omit<SimulationOptions, "seed">): Promise<number> {
  const regrets: number[] = [];
  for (let seed = 1; seed <= 40; seed++) {
    const times = field(seed);
    const { bench, ids } = await benchOf(times, { seed, ...options });
    const run = race(bench, ids, {
      sentinel: { id: "0", us: null },
      random: seededRandom(seed),
      stages: 4,
      isOver: () => false,
      isLate: () => false,
      wait,
    });
    const found = times[bestOf(await lastOf(run), bench)] ?? Number.NaN;
    regrets.push(found / Math.min(...times) - 1);
  }
  return regrets.reduce((sum, r) => sum + r, 0) / regrets.length;
}

/** A laptop that gets warm, in waves. */
const laptop = (ms: number): number =>
  1 + 0.2 * (1 - Math.exp(-ms / 50)) + 0.05 * Math.sin(ms / 20);

describe("races lose little beside the best of 48", () => {
  test.each([
    ["on a quiet machine", { noise: 0.02, disturbed: 0 }, 0.005],
    ["on one that is disturbed", { noise: 0.03, disturbed: 0.05 }, 0.01],
    ["on one that drifts by a quarter", { noise: 0.02, drift: laptop }, 0.01],
    ["on a clock with steps of 65 microseconds", { noise: 0.02, quantumNs: 65_536 }, 0.01],
  ])("%s", async (_, options, most) => {
    expect(await meanRegret(options)).toBeLessThan(most);
  });
});

test("the sentinel takes the drift out: samples stay on the scale of its time", async () => {
  const { bench, ids } = await benchOf([100, 100, 100, 100, 200], {
    seed: 1,
    noise: 0,
    disturbed: 0,
    drift: (ms) => 1 + ms / 10,
  });
  const raced = await lastOf(
    race(bench, ids, {
      sentinel: { id: "0", us: 100 },
      random: seededRandom(1),
      stages: 3,
      isOver: () => false,
      isLate: () => false,
      wait,
    }),
  );
  for (const [id, { samples }] of raced) {
    expect(median(samples) / (id === "4" ? 200 : 100)).toBeCloseTo(1, 1);
  }
});

test("a sentinel that is alone is timed more than once: what one sample says is no scale", async () => {
  const { bench, ids } = await benchOf([100], { seed: 1 });
  const found = await lastOf(
    race(bench, ids, {
      sentinel: { id: "0", us: null },
      random: seededRandom(1),
      stages: 3,
      isOver: () => false,
      isLate: () => false,
      wait,
    }),
  );
  expect(found.get("0")?.samples).toHaveLength(3);
});

test("those far behind leave early; four stay", async () => {
  const { bench, ids } = await benchOf([100, 101, 102, 103, 104, 900, 160, 900, 900], { seed: 1 });
  const raced = await lastOf(
    race(bench, ids.slice(1), {
      sentinel: { id: "0", us: 100 },
      random: seededRandom(1),
      stages: 4,
      isOver: () => false,
      isLate: () => false,
      wait,
    }),
  );
  const counts = ids.slice(1).map((id) => raced.get(id)?.samples.length);
  expect(counts).toEqual([15, 15, 15, 15, 1, 1, 1, 1].map((n, k) => (k === 5 ? counts[5] : n)));
  expect(counts[5]).toBeLessThanOrEqual(3);
});

const rounds = { rounds: 32, isOver: () => false, wait };

async function duelOf(
  times: readonly number[],
  differs: readonly number[],
  options: SimulationOptions,
): Promise<number> {
  const { bench, ids } = await benchOf(times, options);
  const finalists = ids.map((id, n): Finalist => ({ id, differs: differs[n] ?? n }));
  const random = seededRandom(options.seed);
  const dueled = await lastOf(duel(bench, finalists, { random, ...rounds }));
  return Number(winnerOf(dueled)?.finalist.id);
}

test("in an A/A duel the default wins", async () => {
  const wins: number[] = [];
  for (let seed = 1; seed <= 40; seed++) {
    wins.push(await duelOf([100, 100, 100, 100], [0, 1, 2, 3], { seed, noise: 0.05 }));
  }
  expect(wins.filter((w) => w === 0).length).toBeGreaterThanOrEqual(38);
});

test("what wins a duel is never more than 2 % slower than the default, and 5 % faster ones are found", async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const slower = [100, 104, 106, 110];
    expect(await duelOf(slower, [0, 1, 2, 3], { seed, noise: 0.03 })).toBe(0);
    expect(await duelOf([100, 110, 93, 120], [0, 1, 2, 3], { seed, noise: 0.03 })).toBe(2);
  }
});

test("of tied ones the simpler wins, deterministically", async () => {
  expect(await duelOf([100, 50, 50.3, 80], [0, 5, 2, 1], { seed: 3, noise: 0.01 })).toBe(2);
  expect(await duelOf([100, 50, 50.3, 80], [0, 2, 5, 1], { seed: 3, noise: 0.01 })).toBe(1);
});

test("on a quantised clock duels are won by the faster", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const options = { seed, noise: 0.02, quantumNs: 65_536 };
    expect(await duelOf([40, 36], [0, 1], options)).toBe(1);
  }
});

test("a duel goes on without a finalist that is refused", async () => {
  const { bench, ids } = await benchOf([100, 50], { seed: 1 });
  bench.release(["1"]);
  const finalists = ids.map((id, differs): Finalist => ({ id, differs }));
  const dueled = await lastOf(duel(bench, finalists, { random: seededRandom(1), ...rounds }));
  expect(dueled[1]?.refusal?.kind).toBe("invalid");
  expect(winnerOf(dueled)?.finalist.id).toBe("0");
});
