/**
 * What a tuning run found, as data: everything that the page shows, from the events alone.
 */
import { flatMap } from "../../support/flat-map.ts";
import type { Choice } from "../../support/mapping-file.ts";
import type { BenchClock } from "../bench.ts";
import type { TuneEvent, TuneResult } from "../events.ts";
import { choicesOf, type KnobEffect, knobEffects } from "./knob-effects.ts";

/** Facts about where it ran, in words: the machine, versions. */
export type Environment = Readonly<Record<string, string>>;

/** How much longer options of one size take at another: what reuse would lose. */
export interface ReuseLosses {
  /** `M=64 N=64` */
  readonly sizes: readonly string[];
  /** The options that won at a size, or `default`. */
  readonly options: readonly string[];
  /** Per size, per options: time over the best known time at that size; null where it was not measured. */
  readonly losses: readonly (readonly (number | null)[])[];
}

export interface ReportCandidate {
  readonly i: number;
  readonly status: string;
  readonly why: string | null;
  readonly alternative: string | null;
  /** `random`, `step of 4`. */
  readonly from: string;
  /** Rough microseconds. */
  readonly us: number | null;
  readonly estimateUs: number | null;
  readonly atMs: number;
  /** What it chooses, by path. */
  readonly choices: Readonly<Record<string, Choice>>;
}

export interface ReportBest {
  readonly i: number;
  readonly us: number;
  readonly defaultUs: number;
  readonly atMs: number;
}

/** One definition at one set of sizes. */
export interface RunReport {
  readonly def: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly effort: string;
  readonly budget: { readonly candidates: number; readonly ms: number };
  readonly seed: number;
  readonly clock: BenchClock;
  readonly adapter: string;
  /** Null where it did not come to an end. */
  readonly result: TuneResult | null;
  /** The default's median over the tuned one's; null where one of them is not known. */
  readonly speedup: number | null;
  readonly candidates: readonly ReportCandidate[];
  readonly best: readonly ReportBest[];
  readonly knobs: readonly KnobEffect[];
  readonly notes: readonly string[];
}

export interface TuningReport {
  readonly schema: 1;
  readonly environment: Environment;
  readonly runs: readonly RunReport[];
  readonly reuse: ReuseLosses | null;
}

/** The report of events, which may be those of several runs one after the other. */
export function reportOf(
  events: readonly TuneEvent[],
  environment: Environment = {},
  reuse: ReuseLosses | null = null,
): TuningReport {
  const starts = flatMap(events, (event, n) => (event.type === "start" ? [{ event, n }] : []));
  const runs = starts.map(({ event, n }, k) =>
    runReport(event, events.slice(n + 1, starts[k + 1]?.n ?? events.length)),
  );
  return { schema: 1, environment, runs, reuse };
}

type Start = Extract<TuneEvent, { readonly type: "start" }>;

function runReport(
  { def, sizes, effort, budget, seed, clock, adapter }: Start,
  events: readonly TuneEvent[],
): RunReport {
  const candidates: ReportCandidate[] = [];
  const best: ReportBest[] = [];
  const notes: string[] = [];
  let result: TuneResult | null = null;
  for (const event of events) {
    if (event.type === "candidate") candidates.push(candidateOf(event));
    else if (event.type === "best") {
      const { i, us, defaultUs, atMs } = event;
      best.push({ i, us, defaultUs, atMs });
    } else if (event.type === "note") notes.push(event.text);
    else if (event.type === "done") result = event.result;
  }
  const { ratio = null } = result ?? {};
  const speedup = ratio === null ? null : 1 / ratio;
  const knobs = knobEffects(candidates);
  return {
    ...{ def, sizes, effort, budget, seed, clock, adapter },
    ...{ result, speedup, candidates, best, knobs, notes },
  };
}

function candidateOf(event: Extract<TuneEvent, { readonly type: "candidate" }>): ReportCandidate {
  const { i, status, why, alternative, from, us, estimateUs, atMs, options } = event;
  return {
    ...{ i, status, alternative, estimateUs, atMs },
    why: why ?? null,
    us: us ?? null,
    from: from.parent === undefined ? from.kind : `${from.kind} of ${from.parent}`,
    choices: choicesOf(options),
  };
}
