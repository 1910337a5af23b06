/** Purpose: races candidates of a run, remembers what was measured, and tells when there is a better one. */
import type { Figures, TuneEvent } from "./events.ts";
import { type Raced, race } from "./race.ts";
import {
  candidateEvent,
  defOf,
  type Entry,
  elapsedMs,
  figuresOfEntry,
  hook,
  progressEvent,
  ranking,
  rankOfEntry,
  refuse,
  type Session,
  searchEndMs,
  wait,
} from "./session.ts";
import { figuresOf, median } from "./statistics.ts";

/** How many of the best the bench holds between races, beside the default. */
const held = 6;

/**
 * Candidates whose rough time is so many times that of the best are not raced. Those of other structures are, for
 * longer: their kernels are untuned, and their times say which of these to turn. The rough time of one that runs for
 * milliseconds is a good one.
 */
const tooSlow = { sameStructure: 4, otherStructure: 10, isLong: 5_000, ofLong: 0.5 };

/**
 * The share of the time left that one race may take, so that some is left to compile in; and of the time that its
 * candidates were compiled and proved in: where one execution is long, the rough time of it is good enough.
 */
const raceShares = { ofRest: 0.3, least: 0.03, ofAdmissions: 0.4 };

/** How much better a candidate must be to become the incumbent, and how often, or how long, it was timed at least. */
const better = { by: 0.99, samples: 3, us: 20_000 };

/** Adds what a race found to an entry. */
function take({ samples, kernels }: Entry, raced: Raced): void {
  samples.push(...raced.samples);
  for (const [name, times] of Object.entries(raced.kernels)) {
    kernels[name] = [...(kernels[name] ?? []), ...times];
  }
}

/** The default's entry, where it runs. */
export function defaultOf({ entries }: Session): Entry | null {
  const [first] = entries;
  return first !== undefined && first.from.kind === "default" && first.refusal === null
    ? first
    : null;
}

/** Tells the hook what is known of an entry by now. */
export async function record(
  session: Session,
  entry: Entry,
  figures: Figures | null = figuresOfEntry(entry),
  byDefault: Figures | null = null,
): Promise<void> {
  const { measured } = session.options.hooks ?? {};
  if (measured === undefined || figures === null || entry.refusal !== null) return;
  const first = defaultOf(session);
  const kernels = Object.entries(entry.kernels).map(([name, s]) => [name, figuresOf(s)] as const);
  await hook(session, () =>
    measured({
      candidate: entry.candidate,
      figures,
      kernels: Object.fromEntries(kernels),
      default: byDefault ?? (first && figuresOfEntry(first)),
    }),
  );
}

/** Those of some candidates that are worth racing. */
function worthRacing(entries: readonly Entry[], incumbent: Entry | null): readonly Entry[] {
  const rough = [...entries, incumbent].flatMap((e) => e?.roughUs ?? []);
  const best = Math.min(...rough);
  const isOther = ({ candidate }: Entry): boolean =>
    incumbent !== null && candidate.structure !== incumbent.candidate.structure;
  const share = best < tooSlow.isLong ? 1 : tooSlow.ofLong;
  const most = (e: Entry): number =>
    share * best * (isOther(e) ? tooSlow.otherStructure : tooSlow.sameStructure);
  return entries.filter((e) => e.isHeld && (e.i === 0 || (e.roughUs ?? 0) <= most(e)));
}

/** Gives up what is far from the best, so that pipelines and buffers are freed. */
function release(session: Session): void {
  const keep = new Set([...ranking(session).slice(0, held), session.incumbent]);
  const gone = session.entries.filter((e) => e.isHeld && e.i !== 0 && !keep.has(e));
  for (const entry of gone) entry.isHeld = false;
  session.bench.release(gone.map((e) => e.candidate.id));
}

/** Median microseconds of the default in its first race, the scale of the run; null where it has none. */
export function defaultUs(session: Session): number | null {
  const first = defaultOf(session);
  if (first === null || first.samples.length === 0) return null;
  session.usualUs ??= median(first.samples);
  return session.usualUs;
}

/**
 * The event of a better one. Where the default does not run, the scale is that of the first race's samples.
 * `us` is on the scale of the run, on which the default has one time: of the events of a run each is less
 * than the one before, and none is more than the default's.
 */
export function bestEvent(session: Session, entry: Entry, us: number): readonly TuneEvent[] {
  const usual = defaultUs(session) ?? us;
  if (!(us < session.toldUs && us <= usual)) return [];
  session.toldUs = us;
  return [
    {
      type: "best",
      def: defOf(session),
      i: entry.i,
      us,
      defaultUs: usual,
      options: entry.candidate.mapping,
      atMs: elapsedMs(session),
    },
  ];
}

function isTimedEnough({ samples }: Entry): boolean {
  return samples.length >= better.samples || samples.reduce((sum, us) => sum + us, 0) >= better.us;
}

/** Makes the best entry the incumbent, if it is clearly better by rank and by median; the event that tells so. */
function promote(session: Session): readonly TuneEvent[] {
  const incumbent = session.incumbent?.refusal === null ? session.incumbent : null;
  const usual = defaultUs(session) ?? Number.POSITIVE_INFINITY;
  const isBetter = (e: Entry): boolean =>
    incumbent === null
      ? median(e.samples) <= usual
      : rankOfEntry(session, e) < better.by * rankOfEntry(session, incumbent) &&
        median(e.samples) < median(incumbent.samples);
  const best = ranking(session).find((e) => e.isHeld && isTimedEnough(e) && isBetter(e));
  if (best === undefined || best === incumbent) return [];
  session.incumbent = best;
  return bestEvent(session, best, median(best.samples));
}

/**
 * The sentinel before there is an incumbent: the default, or the fastest of the race once the default was timed and is so
 * slow that the race would be mostly about it.
 */
function firstSentinel(session: Session, entries: readonly Entry[]): Entry {
  const first = defaultOf(session);
  const best = entries.reduce((a, b) => ((b.roughUs ?? 0) < (a.roughUs ?? 0) ? b : a));
  const isSlow = (first?.roughUs ?? 0) > Math.max(tooSlow.isLong, 2 * (best.roughUs ?? 0));
  return first === null || (isSlow && first.samples.length > 0) ? best : first;
}

/** Races candidates that were admitted, with the incumbent as sentinel, or the default before there is one. */
export async function* compare(
  session: Session,
  candidates: readonly Entry[],
  stages: number,
): AsyncGenerator<TuneEvent> {
  const entries = worthRacing(candidates, session.incumbent);
  if (entries.length === 0) return;
  const sentinel = session.incumbent ?? firstSentinel(session, entries);
  const known = sentinel.samples.length === 0 ? null : median(sentinel.samples);
  const scale = sentinel === defaultOf(session) ? defaultUs(session) : known;
  const begin = elapsedMs(session);
  const until = searchEndMs(session);
  const admissions = candidates.reduce((sum, { firstMs }) => sum + (firstMs ?? 0), 0);
  const { ofRest, least, ofAdmissions } = raceShares;
  const left = until - begin;
  const end = begin + Math.min(ofRest * left, Math.max(least * left, ofAdmissions * admissions));
  const rounds = race(
    session.bench,
    entries.map((e) => e.candidate.id),
    {
      sentinel: { id: sentinel.candidate.id, us: scale },
      random: session.random,
      stages,
      isOver: () => session.ending !== null || elapsedMs(session) >= end,
      isLate: () => elapsedMs(session) >= until,
      wait: (promise) => wait(session, promise),
    },
  );
  let next = await rounds.next();
  for (; next.done !== true; next = await rounds.next()) yield progressEvent(session, "measure");
  for (const entry of new Set([sentinel, ...entries])) {
    const raced = next.value.get(entry.candidate.id);
    if (raced !== undefined) yield* keep(session, entry, raced);
  }
  yield* promote(session);
  release(session);
}

/** Remembers what a race found about an entry. */
async function* keep(session: Session, entry: Entry, raced: Raced): AsyncGenerator<TuneEvent> {
  take(entry, raced);
  if (raced.refusal === null) {
    await record(session, entry);
    return;
  }
  await refuse(session, entry, raced.refusal);
  yield candidateEvent(session, entry);
}
