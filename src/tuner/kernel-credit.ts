/**
 * Purpose: which kernels of the candidates so far were the fastest.
 *
 * Kernels are independent given the structure: the time of one in any candidate says how it does in every other one of
 * that structure. So, mostly, are knobs of a kernel: what several steps from one candidate gained is gained together.
 */
import type { Choice } from "../support/mapping-file.ts";
import type { Candidate, CandidateKernel, CandidateKnob } from "./candidate.ts";
import { kernelChoices, kernelOf } from "./moves.ts";
import type { Entry } from "./session.ts";
import { median } from "./statistics.ts";

/** What tells kernels apart that stand in each other's place: the name, and what they compute. */
function placeOf({ alternative, structure }: Candidate, { name, key }: CandidateKernel): string {
  return [alternative, structure, name, key].join("\n");
}

/** Median microseconds of a kernel of a candidate; null where they are not known. */
function timeOf(entry: Entry, { name }: CandidateKernel): number | null {
  const samples = entry.kernels[name];
  return samples === undefined || samples.length === 0 ? null : median(samples);
}

/** The share of each kernel, by name, in the time of a candidate; null where the clock cannot tell them apart. */
export function kernelShares(entry: Entry): ReadonlyMap<string, number> | null {
  const times = entry.candidate.kernels.map((k): [string, number | null] => [
    k.name,
    timeOf(entry, k),
  ]);
  const total = times.reduce((sum, [, us]) => sum + (us ?? 0), 0);
  if (times.some(([, us]) => us === null) || !(total > 0)) return null;
  return new Map(times.map(([name, us]) => [name, (us ?? 0) / total]));
}

/** How much faster a step must be to count as a gain. */
const gained = 0.99;

/**
 * All turns of knobs by which steps from a candidate gained something, by path, the best of those that disagree; null
 * where fewer than two steps did. `time` is that of a whole candidate, which counts where kernels cannot be told apart.
 */
export function gainedTurns(
  entries: readonly Entry[],
  parent: Entry,
  time: (entry: Entry) => number,
): readonly (readonly [string, Choice])[] | null {
  const before = new Map(parent.candidate.knobs.map((k) => [k.path, k.value]));
  const gains: { readonly from: Entry; readonly ratio: number; readonly knob: CandidateKnob }[] =
    [];
  for (const entry of entries) {
    const { candidate, from } = entry;
    if (from.parent !== parent.i || candidate.structure !== parent.candidate.structure) continue;
    const whole = time(entry) / time(parent);
    const ratios = new Map(
      candidate.kernels.map((kernel) => {
        const own = (timeOf(entry, kernel) ?? Number.NaN) / (timeOf(parent, kernel) ?? Number.NaN);
        return [kernel.name, Number.isNaN(own) ? whole : own];
      }),
    );
    for (const knob of candidate.knobs) {
      const ratio = ratios.get(kernelOf(knob) ?? "") ?? 1;
      if (ratio < gained && before.has(knob.path) && before.get(knob.path) !== knob.value) {
        gains.push({ from: entry, ratio, knob });
      }
    }
  }
  if (new Set(gains.map(({ from }) => from)).size < 2) return null;
  return gains.sort((a, b) => b.ratio - a.ratio).map(({ knob }) => [knob.path, knob.value]);
}

/** How much faster another candidate's kernel must be to stand in the place of one. */
const worthTaking = 0.98;

/**
 * Choices that put the fastest known kernels of a candidate's structure into it, by path; null where its own are the
 * fastest, or times of kernels are not known.
 */
export function bestKernels(
  entries: readonly Entry[],
  base: Entry,
): readonly (readonly [string, Choice])[] | null {
  if (base.candidate.kernels.length < 2) return null;
  const best = new Map<string, { us: number; from: Entry }>();
  for (const entry of entries) {
    if (entry.refusal !== null || entry.candidate.structure !== base.candidate.structure) continue;
    for (const kernel of entry.candidate.kernels) {
      const us = timeOf(entry, kernel);
      const place = placeOf(entry.candidate, kernel);
      if (us !== null && us < (best.get(place)?.us ?? Number.POSITIVE_INFINITY)) {
        best.set(place, { us, from: entry });
      }
    }
  }
  const taken = base.candidate.kernels.flatMap((kernel) => {
    const found = best.get(placeOf(base.candidate, kernel));
    const own = timeOf(base, kernel);
    if (found === undefined || found.from === base) return [];
    return found.us < worthTaking * (own ?? Number.POSITIVE_INFINITY)
      ? kernelChoices(found.from.candidate, kernel.name)
      : [];
  });
  return taken.length === 0 ? null : taken;
}
