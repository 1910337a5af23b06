/**
 * A search by facts among the mappings of a program, for choices that keep the bounds which its defaults break.
 *
 * A mapping is judged for all families at once, unless it depends on the size of subgroups: what is found on the way to one
 * target leads to others, which count what their own family's profile makes of it. From a seed, with a fixed number of mappings: the same on
 * every machine.
 */
import { estimate } from "../../src/codegen/facts/estimate.ts";
import { facts } from "../../src/codegen/facts/facts.ts";
import { type Veto, vetoes } from "../../src/codegen/facts/vetoes.ts";
import { lowerSource } from "../../src/compile.ts";
import type { Program } from "../../src/ir/program.ts";
import { type KeptKernels, planProgram } from "../../src/plan-program.ts";
import { defined } from "../../src/support/assert.ts";
import { deviceFamilies, type FamilyName } from "../../src/support/device-families.ts";
import { namedProfiles } from "../../src/support/device-profile.ts";
import { keptFrom } from "../../src/support/kept.ts";
import { type Choice, type Mapping, mappingVersion } from "../../src/support/mapping-file.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import type { Candidate } from "../../src/tuner/candidate.ts";
import {
  drawnKernels,
  drawnTurns,
  isStructural,
  openKnobs,
  structureStep,
  turned,
} from "../../src/tuner/moves.ts";
import { type FactsSource, families } from "./entries.ts";

/** A choice may be estimated so many times as slow as the default and still be as good. */
export const asFast = 1.05;

/** How many mappings are looked at to tell the choices that matter. */
const mostAsked = 40;

/** How many choices are told one by one. */
const mostReasons = 8;

/** What a family makes of a mapping. */
interface Judged {
  readonly seconds: number;
  readonly vetoes: readonly Veto[];
}

/** A mapping, and what each family that it was judged for makes of its plan. */
interface Tried {
  /** Whose profile made the plan: others may repair the mapping. */
  readonly family: FamilyName;
  readonly candidate: Candidate;
  readonly judged: ReadonlyMap<FamilyName, Judged>;
}

/** A bound that the default of a family breaks. */
interface Target {
  readonly family: FamilyName;
  readonly veto: Veto["veto"];
  readonly byDefault: Judged;
}

/** What was found for a bound that the default of a family breaks. */
export interface Found {
  readonly family: FamilyName;
  readonly veto: Veto["veto"];
  /** How many mappings were looked at, the default among them. */
  readonly looked: number;
  /**
   * The worst of the default, and of the mapping that comes nearest and breaks no other bound; `bound` where
   * it is kept.
   */
  readonly byDefault: number;
  readonly nearest: number;
  readonly bound: number;
  /**
   * The time of the fastest mapping that keeps it and breaks no other bound, as a multiple of the default's;
   * null for none.
   */
  readonly ratio: number | null;
  /** In what that one differs from the default, as few knobs as will do; empty for those that are slower. */
  readonly choices: readonly string[];
}

/**
 * What is known of one family's mappings from those before: kernels by their schedules, and what families
 * make of a plan.
 */
interface Kept {
  readonly kernels: KeptKernels;
  readonly judged: Map<string, Tried["judged"]>;
}

/** What steps do not look at. */
const nameless = {
  id: "",
  alternative: null,
  kernels: [],
  structure: "",
  repairs: 0,
  statements: 0,
  workspace: 0,
};

/**
 * A mapping of a program, judged for all families, or for its own where it depends on the size of subgroups.
 * Compiles what was not asked for before.
 */
function tried(program: Program, family: FamilyName, mapping: Mapping, kept: Kept): Tried {
  const profile = defined(namedProfiles[family], "profile", family);
  const planned = planProgram(program, profile, mapping, kept.kernels);
  const { plan, decisions, refused } = planned;
  const candidate = { ...nameless, mapping: planned.mapping, knobs: decisions };
  const text = JSON.stringify([plan.steps, plan.kernels.map((k) => [k.kernel.grid, k.wgsl])]);
  const same = kept.judged.get(text);
  if (same !== undefined) return { family, candidate, judged: same };
  const isOpen = plan.kernels.every(({ kernel }) => kernel.subgroupSize === undefined);
  const known = facts(plan, profile);
  const judge = (name: FamilyName): Judged => {
    const device = deviceFamilies[name];
    const seconds = known.reduce((sum, k) => sum + estimate(k, device).seconds, 0);
    return { seconds, vetoes: vetoes(known, device) };
  };
  const judging = refused.length > 0 ? [] : isOpen ? families : [family];
  const judged = new Map(judging.map((name) => [name, judge(name)]));
  kept.judged.set(text, judged);
  return { family, candidate, judged };
}

/** How far from its bound, as a logarithm that is at least a little. */
function excess({ found, bound }: Veto): number {
  return 0.01 + Math.abs(Math.log(Math.max(found, 1e-9) / bound));
}

/** How far a kind of bound is missed by all that break it: 0 where it is kept. */
function missed({ vetoes }: Judged, kind: Veto["veto"]): number {
  return vetoes.filter((v) => v.veto === kind).reduce((sum, v) => sum + excess(v), 0);
}

/** The worst of a kind. */
function worst({ vetoes }: Judged, kind: Veto["veto"]): Veto | undefined {
  return vetoes.filter((v) => v.veto === kind).sort((a, b) => excess(b) - excess(a))[0];
}

/** How many kinds of bounds a mapping breaks that the default keeps. */
function fresh({ byDefault }: Target, { vetoes }: Judged): number {
  const known = new Set(byDefault.vetoes.map((v) => v.veto));
  return new Set(vetoes.map((v) => v.veto).filter((kind) => !known.has(kind))).size;
}

function keeps(target: Target, judged: Judged): boolean {
  return missed(judged, target.veto) === 0 && fresh(target, judged) === 0;
}

/** What a climb makes smaller: first what is missed, then time. */
function score(target: Target, judged: Judged): number {
  const time = Math.log(judged.seconds / target.byDefault.seconds);
  const late = Math.max(0, time - Math.log(asFast));
  return missed(judged, target.veto) + fresh(target, judged) + late + time / 100;
}

interface Ranked {
  readonly from: Tried;
  readonly judged: Judged;
  readonly score: number;
}

/** Mappings that are judged for the family of a target, the best first. */
function ranked(target: Target, all: readonly Tried[]): readonly Ranked[] {
  return all
    .flatMap((from): Ranked[] => {
      const judged = from.judged.get(target.family);
      return judged === undefined ? [] : [{ from, judged, score: score(target, judged) }];
    })
    .sort((a, b) => a.score - b.score);
}

/** Those of them that the target's own profile made. */
function own(target: Target, all: readonly Tried[]): readonly Ranked[] {
  return ranked(
    target,
    all.filter(({ family }) => family === target.family),
  );
}

/** What comes nearer to a target of another family than its own mappings do, as that family's profile makes it. */
function ledTo(
  target: Target,
  made: Tried,
  all: readonly Tried[],
  plan: (family: FamilyName, mapping: Mapping) => Tried,
): readonly Tried[] {
  const judged = made.judged.get(target.family);
  if (made.family === target.family || judged === undefined) return [];
  const known = own(target, all)[0]?.score ?? Number.POSITIVE_INFINITY;
  return score(target, judged) < known ? [plan(target.family, made.candidate.mapping)] : [];
}

/** The places among the best from which steps are taken. */
const parents = [0, 0, 0, 0, 1, 1, 2, 5];

/** A step from one of the best mappings for a target, or from far; null where nothing can be turned. */
function next(target: Target, all: readonly Tried[], random: Random): Mapping | null {
  const known = ranked(target, all);
  const place = Math.min(known.length - 1, random.pick(parents));
  const { candidate } = defined(known[place], "mapping for", target.veto).from;
  const draw = random.next();
  if (draw < 0.25) return structureStep(candidate, random, true);
  if (draw < 0.35) return drawnKernels(candidate, random, 0.15);
  const names = new Set(candidate.knobs.filter((k) => !isStructural(k)).map(kernelOf));
  if (names.size === 0) return null;
  const name = random.pick([...names]);
  const open = openKnobs(candidate).filter((k) => !isStructural(k) && kernelOf(k) === name);
  return turned(candidate, drawnTurns(open, random));
}

function kernelOf({ path }: { readonly path: string }): string {
  return path.split("/")[1] ?? "";
}

/** The fastest mapping that keeps a bound and breaks no other; undefined for none. */
function keeper(target: Target, all: readonly Tried[]): Ranked | undefined {
  return own(target, all)
    .filter(({ judged }) => keeps(target, judged))
    .sort((a, b) => a.judged.seconds - b.judged.seconds)[0];
}

function isAsGood({ byDefault }: Target, found: Ranked | undefined): found is Ranked {
  return found !== undefined && found.judged.seconds <= asFast * byDefault.seconds;
}

/** The bounds that defaults of a program break. */
function targetsOf(defaults: readonly Tried[]): readonly Target[] {
  return families.flatMap((family, n) => {
    const byDefault = defined(defaults[n]?.judged.get(family), "default of", family);
    const kinds = [...new Set(byDefault.vetoes.map((v) => v.veto))];
    return kinds.map((veto) => ({ family, veto, byDefault }));
  });
}

/** Values of the knobs in which a mapping differs from another one. */
function turnsFrom(from: Tried, to: Tried): ReadonlyMap<string, Choice> {
  const known = new Map(from.candidate.knobs.map((k) => [k.path, k.value]));
  const other = to.candidate.knobs.filter((k) => known.get(k.path) !== k.value);
  return new Map(other.map((k) => [k.path, k.value]));
}

/**
 * The knobs of a mapping that keeps a bound without which it would not, as text: of many, halves are left out
 * first.
 */
function reasons(
  target: Target,
  usual: Tried,
  found: Ranked,
  plan: (mapping: Mapping) => Tried,
): readonly string[] {
  let turns = [...turnsFrom(usual, found.from)];
  let asked = 0;
  for (let size = Math.ceil(turns.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < turns.length && turns.length > 1 && asked < mostAsked; ) {
      asked++;
      const fewer = turns.filter((_, n) => n < at || n >= at + size);
      const judged = plan(turned(usual.candidate, fewer)).judged.get(target.family);
      const time = (judged?.seconds ?? Infinity) / target.byDefault.seconds;
      if (judged !== undefined && keeps(target, judged) && time <= asFast) turns = fewer;
      else at += size;
    }
    if (size === 1) break;
  }
  const before = new Map(usual.candidate.knobs.map((k) => [k.path, k.value]));
  if (turns.length > mostReasons) return [`${turns.length} choices`];
  return turns.map(([path, value]) => `${path} ${before.get(path) ?? "none"} -> ${value}`);
}

/** What is found for each bound that defaults of a program break, after so many mappings. */
export function search({ source, request }: FactsSource, draws: number): readonly Found[] {
  const lowered = lowerSource(source, request);
  if (!lowered.ok) throw new Error("it does not compile");
  const keptOf = (): Kept => ({
    kernels: { chosen: keptFrom(), lowered: keptFrom() },
    judged: new Map(),
  });
  const kept = new Map(families.map((family) => [family, keptOf()] as const));
  const plan = (family: FamilyName, mapping: Mapping): Tried =>
    tried(lowered.program, family, mapping, defined(kept.get(family), "kept of", family));
  const defaults = families.map((f) => plan(f, { version: mappingVersion, policy: "default" }));
  const all = [...defaults];
  const targets = targetsOf(defaults);
  const random = seededRandom(19);
  for (let n = 0; n < draws; n++) {
    const open = targets.filter((t) => !isAsGood(t, keeper(t, all)));
    if (open.length === 0) break;
    const target = random.pick(open);
    const mapping = next(target, all, random);
    if (mapping === null) continue;
    const made = plan(target.family, mapping);
    all.push(made);
    for (const other of open) all.push(...ledTo(other, made, all, plan));
  }
  return targets.map((target): Found => {
    const known = ranked(target, all);
    const kept = keeper(target, all);
    const usual = defined(defaults[families.indexOf(target.family)], "default of", target.family);
    const byDefault = defined(worst(target.byDefault, target.veto), "veto of", target.family);
    const nearest = own(target, all)
      .filter(({ judged }) => fresh(target, judged) === 0)
      .map(({ judged }) => worst(judged, target.veto) ?? { ...byDefault, found: byDefault.bound })
      .sort((a, b) => excess(a) - excess(b))[0];
    return {
      family: target.family,
      veto: target.veto,
      looked: known.length,
      byDefault: byDefault.found,
      nearest: nearest?.found ?? byDefault.found,
      bound: byDefault.bound,
      ratio: kept === undefined ? null : kept.judged.seconds / target.byDefault.seconds,
      choices: isAsGood(target, kept)
        ? reasons(target, usual, kept, (mapping) => plan(target.family, mapping))
        : [],
    };
  });
}
