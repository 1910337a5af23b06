/** Tuning in the page: one run at a time, in a worker of its own; what it found so far is always shown. */
import { type Signal, signal } from "@preact/signals";
import type { Mapping } from "../../../src/index.ts";
import type { Effort, TuneEvent, TuneResult } from "../../../src/tune.ts";
import { failureText, Stopped } from "../call-failure.ts";
import { run } from "../run/run-state.ts";
import { recordsUrl } from "../served-program.ts";
import { showOutput } from "../shell/shown.ts";
import { chosenDef, type Good, latestGood, optionsText } from "../state.ts";
import { startWorker, type WorkerHandle } from "../worker-client.ts";
import { countRecords } from "./records-state.ts";
import type { TuneJob } from "./tune-job.ts";

export type CandidateEvent = Extract<TuneEvent, { type: "candidate" }>;
export type BestEvent = Extract<TuneEvent, { type: "best" }>;
type ProgressEvent = Extract<TuneEvent, { type: "progress" }>;

/** A tuning run, as far as it is known. */
export interface Tuning {
  readonly job: TuneJob;
  /** Of its source: see `CompiledView`. */
  readonly meaning: string;
  readonly start: Extract<TuneEvent, { type: "start" }> | null;
  readonly candidates: readonly CandidateEvent[];
  readonly bests: readonly BestEvent[];
  readonly progress: ProgressEvent | null;
  readonly notes: readonly string[];
  readonly result: TuneResult | null;
  /** The result as a lock file. */
  readonly lock: string | null;
  /** Why it ended without a result; null where it did not. */
  readonly fault: string | null;
}

export const effort: Signal<Effort> = signal<Effort>("quick");
/** The latest run; null before the first. */
export const tuning: Signal<Tuning | null> = signal<Tuning | null>(null);
export const isTuning: Signal<boolean> = signal(false);
/** Who lets the run wait: the visitor, or the browser, since nobody sees the page. */
export const pausedBy: Signal<"visitor" | "hidden" | null> = signal<"visitor" | "hidden" | null>(
  null,
);

/** After so long, in milliseconds, a worker that was asked to end is ended. */
const patienceMs = 3_000;

/** Events are shown so many milliseconds after the first of them came, together: the page has other things to do. */
const togetherMs = 100;

let worker: WorkerHandle | null = null;
let arrived: TuneEvent[] = [];

/** What a run has become with one more event. */
export function withEvent(run: Tuning, event: TuneEvent): Tuning {
  switch (event.type) {
    case "start":
      return { ...run, start: event };
    case "candidate":
      return { ...run, candidates: [...run.candidates, event] };
    case "best":
      return { ...run, bests: [...run.bests, event] };
    case "progress":
      return { ...run, progress: event };
    case "note":
      return { ...run, notes: [...run.notes, event.text] };
    case "done":
      return { ...run, result: event.result };
  }
}

/** Choices as they stand in the mapping's text; null where there are none, or no JSON. */
function givenChoices(text: string): Mapping | null {
  try {
    return text.trim() === "" ? null : (JSON.parse(text) as Mapping);
  } catch {
    return null;
  }
}

/** What compiled, as a job. */
function jobOf(good: Good, again: boolean): TuneJob {
  const sizes = Object.fromEntries(
    good.sizes.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const])),
  );
  const { source, def } = good;
  const given = good.optionsFault === null ? givenChoices(good.job.options) : null;
  const records = recordsUrl();
  return { source, def: def ?? "", sizes, effort: effort.value, given, again, records };
}

/** Tunes what the latest text becomes; `again`: although an earlier run has found the answer. */
export async function startTuning(again = false): Promise<void> {
  if (isTuning.value) return;
  isTuning.value = true;
  const good = await latestGood();
  if (good === null) {
    isTuning.value = false;
    return;
  }
  const job = jobOf(good, again);
  const { meaning } = good.compiled;
  const none = { start: null, progress: null, result: null, lock: null, fault: null };
  tuning.value = { job, meaning, ...none, candidates: [], bests: [], notes: [] };
  pausedBy.value = null;
  const mine = startWorker({ onTune: take });
  worker = mine;
  pauseWhereHidden();
  try {
    const found = await mine.call({ kind: "tune", job });
    showArrived();
    update((run) => ({ ...run, ...found }));
  } catch (error) {
    showArrived();
    const fault = faultText(error);
    update((run) => ({ ...run, fault }));
  } finally {
    mine.terminate();
    if (worker === mine) worker = null;
    isTuning.value = false;
    pausedBy.value = null;
    void countRecords();
  }
}

function take(event: TuneEvent): void {
  if (arrived.length === 0) setTimeout(showArrived, togetherMs);
  arrived.push(event);
}

function showArrived(): void {
  const events = arrived;
  arrived = [];
  if (events.length > 0) update((run) => events.reduce(withEvent, run));
}

function setPause(by: "visitor" | "hidden" | null): void {
  if (worker === null || pausedBy.value === by) return;
  pausedBy.value = by;
  void worker.call({ kind: "pause-tuning", isPaused: by !== null }).catch(() => undefined);
}

/** Lets the run wait, or go on: after the candidate that is at its turn. */
export function pauseTuning(isPaused: boolean): void {
  setPause(isPaused ? "visitor" : null);
}

/** Nobody is disturbed by a run that nobody sees, and browsers slow hidden pages down, which would spoil its times. */
function pauseWhereHidden(): void {
  if (pausedBy.value !== "visitor") setPause(document.hidden ? "hidden" : null);
}

/** A run pauses while its page is hidden. */
export function followVisibility(): void {
  document.addEventListener("visibilitychange", pauseWhereHidden);
}

function update(change: (run: Tuning) => Tuning): void {
  if (tuning.value !== null) tuning.value = change(tuning.value);
}

function faultText(error: unknown): string {
  if (error instanceof Stopped) return "The device did not answer, and was given up.";
  return failureText(error);
}

/** Ends the run with the best so far; a device that does not answer is given up. */
export function stopTuning(): void {
  const mine = worker;
  if (mine === null) return;
  void mine.call({ kind: "stop-tuning" }).catch(() => undefined);
  setTimeout(() => {
    if (worker === mine) mine.terminate();
  }, patienceMs);
}

/** What tuning found for a program at its sizes; null where it has not, or found another algorithm. */
export function tunedFor(good: Good): Mapping | null {
  const run = tuning.value;
  if (run === null || run.result === null) return null;
  return isOf(run, good) && run.result.alternative === null ? run.result.options : null;
}

/** Whether a run was of what compiled: of its definition, at its sizes. */
export function isOf({ job, meaning }: Tuning, good: Good): boolean {
  return (
    meaning === good.compiled.meaning &&
    job.def === good.def &&
    good.sizes.every(({ name, value }) => job.sizes[name] === (value ?? undefined))
  );
}

/** Choices as the page shows them. */
export function choicesText(options: Mapping): string {
  return JSON.stringify(options, null, 2);
}

/**
 * Puts the choices of a candidate into the page: they are compiled, shown beside the default, and run, unless that would
 * take the device from a search that goes on.
 */
export function loadCandidate(options: Mapping, alternative: string | null): void {
  if (alternative !== null) chosenDef.value = alternative;
  optionsText.value = choicesText(options);
  showOutput("mapping");
  if (!isTuning.value) void run();
}
