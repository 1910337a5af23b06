/** Tuning in the page: one run at a time, in a worker of its own; what it found so far is always shown. */
import { type Signal, signal } from "@preact/signals";
import type { Mapping } from "../../../src/index.ts";
import type { Effort, TuneEvent, TuneResult } from "../../../src/tune.ts";
import { CallFailure, Stopped } from "../call-failure.ts";
import { shownOutput } from "../output/shown-output.ts";
import { chosenDef, lastGood, optionsText } from "../state.ts";
import { startWorker, type WorkerHandle } from "../worker-client.ts";
import type { TuneJob } from "./tune-job.ts";

export type CandidateEvent = Extract<TuneEvent, { type: "candidate" }>;
export type BestEvent = Extract<TuneEvent, { type: "best" }>;
type ProgressEvent = Extract<TuneEvent, { type: "progress" }>;

/** A tuning run, as far as it is known. */
export interface Tuning {
  readonly job: TuneJob;
  readonly start: Extract<TuneEvent, { type: "start" }> | null;
  readonly candidates: readonly CandidateEvent[];
  readonly bests: readonly BestEvent[];
  readonly progress: ProgressEvent | null;
  readonly notes: readonly string[];
  readonly result: TuneResult | null;
  /** Why it ended without a result; null where it did not. */
  readonly fault: string | null;
}

export const effort: Signal<Effort> = signal<Effort>("quick");
/** The latest run; null before the first. */
export const tuning: Signal<Tuning | null> = signal<Tuning | null>(null);
export const isTuning: Signal<boolean> = signal(false);

/** After so long, in milliseconds, a worker that was asked to end is ended. */
const patienceMs = 3_000;

let worker: WorkerHandle | null = null;

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

/** Tunes what compiled last. */
export async function startTuning(): Promise<void> {
  const good = lastGood.value;
  if (good === null || isTuning.value) return;
  const sizes = Object.fromEntries(
    good.sizes.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const])),
  );
  const { source, def } = good;
  const given = good.optionsFault === null ? givenChoices(good.job.options) : null;
  const job: TuneJob = { source, def: def ?? "", sizes, effort: effort.value, given };
  const none = { start: null, progress: null, result: null, fault: null };
  tuning.value = { job, ...none, candidates: [], bests: [], notes: [] };
  isTuning.value = true;
  const mine = startWorker({ onTune: (event) => update((run) => withEvent(run, event)) });
  worker = mine;
  try {
    const result = await mine.call({ kind: "tune", job });
    update((run) => ({ ...run, result }));
  } catch (error) {
    const fault = faultText(error);
    update((run) => ({ ...run, fault }));
  } finally {
    mine.terminate();
    if (worker === mine) worker = null;
    isTuning.value = false;
  }
}

function update(change: (run: Tuning) => Tuning): void {
  if (tuning.value !== null) tuning.value = change(tuning.value);
}

function faultText(error: unknown): string {
  if (error instanceof Stopped) return "The device did not answer, and was given up.";
  const next = error instanceof CallFailure ? ` ${error.next}` : "";
  return `${error instanceof Error ? error.message : String(error)}.${next}`;
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

/** Puts the choices of a candidate into the page: they are compiled, shown beside the default, and run. */
export function loadCandidate(options: Mapping, alternative: string | null): void {
  if (alternative !== null) chosenDef.value = alternative;
  optionsText.value = JSON.stringify(options, null, 2);
  shownOutput.value = "mapping";
}
