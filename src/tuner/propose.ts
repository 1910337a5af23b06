/**
 * Purpose: what a run tries next: seeds, then places all over the space in a coarse order of estimates, then steps
 * from the best.
 *
 * Structure is searched above kernels. Kernels are independent given the structure: a step turns one or several at
 * once, each is credited with its own time, and the best of each are put together.
 */
import { type Choice, mappingVersion } from "../support/mapping-file.ts";
import { isSpent, type Proposal } from "./admit.ts";
import type { Candidate, CandidateKnob } from "./candidate.ts";
import { bestKernels, gainedTurns, kernelShares } from "./kernel-credit.ts";
import {
  cellOf,
  drawnKernels,
  isMicro,
  kernelChoices,
  kernelOf,
  kernelStep,
  openKnobs,
  openStructure,
  structureStep,
  turned,
} from "./moves.ts";
import {
  breathe,
  type Entry,
  elapsedMs,
  estimateOf,
  planOf,
  ranking,
  type Session,
  spentShare,
  timeOfEntry,
} from "./session.ts";
import { pickStructure, type Structure, structuresOf } from "./structures.ts";

/** The default, what was found elsewhere, other wishes of the policy, other algorithms. */
export function seeds({ planner, options }: Session): readonly Proposal[] {
  const [first, ...wishes] = planner.wishes();
  const byDefault: Proposal = {
    mapping: first ?? { version: mappingVersion, policy: "default" },
    kind: "default",
  };
  const starts = (options.starts ?? []).map(
    ({ mapping, alternative = null, kind }): Proposal => ({ mapping, alternative, kind }),
  );
  const alternatives = planner.alternatives.map(
    (alternative): Proposal => ({
      mapping: { version: mappingVersion, policy: "default" },
      alternative,
      kind: "alternative",
    }),
  );
  const others = wishes.map((mapping): Proposal => ({ mapping, kind: "wish" }));
  return [byDefault, ...starts, ...others, ...alternatives];
}

/** The words of a knob's path that say what it turns, wherever that is. */
function kindOfKnob({ path }: CandidateKnob): string {
  const words = path.split("/").filter((w) => !/^\d+$/.test(w));
  return path.startsWith("kernels/")
    ? words.filter((_, n) => n !== 1).join("/")
    : (words.at(3) ?? words.join("/"));
}

/** Knobs of a candidate that have another value in its parent. */
function turnedKnobs(own: Candidate, parent: Candidate): readonly CandidateKnob[] {
  const values = new Map(parent.knobs.map((k) => [k.path, k.value]));
  return own.knobs.filter((k) => values.has(k.path) && values.get(k.path) !== k.value);
}

/**
 * What turning a kind of knob brought so far, as a weight: 1 where nothing is known. Each knob in which a candidate
 * differs from its parent counts as tried, and as a gain where the candidate was faster by 1 %.
 */
function knobWeights(session: Session): (knob: CandidateKnob) => number {
  const { entries } = session;
  const tally = new Map<string, { tries: number; gains: number }>();
  const ranks = entries.map((entry) => timeOfEntry(session, entry));
  for (const [n, entry] of entries.entries()) {
    const parent = entries[entry.from.parent ?? -1];
    const before = ranks[parent?.i ?? -1] ?? Number.POSITIVE_INFINITY;
    if (parent === undefined || !Number.isFinite(before)) continue;
    const gain = (ranks[n] ?? before) < 0.99 * before ? 1 : 0;
    for (const kind of turnedKnobs(entry.candidate, parent.candidate).map(kindOfKnob)) {
      const known = tally.get(kind) ?? { tries: 0, gains: 0 };
      tally.set(kind, { tries: known.tries + 1, gains: known.gains + gain });
    }
  }
  const isEarly = spentShare(session) < 0.5;
  return (knob) => {
    const { tries, gains } = tally.get(kindOfKnob(knob)) ?? { tries: 0, gains: 0 };
    const share = isMicro(knob) && isEarly ? 0.25 : 1;
    return (share * (1 + 3 * gains)) / (1 + 0.5 * tries);
  };
}

/** What is known between two comparisons: it changes with them alone. */
export interface Standing {
  /** All that were measured, the best first. */
  readonly ranked: readonly Entry[];
  readonly structures: readonly Structure[];
  /** How much knobs are worth turning. */
  readonly weigh: (knob: CandidateKnob) => number;
}

/** What is known by now. */
export function standingOf(session: Session): Standing {
  const ranked = ranking(session);
  // Kernels of a new structure are untuned, and often too slow to be raced: their rough time has to do.
  const structures = structuresOf(session.entries, (entry) => timeOfEntry(session, entry));
  return { ranked, structures, weigh: knobWeights(session) };
}

/** Whether knobs of the structure that are rarely worth asking are turned, too. */
function doesExplore({ options }: Session): boolean {
  return options.effort === "full";
}

/** Of the knobs of all kernels this share is drawn, one of these. */
const drawnShares = [0.25, 0.5, 1];

/** A place far from what was tried: another structure, kernels that are drawn, or both. */
function draw(session: Session, { ranked }: Standing): Proposal | null {
  const { random, entries } = session;
  // Where nothing runs yet, what was planned is as good a place to begin at as any.
  const from = ranked.length > 0 ? ranked : entries;
  const base = random.chance(0.5) ? from[0] : from[random.integer(0, from.length)];
  if (base === undefined) return null;
  const { alternative } = base.candidate;
  const told = { alternative, kind: "random", parent: base.i };
  const share = random.pick(drawnShares);
  const explore = doesExplore(session);
  const isOpen = openStructure(base.candidate, explore).length > 0;
  if (!isOpen || random.chance(0.6)) {
    return { mapping: drawnKernels(base.candidate, random, share), ...told };
  }
  const mapping = structureStep(base.candidate, { random, weigh: () => 1, explore });
  const planned = mapping && planOf(session, mapping, alternative);
  if (mapping === null || planned === null || "refused" in planned) return null;
  if (random.chance(0.4)) return { mapping, planned, ...told };
  return { mapping: drawnKernels(planned, random, share), ...told };
}

/** Another structure than that of a candidate; kernels that compute the same as before stay as they are. */
function structureProposal(
  session: Session,
  { candidate, i }: Entry,
  weigh: Standing["weigh"],
): Proposal | null {
  const { random } = session;
  const mapping = structureStep(candidate, { random, weigh, explore: doesExplore(session) });
  if (mapping === null) return null;
  const { alternative } = candidate;
  const planned = planOf(session, mapping, alternative);
  if ("refused" in planned) return null;
  const kept = planned.kernels
    .filter((k) => candidate.kernels.some(({ name, key }) => name === k.name && key === k.key))
    .flatMap(({ name }) => kernelChoices(candidate, name));
  const from = { alternative, kind: "structure", parent: i };
  return kept.length === 0
    ? { mapping, planned, ...from }
    : { mapping: turned(planned, kept), ...from };
}

/** A step from one of the best: in the structure, or in kernels of a structure. */
function step(session: Session, { structures, weigh }: Standing): Proposal | null {
  const { random } = session;
  const spent = spentShare(session);
  const own = pickStructure(structures, random, spent)?.ranked ?? [];
  const place = random.next();
  const base = own[place < 0.6 ? 0 : place < 0.85 ? 1 : 2] ?? own[0];
  if (base === undefined) return null;
  const { candidate } = base;
  const isOpen = openStructure(candidate, doesExplore(session)).length > 0;
  if (isOpen && random.chance(spent < 0.5 ? 0.25 : 0.1))
    return structureProposal(session, base, weigh);
  const kernels = chosenKernels(session, base);
  const mapping = kernelStep(candidate, { random, kernels, weigh });
  return mapping && { mapping, alternative: candidate.alternative, kind: "step", parent: base.i };
}

/**
 * The kernels that a step turns: where times of kernels are known, several, by their share of the time; else one, for
 * nothing could be credited.
 */
function chosenKernels({ random }: Session, base: Entry): ReadonlySet<string> {
  const open = [...new Set(openKnobs(base.candidate).flatMap((k) => kernelOf(k) ?? []))];
  const shares = kernelShares(base);
  if (open.length <= 1) return new Set(open);
  if (shares === null) return new Set([random.pick(open)]);
  const weights = open.map((name) => shares.get(name) ?? 0);
  const most = Math.max(...weights);
  const chosen = open.filter((_, n) =>
    random.chance(0.1 + (0.7 * (weights[n] ?? 0)) / (most || 1)),
  );
  return new Set(chosen.length > 0 ? chosen : [open[weights.indexOf(most)] ?? random.pick(open)]);
}

/** Turns of numbers, a step further the same way. */
function onward(
  { candidate }: Entry,
  turns: readonly (readonly [string, Choice])[],
): readonly (readonly [string, Choice])[] {
  return turns.map(([path, value]) => {
    const knob = candidate.knobs.find((k) => k.path === path);
    if (typeof value !== "number" || typeof knob?.value !== "number") return [path, value];
    const next = knob.values.indexOf(value) + Math.sign(value - knob.value);
    return [path, knob.values[next] ?? value];
  });
}

/** How many structures have the best of their kernels, and of their steps, put together. */
const combinedStructures = 4;

/**
 * The best of each kernel under the best structures, put together, and what steps from the best ones gained; none where
 * one candidate has all of it.
 */
export function combined(session: Session, { structures }: Standing): readonly Proposal[] {
  const { entries } = session;
  const time = (entry: Entry): number => timeOfEntry(session, entry);
  return structures.slice(0, combinedStructures).flatMap(({ ranked: [base] }) => {
    if (base === undefined) return [];
    const proposalOf = (
      from: Entry,
      turns: readonly (readonly [string, Choice])[] | null,
    ): readonly Proposal[] => {
      if (turns === null) return [];
      const { alternative } = from.candidate;
      const mapping = turned(from.candidate, turns);
      return [{ mapping, alternative, kind: "combined", parent: from.i }];
    };
    const parent = entries[base.from.parent ?? -1];
    return [
      ...proposalOf(base, bestKernels(entries, base)),
      ...[base, ...(parent === undefined ? [] : [parent])].flatMap((from) => {
        const gained = gainedTurns(entries, from, time);
        return [...proposalOf(from, gained), ...proposalOf(from, gained && onward(from, gained))];
      }),
    ];
  });
}

/**
 * What is tried while the best is improved: mostly steps, of every six one far away; the more, the more of the last
 * proposals were nothing new (`idle`, of 1).
 */
export function nextProposal(session: Session, standing: Standing, idle: number): Proposal | null {
  const isFar = session.random.chance(0.17 + 0.8 * idle);
  return (isFar ? null : step(session, standing)) ?? draw(session, standing);
}

/** How many drawn places are planned for each that is compiled, and how much of the time so far that may take. */
const pool = 4;
const planShare = 0.25;

/** A drawn place, with the cell that it is in and its estimate by factors of two. */
interface Place {
  readonly proposal: Proposal;
  readonly cell: string;
  readonly coarse: number;
  readonly noise: number;
}

/** Draws a place and plans it; null where there is none, or it was tried. */
function drawPlace(session: Session, standing: Standing): Place | null {
  const { random, seen } = session;
  const proposal = draw(session, standing);
  if (proposal === null) return null;
  const { mapping, alternative = null } = proposal;
  const planned = proposal.planned ?? planOf(session, mapping, alternative);
  if ("refused" in planned || seen.has(planned.id)) return null;
  const us = estimateOf(planned);
  const isFree = us === null || random.chance(0.17);
  return {
    proposal: { ...proposal, kind: "place", planned },
    cell: cellOf(planned),
    coarse: isFree ? Number.NEGATIVE_INFINITY : Math.floor(Math.log2(Math.max(us, 1e-3))),
    noise: random.next(),
  };
}

/**
 * Places all over the space, `count` of them at most: cells in a coarse order of their estimates, by factors of two,
 * in each factor at random, one place of each cell; of six places one is taken whatever its estimate.
 */
export async function places(session: Session, count: number): Promise<readonly Proposal[]> {
  const start = elapsedMs(session);
  const standing = standingOf(session);
  const drawn = new Map<string, Place>();
  for (let n = 0; n < pool * count; n++) {
    if (drawn.size >= count && elapsedMs(session) - start > planShare * start) break;
    if (isSpent(session)) break;
    await breathe(session);
    const place = drawPlace(session, standing);
    if (place !== null && !drawn.has(place.cell)) drawn.set(place.cell, place);
  }
  return [...drawn.values()]
    .sort((a, b) => (a.coarse === b.coarse ? a.noise - b.noise : a.coarse - b.coarse))
    .slice(0, count)
    .map(({ proposal }) => proposal);
}
