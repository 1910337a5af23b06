/**
 * Purpose: the last comparison of a run. All finalists take turns with the default in spans of 100 steps of the clock,
 * and each is judged by the median of its ratios to the default in the same round.
 *
 * Ensures: what wins took at most 98 % of the default's time, by more than three standard errors of that; else the default
 * wins. Ties, within 2 %, go to the one that differs from the default in fewer knobs, then to
 * the earlier one: the same samples give the same winner.
 */
import type { Random } from "../support/random.ts";
import { type Bench, isRefusal, type Refusal, type Sample } from "./bench.ts";
import { shuffled } from "./race.ts";
import { median, medianError } from "./statistics.ts";

/** A candidate in the duel; the first finalist is the default, or what stands for it. */
export interface Finalist {
  readonly id: string;
  /** Knobs in which it differs from the default. */
  readonly differs: number;
}

/** What the duel found about one finalist. */
export interface Dueled {
  readonly finalist: Finalist;
  /** Microseconds as they were taken; one a round. */
  readonly samples: readonly number[];
  readonly kernels: readonly Sample["kernels"][];
  /** The median of its ratios to the default, and how uncertain it is. */
  readonly ratio: number;
  readonly error: number;
  readonly refusal: Refusal | null;
}

/** Times within this of each other are the same. */
export const tie = 0.02;

/** Rounds before the duel may end early: since it is settled, or for want of time. */
const leastRounds = { settled: 8, inHaste: 3 };

/** So many standard errors are beyond doubt: for the winner, and for an end before all rounds. */
const doubt = { winner: 3, end: 4 };

export interface DuelOptions {
  readonly random: Random;
  /** At most. */
  readonly rounds: number;
  /** Whether there is no time for another round. */
  readonly isOver: () => boolean;
  readonly wait: <T>(promise: Promise<T>) => Promise<T>;
}

interface Duelist {
  readonly finalist: Finalist;
  readonly samples: number[];
  readonly kernels: Sample["kernels"][];
  readonly ratios: number[];
  refusal: Refusal | null;
}

/**
 * What is known of all by now. The error is that of all ratios together, each beside the median of its own: what
 * disturbs one disturbs all, and few samples of one may lie close to each other by chance.
 */
function judged(duelists: readonly Duelist[]): readonly Dueled[] {
  const [, ...others] = duelists;
  const spread = others.flatMap(({ ratios }) => {
    const middle = median(ratios);
    return ratios.map((r) => r / middle);
  });
  const of = (ratios: readonly number[]): number =>
    ratios.length < 3
      ? Number.POSITIVE_INFINITY
      : medianError(spread) * median(ratios) * Math.sqrt(spread.length / ratios.length);
  return duelists.map(({ ratios, ...rest }, n) => ({
    ...rest,
    ratio: n === 0 ? 1 : median(ratios),
    error: n === 0 ? 0 : of(ratios),
  }));
}

/** Whether one is better than the default beyond doubt, as far as it was measured. */
function beatsDefault({ ratio, error, refusal }: Dueled): boolean {
  return refusal === null && ratio <= 1 - tie && ratio + doubt.winner * error < 1;
}

/** The winner of a duel; the first one, where it ran, unless another beats it. Null if none ran. */
export function winnerOf(dueled: readonly Dueled[]): Dueled | null {
  const [first, ...others] = dueled.filter((d) => d.refusal === null && d.samples.length > 0);
  if (first === undefined) return null;
  const better = others.filter(beatsDefault).sort((a, b) => a.ratio - b.ratio);
  const best = better[0];
  if (best === undefined) return first;
  const isTied = (d: Dueled): boolean => d.ratio <= best.ratio * (1 + tie);
  const tied = better.filter(isTied).sort((a, b) => a.finalist.differs - b.finalist.differs);
  return tied[0] ?? best;
}

/** Whether more rounds would hardly change who wins: the best and the others differ beyond doubt, or are tied. */
function isSettled(dueled: readonly Dueled[]): boolean {
  const ran = dueled.filter((d) => d.refusal === null).sort((a, b) => a.ratio - b.ratio);
  const [best, ...others] = ran;
  if (best === undefined) return true;
  return others.every((d) => {
    const error = Math.hypot(d.error, best.error);
    return d.ratio - best.ratio > doubt.end * error || doubt.winner * error < tie / 2;
  });
}

/** Adds a round; ratios are to the default's sample of the same round. */
function takeRound(
  duelists: readonly Duelist[],
  order: readonly string[],
  outcomes: readonly (Sample | Refusal)[],
): void {
  const by = new Map(order.map((id, n) => [id, outcomes[n]]));
  const first = by.get(duelists[0]?.finalist.id ?? "");
  const reference = first === undefined || isRefusal(first) ? Number.NaN : first.us;
  for (const duelist of duelists) {
    const outcome = by.get(duelist.finalist.id);
    if (outcome === undefined) continue;
    if (isRefusal(outcome)) {
      duelist.refusal = outcome;
      continue;
    }
    duelist.samples.push(outcome.us);
    duelist.kernels.push(outcome.kernels);
    if (reference > 0) duelist.ratios.push(outcome.us / reference);
  }
}

/** The duel of some finalists, all admitted, the default first. Yields after each round the share that is done. */
export async function* duel(
  bench: Bench,
  finalists: readonly Finalist[],
  { random, rounds, isOver, wait }: DuelOptions,
): AsyncGenerator<number, readonly Dueled[]> {
  const duelists = finalists.map(
    (finalist): Duelist => ({ finalist, samples: [], kernels: [], ratios: [], refusal: null }),
  );
  for (let n = 0; n < rounds && !(n >= leastRounds.inHaste && isOver()); n++) {
    const live = duelists.filter((d) => d.refusal === null).map((d) => d.finalist.id);
    // Nothing to compare with any more: what is left is as good as it was.
    if (duelists[0]?.refusal !== null) break;
    const order = shuffled(live, random);
    takeRound(duelists, order, await wait(bench.time(order, { quanta: 100 })));
    yield (n + 1) / rounds;
    if (n + 1 >= leastRounds.settled && isSettled(judged(duelists))) break;
  }
  return judged(duelists);
}
