/**
 * Purpose: what each kernel of a structure took in all candidates that have it.
 *
 * Kernels are independent given the structure: the time of one in any candidate says how it does in every other one.
 * Where times of kernels are not known, a candidate is one part, with the knobs of all.
 */
import { whenAsked } from "../support/when-asked.ts";
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
  /** What is expected of it elsewhere; null where too little is known. To ask takes milliseconds, once. */
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
 * Microseconds of those kernels of a candidate of which something says what they took. Kernels that others
 * have, too, took what they took there. The rest of the time is that of the only one that is new; several
 * share it like those of `base` in their places, and where these were not measured by themselves, nothing
 * says how.
 */
function timesOf(
  entry: Entry,
  whole: number,
  known: ReadonlyMap<string, number>,
  base: Entry,
): ReadonlyMap<string, number> {
  const { kernels } = entry.candidate;
  const told = kernels.flatMap(({ name, text }): [string, number][] => {
    const us = timeOf(entry, name) ?? known.get(text) ?? null;
    return us === null ? [] : [[name, us]];
  });
  const times = new Map(told);
  const sum = told.reduce((all, [, us]) => all + us, 0);
  const rest = Math.max(whole - sum, leastRest * whole);
  const others = kernels.filter(({ name }) => !times.has(name));
  const weights = others.map(({ name }) => timeOf(base, name) ?? (others.length === 1 ? 1 : 0));
  const total = weights.reduce((all, w) => all + w, 0);
  if (weights.every((w) => w > 0)) {
    for (const [n, { name }] of others.entries())
      times.set(name, (rest * (weights[n] ?? 0)) / total);
  }
  return times;
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

/** `entries` are those that have the part, those among them that were given up say what it takes to try others alike. */
function partOf(
  names: readonly string[],
  entries: readonly Entry[],
  time: (entry: Entry) => number | null,
  isRefused: (entry: Entry) => boolean,
  share: number,
): Part {
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
    .filter((e) => !e.isCut && isRefused(e))
    .map(({ candidate }) => ({ point: own(candidate), us: refusedFactor * slowest }));
  const efforts = entries.flatMap(({ candidate, firstMs }) =>
    firstMs === null ? [] : [{ point: own(candidate), us: Math.max(1, firstMs) }],
  );
  const surrogate = whenAsked(() => surrogateOf([...sources, ...refused]));
  const effort = whenAsked(() => surrogateOf(efforts));
  return {
    names,
    share,
    sources,
    pointOf: own,
    get surrogate() {
      return surrogate();
    },
    get effort() {
      return effort();
    },
  };
}

/** The kernel of a refused candidate that is to blame: the only one that ran nowhere; null where that is not known. */
function blamed({ refusal, candidate }: Entry, sound: ReadonlySet<string>): string | null {
  const [only, ...others] = candidate.kernels.filter(({ text }) => !sound.has(text));
  return refusal === null || others.length > 0 ? null : (only?.name ?? null);
}

/**
 * The parts of a candidate's structure. `time` is that of a whole candidate; infinite where it is not known.
 * Each kernel is one where something says what each of the candidate's took; else all are one.
 */
export function partsOf(
  entries: readonly Entry[],
  base: Entry,
  time: (entry: Entry) => number,
): readonly Part[] {
  const { kernels, structure, alternative } = base.candidate;
  const tried = entries.filter((e) => e.veto === null && e.candidate.alternative === alternative);
  const ran = tried.filter((e) => time(e) < Number.POSITIVE_INFINITY);
  const known = measuredKernels(ran);
  const shares = timesOf(base, time(base), known, base);
  if (kernels.length === 1 || kernels.some(({ name }) => !shares.has(name))) {
    const alike = tried.filter(({ candidate }) => candidate.structure === structure);
    const names = kernels.map(({ name }) => name);
    return [partOf(names, alike, time, ({ refusal }) => refusal !== null, 1)];
  }
  const times = new Map(ran.map((e) => [e, timesOf(e, time(e), known, base)]));
  const sound = new Set(ran.flatMap(({ candidate }) => candidate.kernels.map(({ text }) => text)));
  const total = [...shares.values()].reduce((sum, us) => sum + us, 0);
  return kernels.map((kernel): Part => {
    const { name } = kernel;
    const alike = tried.filter(({ candidate }) => has(candidate, kernel));
    const timeIn = (e: Entry): number | null => times.get(e)?.get(name) ?? null;
    const isRefused = (e: Entry): boolean => blamed(e, sound) === name;
    return partOf([name], alike, timeIn, isRefused, (shares.get(name) ?? 0) / total);
  });
}
