/**
 * Purpose: candidates of proposals, and their way to the bench.
 *
 * What was proposed before is dropped before anything is compiled; so is what is known not to run, what is known to be
 * much slower than the best known, and, with a record of why, what facts call hopeless.
 */
import type { Mapping } from "../support/mapping-file.ts";
import { type AdmitOptions, type Admitted, isRefusal, type Refusal } from "./bench.ts";
import type { Candidate } from "./candidate.ts";
import type { TuneEvent } from "./events.ts";
import {
  candidateEvent,
  Ended,
  type Entry,
  elapsedMs,
  hook,
  note,
  planOf,
  progressEvent,
  refuse,
  type Session,
  searchEndMs,
  tried,
  wait,
} from "./session.ts";
import { median } from "./statistics.ts";

/** A mapping that may become a candidate. */
export interface Proposal {
  readonly mapping: Mapping;
  readonly alternative?: string | null;
  /** Where it is planned already. */
  readonly planned?: Candidate;
  /** For example `default`, `wish`, `neighbour`, `random`, `step`. */
  readonly kind: string;
  readonly parent?: number;
}

/** Known candidates that are slower than the best known by this are not measured again. */
const hopelesslySlow = 2;

/** Whether its time is known from before, and is much longer than the best known. */
function isKnownSlow({ options: { known } }: Session, { id, kernels }: Candidate): boolean {
  if (known === undefined || known.size === 0) return false;
  const own = known.get(id);
  const best = kernels.length === 1 ? kernels[0] : undefined;
  const us = own ?? (best === undefined ? undefined : known.get(best.text));
  return us !== undefined && us > hopelesslySlow * Math.min(...known.values());
}

/** Whether it, or one of its kernels, is known not to run or to be wrong. */
function isSkipped({ options: { skip } }: Session, { id, kernels }: Candidate): boolean {
  return skip !== undefined && (skip.has(id) || kernels.some(({ text }) => skip.has(text)));
}

/**
 * Plans a proposal. The entry, vetoed or to be admitted; null where there is no such candidate, or it was there before.
 * `isSeed` for what is measured whatever facts say, and whatever was measured before.
 */
export function consider(session: Session, proposal: Proposal, isSeed = false): Entry | null {
  const { mapping, alternative = null } = proposal;
  const candidate = proposal.planned ?? planOf(session, mapping, alternative);
  if ("refused" in candidate) {
    if (isSeed && proposal.kind === "default") note(session, `default: ${candidate.refused}`);
    return null;
  }
  if (session.seen.has(candidate.id)) return null;
  session.seen.add(candidate.id);
  if (isSkipped(session, candidate) || (!isSeed && isKnownSlow(session, candidate))) return null;
  const vetoes = isSeed ? [] : candidate.kernels.flatMap((k) => k.vetoes);
  const { kind, parent } = proposal;
  const entry: Entry = {
    i: session.entries.length,
    candidate,
    from: { kind, ...(parent === undefined ? {} : { parent }) },
    veto: vetoes.length === 0 ? null : vetoes.join("; "),
    refusal: null,
    isHeld: false,
    firstMs: null,
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

/** Milliseconds for the compilation of each statement that any device gets: about ten times what llvmpipe needs. */
const slowestPerStatement = 100;

/** Milliseconds that any admission may take at least; the default's, without which nothing can be said, more. */
const leastTimeout = { others: 5_000, byDefault: 60_000 };

/**
 * Milliseconds until a candidate is given up: for its compilation by the number of its statements, and for executions
 * that are a hundred times slower than the default's.
 */
function timeoutMs({ entries }: Session, { i, candidate }: Entry): number {
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

/**
 * Milliseconds that admitting a candidate will take, from those admitted before: the median per statement; null if
 * none were.
 */
export function expectedAdmission({ entries }: Session, { statements }: Candidate): number | null {
  const rates = entries.flatMap(({ firstMs, candidate }) =>
    firstMs === null ? [] : [firstMs / Math.max(1, candidate.statements)],
  );
  return rates.length === 0 ? null : median(rates) * Math.max(1, statements);
}

/**
 * Milliseconds until the search ends; for the default, without which nothing can be said, until the run has to end, which
 * an effort's time does not ask for.
 */
function leftMs(session: Session, { i }: Entry): number {
  if (i !== 0) return searchEndMs(session) - elapsedMs(session);
  const isAsked = session.options.budget?.ms !== undefined;
  return isAsked ? session.deadlineMs - elapsedMs(session) : Number.POSITIVE_INFINITY;
}

/** Has the bench compile a candidate and pass it through its gates; tells what became of it. */
export async function* admit(session: Session, entry: Entry): AsyncGenerator<TuneEvent> {
  const { candidate } = entry;
  const { trying, admitted } = session.options.hooks ?? {};
  if (trying !== undefined) await hook(session, () => trying(candidate));
  const before = elapsedMs(session);
  const [most, left] = [timeoutMs(session, entry), leftMs(session, entry)];
  const outcome = await ask(session, entry, { timeoutMs: Math.max(1, Math.min(most, left)) });
  entry.firstMs = elapsedMs(session) - before;
  entry.isCut = outcome.kind === "timeout" && left < most;
  if (entry.isCut && entry.i === 0)
    note(session, "there was no time to run the default: a larger budget has it");
  if (isRefusal(outcome)) await refuse(session, entry, outcome);
  else {
    entry.roughUs = outcome.roughUs;
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
