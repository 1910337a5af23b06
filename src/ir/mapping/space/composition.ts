/**
 * Which parts of a mapping do not go together: the one table that says so.
 *
 * ```
 *          team     combine  joins    spread   staging  unit
 * team     .        x        x        -        x        -
 * combine           .        x        -        x        -
 * joins                      .        -        x        -
 * spread                              .        -        -
 * staging                                      .        -
 * second   x        x        x        x        x        -
 * ```
 * `x` is supported, and tested three ways (test/differential/composition.test.ts); `-` is excluded, for the reason below.
 * `second` is a second reduction of the kernel: no choice about a kernel, but of which statements share one. A matrix
 * unit is not offered there (unit-knobs.ts).
 */
import type { KernelMapping } from "../kernel-mapping.ts";

/** A part of a mapping that others may exclude. */
export type Feature = "unit" | "team" | "combine" | "joins" | "spread" | "staging";

/** All of them, in the order in which they are chosen. */
export const features: readonly Feature[] = [
  "unit",
  "team",
  "combine",
  "spread",
  "joins",
  "staging",
];

/** Two parts that do not go together, and why. */
export interface Exclusion {
  readonly pair: readonly [Feature, Feature];
  readonly why: string;
}

const ownsInvocations = "fragments of a matrix unit are of whole subgroups, which nothing divides";
const ownsLoops = "the loops of fragments are the unit's";

/** What does not go together. */
export const exclusions: readonly Exclusion[] = [
  { pair: ["unit", "team"], why: ownsInvocations },
  { pair: ["unit", "combine"], why: ownsInvocations },
  { pair: ["unit", "joins"], why: ownsLoops },
  { pair: ["unit", "spread"], why: "lanes hold fragments, not elements of their own" },
  { pair: ["unit", "staging"], why: "fragments are loaded from storage" },
  {
    pair: ["spread", "team"],
    why: "lanes that load for each other are neighbours along an axis, with no team between them",
  },
  {
    pair: ["spread", "combine"],
    why: "lanes that have parts of a reduction have no step of it in common to load for",
  },
  {
    pair: ["spread", "joins"],
    why: "lanes load for the steps of one reduction, which the others of a joined loop do not have",
  },
  {
    pair: ["spread", "staging"],
    why: "both are for what all lanes need alike: where it is in workgroup memory, each loads it from there",
  },
];

/** Whether a mapping uses a part. */
export function uses(mapping: KernelMapping, feature: Feature): boolean {
  switch (feature) {
    case "unit":
      return mapping.unit !== "none";
    case "team":
      return mapping.team > 1;
    case "combine":
      return mapping.combine !== "no";
    case "joins":
      return Object.values(mapping.joins).includes(true);
    case "spread":
      return mapping.spread !== "no";
    case "staging":
      return Object.values(mapping.operands).some((o) => o.stage !== "no");
  }
}

/** What a mapping uses that a part does not go together with; null for nothing. */
export function excludedBy(mapping: KernelMapping, feature: Feature): Exclusion | null {
  const found = exclusions.find(({ pair: [a, b] }) => {
    const other = a === feature ? b : b === feature ? a : null;
    return other !== null && uses(mapping, other);
  });
  return found ?? null;
}
