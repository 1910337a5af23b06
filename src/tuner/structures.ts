/**
 * Purpose: which structures are worth searching the kernels of.
 *
 * A structure is as good as its best kernels, and those of one that was just found are untuned: it is compared with
 * what the best one had after as many tries. So a good structure, or algorithm, whose default kernels are slow is
 * not dropped (research/tuner.md, 3.9).
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

function keyOf({ alternative, structure }: Candidate): string {
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
    const key = keyOf(entry.candidate);
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

/** How often the best structure is chosen whatever the others look like. */
const leaderShare = 0.5;

/** A structure to search the kernels of: the best one, or another, the more likely the less it is behind. */
export function pickStructure(
  structures: readonly Structure[],
  random: Random,
): Structure | undefined {
  const [leader, ...others] = structures;
  if (leader === undefined || random.chance(leaderShare)) return leader;
  const weights = others.map((s) => Math.exp(-2 * (behind(s, leader) - 1)));
  // The leader takes part once more, so that others that are far behind are not chosen for want of better ones.
  let left = random.next() * (1 + weights.reduce((sum, w) => sum + w, 0));
  for (const [n, structure] of others.entries()) {
    left -= weights[n] ?? 0;
    if (left < 0) return structure;
  }
  return leader;
}
