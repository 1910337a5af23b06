/** Random mappings of kernels, as `space` offers them: how many are legal as they are. */
import { lowerSource } from "../../src/compile.ts";
import { legalKernel } from "../../src/ir/mapping/build/build-kernel.ts";
import type { Group } from "../../src/ir/mapping/group/group.ts";
import type { KernelMapping } from "../../src/ir/mapping/kernel-mapping.ts";
import { mapWith } from "../../src/ir/mapping/map-program.ts";
import {
  nearestMapping,
  type RepairedKernel,
  repairKernel,
} from "../../src/ir/mapping/repair/repair-kernel.ts";
import { kernelSpace, turnKnobs } from "../../src/ir/mapping/space/kernel-space.ts";
import { plainMapping } from "../../src/ir/mapping/space/plain-mapping.ts";
import type { Program } from "../../src/ir/program.ts";
import type { DeviceProfile, Limits } from "../../src/support/device-profile.ts";
import type { Choice } from "../../src/support/mapping-file.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import { randomPolicy } from "./random-policy.ts";

/** The groups that a program is cut into, each rewrite drawn with a probability, else as we would choose it. */
function groupsOf(
  program: Program,
  profile: DeviceProfile,
  random: Random,
  share: number,
): readonly Group[] {
  const { kernels } = mapWith(program, profile, new Map(), {
    structure: randomPolicy(profile, random, share).structure,
    kernel: (group) => plainMapping(group, profile),
  });
  return kernels.map((k) => k.group);
}

/** A knob's path without the names in it: `operands/stage`. */
function kindOf(path: string): string {
  const parts = path.split("/").filter((part) => /^[a-zA-Z]+$/.test(part));
  return parts[0] === "places" || parts[0] === "joins" ? parts[0] : parts.join("/");
}

/** What became of some draws. */
export interface Draws {
  readonly count: number;
  /** How many needed no repair. */
  readonly clean: number;
  /** The most values of one draw that repair changed. */
  readonly worst: number;
  /** How often repair changed a knob of which kind. */
  readonly changed: ReadonlyMap<string, number>;
  /** What repair changed although that, or a nearer number, is legal beside the rest. */
  readonly needless: readonly string[];
  /** Kinds of knobs with values that were on offer, and that no draw took. */
  readonly untried: readonly string[];
}

/** What the draws so far came to. */
interface Counts {
  count: number;
  clean: number;
  worst: number;
  readonly changed: Map<string, number>;
  readonly needless: string[];
  /** By the value, where it was on offer first. */
  readonly offered: Map<string, Missed>;
  readonly taken: Set<string>;
}

/** What was on offer in a draw that took another value: the choices before it say how to be offered it again. */
interface Missed {
  readonly group: Group;
  readonly path: string;
  readonly value: Choice;
  readonly before: ReadonlyMap<string, Choice>;
}

function nameOf(path: string, value: Choice): string {
  return `${kindOf(path)} ${value}`;
}

/**
 * Draws a mapping: each knob has one of the values on offer, given those before; or, up to a value that no
 * draw took, those of the draw that was offered it.
 */
function drawKernel(
  { group, path: at, value: wanted, before }: Missed,
  limits: Limits,
  random: Random,
  { offered, taken }: Counts,
): KernelMapping {
  const chosen = new Map<string, Choice>();
  return turnKnobs(group, limits, plainMapping(group, limits), ({ path, values }) => {
    const value = path === at ? wanted : (before.get(path) ?? random.pick(values));
    for (const v of values) {
      const name = nameOf(path, v);
      if (!offered.has(name)) offered.set(name, { group, path, value: v, before: new Map(chosen) });
    }
    // What led to a value may be gone: the wish alone is no draw of it.
    if (values.includes(value)) taken.add(nameOf(path, value));
    chosen.set(path, value);
    return value;
  });
}

/** How far apart two numbers are; null for what is none. */
function distance(a: Choice, b: Choice): number | null {
  if (typeof a !== "number" || typeof b !== "number") return null;
  return Math.abs(Math.log2((a + 1) / (b + 1)));
}

/** The changes of a repair without which the others would do, or for which a nearer number would. */
function needlessIn(
  group: Group,
  limits: Limits,
  wanted: ReadonlyMap<string, Choice>,
  { mapping: repaired, changes }: RepairedKernel,
): readonly string[] {
  const isLegal = (values: ReadonlyMap<string, Choice>): boolean => {
    const mapping = nearestMapping(group, limits, values);
    const used = new Map(kernelSpace(group, limits, mapping).map((k) => [k.path, k.value]));
    const isWhole = [...values].every(([path, value]) => used.get(path) === value);
    return isWhole && legalKernel(group, limits, mapping) !== null;
  };
  const changed = new Map([...wanted, ...changes.map((c) => [c.path, c.used] as const)]);
  return changes.flatMap(({ path, asked, used }) => {
    const most = distance(asked, used) ?? 0;
    const values = kernelSpace(group, limits, repaired).find((k) => k.path === path)?.values ?? [];
    const nearer = values.filter((v) => (distance(asked, v) ?? most) < most);
    return [...new Set([asked, ...nearer])]
      .filter((value) => isLegal(new Map([...changed, [path, value]])))
      .map((value) => `${nameOf(path, asked)} for ${value}`);
  });
}

function tryDraw(missed: Missed, limits: Limits, random: Random, counts: Counts): void {
  const { group } = missed;
  const mapping = drawKernel(missed, limits, random, counts);
  // What had one value on offer was not drawn: it follows from the others.
  const drawn = kernelSpace(group, limits, mapping).filter(({ values }) => values.length > 1);
  const wanted = new Map(drawn.map((k) => [k.path, k.value]));
  const repaired = repairKernel(group, limits, wanted);
  const { changes } = repaired;
  counts.needless.push(...needlessIn(group, limits, wanted, repaired));
  counts.count += 1;
  counts.clean += changes.length === 0 ? 1 : 0;
  counts.worst = Math.max(counts.worst, changes.length);
  for (const { path } of changes) {
    counts.changed.set(kindOf(path), (counts.changed.get(kindOf(path)) ?? 0) + 1);
  }
}

/**
 * Draws at least so many mappings of the kernels of a definition, whose rewrites are drawn anew every few,
 * and one for each value that none of them took.
 */
export function drawKernels(
  source: string,
  sizes: Readonly<Record<string, number>>,
  profile: DeviceProfile,
  count: number,
  seed: number,
): Draws {
  const lowered = lowerSource(source, { sizes });
  if (!lowered.ok) throw new Error("the definition is refused");
  const random = seededRandom(seed);
  const counts: Counts = {
    count: 0,
    clean: 0,
    worst: 0,
    changed: new Map(),
    needless: [],
    offered: new Map(),
    taken: new Set(),
  };
  while (counts.count < count) {
    const groups = groupsOf(lowered.program, profile, random, random.pick([0, 0.3, 1]));
    for (const group of [...groups, ...groups, ...groups, ...groups]) {
      tryDraw({ group, path: "", value: false, before: new Map() }, profile, random, counts);
    }
  }
  // What follows may offer more.
  for (const [name, missed] of counts.offered) {
    if (!counts.taken.has(name)) tryDraw(missed, profile, random, counts);
  }
  const untried = [...counts.offered.keys()].filter((name) => !counts.taken.has(name));
  return { ...counts, untried };
}
