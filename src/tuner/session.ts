/** The state of a tuning run, and what is told of it. */
import type { Mapping } from "../support/mapping-file.ts";
import { type Random, seededRandom } from "../support/random.ts";
import type { Bench, Refusal } from "./bench.ts";
import type { Candidate, Planner, Proposal, TuningTask } from "./candidate.ts";
import { type Effort, efforts, type Figures, type TuneEvent } from "./events.ts";
import { figuresOf, rankOf } from "./statistics.ts";

/** A mapping to begin with, and where it comes from: `exact`, `neighbour`, `portfolio`, `given`. */
export interface Start {
  readonly mapping: Mapping;
  readonly alternative?: string | null;
  readonly kind: string;
}

/** What was measured of one candidate, on one scale for the whole run. */
export interface Measured {
  readonly candidate: Candidate;
  readonly figures: Figures;
  /** By name of the candidate's kernels; empty where the clock cannot tell them apart. */
  readonly kernels: Readonly<Record<string, Figures>>;
  /** The default's, of the same comparison; null if the default does not run. */
  readonly default: Figures | null;
}

/**
 * What keeps a record of a run. All are awaited; one that rejects (a full disk) is told in a note, and the run goes on.
 */
export interface TuningHooks {
  /** Before the first launch of a candidate: after a crash it can be skipped. */
  readonly trying?: (candidate: Candidate) => Promise<void> | void;
  /** After it ran and passed its gates, with microseconds of one execution, roughly. */
  readonly admitted?: (candidate: Candidate, roughUs: number) => Promise<void> | void;
  /** After a candidate was refused, at its admission or later. */
  readonly refused?: (candidate: Candidate, refusal: Refusal) => Promise<void> | void;
  /** After each comparison that it took part in. */
  readonly measured?: (measured: Measured) => Promise<void> | void;
}

/** What became of a candidate at other sizes; `unknown` where there was no time for all of them, or no device. */
export type Elsewhere =
  | { readonly kind: "right" | "unknown" }
  | { readonly kind: "wrong"; readonly why: string };

/** How to tune. */
export interface TuningOptions {
  readonly effort: Effort;
  /** Instead of the effort's. */
  readonly budget?: { readonly candidates?: number; readonly ms?: number };
  readonly seed: number;
  /** Ends the run with the best so far. */
  readonly signal?: AbortSignal;
  /** Ends the run when its time is over, whatever the bench is at: a run ends by itself before, if the bench answers. */
  readonly deadline?: AbortSignal;
  /** When the time of the budget began, by `now`: at the start of the run if it is left out. */
  readonly startedMs?: number;
  /** Passes a finalist through the gates at other sizes, as far as there is time. */
  readonly prove?: (candidate: Candidate) => Promise<Elsewhere>;
  /** Milliseconds of the budget that are left to `prove`; 0 by default. */
  readonly reserveMs?: number;
  /** Milliseconds of any clock that does not run back. */
  readonly now: () => number;
  /** For the `start` event. */
  readonly adapter?: string;
  readonly starts?: readonly Start[];
  /** Ids of candidates and texts of kernels that are known not to run, or to be wrong. */
  readonly skip?: ReadonlySet<string>;
  /**
   * Times by ids of candidates or texts of kernels, beside the best known of the same at the same sizes:
   * much slower ones are not tried again.
   */
  readonly known?: ReadonlyMap<string, number>;
  readonly hooks?: TuningHooks;
}

/** A candidate that was proposed, and what became of it. */
export interface Entry {
  readonly i: number;
  readonly candidate: Candidate;
  readonly from: { readonly kind: string; readonly parent?: number };
  /** Why facts call it hopeless; null for a candidate that is to run. */
  readonly veto: string | null;
  /** Null for none; a refusal never goes away. */
  refusal: Refusal | null;
  /** Whether the bench holds it. */
  isHeld: boolean;
  /** Milliseconds that its admission took. */
  firstMs: number | null;
  /** Of these, what its first execution took longer than others: drivers compile in it. */
  compileMs: number | null;
  /** Whether it was given up since the search, or others, had no more time for it: nothing is known of it but that. */
  isCut: boolean;
  /** Of its admission. */
  roughUs: number | null;
  /** Microseconds on the scale of the run. */
  readonly samples: number[];
  readonly kernels: Record<string, number[]>;
}

/** What ends a run. */
export type Ending = "budget" | "exhausted" | "aborted" | "lost";

/** What the duel at the end of a run found. */
interface Duel {
  readonly winner: Entry;
  readonly tuned: Figures;
  readonly default: Figures | null;
  /** The winner's time over the default's. */
  readonly ratio: number;
  /** Whether the winner was proved at other sizes, too. */
  readonly swept: boolean;
}

/** A design that is planned. */
export type Design = Proposal & { readonly planned: Candidate };

/** Designs of the kernels of one structure. */
export interface Designs {
  /** Those that are not planned yet. */
  readonly others: AsyncGenerator<Design>;
  /** Those that are planned: what promises most of them is tried. */
  readonly planned: Design[];
  /** How many were tried whatever they promise. */
  first: number;
}

/** The state of a run. */
export interface Session {
  readonly task: TuningTask;
  readonly planner: Planner;
  readonly bench: Bench;
  readonly options: TuningOptions;
  readonly budget: { readonly candidates: number; readonly ms: number };
  /** When the duel ends at the latest, in milliseconds since the start. */
  readonly deadlineMs: number;
  readonly random: Random;
  readonly startMs: number;
  readonly entries: Entry[];
  /** Designs of the kernels of structures, by their keys. */
  readonly designs: Map<string, Designs>;
  /** Steps that were planned, by the hashes of their mappings. */
  readonly asked: Set<string>;
  /** Ids of candidates that were proposed. */
  readonly seen: Set<string>;
  /** Ids of those whose facts were asked for, which takes time. */
  readonly judged: Set<string>;
  /** Milliseconds that the longest of the last such questions took. */
  judgeMs: number;
  readonly counts: Record<"ok" | "vetoed" | Refusal["kind"], number>;
  /** Events that are to be told with the next one. */
  readonly pending: TuneEvent[];
  /** Notes that were told. */
  readonly notes: Set<string>;
  /** The best so far; null before the first race. */
  incumbent: Entry | null;
  /** Microseconds of the default, from its first race: the scale of the run; null before. */
  usualUs: number | null;
  /** Microseconds of the best that was told last; infinite before. */
  toldUs: number;
  /** What the duel at the end found; null until it was held. */
  duel: Duel | null;
  /** Milliseconds that the longest of the last plans took: nothing is planned that could not be tried. */
  planMs: number;
  /** When others had a turn last, by `performance.now`. */
  breathedMs: number;
  /** Candidates that were lost in a row. */
  losses: number;
  ending: Ending | null;
  /** Whether candidates were left out since there was no time to compile them. */
  isShort: boolean;
}

/** How many candidates may be lost in a row. */
const mostLosses = 3;

/** A run that has not begun. */
export function newSession(
  task: TuningTask,
  planner: Planner,
  bench: Bench,
  options: TuningOptions,
): Session {
  const { candidates, ms } = efforts[options.effort];
  const allMs = options.budget?.ms ?? ms;
  return {
    task,
    planner,
    bench,
    options,
    budget: {
      candidates: options.budget?.candidates ?? candidates,
      ms: allMs,
    },
    deadlineMs: allMs - (options.reserveMs ?? 0),
    random: seededRandom(options.seed),
    startMs: options.startedMs ?? options.now(),
    entries: [],
    designs: new Map(),
    asked: new Set(),
    seen: new Set(),
    judged: new Set(),
    judgeMs: 0,
    counts: { ok: 0, vetoed: 0, invalid: 0, wrong: 0, timeout: 0, "out-of-memory": 0, lost: 0 },
    pending: [],
    notes: new Set(),
    incumbent: null,
    usualUs: null,
    toldUs: Number.POSITIVE_INFINITY,
    duel: null,
    planMs: 0,
    breathedMs: performance.now(),
    losses: 0,
    ending: null,
    isShort: false,
  };
}

/** The name of what is tuned, for events. */
export function defOf({ task }: Session): string {
  return task.def ?? "";
}

/** Milliseconds since the start. */
export function elapsedMs({ options, startMs }: Session): number {
  return options.now() - startMs;
}

/** The candidate of a mapping; how long that takes counts. */
export function planOf(
  session: Session,
  ...asked: Parameters<Planner["plan"]>
): ReturnType<Planner["plan"]> {
  const begun = elapsedMs(session);
  const made = session.planner.plan(...asked);
  session.planMs = Math.max(0.8 * session.planMs, elapsedMs(session) - begun);
  return made;
}

/** Why facts call a candidate hopeless; how long that takes counts. */
export async function vetoesOf(
  session: Session,
  { id, kernels }: Candidate,
): Promise<readonly string[]> {
  let ms = 0;
  const found: string[] = [];
  for (const kernel of kernels) {
    await breathe(session);
    const begun = elapsedMs(session);
    found.push(...kernel.vetoes);
    ms += elapsedMs(session) - begun;
  }
  if (!session.judged.has(id)) session.judgeMs = Math.max(0.8 * session.judgeMs, ms);
  session.judged.add(id);
  return found;
}

/** Candidates that ran, or were tried to. */
export function tried({ counts }: Session): number {
  return Object.entries(counts).reduce((sum, [kind, n]) => sum + (kind === "vetoed" ? 0 : n), 0);
}

/** The shares of the time that are left for the duel. */
const duelShares: Readonly<Record<Effort, number>> = {
  refine: 0.25,
  quick: 0.2,
  normal: 0.15,
  full: 0.1,
};

/** Rounds of the duel at most, and finalists beside the default. */
export const duels: Readonly<
  Record<Effort, { readonly rounds: number; readonly finalists: number }>
> = {
  refine: { rounds: 10, finalists: 2 },
  quick: { rounds: 16, finalists: 3 },
  normal: { rounds: 32, finalists: 4 },
  full: { rounds: 64, finalists: 5 },
};

/** What a sample of a duel takes at least, in milliseconds, and rounds that a duel always has time for. */
const duelSample = { ms: 5, rounds: 6 };

/**
 * When the search ends and the duel begins, in milliseconds since the start: the duel has its share of the time, less where
 * its samples are short, and more where they are long, but never more than half.
 */
export function searchEndMs({ deadlineMs, options, entries, incumbent }: Session): number {
  const usual = entries[0]?.roughUs ?? 0;
  const best = incumbent?.roughUs ?? usual;
  const sampleMs = (us: number): number => Math.max(duelSample.ms, us / 1_000);
  const { rounds, finalists } = duels[options.effort];
  const roundMs = sampleMs(usual) + finalists * sampleMs(best);
  const share = Math.min(duelShares[options.effort] * deadlineMs, rounds * roundMs);
  return deadlineMs - Math.min(deadlineMs / 2, Math.max(share, duelSample.rounds * roundMs));
}

/** The share of the search that is over: of its candidates or of its time, whichever is more. */
export function spentShare(session: Session): number {
  const byTime = elapsedMs(session) / searchEndMs(session);
  return Math.min(1, Math.max(byTime, tried(session) / session.budget.candidates));
}

/** A run was ended by one of its signals while something was awaited. */
export class Ended extends Error {
  override readonly name: string = "Ended";
  readonly ending: Ending;
  constructor(ending: Ending) {
    super(ending);
    this.ending = ending;
  }
}

/** Waits for the bench, or throws {@link Ended} as soon as a signal asks for an end. */
export function wait<T>(
  { options: { signal, deadline } }: Session,
  promise: Promise<T>,
): Promise<T> {
  if (signal === undefined && deadline === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Ended("aborted"));
    const end = (): void => reject(new Ended("budget"));
    if (signal?.aborted) abort();
    if (deadline?.aborted) end();
    signal?.addEventListener("abort", abort, { once: true });
    deadline?.addEventListener("abort", end, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal?.removeEventListener("abort", abort);
      deadline?.removeEventListener("abort", end);
    });
  });
}

/** Plans are made for so many milliseconds at most before others have a turn. */
const breathMs = 30;

/**
 * Lets others have a turn, where that is some time ago: a signal could not ask for an end while plans are made. Throws
 * {@link Ended} like {@link wait}.
 */
export async function breathe(session: Session): Promise<void> {
  // The time that passes here: that of a replayed run stands still meanwhile.
  if (performance.now() - session.breathedMs < breathMs) return;
  await wait(session, new Promise<void>((resolve) => setTimeout(resolve, 0)));
  session.breathedMs = performance.now();
}

/** Tells a person something, once. */
export function note(session: Session, text: string): void {
  if (session.notes.has(text)) return;
  session.notes.add(text);
  session.pending.push({ type: "note", def: defOf(session), text });
}

/** Calls a hook; one that fails is noted, once for each of its messages. */
export async function hook(session: Session, call: () => Promise<void> | void): Promise<void> {
  try {
    await call();
  } catch (error) {
    note(session, `not recorded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Remembers that a candidate will not run, and counts losses in a row. */
export async function refuse(session: Session, entry: Entry, refusal: Refusal): Promise<void> {
  if (entry.refusal !== null) return;
  if (entry.isHeld) session.counts.ok -= 1;
  entry.refusal = refusal;
  entry.isHeld = false;
  session.counts[refusal.kind] += 1;
  if (refusal.kind === "lost") session.losses += 1;
  const isUntried = refusal.kind === "lost" && refusal.untried === true;
  if (session.losses >= mostLosses || isUntried) session.ending ??= "lost";
  const { refused } = session.options.hooks ?? {};
  if (refused === undefined || isUntried || entry.isCut) return;
  await hook(session, () => refused(entry.candidate, refusal));
}

/** What entries are ranked by: microseconds on the scale of the run; infinite where none were measured. */
export function rankOfEntry({ bench }: Session, { samples, refusal }: Entry): number {
  if (refusal !== null || samples.length === 0) return Number.POSITIVE_INFINITY;
  return rankOf(samples, bench.clock);
}

/** The best that is known of an entry's time: its rank, else what its admission took; infinite for none. */
export function timeOfEntry(session: Session, entry: Entry): number {
  if (entry.refusal !== null) return Number.POSITIVE_INFINITY;
  if (entry.samples.length > 0) return rankOfEntry(session, entry);
  return entry.roughUs ?? Number.POSITIVE_INFINITY;
}

/** All that were measured, the best first. */
export function ranking(session: Session): readonly Entry[] {
  return session.entries
    .map((entry) => ({ entry, rank: rankOfEntry(session, entry) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank || a.entry.i - b.entry.i)
    .map(({ entry }) => entry);
}

/** The figures of an entry's races; null where it has none. */
export function figuresOfEntry({ samples }: Entry): Figures | null {
  return samples.length === 0 ? null : figuresOf(samples);
}

/** The event of what a candidate became. */
export function candidateEvent(session: Session, entry: Entry): TuneEvent {
  const { i, candidate, from, veto, refusal, isCut, roughUs } = entry;
  const cut = isCut ? "it was given up for want of time before it had run" : null;
  const why = veto ?? cut ?? (refusal === null ? null : whyRefused(refusal));
  return {
    type: "candidate",
    def: defOf(session),
    i,
    id: candidate.id,
    options: candidate.mapping,
    alternative: candidate.alternative,
    from,
    status: veto === null ? (refusal?.kind ?? "ok") : "vetoed",
    ...(why === null ? {} : { why }),
    ...(roughUs === null ? {} : { us: roughUs }),
    estimateUs: session.judged.has(candidate.id) ? estimateOf(candidate) : null,
    atMs: elapsedMs(session),
  };
}

/** A refusal in words. */
function whyRefused(refusal: Refusal): string {
  switch (refusal.kind) {
    case "timeout":
      return `ran for more than ${refusal.ms} ms`;
    case "wrong":
      return `${refusal.gate}: ${refusal.why}`;
    default:
      return refusal.why;
  }
}

/** The estimated microseconds of all kernels; null where that of one is not known. */
export function estimateOf({ kernels }: Candidate): number | null {
  return kernels.reduce(
    (sum: number | null, { estimateUs }) =>
      sum === null || estimateUs === null ? null : sum + estimateUs,
    0,
  );
}

/** How far the run is. */
export function progressEvent(session: Session, phase: "compile" | "measure" | "duel"): TuneEvent {
  const { candidates, ms } = session.budget;
  const elapsed = elapsedMs(session);
  const done = tried(session);
  const byCandidates = done === 0 ? ms : (elapsed / done) * Math.max(0, candidates - done);
  const left = Math.max(0, Math.min(ms - elapsed, byCandidates));
  return {
    type: "progress",
    def: defOf(session),
    phase,
    tried: done,
    of: candidates,
    elapsedMs: elapsed,
    leftMs: left,
  };
}
