/**
 * Purpose: kernels all over the space of one, few enough to try each: where a search begins on a device that nobody
 * knows, whatever that is.
 *
 * Four decisions say most of how a kernel runs; each goes three ways. Nine kernels have every two ways of two decisions
 * once (an orthogonal array, Taguchi's L9): what each decision does shows in three of them. All else is what the policy
 * chooses given those, in the order of the knobs.
 *
 * ```
 * sharing      what invocations need alike: each loads it | copied by a workgroup, a team's row | by lanes of a subgroup
 * invocations  of a workgroup: one subgroup | some | many
 * points       of an invocation: few | some | many
 * text         steps that are written out: none | as the policy has it | many
 * ```
 */
import {
  type DeviceProfile,
  mostInvocations,
  subgroupLanes,
} from "../../../support/device-profile.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { pointAxesOf } from "../build/shape-of.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import type { Group } from "../group/group.ts";
import type { AxisMapping, KernelMapping } from "../kernel-mapping.ts";
import type { Knob } from "../space/knob.ts";
import { pointCount } from "../space/loop-knobs.ts";
import { powerAbove } from "./fit-tiles.ts";
import {
  type Leaning,
  type PolicyQuestion,
  policyKernel,
  usualLeaning,
  wish,
} from "./kernel-policy.ts";
import { hasRegisterTile } from "./register-tile.ts";
import { closestBelow } from "./shape-policy.ts";
import { movesAlong } from "./window-defaults.ts";

/** The way that each decision goes. */
interface Design {
  readonly sharing: "none" | "workgroup" | "subgroup";
  readonly invocations: 0 | 1 | 2;
  readonly points: 0 | 1 | 2;
  readonly text: "none" | "usual" | "many";
}

/** The orthogonal array: of each three in a row no two share more than the text, of which there is more and more. */
const designs: readonly Design[] = [
  { sharing: "none", invocations: 0, points: 0, text: "none" },
  { sharing: "workgroup", invocations: 1, points: 2, text: "none" },
  { sharing: "subgroup", invocations: 2, points: 1, text: "none" },
  { sharing: "none", invocations: 1, points: 1, text: "usual" },
  { sharing: "workgroup", invocations: 2, points: 0, text: "usual" },
  { sharing: "subgroup", invocations: 0, points: 2, text: "usual" },
  { sharing: "none", invocations: 2, points: 2, text: "many" },
  { sharing: "workgroup", invocations: 0, points: 1, text: "many" },
  { sharing: "subgroup", invocations: 1, points: 0, text: "many" },
];

/** The points of an invocation: of kernels that live by a register tile, and of others. */
const pointsOf = { tile: [4, 16, 64], others: [1, 4, 16] } as const;

/** Steps that are many. */
const manySteps = 16;

/** The invocations of a workgroup: one subgroup, the most, and what lies between. */
function invocationsOf(profile: DeviceProfile): readonly [number, number, number] {
  const least = subgroupLanes(profile) ?? profile.lanes;
  const most = Math.max(least, Math.min(256, mostInvocations(profile)));
  return [least, 2 ** Math.round((Math.log2(least) + Math.log2(most)) / 2), most];
}

/** Factors of two along some axes, where they have room: `first` of them along the last one, then the shortest first. */
function dealt(room: readonly number[], total: number, first: number): readonly number[] {
  const own = room.map((_, a) =>
    a === room.length - 1 ? Math.min(room[a] ?? 1, first, total) : 1,
  );
  const product = (): number => own.reduce((n, v) => n * v, 1);
  while (2 * product() <= total) {
    const open = own.flatMap((v, a) => (2 * v <= (room[a] ?? 1) ? [a] : []));
    const next = open.toSorted((a, b) => (own[a] ?? 1) - (own[b] ?? 1) || b - a)[0];
    if (next === undefined) break;
    own[next] = 2 * (own[next] ?? 1);
  }
  return own;
}

/** The tiles of a design: along those axes that the policy has tiles of, that windows move along, and the last one. */
function tilesOf(
  { points, invocations }: Design,
  { group, profile, mapping }: PolicyQuestion,
  usual: readonly AxisMapping[],
): readonly Pick<AxisMapping, "workgroup" | "points">[] {
  const axes = pointAxesOf(group, mapping);
  const isCut = (axis: Axis, a: number): boolean =>
    a === axes.length - 1 ||
    (usual[a]?.workgroup ?? 1) > 1 ||
    (usual[a]?.points ?? 1) > 1 ||
    movesAlong(axis, group.statements);
  const kind = hasRegisterTile(axes, group.statements) ? "tile" : "others";
  const extents = axes.map((axis, a) => (isCut(axis, a) ? powerAbove(extentOf(axis)) : 1));
  const own = dealt(extents, pointsOf[kind][points], 1);
  const left = extents.map((extent, a) => extent / (own[a] ?? 1));
  const [lanes] = invocationsOf(profile);
  const all = (invocationsOf(profile)[invocations] ?? lanes) / mapping.team;
  const groups = dealt(left, Math.max(1, all), mapping.team === 1 ? lanes : 1);
  return axes.map((_, a) => ({ workgroup: groups[a] ?? 1, points: own[a] ?? 1 }));
}

/** The invocations of a design that share a point, where the policy has a team. */
function teamOf({ sharing, invocations }: Design, profile: DeviceProfile): number {
  const sizes = invocationsOf(profile);
  if (sharing === "none") return 1;
  return sharing === "subgroup" ? sizes[0] : (sizes[invocations] ?? 1);
}

/** The number of steps, or the components of a vector, of a design: no longer a text than usual ones are. */
function textOf(
  { text }: Design,
  { values }: Knob,
  usual: Choice,
  { mapping, profile }: PolicyQuestion,
): Choice {
  if (text === "none") return values[0] ?? usual;
  const room = profile.mostStatements / (2 * pointCount(mapping));
  const most = Math.max(1, Math.min(manySteps, room));
  return text === "usual" && !(Number(usual) > most) ? usual : closestBelow(values, most);
}

/** What a design has in the place of the policy's choice: undefined for what it says nothing of. */
type Part = (
  design: Design,
  knob: Knob,
  usual: KernelMapping,
  q: PolicyQuestion,
) => Choice | undefined;

/** Who computes what: teams and tiles. */
const shape: Part = (design, { path, values }, usual, q) => {
  const [name, at, field] = path.split("/");
  if (name === "team" && usual.team > 1) return closestBelow(values, teamOf(design, q.profile));
  if (name === "combine" && design.sharing === "subgroup") return values.at(-1);
  const tile = name === "axes" ? tilesOf(design, q, usual.axes)[Number(at)] : undefined;
  return tile !== undefined && (field === "workgroup" || field === "points")
    ? closestBelow(values, tile[field])
    : undefined;
};

/** What invocations need alike. */
const sharing: Part = (design, { path, values }, _, { profile, mapping }) => {
  const [name, , field] = path.split("/");
  const isOfLanes = design.sharing === "subgroup";
  // What lanes load for each other is of neighbours along one axis.
  if (name === "axes" && field === "subgroup" && isOfLanes) return 1;
  if (name === "lanes" && isOfLanes && mapping.team === 1) {
    return subgroupLanes(profile) ?? undefined;
  }
  if (name === "spread") return isOfLanes ? values.at(-1) : "no";
  if (name === "operands" && field === "stage") {
    return design.sharing === "workgroup" ? values.at(-1) : "no";
  }
  return undefined;
};

/** The place of the policy's choices in designs. */
function instead(design: Design, usual: KernelMapping): Leaning["instead"] {
  return (knob, value, q) => {
    if (knob.path === "unroll" || knob.path === "inner") return textOf(design, knob, value, q);
    if (knob.path === "spreadSteps") return design.text === "none" ? "serial" : "unroll";
    return shape(design, knob, usual, q) ?? sharing(design, knob, usual, q) ?? value;
  };
}

/**
 * Nine kernels all over the space of a group's, the same decisions in the same place for each group; made one
 * by one.
 */
export function* designedKernels(group: Group, profile: DeviceProfile): Generator<KernelMapping> {
  const usual = policyKernel(group, profile);
  for (const design of designs) {
    yield wish(group, profile, { ...usualLeaning, instead: instead(design, usual) });
  }
}
