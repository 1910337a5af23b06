/**
 * Purpose: what a run tries next: seeds, then designed places all over the space, then steps from the best that promise
 * most by what was measured so far.
 *
 * Structure is searched above kernels. Kernels are independent given the structure: a step turns one or several at
 * once, each is credited with its own time, and those that are not turned are the best that are known.
 */
import { listOf } from "../support/list-of.ts";
import { type Mapping, mappingVersion } from "../support/mapping-file.ts";
import { remember } from "../support/remember.ts";
import { textHash } from "../support/text-hash.ts";
import { affordableEstimate, expectedAdmission, isSpent } from "./admit.ts";
import type { Candidate, Proposal } from "./candidate.ts";
import { type Part, partsOf, type Source } from "./kernel-credit.ts";
import {
  drawnKernels,
  drawnTurns,
  inheritedChoices,
  kernelChoices,
  openKnobs,
  openStructure,
  structureStep,
  type Turns,
  turned,
} from "./moves.ts";
import {
  breathe,
  type Design,
  type Designs,
  type Entry,
  elapsedMs,
  planOf,
  ranking,
  type Session,
  searchEndMs,
  spentShare,
  timeOfEntry,
} from "./session.ts";
import { pickStructure, type Structure, structureKey, structuresOf } from "./structures.ts";
import type { Point } from "./surrogate.ts";

/**
 * The default, what was found elsewhere, other algorithms, other policies; with the least effort, which has no designs, all
 * wishes of the policy.
 */
export function seeds({ planner, options }: Session): readonly Proposal[] {
  const wished: Mapping[] = [];
  for (const mapping of planner.wishes()) {
    if (wished.length > 0 && options.effort !== "refine" && mapping.policy === "plain") break;
    wished.push(mapping);
  }
  const [first, ...wishes] = wished;
  const byDefault: Proposal = {
    mapping: first ?? { version: mappingVersion, policy: "default" },
    kind: "default",
  };
  const starts = (options.starts ?? []).map(
    ({ mapping, alternative = null, kind }): Proposal => ({
      mapping,
      alternative,
      kind,
      isStart: true,
    }),
  );
  const alternatives = planner.alternatives.map(
    (alternative): Proposal => ({
      mapping: { version: mappingVersion, policy: "default" },
      alternative,
      kind: "alternative",
    }),
  );
  return [byDefault, ...starts, ...asWishes(wishes), ...alternatives];
}

function asWishes(mappings: readonly Mapping[]): readonly Proposal[] {
  return mappings.map((mapping) => ({ mapping, kind: "wish" }));
}

/** What is known between two comparisons: it changes with them alone. */
export interface Standing {
  /** All that were measured, the best first. */
  readonly ranked: readonly Entry[];
  readonly structures: readonly Structure[];
  /** What was found of the parts of a candidate, by its place in the list, and of how many that was. */
  readonly parts: Map<number, { readonly parts: readonly Part[]; readonly count: number }>;
}

/** What is known by now. */
export function standingOf(session: Session): Standing {
  const ranked = ranking(session);
  // Kernels of a new structure are untuned, and often too slow to be raced: their rough time has to do.
  const structures = structuresOf(session.entries, (entry) => timeOfEntry(session, entry));
  return { ranked, structures, parts: new Map() };
}

/** By so much a run may have grown before what is expected is found anew. */
const grown = 1.05;

/** The parts of a candidate, with what is expected of them. */
function knownParts(session: Session, { parts }: Standing, base: Entry): readonly Part[] {
  const { entries } = session;
  const known = parts.get(base.i);
  if (known !== undefined && entries.length < grown * known.count) return known.parts;
  const found = partsOf(entries, base, (entry) => timeOfEntry(session, entry));
  parts.set(base.i, { parts: found, count: entries.length });
  return found;
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
  if (!isOpen || random.chance(0.8)) {
    return { mapping: drawnKernels(base.candidate, random, share), ...told };
  }
  const mapping = structureStep(base.candidate, random, explore);
  const planned = mapping && planOf(session, mapping, alternative);
  if (mapping === null || planned === null || "refused" in planned) return null;
  if (random.chance(0.4)) return { mapping, planned, ...told };
  return { mapping: drawnKernels(planned, random, share), ...told };
}

/** Another structure than that of a candidate, whose choices its kernels take over as far as they are theirs, too. */
function structureProposal(session: Session, { candidate, i }: Entry): Proposal | null {
  const { random } = session;
  const mapping = structureStep(candidate, random, doesExplore(session));
  if (mapping === null) return null;
  const { alternative } = candidate;
  const planned = planOf(session, mapping, alternative);
  if ("refused" in planned) return null;
  const kept = inheritedChoices(candidate, planned);
  const from = { alternative, kind: "structure", parent: i };
  return kept.length === 0
    ? { mapping, planned, ...from }
    : { mapping: turned(planned, kept), ...from };
}

/** A part of a candidate turned: from where, and what is expected of that. */
interface Step {
  readonly from: Source;
  readonly turns: Turns;
  readonly worth: number;
}

/** By how much a part is expected to be better than the best known, for each millisecond that trying it takes. */
function worthAt({ surrogate, effort }: Part, point: Point): number | null {
  const improvement = surrogate?.improvement(point);
  return improvement === undefined ? null : improvement / (effort?.expected(point) ?? 1);
}

/**
 * How many steps are thought of for each that is planned, from how many of the best kernels, how often from the best; and
 * how many that turn out to be known before something else is thought of.
 */
const thought = { steps: 40, sources: 4, fromBest: 0.5, known: 4 };

/** Steps from the best kernels of a part, those that promise most first; none leads to where another does. */
function stepsOf({ random }: Session, part: Part): readonly Step[] {
  const { sources, names } = part;
  const steps = new Map<string, Step>();
  const openOf = remember(({ entry }: Source) =>
    openKnobs(entry.candidate).filter((k) =>
      names.some((name) => k.path.startsWith(`kernels/${name}/`)),
    ),
  );
  for (let n = 0; n < thought.steps; n++) {
    const most = Math.min(sources.length, thought.sources);
    const from = sources[random.chance(thought.fromBest) ? 0 : random.integer(0, most)];
    if (from === undefined) break;
    const turns = drawnTurns(openOf(from), random);
    const point = new Map([...from.point, ...turns]);
    const place = JSON.stringify([...point]);
    if (turns.length === 0 || steps.has(place)) continue;
    steps.set(place, { from, turns, worth: worthAt(part, point) ?? random.next() });
  }
  return [...steps.values()].sort((a, b) => b.worth - a.worth);
}

/** All choices of a part's kernels in a candidate. */
function choicesOf({ names }: Part, { entry }: Source): Turns {
  return names.flatMap((name) => kernelChoices(entry.candidate, name));
}

/** The parts that a step turns: by their share of the time, at least one. */
function chosenParts({ random }: Session, parts: readonly Part[]): ReadonlySet<Part> {
  const open = parts.filter(({ sources, names }) =>
    sources.some(({ entry }) =>
      openKnobs(entry.candidate).some((k) => names.some((n) => k.path.startsWith(`kernels/${n}/`))),
    ),
  );
  const [slowest] = open.toSorted((a, b) => b.share - a.share);
  if (slowest === undefined) return new Set();
  const chosen = open.filter(({ share }) => random.chance(0.1 + (0.7 * share) / slowest.share));
  return new Set(chosen.length > 0 ? chosen : [slowest]);
}

/** Steps are planned for so much of the time that one takes to be compiled and measured; a few at most. */
const planned = { share: 0.4, most: 6 };

/** How many steps may be planned for one that is tried. */
function plansOfStep(session: Session, candidate: Candidate): number {
  const expected = expectedAdmission(session, candidate) ?? 0;
  const affordable = Math.floor((planned.share * expected) / Math.max(1, session.planMs));
  return Math.max(1, Math.min(planned.most, affordable));
}

/** What a candidate is expected to gain for the time that trying it takes. */
function worthOf(candidate: Candidate, parts: readonly Part[]): number {
  return parts.reduce(
    (sum, part) => sum + part.share * (worthAt(part, part.pointOf(candidate)) ?? 0),
    0,
  );
}

/** How often a step is one of the structure: in the first half of a run, and after it. */
const structureSteps = { early: 0.25, late: 0.1 };

/** How often a step is one of the structure: the less, the more of those brought nothing. */
function structureShare(session: Session, spent: number): number {
  const { entries } = session;
  let [tries, gains] = [0, 0];
  for (const entry of entries) {
    const parent = entries[entry.from.parent ?? -1];
    if (entry.from.kind !== "structure" || parent === undefined) continue;
    tries += 1;
    if (timeOfEntry(session, entry) < timeOfEntry(session, parent)) gains += 1;
  }
  const share = spent < 0.5 ? structureSteps.early : structureSteps.late;
  return (share * (1 + 2 * gains)) / (1 + 0.5 * tries);
}

/** A proposal, and what it is expected to gain for the time that trying it takes. */
interface Worth<P extends Proposal> {
  readonly proposal: P;
  readonly worth: number;
}

/** Steps of several parts at once, the most promising of each together: at most so many. */
function jointSteps(
  session: Session,
  parts: ReadonlySet<Part>,
  most: number,
): readonly { readonly promised: number; readonly turns: Turns }[] {
  const ways = [...parts].map((part) => ({ part, steps: stepsOf(session, part) }));
  const count = Math.min(most, Math.max(...ways.map(({ steps }) => steps.length)));
  return listOf(count, (n) => {
    const own = ways.flatMap(({ part, steps }) => {
      const next = steps[n] ?? steps[0];
      return next === undefined ? [] : [{ part, next }];
    });
    return {
      promised: own.reduce((sum, { part, next }) => sum + part.share * next.worth, 0),
      turns: own.flatMap(({ part, next }) => [...choicesOf(part, next.from), ...next.turns]),
    };
  });
}

/** The candidate of a step that was not planned before; null for none, or one that was tried. */
function newPlan(session: Session, mapping: Mapping, alternative: string | null): Candidate | null {
  const asked = textHash(JSON.stringify([alternative, mapping]));
  if (session.asked.has(asked)) return null;
  session.asked.add(asked);
  const made = planOf(session, mapping, alternative);
  return "refused" in made || session.seen.has(made.id) ? null : made;
}

/**
 * A step from the best of a structure, in some of its kernels, or what else there is if that is worth more; null where there
 * is none, or no more time. Steps are planned, each once, until one is worth what the next one promises: what arises anew,
 * or is repaired, may make them another thing.
 */
async function step(
  session: Session,
  standing: Standing,
  base: Entry,
  other: Worth<Proposal> | undefined,
): Promise<Worth<Proposal> | null> {
  const { candidate } = base;
  const parts = knownParts(session, standing, base);
  const chosen = chosenParts(session, parts);
  if (chosen.size === 0) return other ?? null;
  const kept = parts.flatMap((part) => {
    const [best] = part.sources;
    return chosen.has(part) || best === undefined ? [] : choicesOf(part, best);
  });
  const told = { alternative: candidate.alternative, kind: "step", parent: base.i };
  let best = other ?? null;
  let left = plansOfStep(session, candidate);
  for (const { promised, turns } of jointSteps(session, chosen, left + thought.known)) {
    if (left === 0 || (best !== null && best.worth >= promised)) break;
    await breathe(session);
    if (isSpent(session)) break;
    const mapping = turned(candidate, [...kept, ...turns]);
    const made = newPlan(session, mapping, candidate.alternative);
    if (made === null) continue;
    left -= 1;
    const worth = worthOf(made, [...chosen]);
    if (best === null || worth > best.worth) {
      best = { proposal: { mapping, planned: made, ...told }, worth };
    }
  }
  return best;
}

/** How many structures have the best of their kernels put together. */
const combinedStructures = 4;

/** The best of each kernel under the best structures, put together; none where one candidate has all of it. */
export function combined(session: Session, standing: Standing): readonly Proposal[] {
  return standing.structures.slice(0, combinedStructures).flatMap(({ ranked: [base] }) => {
    if (base === undefined || base.candidate.kernels.length < 2) return [];
    const parts = knownParts(session, standing, base);
    if (parts.length < 2 || parts.every(({ sources: [best] }) => best?.entry === base)) return [];
    const turns = parts.flatMap((part) =>
      part.sources[0] ? choicesOf(part, part.sources[0]) : [],
    );
    const { alternative } = base.candidate;
    return [
      { mapping: turned(base.candidate, turns), alternative, kind: "combined", parent: base.i },
    ];
  });
}

/**
 * What is tried while the best is improved: mostly steps, or designs that promise more; of every ten one far away; the more,
 * the more of the last proposals were nothing new (`idle`, of 1).
 */
export async function nextProposal(
  session: Session,
  standing: Standing,
  idle: number,
): Promise<Proposal | null> {
  const { random } = session;
  const isFar = random.chance(0.1 + 0.8 * idle);
  const spent = spentShare(session);
  const base = isFar ? undefined : pickStructure(standing.structures, random, spent)?.ranked[0];
  if (base !== undefined) {
    const isOpen = openStructure(base.candidate, doesExplore(session)).length > 0;
    if (isOpen && random.chance(structureShare(session, spent))) {
      return structureProposal(session, base);
    }
    const design = await nextDesign(session, standing, base);
    const near = await step(session, standing, base, design);
    if (near !== null) return near.proposal;
  }
  return isSpent(session) ? null : draw(session, standing);
}

/** The first designs, which have each way of each decision once and little text, are tried whatever they promise. */
const firstDesigns = 3;

/** Until this share of a run is spent places are drawn: where candidates take long, the steps have the rest. */
const drawnUntil = 0.2;

/** Of the time left, what the plans of designs may take before one of them is tried. */
const designShare = 0.1;

/** The designs of a structure's kernels. */
function designsAt(session: Session, base: Entry): Designs {
  const key = structureKey(base.candidate);
  const known = session.designs.get(key);
  if (known !== undefined) return known;
  const made: Designs = { others: designsOf(session, base), planned: [], first: 0 };
  session.designs.set(key, made);
  return made;
}

async function* designsOf(session: Session, { candidate, i }: Entry): AsyncGenerator<Design> {
  const { mapping, alternative } = candidate;
  for (const design of session.planner.designs(mapping, alternative)) {
    await breathe(session);
    if (isSpent(session)) return;
    const planned = planOf(session, design, alternative);
    if ("refused" in planned || session.seen.has(planned.id)) continue;
    yield { mapping: design, alternative, planned, kind: "design", parent: i };
  }
}

/** Designs of a structure that were not tried, those first that promise most for their time. */
function rankedDesigns(
  session: Session,
  standing: Standing,
  base: Entry,
): readonly Worth<Design>[] {
  const { planned } = designsAt(session, base);
  const open = planned.filter(({ planned: { id } }) => !session.seen.has(id));
  if (open.length === 0) return [];
  const parts = knownParts(session, standing, base);
  return open
    .map((proposal) => ({ proposal, worth: worthOf(proposal.planned, parts) }))
    .sort((a, b) => b.worth - a.worth);
}

/**
 * The design of a structure's kernels that promises most. Of another one than the default's, of which no places were tried,
 * the first ones are worth more than any step; the others are planned one by one.
 */
async function nextDesign(
  session: Session,
  standing: Standing,
  base: Entry,
): Promise<Worth<Design> | undefined> {
  const designs = designsAt(session, base);
  const [first] = session.entries;
  if (first !== undefined && structureKey(first.candidate) !== structureKey(base.candidate)) {
    const next = await designs.others.next();
    if (next.done !== true && designs.first < firstDesigns) {
      designs.first += 1;
      return { proposal: next.value, worth: Number.POSITIVE_INFINITY };
    }
    if (next.done !== true) designs.planned.push(next.value);
  }
  return rankedDesigns(session, standing, base)[0];
}

/**
 * The first designs, those first that are estimated to be fast, where facts say so: whatever ends a run early, it saw these.
 * What is within a factor of two keeps its place. All of them are tried, so that no estimate chooses a register tile.
 */
async function* firstDesignsOf(session: Session, base: Entry): AsyncGenerator<Design> {
  const { others } = designsAt(session, base);
  const found: { readonly design: Design; readonly order: number }[] = [];
  while (found.length < firstDesigns) {
    const next = await others.next();
    if (next.done === true) break;
    const us = await affordableEstimate(session, next.value.planned);
    found.push({ design: next.value, order: us === null ? 0 : Math.round(Math.log2(us)) });
  }
  for (const { design } of found.sort((a, b) => a.order - b.order)) yield design;
}

/** Those that promise most of a structure's designs, as long as there are any; made when they are asked for. */
async function* promising(session: Session, base: Entry): AsyncGenerator<Design> {
  const { others, planned } = designsAt(session, base);
  for (;;) {
    const begun = elapsedMs(session);
    const most = designShare * (searchEndMs(session) - begun);
    while (planned.length === 0 || elapsedMs(session) - begun < most) {
      const next = await others.next();
      if (next.done === true) break;
      planned.push(next.value);
    }
    const [best] = rankedDesigns(session, standingOf(session), base);
    if (best === undefined) return;
    yield best.proposal;
  }
}

/**
 * Places all over the space: designs of the default's kernels, then others drawn where these are less than `count`, and
 * there is time.
 * What they show is what steps, and the other designs, are chosen by.
 */
export async function* places(session: Session, count: number): AsyncGenerator<Proposal> {
  const [first] = session.entries;
  if (first === undefined) return;
  const early = firstDesignsOf(session, first);
  const others = promising(session, first);
  for (let found = 0; found < count && !isSpent(session); found++) {
    await breathe(session);
    const next = await (found < firstDesigns ? early : others).next();
    if (next.done !== true) {
      yield next.value;
      continue;
    }
    if (spentShare(session) > drawnUntil) return;
    const drawn = draw(session, standingOf(session));
    if (drawn !== null) yield { ...drawn, kind: "place" };
  }
}
