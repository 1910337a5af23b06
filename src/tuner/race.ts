/**
 * Purpose: ranks candidates that are compiled: rounds in which all take turns, in another order each time, with
 * successive halving.
 *
 * A sentinel whose time is known takes part: each sample is corrected by the sentinel's samples before and after it, so
 * that a clock that drifts (a processor that gets warm) drifts for all. Samples of all races of a run are therefore on
 * one scale, that of the sentinel's known time.
 */
import { listOf } from "../support/list-of.ts";
import type { Random } from "../support/random.ts";
import { type Bench, isRefusal, type Refusal, type Sample } from "./bench.ts";
import { mean, median, rankOf } from "./statistics.ts";

/** What a race found about one candidate. */
export interface Raced {
  /** Microseconds on the scale of the sentinel, in the order in which they were taken. */
  readonly samples: readonly number[];
  /** Of each kernel, on the same scale; empty where the clock cannot tell them apart. */
  readonly kernels: Readonly<Record<string, readonly number[]>>;
  /** Why it left the race; null if it did not, or was slower than others. */
  readonly refusal: Refusal | null;
}

/** A stage of a race. */
interface Stage {
  /** Samples of each candidate that is left. */
  readonly samples: number;
  /** Those whose rank is so many times that of the best leave. */
  readonly cut: number;
}

/** The stages of successive halving: more samples for fewer candidates. */
export const stages: readonly Stage[] = [
  { samples: 1, cut: 3 },
  { samples: 2, cut: 1.5 },
  { samples: 4, cut: 1.25 },
  { samples: 8, cut: 1.1 },
];

/** How many candidates stay in a race however slow they are beside the best. */
const fewest = 4;

/** Candidates between two samples of the sentinel. */
const betweenSentinels = 4;

export interface RaceOptions {
  readonly sentinel: {
    readonly id: string /** Null if it is not known yet. */;
    readonly us: number | null;
  };
  readonly random: Random;
  /** Of {@link stages}, the first so many. */
  readonly stages: number;
  /** Whether the race is to end after the round that is running. */
  readonly isOver: () => boolean;
  /** Whether it is to end within its round. */
  readonly isLate: () => boolean;
  /** Waits for the bench, or throws when the run is ended. */
  readonly wait: <T>(promise: Promise<T>) => Promise<T>;
}

/** What is known of a candidate while it races. */
interface Runner {
  readonly id: string;
  readonly samples: number[];
  readonly kernels: Record<string, number[]>;
  refusal: Refusal | null;
}

/** The elements in an order that is drawn (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = [...items];
  for (let n = order.length - 1; n > 0; n--) {
    const other = random.integer(0, n + 1);
    [order[n], order[other]] = [order[other] as T, order[n] as T];
  }
  return order;
}

/** A round in blocks: some ids in their order, with the sentinel first, last, and after each so many of them. */
function withSentinels(ids: readonly string[], sentinel: string): readonly (readonly string[])[] {
  const blocks = listOf(Math.ceil(ids.length / betweenSentinels), (n) =>
    ids.slice(n * betweenSentinels, (n + 1) * betweenSentinels),
  );
  return [[sentinel], ...blocks.map((block) => [...block, sentinel])];
}

/**
 * For each place of a round what the sentinel took around it; NaN where it did not run. The places of the sentinel
 * itself have their own samples.
 */
function sentinelAround(
  order: readonly string[],
  us: readonly number[],
  id: string,
): readonly number[] {
  const places = order.flatMap((o, n) => (o === id && Number.isFinite(us[n]) ? [n] : []));
  return order.map((_, n) => {
    const before = places.findLast((p) => p <= n);
    const after = places.find((p) => p >= n);
    const near = [before, after].flatMap((p) => (p === undefined ? [] : [us[p] ?? Number.NaN]));
    return mean(near);
  });
}

/** Adds a round's samples to the runners, corrected; `scale` is the sentinel's known time. */
function takeRound(
  runners: ReadonlyMap<string, Runner>,
  order: readonly string[],
  outcomes: readonly (Sample | Refusal)[],
  sentinel: string,
  scale: number | null,
): void {
  const us = outcomes.map((o) => (isRefusal(o) ? Number.NaN : o.us));
  const around = sentinelAround(order, us, sentinel);
  outcomes.forEach((outcome, n) => {
    const runner = runners.get(order[n] ?? "");
    if (runner === undefined) return;
    if (isRefusal(outcome)) {
      runner.refusal ??= outcome;
      return;
    }
    const reference = around[n] ?? Number.NaN;
    // The sentinel is its own reference: its samples show the noise, and stay as they are on the known scale.
    const isOwn = runner.id === sentinel || scale === null || !(reference > 0);
    const factor = isOwn ? 1 : scale / reference;
    runner.samples.push(outcome.us * factor);
    for (const [name, time] of Object.entries(outcome.kernels)) {
      const own = runner.kernels[name] ?? [];
      own.push(time * factor);
      runner.kernels[name] = own;
    }
  });
}

/** Those that go on to the next stage, the best first. */
function survivors(live: readonly Runner[], { cut }: Stage, bench: Bench): readonly Runner[] {
  const ranked = live
    .filter((r) => r.refusal === null && r.samples.length > 0)
    .map((r) => ({ r, rank: rankOf(r.samples, bench.clock) }))
    .sort((a, b) => a.rank - b.rank);
  const best = ranked[0]?.rank ?? 0;
  const most = Math.max(fewest, Math.ceil(ranked.length / 2));
  return ranked.slice(0, most).flatMap(({ r, rank }) => (rank <= cut * best ? [r] : []));
}

/** The time of the sentinel in a round, for a scale that is not known yet: the median of its samples, or any. */
function firstScale(
  order: readonly string[],
  outcomes: readonly (Sample | Refusal)[],
  sentinel: string,
): number | null {
  const us = outcomes.map((o) => (isRefusal(o) ? Number.NaN : o.us));
  const ran = us.filter((v) => v > 0);
  const own = us.filter((v, n) => v > 0 && order[n] === sentinel);
  return own.length > 0 ? median(own) : (ran[0] ?? null);
}

/** The sentinel's samples moved to its known time: the clock may have drifted between races. */
function ontoScale({ samples, kernels }: Runner, scale: number | null): void {
  if (scale === null || samples.length === 0) return;
  const factor = scale / median(samples);
  for (const list of [samples, ...Object.values(kernels)]) {
    for (const [n, us] of list.entries()) list[n] = us * factor;
  }
}

/** Rounds of a sentinel that is alone: its median is a scale, and one sample is none. */
const roundsAlone = 3;

/** The candidates that take part in each round, for so many stages; a few rounds where there are none. */
function* roundsOf(
  others: readonly Runner[],
  count: number,
  bench: Bench,
): Generator<readonly string[]> {
  if (others.length === 0) yield* listOf(roundsAlone, () => []);
  let live = others;
  for (const stage of stages.slice(0, count)) {
    for (let n = 0; n < stage.samples; n++) {
      if (live.length === 0) return;
      yield live.flatMap((r) => (r.refusal === null ? [r.id] : []));
    }
    live = survivors(live, stage, bench);
  }
}

/**
 * Races candidates that are admitted; the sentinel need not be among them, and ends the race where it is refused. Yields
 * after each round. Returns what it found about each, and about the sentinel, whose time becomes the scale where it was
 * not known.
 */
export async function* race(
  bench: Bench,
  ids: readonly string[],
  { sentinel, random, stages: count, isOver, isLate, wait }: RaceOptions,
): AsyncGenerator<void, ReadonlyMap<string, Raced>> {
  const runnerOf = (id: string): Runner => ({ id, samples: [], kernels: {}, refusal: null });
  const own = runnerOf(sentinel.id);
  const others = ids.filter((id) => id !== sentinel.id).map(runnerOf);
  const runners = new Map([own, ...others].map((r) => [r.id, r]));
  let scale = sentinel.us;
  for (const live of roundsOf(others, count, bench)) {
    if (isOver() || own.refusal !== null) break;
    const [order, outcomes]: [string[], (Sample | Refusal)[]] = [[], []];
    for (const block of withSentinels(shuffled(live, random), sentinel.id)) {
      if (isLate()) break;
      order.push(...block);
      outcomes.push(...(await wait(bench.time(block, { quanta: 20 }))));
    }
    scale ??= firstScale(order, outcomes, sentinel.id);
    takeRound(runners, order, outcomes, sentinel.id, scale);
    yield;
  }
  ontoScale(own, sentinel.us);
  return runners;
}
