/**
 * Purpose: candidates of proposals, and their way to the bench.
 *
 * What was proposed before is dropped before anything is compiled; so is what is known not to run, what is known to be
 * much slower than the best known, and, with a record of why, what facts call hopeless.
 */
import { type AdmitOptions, type Admitted, isRefusal, type Refusal } from "./bench.ts";
import type { Candidate, Proposal } from "./candidate.ts";
import type { TuneEvent } from "./events.ts";
import {
  candidateEvent,
  Ended,
  type Entry,
  elapsedMs,
  estimateOf,
  hook,
  note,
  planOf,
  progressEvent,
  refuse,
  type Session,
  searchEndMs,
  timeOfEntry,
  tried,
  vetoesOf,
  wait,
} from "./session.ts";
import { median, quantile } from "./statistics.ts";

/** Known candidates that are slower than the best known by this are not measured again. */
const hopelesslySlow = 2;

/** Whether its time is known from before, and is much longer than the best known. */
function isKnownSlow({ options: { known } }: Session, { id, kernels }: Candidate): boolean {
  const [only, ...others] = kernels;
  const own = known?.get(id) ?? (others.length === 0 ? known?.get(only?.text ?? "") : undefined);
  return own !== undefined && own > hopelesslySlow;
}

/** Whether it, or one of its kernels, is known not to run or to be wrong. */
function isSkipped({ options: { skip } }: Session, { id, kernels }: Candidate): boolean {
  return skip !== undefined && (skip.has(id) || kernels.some(({ text }) => skip.has(text)));
}

/** What is measured whatever facts say, and whatever was measured before. */
const seedKinds: ReadonlySet<string> = new Set(["default", "wish", "alternative", "design"]);

/**
 * Plans a proposal. The entry, vetoed or to be admitted; null where there is no such candidate, or it was there before.
 */
export async function consider(session: Session, proposal: Proposal): Promise<Entry | null> {
  const { mapping, alternative = null } = proposal;
  const isSeed = proposal.isStart === true || seedKinds.has(proposal.kind);
  const candidate = proposal.planned ?? planOf(session, mapping, alternative);
  if ("refused" in candidate) {
    if (proposal.kind === "default") note(session, `default: ${candidate.refused}`);
    return null;
  }
  if (session.seen.has(candidate.id)) return null;
  session.seen.add(candidate.id);
  if (isSkipped(session, candidate) || (!isSeed && isKnownSlow(session, candidate))) return null;
  const mayBe = !isSeed && (await mayVeto(session, candidate));
  const vetoes = mayBe ? await vetoesOf(session, candidate) : [];
  const { kind, parent } = proposal;
  const entry: Entry = {
    i: session.entries.length,
    candidate,
    from: { kind, ...(parent === undefined ? {} : { parent }) },
    veto: vetoes.length === 0 ? null : vetoes.join("; "),
    refusal: null,
    isHeld: false,
    firstMs: null,
    compileMs: null,
    isCut: false,
    roughUs: null,
    samples: [],
    kernels: {},
  };
  session.entries.push(entry);
  if (entry.veto !== null) {
    session.counts.vetoed += 1;
    session.pending.push(candidateEvent(session, entry));
  }
  return entry;
}

/** Candidates that run nearly as fast as the best: within this factor, so many of them. */
const nearlyBest = { factor: 2, count: 3 };

/** What asking facts may take of the time that a candidate takes otherwise. */
const judgeShare = 0.5;

/**
 * Whether facts may veto: not on a device on which one that they call hopeless is among the fastest, and not where to
 * ask them takes nearly as long as to try.
 */
async function mayVeto(session: Session, candidate: Candidate): Promise<boolean> {
  const expected = expectedAdmission(session, candidate);
  const takesLong = (): boolean =>
    isSpent(session) || (expected !== null && session.judgeMs > judgeShare * expected);
  const timed = session.entries.map((entry) => ({ entry, us: timeOfEntry(session, entry) }));
  const best = Math.min(...timed.map(({ us }) => us));
  const fastest = timed
    .filter(({ us }) => us < nearlyBest.factor * best)
    .sort((a, b) => a.us - b.us)
    .slice(0, nearlyBest.count);
  for (const { entry } of fastest) {
    if (takesLong() || (await vetoesOf(session, entry.candidate)).length > 0) return false;
  }
  return !takesLong();
}

/** What facts estimate of a candidate, in microseconds; null where they do not, or take nearly as long as to try. */
export async function affordableEstimate(
  session: Session,
  candidate: Candidate,
): Promise<number | null> {
  const expected = expectedAdmission(session, candidate) ?? 0;
  if (session.judgeMs > judgeShare * expected) return null;
  await vetoesOf(session, candidate);
  return estimateOf(candidate);
}

/** Milliseconds for the compilation of each statement that any device gets: about ten times what llvmpipe needs. */
const slowestPerStatement = 100;

/** Milliseconds that any admission may take at least; the default's, without which nothing can be said, more. */
const leastTimeout = { others: 5_000, byDefault: 60_000 };

/**
 * Milliseconds until a candidate is given up: for its compilation by the number of its statements, and for executions
 * that are a hundred times slower than the default's.
 */
function mostMs({ entries }: Session, { i, candidate }: Entry): number {
  const usual = entries[0]?.roughUs ?? 0;
  const least = i === 0 ? leastTimeout.byDefault : leastTimeout.others;
  return Math.ceil(Math.max(least, slowestPerStatement * candidate.statements) + usual / 10);
}

/** Asks the bench; what it rejects with is a loss. */
async function ask(
  session: Session,
  { candidate }: Entry,
  options: AdmitOptions,
): Promise<Admitted | Refusal> {
  try {
    return await wait(session, session.bench.admit(candidate, options));
  } catch (error) {
    if (error instanceof Ended) throw error;
    return { kind: "lost", why: error instanceof Error ? error.message : String(error) };
  }
}

/** Of the milliseconds per statement that candidates took, what is expected: longer texts take more for each. */
const slowRate = 0.7;

/** Milliseconds that admitting a candidate may well take, by its statements and those admitted before; null if none were. */
export function expectedAdmission({ entries }: Session, { statements }: Candidate): number | null {
  const known = entries.flatMap(({ firstMs, compileMs, candidate }) =>
    firstMs === null || compileMs === null
      ? []
      : [{ rate: compileMs / Math.max(1, candidate.statements), rest: firstMs - compileMs }],
  );
  if (known.length === 0) return null;
  const rate = quantile(
    known.map((k) => k.rate),
    slowRate,
  );
  return rate * Math.max(1, statements) + median(known.map((k) => k.rest));
}

/**
 * How much longer than others one candidate may take, or how much of all the time of the search: after each that is given
 * up the next one has less, half of that, a third, and so on.
 */
const patience = { ofUsual: 4, ofSearch: 0.1 };

/** Milliseconds until a candidate is given up so that others have a turn. */
function patienceMs(session: Session): number {
  const usual = median(session.entries.flatMap((e) => (e.isCut ? [] : (e.firstMs ?? []))));
  const givenUp = session.entries.filter((e) => e.isCut).length;
  const ofSearch = (patience.ofSearch * searchEndMs(session)) / (1 + givenUp);
  // Where nothing ran there is no usual time.
  return usual > 0 ? Math.max(ofSearch, patience.ofUsual * usual) : ofSearch;
}

/**
 * Milliseconds until the search ends, or others are to have a turn; for the default, without which nothing can be said, until the run has to end, which
 * an effort's time does not ask for.
 */
function leftMs(session: Session, { i }: Entry): number {
  if (i !== 0) return Math.min(patienceMs(session), searchEndMs(session) - elapsedMs(session));
  const isAsked = session.options.budget?.ms !== undefined;
  return isAsked ? session.deadlineMs - elapsedMs(session) : Number.POSITIVE_INFINITY;
}

/** Has the bench compile a candidate and pass it through its gates; tells what became of it. */
export async function* admit(session: Session, entry: Entry): AsyncGenerator<TuneEvent> {
  const { candidate } = entry;
  const { trying, admitted } = session.options.hooks ?? {};
  if (trying !== undefined) await hook(session, () => trying(candidate));
  const before = elapsedMs(session);
  const [most, left] = [mostMs(session, entry), leftMs(session, entry)];
  const timeoutMs = Math.max(1, Math.min(most, left));
  const outcome = await ask(session, entry, { timeoutMs });
  entry.firstMs = elapsedMs(session) - before;
  entry.isCut = outcome.kind === "timeout" && left < most && outcome.ms === timeoutMs;
  if (entry.isCut && entry.i === 0)
    note(session, "there was no time to run the default: a larger budget has it");
  if (isRefusal(outcome)) await refuse(session, entry, outcome);
  else {
    entry.roughUs = outcome.roughUs;
    entry.compileMs = Math.max(
      0,
      Math.min(entry.firstMs, outcome.firstMs - outcome.roughUs / 1_000),
    );
    entry.isHeld = true;
    session.counts.ok += 1;
    session.losses = 0;
    if (admitted !== undefined) await hook(session, () => admitted(candidate, outcome.roughUs));
  }
  yield candidateEvent(session, entry);
  yield progressEvent(session, "compile");
}

/** Whether nothing more is to be planned and admitted: the budget is spent, or the run was ended. */
export function isSpent(session: Session): boolean {
  const { ending, budget, planMs } = session;
  if (ending !== null || tried(session) >= budget.candidates) return true;
  return elapsedMs(session) + planMs >= searchEndMs(session);
}
