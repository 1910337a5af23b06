/**
 * Purpose: mappings near others: a step in one knob or several, knobs drawn at random, another structure.
 *
 * Pure, from a seed. What a move asks for need not be legal: the planner finds the nearest that is.
 */
import { mappingOf, pathsOf } from "../ir/mapping/mapping.ts";
import type { Choice, Mapping } from "../support/mapping-file.ts";
import type { Random } from "../support/random.ts";
import type { Candidate, CandidateKnob } from "./candidate.ts";

/**
 * Words of knobs that seldom decide by themselves: what a kernel does, and who does it, stays the same. The others are
 * turned first.
 */
const microWords: ReadonlySet<string> = new Set([
  ...[
    "pad",
    "slots",
    "vector",
    "prefetch",
    "align",
    "full",
    "bands",
    "inner",
    "steps",
    "iterations",
  ],
  ...["spreadSteps", "spreadBlock", "turnOrder", "order", "step"],
]);

function wordsOf(path: string): readonly string[] {
  return path.split("/");
}

/** Whether it is a knob of the structure: of rewrites, or of what shares a kernel. */
export function isStructural({ path }: Pick<CandidateKnob, "path">): boolean {
  return path.startsWith("structure/");
}

/** Whether a knob seldom decides by itself. */
export function isMicro({ path }: Pick<CandidateKnob, "path">): boolean {
  return wordsOf(path).some((w) => microWords.has(w));
}

/**
 * Words of knobs of the structure that are rarely worth asking: slots, and moves before other statements. Only the greatest
 * effort turns them. Domains are split by all: without, 1.2 % of the speed is lost on the recorded landscapes.
 */
const rareWords: ReadonlySet<string> = new Set(["own", "up"]);

/** Knobs of the structure that have another value; those that are rarely worth asking where a run explores. */
export function openStructure(
  candidate: Pick<Candidate, "knobs">,
  explore: boolean,
): readonly CandidateKnob[] {
  return openKnobs(candidate).filter(
    (k) =>
      isStructural(k) && (explore || !wordsOf(k.path).some((w, n) => n >= 3 && rareWords.has(w))),
  );
}

/** In how many knobs two candidates differ; knobs that only one of them has count. */
export function differences(a: Candidate, b: Candidate): number {
  const own = new Map(a.knobs.map((k) => [k.path, k.value]));
  const shared = b.knobs.filter((k) => own.has(k.path));
  const same = shared.filter((k) => own.get(k.path) === k.value).length;
  return a.knobs.length + b.knobs.length - shared.length - same;
}

/** A candidate's mapping with some knobs turned; what arises anew is chosen by the default policy. */
export function turned(
  { mapping }: Candidate,
  turns: Iterable<readonly [string, Choice]>,
): Mapping {
  return mappingOf(new Map([...pathsOf(mapping), ...turns]), "default");
}

/** Another value of a knob: of numbers mostly a neighbour, else any other. */
export function otherValue({ values, value }: CandidateKnob, random: Random): Choice {
  const at = values.indexOf(value);
  const others = values.filter((v) => v !== value);
  const near = values.filter((_, n) => n !== at && Math.abs(n - at) === 1);
  if (at >= 0 && typeof value === "number" && random.chance(0.75)) return random.pick(near);
  return random.pick(others.length > 0 ? others : values);
}

/** Knobs that can be turned. */
export function openKnobs({ knobs }: Pick<Candidate, "knobs">): readonly CandidateKnob[] {
  return knobs.filter((k) => k.values.some((v) => v !== k.value));
}

/**
 * How often a knob that seldom decides is turned beside the others; and a split of a domain, of which there is one for each
 * loop of each statement.
 */
const turnShares = { micro: 0.3, split: 0.5 };

/** A knob of some; rarely one that seldom decides. */
function pickKnob(knobs: readonly CandidateKnob[], random: Random): CandidateKnob | undefined {
  const weights = knobs.map((k) =>
    isMicro(k) ? turnShares.micro : wordsOf(k.path).includes("split") ? turnShares.split : 1,
  );
  let left = random.next() * weights.reduce((sum, w) => sum + w, 0);
  for (const [n, knob] of knobs.entries()) {
    left -= weights[n] ?? 0;
    if (left < 0) return knob;
  }
  return knobs.at(-1);
}

/** A numeric knob of the same kernel, a step the other way: more points where a workgroup has fewer invocations. */
function counterTurn(
  knobs: readonly CandidateKnob[],
  turn: CandidateKnob,
  value: Choice,
  random: Random,
): Turns {
  if (typeof value !== "number" || typeof turn.value !== "number") return [];
  const step = value > turn.value ? -1 : 1;
  const partners = knobs.flatMap((k): Turns => {
    if (k === turn || typeof k.value !== "number" || isMicro(k)) return [];
    const next = k.values[k.values.indexOf(k.value) + step];
    return next === undefined || k.values.indexOf(k.value) < 0 ? [] : [[k.path, next]];
  });
  return partners.length === 0 ? [] : [random.pick(partners)];
}

/** Values of knobs, by path. */
export type Turns = readonly (readonly [string, Choice])[];

/** Turns of a kernel's open knobs: one, one with another the other way, or some more. */
export function drawnTurns(open: readonly CandidateKnob[], random: Random): Turns {
  const first = pickKnob(open, random);
  if (first === undefined) return [];
  const value = otherValue(first, random);
  const turns = new Map<string, Choice>([[first.path, value]]);
  const draw = random.next();
  if (draw < 0.25)
    for (const [path, v] of counterTurn(open, first, value, random)) turns.set(path, v);
  else if (draw < 0.6) {
    const more = random.integer(1, 4);
    for (let n = 0; n < more; n++) {
      const other = pickKnob(open, random) ?? first;
      if (!turns.has(other.path)) turns.set(other.path, otherValue(other, random));
    }
  }
  return [...turns];
}

/**
 * Another structure: one of its knobs turned, and kernels that the default policy chooses anew; null where there is
 * nothing to turn.
 */
export function structureStep(
  candidate: Candidate,
  random: Random,
  explore: boolean,
): Mapping | null {
  const knob = pickKnob(openStructure(candidate, explore), random);
  if (knob === undefined) return null;
  const structure = new Map([...pathsOf({ structure: candidate.mapping.structure ?? {} })]);
  structure.set(knob.path, otherValue(knob, random));
  return mappingOf(structure, "default");
}

/** Some knobs of the kernels drawn, each with probability `share`: a place in the space far from the candidate. */
export function drawnKernels(from: Candidate, random: Random, share: number): Mapping {
  const turns = from.knobs.flatMap(
    (k): Turns =>
      !isStructural(k) && random.chance(share) ? [[k.path, random.pick(k.values)]] : [],
  );
  return turned(from, turns);
}

/** The choices of one kernel of a candidate, by path. */
export function kernelChoices({ mapping }: Candidate, name: string): Turns {
  const prefix = `kernels/${name}/`;
  return [...pathsOf({ kernels: mapping.kernels ?? {} })].filter(([path]) =>
    path.startsWith(prefix),
  );
}

/**
 * What the kernels of a candidate of another structure take over: all of those that compute the same; of those that compute
 * a part of what another one does, or contain it, what that one has, where they have as many axes.
 */
export function inheritedChoices(from: Candidate, planned: Candidate): Turns {
  const axesOf = ({ mapping }: Candidate, name: string): number =>
    [...pathsOf({ kernels: mapping.kernels ?? {} }).keys()].filter(
      (path) => path.startsWith(`kernels/${name}/axes/`) && path.endsWith("/workgroup"),
    ).length;
  return planned.kernels.flatMap(({ name, key }): Turns => {
    const isSame = from.kernels.some((k) => k.name === name && k.key === key);
    if (isSame) return kernelChoices(from, name);
    const related = from.kernels.filter(
      (k) => `${name}.`.startsWith(`${k.name}.`) || k.name.startsWith(`${name}.`),
    );
    const [source] = related.toSorted((a, b) => b.name.length - a.name.length);
    if (source === undefined || axesOf(from, source.name) !== axesOf(planned, name)) return [];
    const old = `kernels/${source.name}/`;
    return kernelChoices(from, source.name).map(([path, value]) => [
      `kernels/${name}/${path.slice(old.length).replace(`/${source.name}.read`, `/${name}.read`)}`,
      value,
    ]);
  });
}
