/**
 * Purpose: what each kernel of a structure took in all candidates that have it.
 *
 * Kernels are independent given the structure: the time of one in any candidate says how it does in every other one.
 * Where times of kernels are not known, a candidate is one part, with the knobs of all.
 */
import type { Candidate, CandidateKernel } from "./candidate.ts";
import { isStructural } from "./moves.ts";
import type { Entry } from "./session.ts";
import { median } from "./statistics.ts";
import { type Point, type Surrogate, surrogateOf } from "./surrogate.ts";

/** A kernel, or several, as a candidate has them. */
export interface Source {
  readonly entry: Entry;
  readonly point: Point;
  readonly us: number;
}

/** A part of a structure that is searched on its own. */
export interface Part {
  /** Of its kernels. */
  readonly names: readonly string[];
  /** Of the whole time, for the candidate that was asked about. */
  readonly share: number;
  /** Where it was measured, the fastest first. */
  readonly sources: readonly Source[];
  /** What is expected of it elsewhere; null where too little is known. */
  readonly surrogate: Surrogate | null;
  /** How many milliseconds candidates are expected to take until they run; null where too little is known. */
  readonly effort: Surrogate | null;
  readonly pointOf: (candidate: Candidate) => Point;
}

/** Median microseconds of a kernel of a candidate; null where it was not measured by itself. */
function timeOf({ kernels }: Entry, name: string): number | null {
  const samples = kernels[name];
  return samples === undefined || samples.length === 0 ? null : median(samples);
}

/** The least part of a candidate's time that kernels have which were not measured by themselves. */
const leastRest = 0.05;

/**
 * Microseconds of each kernel of a candidate. Of one that was not raced the time of all is known: kernels that others
 * have, too, took what they took there, and those that are new share the rest like those of `base` in their places.
 */
function timesOf(
  entry: Entry,
  whole: number,
  known: ReadonlyMap<string, number>,
  base: Entry,
): ReadonlyMap<string, number> {
  const { kernels } = entry.candidate;
  const own = kernels.map(({ name, text }) => ({
    name,
    us: timeOf(entry, name) ?? known.get(text) ?? null,
  }));
  const sum = own.reduce((all, { us }) => all + (us ?? 0), 0);
  const rest = Math.max(whole - sum, leastRest * whole);
  const weights = new Map(
    own.flatMap(({ name, us }) => (us === null ? [[name, timeOf(base, name) ?? 1] as const] : [])),
  );
  const total = [...weights.values()].reduce((all, w) => all + w, 0);
  return new Map(
    own.map(({ name, us }) => [name, us ?? (rest * (weights.get(name) ?? 0)) / (total || 1)]),
  );
}

/** Microseconds of kernels that were measured by themselves, by text. */
function measuredKernels(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const entry of entries) {
    for (const { name, text } of entry.candidate.kernels) {
      const us = timeOf(entry, name);
      if (us !== null) found.set(text, Math.min(us, found.get(text) ?? us));
    }
  }
  return found;
}

/** Values of the knobs of some kernels. */
function pointOf({ knobs }: Candidate, names: readonly string[]): Point {
  return new Map(
    knobs
      .filter((k) => !isStructural(k) && names.some((n) => k.path.startsWith(`kernels/${n}/`)))
      .map(({ path, value }) => [path, value]),
  );
}

/** The same kernel: the name, and what it computes. */
function has({ kernels }: Candidate, { name, key }: CandidateKernel): boolean {
  return kernels.some((k) => k.name === name && k.key === key);
}

/** What a candidate counts that did not run, beside the slowest one that did. */
const refusedFactor = 2;

function partOf(
  names: readonly string[],
  entries: readonly Entry[],
  time: (entry: Entry) => number | null,
): Omit<Part, "share"> {
  const own = (candidate: Candidate): Point => pointOf(candidate, names);
  const sources = entries
    .flatMap((entry): readonly Source[] => {
      const us = time(entry);
      if (us === null || !(us > 0 && us < Number.POSITIVE_INFINITY)) return [];
      return [{ entry, point: own(entry.candidate), us }];
    })
    .sort((a, b) => a.us - b.us || a.entry.i - b.entry.i);
  const slowest = sources.at(-1)?.us ?? 1;
  const refused = entries
    .filter(({ refusal }) => refusal !== null)
    .map(({ candidate }) => ({ point: own(candidate), us: refusedFactor * slowest }));
  const efforts = entries.flatMap(({ candidate, firstMs }) =>
    firstMs === null ? [] : [{ point: own(candidate), us: Math.max(1, firstMs) }],
  );
  const surrogate = surrogateOf([...sources, ...refused]);
  return { names, sources, pointOf: own, surrogate, effort: surrogateOf(efforts) };
}

/** The parts of a candidate's structure. `time` is that of a whole candidate; infinite where it is not known. */
export function partsOf(
  entries: readonly Entry[],
  base: Entry,
  time: (entry: Entry) => number,
): readonly Part[] {
  const { kernels, structure, alternative } = base.candidate;
  const known = measuredKernels(entries);
  if (kernels.length > 1 && known.size > 0) {
    const ran = entries.filter(
      (e) => e.candidate.alternative === alternative && time(e) < Number.POSITIVE_INFINITY,
    );
    const times = new Map(ran.map((e) => [e, timesOf(e, time(e), known, base)]));
    const shares = times.get(base) ?? new Map<string, number>();
    const total = [...shares.values()].reduce((sum, us) => sum + us, 0);
    return kernels.map((kernel): Part => {
      const alike = ran.filter(({ candidate }) => has(candidate, kernel));
      const part = partOf([kernel.name], alike, (e) => times.get(e)?.get(kernel.name) ?? null);
      return { ...part, share: (shares.get(kernel.name) ?? 0) / (total || 1) };
    });
  }
  const alike = entries.filter(
    ({ candidate, veto }) =>
      veto === null && candidate.structure === structure && candidate.alternative === alternative,
  );
  return [
    {
      ...partOf(
        kernels.map(({ name }) => name),
        alike,
        time,
      ),
      share: 1,
    },
  ];
}
