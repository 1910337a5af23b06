/**
 * Purpose: what a run tries next: seeds, then places all over the space in a coarse order of estimates, then steps
 * from the best.
 *
 * Structure is searched above kernels. Kernels are independent given the structure: a step turns one or several at
 * once, each is credited with its own time, and the best of each are put together.
 */
import { mappingVersion, policyNames } from "../support/mapping-file.ts";
import type { Proposal } from "./admit.ts";
import type { Candidate, CandidateKnob } from "./candidate.ts";
import { bestKernels, kernelShares } from "./kernel-credit.ts";
import {
  cellOf,
  drawnKernels,
  isMicro,
  isStructural,
  kernelOf,
  kernelStep,
  openKnobs,
  structureStep,
  turned,
} from "./moves.ts";
import {
  type Entry,
  elapsedMs,
  estimateOf,
  ranking,
  rankOfEntry,
  type Session,
  tried,
} from "./session.ts";

/** The default, what was found elsewhere, other wishes of the policy, other algorithms, other policies. */
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
  const policies = policyNames
    .filter((policy) => policy !== "default" && policy !== "plain")
    .map((policy): Proposal => ({ mapping: { version: mappingVersion, policy }, kind: "policy" }));
  const others = wishes.map((mapping): Proposal => ({ mapping, kind: "wish" }));
  return [byDefault, ...starts, ...others, ...alternatives, ...policies];
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
  const { entries, budget } = session;
  const tally = new Map<string, { tries: number; gains: number }>();
  for (const entry of entries) {
    const parent = entries[entry.from.parent ?? -1];
    const [own, before] = [entry, parent].map((e) => (e ? rankOfEntry(session, e) : Infinity));
    if (parent === undefined || !Number.isFinite(before)) continue;
    const gain = (own ?? Infinity) < 0.99 * (before ?? 0) ? 1 : 0;
    for (const kind of turnedKnobs(entry.candidate, parent.candidate).map(kindOfKnob)) {
      const known = tally.get(kind) ?? { tries: 0, gains: 0 };
      tally.set(kind, { tries: known.tries + 1, gains: known.gains + gain });
    }
  }
  const isEarly = tried(session) < budget.candidates / 2;
  return (knob) => {
    const { tries, gains } = tally.get(kindOfKnob(knob)) ?? { tries: 0, gains: 0 };
    const share = isMicro(knob) && isEarly ? 0.25 : 1;
    return (share * (1 + 3 * gains)) / (1 + 0.5 * tries);
  };
}

/** A place far from what was tried: another structure, or kernels that are drawn. */
function draw(session: Session): Proposal | null {
  const { random, entries } = session;
  const ranked = ranking(session);
  // Where nothing runs yet, what was planned is as good a place to begin at as any.
  const from = ranked.length > 0 ? ranked : entries;
  const base = random.chance(0.5) ? from[0] : from[random.integer(0, from.length)];
  if (base === undefined) return null;
  const hasStructure = openKnobs(base.candidate).some(isStructural);
  const mapping =
    hasStructure && random.chance(0.3)
      ? structureStep(base.candidate, random, () => 1)
      : drawnKernels(base.candidate, random, random.pick([0.25, 0.5, 1]));
  if (mapping === null) return null;
  return { mapping, alternative: base.candidate.alternative, kind: "random", parent: base.i };
}

/** A step from one of the best: in the structure, or in kernels. */
function step(session: Session): Proposal | null {
  const { random } = session;
  const ranked = ranking(session);
  const place = random.next();
  const base = ranked[place < 0.6 ? 0 : place < 0.85 ? 1 : 2] ?? ranked[0];
  if (base === undefined) return null;
  const { candidate } = base;
  const weigh = knobWeights(session);
  const structural = openKnobs(candidate).filter(isStructural).length;
  const spent = tried(session) / session.budget.candidates;
  if (structural > 0 && random.chance(spent < 0.5 ? 0.3 : 0.12)) {
    const mapping = structureStep(candidate, random, weigh);
    return (
      mapping && { mapping, alternative: candidate.alternative, kind: "structure", parent: base.i }
    );
  }
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

/** The best of each kernel under the best structure, put together; null where one candidate has them all. */
export function combined(session: Session): Proposal | null {
  const base = session.incumbent;
  if (base === null) return null;
  const best = bestKernels(session.entries, base);
  if (best === null) return null;
  const { alternative } = base.candidate;
  return { mapping: turned(base.candidate, best), alternative, kind: "combined", parent: base.i };
}

/** What is tried while the best is improved: mostly steps, of every six one far away. */
export function nextProposal(session: Session): Proposal | null {
  return session.random.chance(0.17) ? draw(session) : (step(session) ?? draw(session));
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
function drawPlace(session: Session): Place | null {
  const { random, planner, seen } = session;
  const proposal = draw(session);
  if (proposal === null) return null;
  const planned = planner.plan(proposal.mapping, proposal.alternative ?? null);
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
export function places(session: Session, count: number): readonly Proposal[] {
  const start = elapsedMs(session);
  const drawn = new Map<string, Place>();
  for (let n = 0; n < pool * count; n++) {
    if (drawn.size >= count && elapsedMs(session) - start > planShare * start) break;
    const place = drawPlace(session);
    if (place !== null && !drawn.has(place.cell)) drawn.set(place.cell, place);
  }
  return [...drawn.values()]
    .sort((a, b) => (a.coarse === b.coarse ? a.noise - b.noise : a.coarse - b.coarse))
    .slice(0, count)
    .map(({ proposal }) => proposal);
}
