/**
 * Purpose: which structures are worth searching the kernels of.
 *
 * A structure is as good as its best kernels, and those of one that was just found are untuned: it is compared with
 * what the best one had after as many tries. So a good structure, or algorithm, whose default kernels are slow is
 * not dropped.
 */
import type { Random } from "../support/random.ts";
import type { Candidate } from "./candidate.ts";
import type { Entry } from "./session.ts";

/** What was measured of one structure. */
export interface Structure {
  /** The best first. */
  readonly ranked: readonly Entry[];
  /** The best time after each of its candidates, in the order in which they were proposed. */
  readonly curve: readonly number[];
}

/** What tells the structures of candidates apart. */
export function structureKey({ alternative, structure }: Candidate): string {
  return `${alternative ?? ""}\n${structure}`;
}

/** The structures of all that ran, that of the best first. */
export function structuresOf(
  entries: readonly Entry[],
  time: (entry: Entry) => number,
): readonly Structure[] {
  const groups = new Map<string, { entry: Entry; us: number }[]>();
  for (const entry of entries) {
    const us = time(entry);
    if (!Number.isFinite(us)) continue;
    const key = structureKey(entry.candidate);
    groups.set(key, [...(groups.get(key) ?? []), { entry, us }]);
  }
  return [...groups.values()]
    .map((own): Structure => {
      let best = Number.POSITIVE_INFINITY;
      const curve = own.map(({ us }) => {
        best = Math.min(best, us);
        return best;
      });
      const ranked = own.toSorted((a, b) => a.us - b.us || a.entry.i - b.entry.i);
      return { ranked: ranked.map(({ entry }) => entry), curve };
    })
    .sort((a, b) => (a.curve.at(-1) ?? 0) - (b.curve.at(-1) ?? 0));
}

/** How much longer a structure takes than the best one did after as many tries. */
function behind({ curve }: Structure, leader: Structure): number {
  const tries = Math.min(curve.length, leader.curve.length);
  return (curve[tries - 1] ?? 1) / (leader.curve[tries - 1] ?? 1);
}

/** Until this share of a run is spent so many structures have as many tries; after it those that promise most. */
const early = { until: 0.35, live: 4 };

/** A structure that takes so many times as long as the best one did is left alone: its kernels make up for less. */
const hopeless = 3;

/** How often a structure is chosen that promises most, or had the fewest tries; else the best one. */
const chosenShare = 0.8;

/** How many tries say how a structure gets better. */
const recent = 12;

/**
 * The best time of a structure, if it went on as in its last tries; infinite for one that did not get better in them:
 * it may be searched through.
 */
function promised({ curve }: Structure): number {
  const best = curve.at(-1) ?? Number.POSITIVE_INFINITY;
  const before = curve.at(-1 - recent) ?? Number.POSITIVE_INFINITY;
  if (before === best) return Number.POSITIVE_INFINITY;
  return best * (best / Math.min(before, 2 * best));
}

function least<T>(items: readonly T[], rank: (item: T) => number): T | undefined {
  return items.toSorted((a, b) => rank(a) - rank(b))[0];
}

/**
 * A structure to search the kernels of: in the beginning, of those that are least behind the best one, the one that had
 * the fewest tries; then the one that promises most.
 */
export function pickStructure(
  structures: readonly Structure[],
  random: Random,
  spent: number,
): Structure | undefined {
  const [leader] = structures;
  if (leader === undefined || structures.length === 1 || !random.chance(chosenShare)) return leader;
  const live = structures
    .map((structure) => ({ structure, late: behind(structure, leader) }))
    .filter(({ late }) => late < hopeless)
    .sort((a, b) => a.late - b.late)
    .slice(0, early.live)
    .map(({ structure }) => structure);
  const fewest = least(live, (s) => s.curve.length);
  if (spent < early.until) return fewest;
  const best = least(live, promised);
  return best === undefined || promised(best) === Number.POSITIVE_INFINITY ? fewest : best;
}
