/**
 * What answers of other sizes are worth at these: the winners of the nearest tuned sizes, by predicted time.
 *
 * For candidate c at size p, from the neighbours q at which c was measured, with weights e^-distance:
 * `rank(c) = mean of log(t(c, q) / t(best at q)) + log(padding(c, p) / padding(c, q))`, and more for a c that was only
 * measured far away. Estimates of facts in the place of padding order worse (bench/RESULTS.md).
 * What the first of them is expected to lose, e^(distance^2 / 150), was fitted to products of matrices on llvmpipe.
 */
import { remember } from "../support/remember.ts";
import { type Known, type KnownContent, type KnownSize, usOf } from "./database.ts";
import { distance, padding } from "./distance.ts";
import type { StoreKey, TuningRecord } from "./store.ts";

/** A candidate that was found at other sizes. */
export interface Predicted {
  readonly record: TuningRecord;
  /** From the nearest sizes at which it was measured. */
  readonly distance: number;
  /** Microseconds at the sizes in question. */
  readonly us: number;
  /** How many times slower than the best it is expected to be, at least 1. */
  readonly loss: number;
  /** The less the better; a logarithm. */
  readonly rank: number;
}

/** What is asked about. */
export type Target = Pick<StoreKey, "sizes" | "alignment">;

/** Sizes with an answer that may be given elsewhere, and how far away they are. */
interface Neighbour {
  readonly size: KnownSize;
  readonly best: Known;
  readonly distance: number;
}

/** How many neighbours have a say. */
const mostNeighbours = 4;

/** Beyond this distance the default is as good a guess: 8 times each of three extents, or so. */
const farthest = 9;

/** What a doubling between the sizes and where a candidate was measured adds to its rank. */
const lossPerDoubling = 0.05;

/** Whether it passed its gates at other sizes too. */
function isSwept({ record: { outcome }, won }: Known): boolean {
  const outcomes = won === null ? [outcome] : [outcome, won.outcome];
  return outcomes.some((o) => o.kind === "ok" && o.swept === true);
}

function sweptBest({ candidates, best }: KnownSize): Known | null {
  if (best === null || isSwept(best)) return best;
  const swept = [...candidates.values()].filter((k) => k.state === "ok" && isSwept(k));
  return swept.reduce<Known | null>((b, k) => (b === null || usOf(k) < usOf(b) ? k : b), null);
}

type Answered = (content: KnownContent) => readonly Omit<Neighbour, "distance">[];

function answeredBy(bestOf: (size: KnownSize) => Known | null): Answered {
  return remember((content: KnownContent) =>
    [...content.values()].flatMap((size) => {
      const best = bestOf(size);
      return best === null ? [] : [{ size, best }];
    }),
  );
}

/** The sizes of a content with an answer that may be given elsewhere. */
const answeredSizes: Answered = answeredBy(sweptBest);

/** Those with one that has yet to pass the gates there. */
const tunedSizes: Answered = answeredBy(({ best }) => best);

/** The nearest sizes with answers, the nearest first; never the ones in question. */
function neighboursOf(
  contents: readonly KnownContent[],
  target: Target,
  sizesOf: Answered,
): readonly Neighbour[] {
  const found: Neighbour[] = [];
  for (const content of contents) {
    for (const { size, best } of sizesOf(content)) {
      const far = distance(target, size.key, best.record.choices);
      if (far > 0 && far <= farthest) found.push({ size, best, distance: far });
    }
  }
  found.sort((a, b) => a.distance - b.distance);
  const winners = new Set<string>();
  return found.filter(({ best }) => winners.size < mostNeighbours && winners.add(best.choices));
}

/** Work at other sizes is taken to grow with the product of the extents. */
function workRatio(target: Target, { key }: KnownSize): number {
  return target.sizes.reduce(
    (ratio, size, n) => (ratio * Math.max(1, size)) / Math.max(1, key.sizes[n] ?? 1),
    1,
  );
}

/** The logarithm of how much worse choices suit the target than they suit a neighbour. */
function misfit({ record: { choices } }: Known, target: Target, { key }: KnownSize): number {
  return Math.log(padding(choices, target.sizes) / padding(choices, key.sizes));
}

function predictionOf(
  { best }: Neighbour,
  neighbours: readonly Neighbour[],
  target: Target,
): Predicted {
  const { record } = best;
  let [weights, sum, timeSum, nearest] = [0, 0, 0, Number.POSITIVE_INFINITY];
  for (const { size, best: there, distance: far } of neighbours) {
    const known = size.byChoices.get(best.choices);
    if (known === undefined || known.state !== "ok") continue;
    const weight = Math.exp(-far);
    const work = workRatio(target, size);
    const loss = Math.log(usOf(known) / usOf(there)) + misfit(known, target, size);
    weights += weight;
    sum += weight * loss;
    timeSum += weight * Math.log(usOf(there) * work);
    nearest = Math.min(nearest, far);
  }
  return {
    record,
    distance: nearest,
    us: Math.exp(timeSum / weights + sum / weights),
    loss: Math.exp(nearest ** 2 / 150),
    rank: sum / weights + lossPerDoubling * nearest,
  };
}

/**
 * The winners of the nearest sizes, the best one for these sizes first; empty where none is near. For answers those that passed
 * their gates at other sizes, too; to start from, which is to be measured, all.
 */
export function predict(
  contents: readonly KnownContent[],
  target: Target,
  use: "answers" | "starts" = "answers",
): readonly Predicted[] {
  const neighbours = neighboursOf(contents, target, use === "starts" ? tunedSizes : answeredSizes);
  const isFirst = ({ best }: Neighbour, n: number): boolean =>
    neighbours.findIndex((other) => other.best.choices === best.choices) === n;
  return neighbours
    .filter(isFirst)
    .map((n) => predictionOf(n, neighbours, target))
    .sort((a, b) => a.rank - b.rank || a.distance - b.distance);
}
