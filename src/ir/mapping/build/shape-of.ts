/** Purpose: the shape of a kernel's loops, as its mapping says. */
import { asksForWidth, type Limits, subgroupLanes } from "../../../support/device-profile.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { type AxisTile, tilePoints } from "../group/axis-tile.ts";
import { nestedReducedDims } from "../group/footprints.ts";
import type { Group } from "../group/group.ts";
import { writtenSteps } from "../group/written-steps.ts";
import {
  type AxisMapping,
  type KernelMapping,
  plainAxis,
  type TileSize,
} from "../kernel-mapping.ts";
import { bandAxes } from "./bands.ts";
import type { GroupShape } from "./map-group.ts";

/** The tile of an axis that a mapping says. */
export function tileOf({ workgroup, points, step, turns, subgroup }: AxisMapping): AxisTile {
  return {
    workgroup,
    thread: points,
    ...(step > 1 ? { step } : {}),
    ...(turns.length > 0 ? { turns } : {}),
    ...(subgroup > 1 ? { subgroup } : {}),
  };
}

/** The axes of the points that invocations have: all but that along rows of their own. */
export function pointAxesOf(group: Pick<Group, "axes">, { rows }: KernelMapping): readonly Axis[] {
  return rows ? group.axes.slice(0, -1) : group.axes;
}

/** The invocations of a subgroup along each axis: those of the innermost are what the others leave. */
function withSubgroups(
  tiles: readonly AxisTile[],
  innermost: number,
  lanes: number,
): readonly AxisTile[] {
  const others = tiles.filter((_, a) => a !== innermost);
  if (others.every((t) => (t.subgroup ?? 1) === 1)) return tiles;
  const left = others.reduce((n, t) => n / (t.subgroup ?? 1), lanes);
  return tiles.map((tile, a) => {
    const subgroup = Math.min(left, tile.workgroup);
    const fits = tile.workgroup % subgroup === 0 && (tile.step ?? 1) === 1;
    return a === innermost && fits ? { ...tile, subgroup } : tile;
  });
}

function bandsOf(
  bands: string,
  axes: readonly Axis[],
  tiles: readonly AxisTile[],
): NonNullable<GroupShape["bands"]> | undefined {
  const [name, size] = bands.split(" ");
  const counts = axes.map((axis, a) =>
    Math.ceil(extentOf(axis) / tilePoints(tiles[a] ?? { workgroup: 1, thread: 1 })),
  );
  const [row, column] = bandAxes(counts);
  const axis = name === "rows" ? row : column;
  return bands === "no" || axis === undefined ? undefined : { axis, size: Number(size) };
}

/** Of an order that a mapping says, the axes that there are; those that it lacks come last. */
export function completeOrder(
  order: readonly number[],
  axes: readonly number[],
): readonly number[] {
  const kept = order.filter((a) => axes.includes(a));
  return [...kept, ...axes.filter((a) => !kept.includes(a)).reverse()];
}

/** Steps of the largest tiles of a reduced dim of that extent. */
export function tileSteps([size = "whole"]: readonly TileSize[], extent: number): number {
  return size === "whole" ? extent : Math.min(size, extent);
}

/** Steps of the tiles of each reduced dim: each size below the one before; one of all steps is a loop. */
function reductionsOf(
  { statements }: Group,
  { reduced }: KernelMapping,
): readonly (readonly number[])[] {
  return reduced.map((sizes, r) => {
    const rank = statements.some((s) => r < nestedReducedDims(s).length);
    return rank ? sizes.flatMap((n) => (n === "whole" ? [] : [n])) : [];
  });
}

/** The shape that a mapping gives a group's loops. */
export function shapeOf(group: Group, limits: Limits, mapping: KernelMapping): GroupShape {
  const axes = pointAxesOf(group, mapping);
  const flat = axes.map((_, a) => tileOf(mapping.axes[a] ?? plainAxis));
  const inward = completeOrder(mapping.order, [...axes.keys()]);
  const [innermost = 0, ...others] = inward;
  const lanes = subgroupLanes(limits) ?? 1;
  const tiles = withSubgroups(flat, innermost, lanesOfBlock(limits));
  const bands = bandsOf(mapping.bands, axes, tiles);
  const turned = [...axes.keys()].filter((a) => (tiles[a]?.turns ?? []).length > 0);
  const reductions = reductionsOf(group, mapping);
  const isTiled = reductions.some((sizes) => sizes.length > 0);
  const combines = { no: null, tree: 1, subgroups: lanes } as const;
  return {
    tiles,
    blocked: mapping.blocked,
    points: mapping.points,
    innermost,
    order: others.toReversed(),
    team: mapping.team,
    combine: mapping.team === 1 ? null : combines[mapping.combine],
    lanes: mapping.lanes,
    unroll: writtenSteps(group.statements, mapping.unroll),
    inner: mapping.inner,
    ...(turned.length > 1
      ? { turnOrder: completeOrder(mapping.turnOrder, turned).toReversed() }
      : {}),
    ...(bands === undefined ? {} : { bands }),
    ...(isTiled ? { reductions } : {}),
    ...(mapping.inside > 0 ? { inside: mapping.inside } : {}),
  };
}

/** Lanes of a block of neighbours where it is not known how many a subgroup has. */
const usualLanes = 32;

/** Lanes of a block of neighbours: of a subgroup, where all have one size. For the sake of a block no kernel asks for one. */
export function lanesOfBlock(limits: Limits): number {
  return (asksForWidth(limits) ? null : subgroupLanes(limits)) ?? usualLanes;
}
