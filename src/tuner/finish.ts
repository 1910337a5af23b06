/** Purpose: the duel at the end of a run, and the result. */
import { mappingVersion } from "../support/mapping-file.ts";
import { bestEvent, defaultOf, defaultUs, record } from "./compare.ts";
import { type Dueled, duel, tie, winnerOf } from "./duel.ts";
import type { TuneEvent, TuneResult } from "./events.ts";
import { differences } from "./moves.ts";
import {
  candidateEvent,
  defOf,
  duels,
  type Elsewhere,
  Ended,
  type Entry,
  elapsedMs,
  figuresOfEntry,
  note,
  progressEvent,
  ranking,
  refuse,
  type Session,
  searchEndMs,
  wait,
} from "./session.ts";
import { figuresOf, median } from "./statistics.ts";

/** The default, or the best where it does not run, and the best others that the bench still holds. */
function finalistsOf(session: Session): readonly Entry[] {
  const { finalists } = duels[session.options.effort];
  const first = defaultOf(session);
  const best = ranking(session).filter((e) => e.isHeld && e !== first);
  return [...(first?.isHeld === true ? [first] : []), ...best.slice(0, finalists)];
}

/** The times of kernels in the duel, in the place of those of races. */
function keepKernels(entry: Entry, { kernels }: Dueled): void {
  for (const { name } of entry.candidate.kernels) {
    const own = kernels.flatMap((k) => k[name] ?? []);
    if (own.length > 0) entry.kernels[name] = own;
  }
}

/** Of all time, what a duel may take whenever it begins: without it the default wins for want of samples. */
const leastShare = 0.02;

/**
 * When a duel that begins now ends at the latest. A search that ended late, since a driver cannot be stopped and what it had
 * compiled is made again behind it, has used what was kept for the duel: that is taken from what is kept for proofs.
 */
function duelEndMs(session: Session, beginMs: number): number {
  const { deadlineMs, budget } = session;
  const kept = deadlineMs - searchEndMs(session);
  const late = Math.min(budget.ms, beginMs + kept);
  return Math.max(deadlineMs, late, beginMs + leastShare * budget.ms);
}

/** Holds the duel. Leaves its outcome in `session.duel`. */
export async function* finish(session: Session): AsyncGenerator<TuneEvent> {
  const { bench, random, options } = session;
  const entries = finalistsOf(session);
  const [first] = entries;
  if (first === undefined) return;
  let [begun, roundMs] = [elapsedMs(session), 0];
  const endMs = duelEndMs(session, begun);
  const differs = (e: Entry): number => differences(first.candidate, e.candidate);
  const rounds = duel(
    bench,
    entries.map((e) => ({ id: e.candidate.id, differs: differs(e) })),
    {
      random,
      rounds: duels[options.effort].rounds,
      isOver: () => elapsedMs(session) + roundMs >= endMs,
      wait: (promise) => wait(session, promise),
    },
  );
  let next = await rounds.next();
  for (; next.done !== true; next = await rounds.next()) {
    roundMs = elapsedMs(session) - begun;
    begun = elapsedMs(session);
    yield progressEvent(session, "duel");
  }
  yield* conclude(session, entries, next.value);
}

/** What follows from the samples of a duel. */
async function* conclude(
  session: Session,
  entries: readonly Entry[],
  dueled: readonly Dueled[],
): AsyncGenerator<TuneEvent> {
  const first = defaultOf(session);
  const ofDefault = dueled.find((d) => d.finalist.id === first?.candidate.id);
  const byDefault = ofDefault && ofDefault.samples.length > 0 ? figuresOf(ofDefault.samples) : null;
  for (const [n, entry] of entries.entries()) {
    const found = dueled[n];
    if (found === undefined) continue;
    if (found.refusal !== null) {
      await refuse(session, entry, found.refusal);
      yield candidateEvent(session, entry);
    } else if (found.samples.length > 0) {
      keepKernels(entry, found);
      await record(session, entry, figuresOf(found.samples), byDefault);
    }
  }
  const found = yield* provedWinner(session, entries, dueled);
  if (found === null) return;
  const { winner, ratio, swept, samples } = found;
  session.duel = { winner, tuned: figuresOf(samples), default: byDefault, ratio, swept };
  session.incumbent = winner;
  const usual = defaultUs(session);
  // Where there is no default, no ratio is one to it.
  if (usual !== null) yield* bestEvent(session, winner, usual * ratio);
}

/** A winner, and whether it was proved at other sizes. */
interface Winner extends Pick<Dueled, "ratio" | "samples"> {
  readonly winner: Entry;
  readonly swept: boolean;
}

/**
 * The winner of a duel. Where it is wrong at other sizes, the best of the other finalists that is proved right there, in the
 * time that is left, else the default, as which nothing has to be proved; null where nothing ran.
 */
async function* provedWinner(
  session: Session,
  entries: readonly Entry[],
  dueled: readonly Dueled[],
): AsyncGenerator<TuneEvent, Winner | null> {
  let left = dueled;
  for (;;) {
    const best = winnerOf(left);
    const winner = entries.find((e) => e.candidate.id === best?.finalist.id);
    if (best === null || winner === undefined) return null;
    const { ratio, samples } = best;
    if (winner === defaultOf(session)) return { winner, ratio, samples, swept: false };
    const found = await elsewhere(session, winner);
    if (found.kind === "wrong") {
      const { why } = found;
      note(session, `the winner is wrong at other sizes (${why}): the next best takes its place`);
      await refuse(session, winner, { kind: "wrong", gate: "sizes", why });
      yield candidateEvent(session, winner);
    } else if (found.kind === "right" || left === dueled) {
      return { winner, ratio, samples, swept: found.kind === "right" };
    }
    left = left.filter((d) => d !== best);
  }
}

/** What becomes of a finalist at other sizes; a signal that asks for an end leaves it unknown. */
async function elsewhere(session: Session, { candidate }: Entry): Promise<Elsewhere> {
  const { prove } = session.options;
  try {
    return prove === undefined ? { kind: "unknown" } : await wait(session, prove(candidate));
  } catch (error) {
    if (error instanceof Ended) return { kind: "unknown" };
    throw error;
  }
}

/** The winner's time over the default's: of the duel where one was held, else of races; null where the default has none. */
function ratioOf(session: Session, winner: Entry | null): number | null {
  const { duel: held } = session;
  if (held !== null && held.winner === winner) return held.default === null ? null : held.ratio;
  const usual = defaultUs(session);
  if (usual === null || winner === null || winner.samples.length === 0) return null;
  return median(winner.samples) / usual;
}

/** The best so far where no duel was held: the incumbent if it is clearly faster than the default. */
function bestSoFar(session: Session): Entry | null {
  const first = defaultOf(session);
  const incumbent = session.incumbent?.refusal === null ? session.incumbent : null;
  if (first === null) return incumbent ?? ranking(session)[0] ?? null;
  if (incumbent === null || first.samples.length === 0) return first;
  const isFaster = median(incumbent.samples) <= (1 - tie) * median(first.samples);
  return isFaster ? incumbent : first;
}

/** The result of a run, whatever became of it. */
export function resultOf(session: Session): TuneResult {
  const { task, planner, duel: held, entries, counts, ending } = session;
  const first = defaultOf(session);
  const winner = held?.winner.refusal === null ? held.winner : bestSoFar(session);
  const isDueled = held !== null && winner === held.winner;
  const figures = winner && figuresOfEntry(winner);
  const [fallback] = entries.length > 0 ? [entries[0]?.candidate.mapping] : planner.wishes();
  return {
    def: defOf(session),
    sizes: task.sizes,
    options: winner?.candidate.mapping ??
      fallback ?? { version: mappingVersion, policy: "default" },
    alternative: winner?.candidate.alternative ?? null,
    source: winner === null || winner === first ? { kind: "default" } : { kind: "tuned" },
    default: isDueled ? held.default : first && figuresOfEntry(first),
    tuned: isDueled ? held.tuned : figures,
    ratio: ratioOf(session, winner),
    complete: isDueled && (ending === "budget" || ending === "exhausted"),
    swept: isDueled && held.swept,
    why: ending ?? "exhausted",
    counts,
    elapsedMs: elapsedMs(session),
  };
}
