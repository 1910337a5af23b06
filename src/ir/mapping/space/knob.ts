/** Knobs of one kernel: each a path in its mapping, the values that may be legal there, and how to turn it. */
import type { Limits } from "../../../support/device-profile.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import type { Axis } from "../group/axes.ts";
import type { Group } from "../group/group.ts";
import type { KernelMapping } from "../kernel-mapping.ts";

/** One place of a mapping that a choice is made about. */
export interface Knob {
  /** In the mapping of its kernel, for example `axes/0/workgroup`. */
  readonly path: string;
  /** What meets the necessary conditions, given the knobs before; numbers ascending, the plainest first. */
  readonly values: readonly Choice[];
  /** What the mapping has. */
  readonly value: Choice;
  /** What `whole` is as a number, where it is among numbers. */
  readonly whole?: number;
  /** The mapping with another value; one that is none of `values` changes nothing. */
  with(choice: Choice): KernelMapping;
}

/** What the knobs of a kernel depend on. */
export interface KernelQuestion {
  readonly group: Group;
  readonly limits: Limits;
  /** Knobs look at what comes before them. */
  readonly mapping: KernelMapping;
}

/** Some knobs of a kernel, given what is chosen before; those that ask legality are found one by one. */
export type KnobStage = (question: KernelQuestion) => Iterable<Knob>;

/** A knob over some values of one type. */
export function knob<T extends Choice>(
  path: string,
  values: readonly T[],
  value: Choice,
  set: (value: T) => KernelMapping,
  mapping: KernelMapping,
): Knob {
  return {
    path,
    values,
    value,
    with: (choice) => {
      const found = values.find((v) => v === choice);
      return found === undefined ? mapping : set(found);
    },
  };
}

/** A knob that is a field of the mapping; none where there is nothing to choose. */
export function fieldKnob<K extends keyof KernelMapping>(
  mapping: KernelMapping,
  field: K,
  values: readonly (KernelMapping[K] & Choice)[],
): readonly Knob[] {
  if (values.length <= 1) return [];
  const value = mapping[field] as KernelMapping[K] & Choice;
  return [knob(field, values, value, (v) => ({ ...mapping, [field]: v }), mapping)];
}

/** The axes of the points that invocations have: all but that along rows of their own. */
export function pointAxes({
  group,
  mapping,
}: Pick<KernelQuestion, "group" | "mapping">): readonly Axis[] {
  return mapping.rows ? group.axes.slice(0, -1) : group.axes;
}

/**
 * The nearest of a knob's values to what was asked for: of numbers by their ratio, `whole` among them where it is
 * known how many that is; else the first.
 */
export function nearestValue(
  { values, whole }: Pick<Knob, "values" | "whole">,
  asked: Choice,
): Choice {
  const same = values.find((v) => v === asked);
  const numberOf = (v: Choice): number | undefined =>
    typeof v === "number" ? v : v === "whole" ? whole : undefined;
  const wanted = numberOf(asked);
  if (same !== undefined || wanted === undefined) return same ?? values[0] ?? asked;
  const distance = (v: Choice): number =>
    Math.abs(Math.log2(((numberOf(v) ?? Infinity) + 1) / (wanted + 1)));
  return values.reduce((best, v) => (distance(v) < distance(best) ? v : best), values[0] ?? asked);
}
