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
  ...["spread", "spreadSteps", "spreadBlock", "turnOrder", "order", "step"],
]);

/**
 * Words of knobs that say how many points an invocation computes and how they are written: estimates order all others
 * coarsely, and never choose between these (design/tuner.md).
 */
const tileWords: ReadonlySet<string> = new Set([
  ...["points", "unroll", "blocked", "turns", "fragments", "reduced"],
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

/** The kernel of a knob; null for one of the structure. */
export function kernelOf({ path }: Pick<CandidateKnob, "path">): string | null {
  const [root, name] = wordsOf(path);
  return root === "kernels" ? (name ?? null) : null;
}

/** What candidates of a cell have in common: the structure, and all knobs that estimates may order by. */
export function cellOf({ structure, knobs, alternative }: Candidate): string {
  const cell = knobs.filter(
    (k) => !isStructural(k) && !isMicro(k) && !wordsOf(k.path).some((w) => tileWords.has(w)),
  );
  return [alternative, structure, ...cell.map((k) => `${k.path}=${k.value}`)].join("\n");
}

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

/** A knob of some, each weighed. */
function pickWeighed(
  knobs: readonly CandidateKnob[],
  weigh: (knob: CandidateKnob) => number,
  random: Random,
): CandidateKnob | undefined {
  const weights = knobs.map(weigh);
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
): readonly (readonly [string, Choice])[] {
  if (typeof value !== "number" || typeof turn.value !== "number") return [];
  const step = value > turn.value ? -1 : 1;
  const partners = knobs.flatMap((k): readonly (readonly [string, Choice])[] => {
    if (k === turn || typeof k.value !== "number" || isMicro(k)) return [];
    const next = k.values[k.values.indexOf(k.value) + step];
    return next === undefined || k.values.indexOf(k.value) < 0 ? [] : [[k.path, next]];
  });
  return partners.length === 0 ? [] : [random.pick(partners)];
}

/** How steps are taken. */
export interface StepOptions {
  readonly random: Random;
  /** Kernels that are turned, each on its own. */
  readonly kernels: ReadonlySet<string>;
  /** How much a knob is worth turning; 1 for what is not known. */
  readonly weigh: (knob: CandidateKnob) => number;
}

/** Turns of one kernel's knobs: one, sometimes with another the other way, sometimes two or three. */
function kernelTurns(
  knobs: readonly CandidateKnob[],
  { random, weigh }: StepOptions,
): readonly (readonly [string, Choice])[] {
  const first = pickWeighed(knobs, weigh, random);
  if (first === undefined) return [];
  const value = otherValue(first, random);
  const turns: (readonly [string, Choice])[] = [[first.path, value]];
  const draw = random.next();
  if (draw < 0.3) turns.push(...counterTurn(knobs, first, value, random));
  else if (draw < 0.55) {
    const more = pickWeighed(knobs, weigh, random);
    if (more !== undefined && more !== first) turns.push([more.path, otherValue(more, random)]);
  }
  return turns;
}

/** A step in knobs of some kernels; null where there is nothing to turn. */
export function kernelStep(from: Candidate, options: StepOptions): Mapping | null {
  const open = openKnobs(from);
  const turns = [...options.kernels].flatMap((name) =>
    kernelTurns(
      open.filter((k) => kernelOf(k) === name),
      options,
    ),
  );
  return turns.length === 0 ? null : turned(from, turns);
}

/**
 * Another structure: one of its knobs turned, and kernels that the default policy chooses anew; null where there is
 * nothing to turn.
 */
export function structureStep(
  candidate: Candidate,
  { random, weigh, explore }: Pick<StepOptions, "random" | "weigh"> & { readonly explore: boolean },
): Mapping | null {
  const knob = pickWeighed(openStructure(candidate, explore), weigh, random);
  if (knob === undefined) return null;
  const structure = new Map([...pathsOf({ structure: candidate.mapping.structure ?? {} })]);
  structure.set(knob.path, otherValue(knob, random));
  return mappingOf(structure, "default");
}

/** Some knobs of the kernels drawn, each with probability `share`: a place in the space far from the candidate. */
export function drawnKernels(from: Candidate, random: Random, share: number): Mapping {
  const turns = from.knobs.flatMap((k): readonly (readonly [string, Choice])[] =>
    !isStructural(k) && random.chance(share) ? [[k.path, random.pick(k.values)]] : [],
  );
  return turned(from, turns);
}

/** The choices of one kernel of a candidate, by path. */
export function kernelChoices(
  { mapping }: Candidate,
  name: string,
): readonly (readonly [string, Choice])[] {
  const prefix = `kernels/${name}/`;
  return [...pathsOf({ kernels: mapping.kernels ?? {} })].filter(([path]) =>
    path.startsWith(prefix),
  );
}
