/**
 * Purpose: the wishes for a kernel: mappings that may each be the fastest on a device of the profile's kind.
 *
 * The first is what we choose. The others lean to one side each: tiles that use what they load more often, or leave
 * room for more of them; operands where they lie, or in workgroup memory; teams of other sizes, or none. Ensures:
 * legal, and no two with the same kernel.
 */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { printSchedule } from "../../schedule.ts";
import { legalKernel } from "../build/build-kernel.ts";
import { pointAxesOf } from "../build/shape-of.ts";
import type { Group } from "../group/group.ts";
import type { KernelMapping } from "../kernel-mapping.ts";
import type { Knob } from "../space/knob.ts";
import { type Leaning, policyKernel, usualLeaning, wish } from "./kernel-policy.ts";
import { hasRegisterTile } from "./register-tile.ts";
import { closestBelow } from "./shape-policy.ts";

/** The most wishes for a kernel. */
export const mostVariants = 4;

type Instead = Leaning["instead"];

/** A leaning that differs in some knobs. */
function leaning(instead: Instead): Leaning {
  return { ...usualLeaning, instead };
}

/** Of axes with several points, or invocations, so many times as many. */
function scaled(field: "points" | "workgroup", factor: number): Instead {
  return (knob, usual) => {
    const isAxis = knob.path.startsWith("axes/") && knob.path.endsWith(`/${field}`);
    if (!isAxis || typeof usual !== "number" || usual <= 1) return usual;
    return closestBelow(knob.values, factor * usual);
  };
}

/** So many neighbours along the last axis for each invocation, in vectors where rows are whole ones. */
function inRows(points: number): Instead {
  return (knob, usual, { group, mapping }) => {
    const last = pointAxesOf(group, mapping).length - 1;
    return knob.path === `axes/${last}/points` ? closestBelow(knob.values, points) : usual;
  };
}

/** All that may be staged is. */
const staged: Instead = (knob, usual) =>
  knob.path.endsWith("/stage") && knob.values.includes("workgroup") ? "workgroup" : usual;

/** A team of so many times as many invocations. */
function teams(factor: number): Instead {
  return (knob, usual) =>
    knob.path === "team" && typeof usual === "number"
      ? closestBelow(knob.values, Math.max(1, factor * usual))
      : usual;
}

/** Parts that a tree combines, where subgroups would; none where nothing is combined. */
const byTree: Instead = (knob, usual) =>
  knob.path === "combine" && knob.values.includes("tree") ? "tree" : usual;

/** Several steps of each reduction are written out. */
function written(steps: number): Instead {
  return (knob: Knob, usual: Choice) =>
    knob.path === "unroll" ? closestBelow(knob.values, steps) : usual;
}

/** Several leanings at once. */
function both(a: Instead, b: Instead): Instead {
  return (knob, usual, question) => b(knob, a(knob, usual, question), question);
}

const unstaged: Leaning = { ...usualLeaning, mayStage: false };

/** Other wishes for kernels whose points use loads together. */
const ofTiles: readonly Leaning[] = [
  leaning(scaled("points", 2)),
  leaning(scaled("points", 0.5)),
  unstaged,
  leaning(scaled("workgroup", 0.5)),
  leaning(staged),
];

/** Other wishes for kernels whose reductions teams divide. */
const ofTeams: readonly Leaning[] = [
  leaning(teams(0.25)),
  leaning(byTree),
  leaning(teams(0)),
  leaning(teams(4)),
  leaning(teams(0.5)),
];

/** Other wishes for maps, for scatters, and for reductions without a team. */
const ofPoints: readonly Leaning[] = [
  leaning(inRows(4)),
  leaning(scaled("workgroup", 4)),
  leaning(both(written(4), staged)),
  leaning(scaled("workgroup", 0.5)),
  leaning(inRows(2)),
  leaning(scaled("workgroup", 2)),
  leaning(written(4)),
];

function leaningsFor(group: Group, first: KernelMapping): readonly Leaning[] {
  if (first.team > 1) return ofTeams;
  return hasRegisterTile(pointAxesOf(group, first), group.statements) ? ofTiles : ofPoints;
}

/**
 * Up to four mappings of a kernel, the best first, each legal and each another kernel; none only where our
 * first choice is not legal and nothing else is. Each is found when it is asked for.
 */
export function* eachVariant(group: Group, profile: DeviceProfile): Iterable<KernelMapping> {
  const first = policyKernel(group, profile);
  const found = new Set<string>();
  const isNew = (mapping: KernelMapping): boolean => {
    const kernel = legalKernel(group, profile, mapping);
    if (kernel === null) return false;
    const text = printSchedule(kernel.schedule);
    if (found.has(text)) return false;
    found.add(text);
    return true;
  };
  if (isNew(first)) yield first;
  for (const other of leaningsFor(group, first)) {
    if (found.size >= mostVariants) return;
    const mapping = wish(group, profile, other);
    if (isNew(mapping)) yield mapping;
  }
}

/** All of {@link eachVariant}. */
export function variants(group: Group, profile: DeviceProfile): readonly KernelMapping[] {
  return [...eachVariant(group, profile)];
}
