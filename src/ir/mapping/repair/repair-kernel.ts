/**
 * Purpose: the legal mapping of a kernel that is nearest to a given one, and what was changed.
 *
 * Ensures: a mapping that {@link kernelSpace} offers and that is legal, with its kernel. One knob is changed at a time,
 * and as few as are found among those that {@link fewestGone} asks about, which bounds the schedules that are built;
 * numbers among them become the nearest that are legal beside the others.
 */
import type { Limits } from "../../../support/device-profile.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { buildKernel, legalKernel } from "../build/build-kernel.ts";
import type { Extended } from "../build/stage-operands.ts";
import type { Group } from "../group/group.ts";
import type { KernelMapping } from "../kernel-mapping.ts";
import { flatten } from "../paths.ts";
import { excludedBy, type Feature, features } from "../space/composition.ts";
import { kernelSpace, turnKnobs } from "../space/kernel-space.ts";
import { type Knob, nearestValue } from "../space/knob.ts";
import { plainMapping } from "../space/plain-mapping.ts";
import { fewestGone } from "./fewest-gone.ts";

/** A value that was asked for, and what stands for it. */
export interface Change {
  /** In the mapping of its kernel. */
  readonly path: string;
  readonly asked: Choice;
  readonly used: Choice;
  /** Where two parts of a mapping exclude each other: which, and why. */
  readonly because?: string;
}

/** A legal mapping with its kernel. */
export interface RepairedKernel {
  readonly mapping: KernelMapping;
  readonly kernel: Extended;
  readonly changes: readonly Change[];
}

/** The mapping of the space nearest to some values by path. */
export function nearestMapping(
  group: Group,
  limits: Limits,
  wanted: ReadonlyMap<string, Choice>,
): KernelMapping {
  return turnKnobs(group, limits, plainMapping(group, limits), (knob) => {
    return nearestValue(knob, wanted.get(knob.path) ?? knob.value);
  });
}

/** What a path is about, of what may exclude each other. */
function featureOf(path: string): Feature | undefined {
  const [name = ""] = path.split("/");
  return name === "operands" ? "staging" : features.find((f) => f === name);
}

/** What a mapping has other than what was wanted: of what it offers, and of what two parts exclude. */
function changesOf(
  group: Group,
  limits: Limits,
  wanted: ReadonlyMap<string, Choice>,
  mapping: KernelMapping,
): readonly Change[] {
  const used = new Map(kernelSpace(group, limits, mapping).map((k) => [k.path, k.value]));
  const plain = flatten(plainMapping(group, limits));
  return [...wanted].flatMap(([path, asked]): readonly Change[] => {
    const value = used.get(path);
    if (value !== undefined) return value === asked ? [] : [{ path, asked, used: value }];
    const feature = featureOf(path);
    const exclusion = feature === undefined ? null : excludedBy(mapping, feature);
    const usual = plain.get(path) ?? "no";
    if (exclusion === null || asked === usual || asked === false) return [];
    const because = `${exclusion.pair.join(" and ")} do not go together: ${exclusion.why}`;
    return [{ path, asked, used: usual, because }];
  });
}

/** The values that differ from the plain ones, the last that are turned first. */
function turnedKnobs(group: Group, limits: Limits, mapping: KernelMapping): readonly string[] {
  const plain = flatten(plainMapping(group, limits));
  return kernelSpace(group, limits, mapping)
    .filter(({ path, value, values }) => value !== (plain.get(path) ?? values[0]))
    .map((k) => k.path)
    .reverse();
}

/** So many values of a knob are tried between what was asked for and what stands for it, the nearest first. */
const mostNearer = 4;

/** The numbers on offer that are nearer to what was asked for than what stands for it, the nearest first. */
function nearerValues(knob: Knob, { asked, used }: Change): readonly Choice[] {
  const isNumber = (v: Choice): boolean => typeof v === "number" || v === "whole";
  if (!isNumber(asked)) return [];
  const nearest: Choice[] = [];
  let values = knob.values.filter((v) => isNumber(v) && v !== asked);
  while (values.length > 0 && nearest.length < mostNearer) {
    const next = nearestValue({ ...knob, values }, asked);
    if (next === used) break;
    nearest.push(next);
    values = values.filter((v) => v !== next);
  }
  return nearest;
}

/** A repaired kernel with each number that was changed as near to what was asked for as is legal beside the others. */
function nearer(
  group: Group,
  limits: Limits,
  repaired: RepairedKernel,
  withValues: (values: ReadonlyMap<string, Choice>) => RepairedKernel | null,
): RepairedKernel {
  return repaired.changes.reduce((best, { path }) => {
    const used = new Map(best.changes.map((c) => [c.path, c.used]));
    const change = best.changes.find((c) => c.path === path);
    const knob = kernelSpace(group, limits, best.mapping).find((k) => k.path === path);
    if (change === undefined || knob === undefined) return best;
    for (const value of nearerValues(knob, change)) {
      const found = withValues(new Map([...used, [path, value]]));
      if (found !== null && found.changes.length <= best.changes.length) return found;
    }
    return best;
  }, repaired);
}

/** So many values may change where one is in the way, before several others are looked for. */
const mostAlong = 2;

/** The nearest legal mapping to some values by path; what they do not say is plain. */
export function repairKernel(
  group: Group,
  limits: Limits,
  wanted: ReadonlyMap<string, Choice>,
): RepairedKernel {
  const attempt = (values: ReadonlyMap<string, Choice>): RepairedKernel | null => {
    const mapping = nearestMapping(group, limits, values);
    const kernel = legalKernel(group, limits, mapping);
    if (kernel === null) return null;
    return { mapping, kernel, changes: changesOf(group, limits, wanted, mapping) };
  };
  const without = (paths: Iterable<string>): ReadonlyMap<string, Choice> => {
    const gone = new Set(paths);
    return new Map([...wanted].filter(([path]) => !gone.has(path)));
  };
  const asked = attempt(wanted);
  if (asked !== null) return asked;
  const nearest = nearestMapping(group, limits, wanted);
  const notOffered = changesOf(group, limits, wanted, nearest).length;
  const legal: RepairedKernel[] = [];
  fewestGone(turnedKnobs(group, limits, nearest), (paths) => {
    const kernel = attempt(without(paths));
    if (kernel === null) return false;
    legal.push(kernel);
    // A wish may go alone and take many others with it, which only made sense beside it.
    return kernel.changes.length - notOffered <= Math.max(mostAlong, paths.size);
  });
  const [best] = legal.sort((a, b) => a.changes.length - b.changes.length);
  if (best === undefined) return plainly(group, limits, wanted);
  return nearer(group, limits, best, (values) => attempt(new Map([...wanted, ...values])));
}

/** The plainest kernel, which is legal for every group. */
function plainly(
  group: Group,
  limits: Limits,
  wanted: ReadonlyMap<string, Choice>,
): RepairedKernel {
  const mapping = plainMapping(group, limits);
  const built = buildKernel(group, limits, mapping);
  if (built.kind === "impossible") throw new Error(`a plain kernel lacks ${built.field}`);
  return { mapping, kernel: built, changes: changesOf(group, limits, wanted, mapping) };
}
