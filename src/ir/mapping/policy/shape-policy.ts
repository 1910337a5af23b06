/** What we prefer of the shape of a kernel: teams, tiles, vectors, lanes. */
import { subgroupLanes } from "../../../support/device-profile.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { pointAxesOf } from "../build/shape-of.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import type { AxisTile } from "../group/axis-tile.ts";
import { type Group, hostOf } from "../group/group.ts";
import type { KernelMapping } from "../kernel-mapping.ts";
import type { Knob } from "../space/knob.ts";
import { widthOf } from "./cost-kernel.ts";
import { isLongRow } from "./cpu-tiles.ts";
import { streamedBytes } from "./grouping-policy.ts";
import type { PolicyQuestion } from "./kernel-policy.ts";
import { tilesOfKernel } from "./kernel-tiles.ts";
import { isTriangle, prefersNeighbours, readsRows, rowsOfProduct } from "./product-defaults.ts";
import { hasRegisterTile, prefersSpread, secondAxis } from "./register-tile.ts";
import { preferredTeam, rowsOfLoop, tilesOfTeams } from "./team-defaults.ts";
import { hasWindows, windowPoints } from "./window-defaults.ts";

/** The largest of some numbers that is not above a wish. */
export function closestBelow(values: readonly Choice[], wish: number): Choice {
  return values.filter((v) => typeof v === "number" && v <= wish).at(-1) ?? 1;
}

/** Invocations that share a point. */
function teamOf(knob: Knob, { group, profile, mapping, mayBeLegal }: PolicyQuestion): number {
  const axes = pointAxesOf(group, mapping);
  const { statements } = group;
  const wish = preferredTeam(axes, statements, hostOf(group), widthOf(profile), profile);
  const may = wish > 1 && !hasRegisterTile(axes, statements) && knob.values.includes(wish);
  return may && mayBeLegal(knob.with(wish)) ? wish : 1;
}

/** Whether the rows of a recurrence inside of the kernel read the same in each step. */
function sharesWeights(group: Group): boolean {
  const host = hostOf(group);
  const looped = group.statements.filter((s) => s.loops.some((l) => !host.has(l)));
  return looped.length > 0 && streamedBytes(group.program, looped) > 0;
}

/** The tiles of the axes of the points that invocations have. */
function tilesOf(
  { group, profile, mapping }: PolicyQuestion,
  axes: readonly Axis[],
): readonly AxisTile[] {
  const hasTeams = mapping.team > 1 && profile.class === "gpu";
  if (hasTeams && sharesWeights(group)) return rowsOfLoop(axes, profile);
  if (hasTeams) return tilesOfTeams(axes, mapping.team, profile);
  const tiles = tilesOfKernel(axes, group.statements, profile);
  return mapping.team > 1 ? tiles.map((t) => ({ ...t, workgroup: 1 })) : tiles;
}

function axisValue(knob: Knob, q: PolicyQuestion, at: number, field: string): Choice | undefined {
  const tile = tilesOf(q, pointAxesOf(q.group, q.mapping))[at] ?? { workgroup: 1, thread: 1 };
  switch (field) {
    case "workgroup":
      return closestBelow(knob.values, tile.workgroup);
    case "points":
      return closestBelow(knob.values, tile.thread);
    case "step":
      return knob.values.includes(tile.step ?? 1) ? (tile.step ?? 1) : 1;
    case "subgroup":
      return closestBelow(knob.values, rowsOfSubgroup(q, at));
    default:
      return undefined;
  }
}

/**
 * Invocations of a subgroup along an axis beside the innermost one: of a GPU's product with copies several, where each has
 * several points, and none is idle.
 */
function rowsOfSubgroup({ group, profile, mapping }: PolicyQuestion, at: number): number {
  const axes = pointAxesOf(group, mapping);
  const { statements } = group;
  const [row, axis] = [mapping.axes[at], axes[at]];
  const along = (a: number): number => mapping.axes[a]?.workgroup ?? 1;
  const all = axes.reduce((n, _, a) => (a === at ? n : n * along(a)), 1);
  const rows = rowsOfProduct(statements, { inner: along(innermostAxis(mapping, axes)), all });
  if (profile.class !== "gpu" || axis === undefined || row === undefined) return 1;
  if (row.points === 1 || extentOf(axis) < row.workgroup * row.points) return 1;
  if (hasWindows(axes, statements)) return 1;
  // A temporary beside it may be in workgroup memory, a multiple of the banks from row to row.
  const isAlone = new Set(statements.map((s) => s.write.tensor)).size === 1;
  const isProduct = secondAxis(axes, statements) === at && !statements.some(isTriangle);
  return isAlone && isProduct ? rows : 1;
}

/** The last axis's points sit side by side in rows that are whole vectors. */
function prefersVectors({ group, profile, mapping }: PolicyQuestion): boolean {
  const axes = pointAxesOf(group, mapping);
  const last = axes.at(-1);
  const { points = 1, step = 1 } = mapping.axes[axes.length - 1] ?? {};
  if (last === undefined || step > 1) return false;
  const extent = extentOf(last);
  const isProduct = profile.class === "gpu" && hasRegisterTile(axes, group.statements);
  if (isProduct && prefersNeighbours(axes, group.statements, points)) return points > 1;
  return points > 1 && (extent % points === 0 || isLongRow(extent));
}

/**
 * Whether the points of an invocation are neighbours: along the last axis alone where others go along a
 * copy's rows.
 */
function prefersBlocked(knob: Knob, { group, profile, mapping }: PolicyQuestion): Choice {
  const axes = pointAxesOf(group, mapping);
  const { points = 1 } = mapping.axes[axes.length - 1] ?? {};
  const { statements } = group;
  const second = secondAxis(axes, statements) ?? -1;
  const [axis, tile] = [axes[second], mapping.axes[second]];
  if (profile.class !== "gpu" || axis === undefined || tile === undefined) return true;
  if (!prefersNeighbours(axes, statements, points)) return false;
  // Invocations that would be idle are those at the end of neighbours alone.
  const isFull = extentOf(axis) >= tile.workgroup * tile.points;
  const isRows =
    isFull && readsRows(statements, axis) && statements.every((s) => windowPoints(s) === 1);
  return isRows && knob.values.includes("last") ? "last" : true;
}

/** Whether the invocations along the innermost axis are whole subgroups, with something to spread over them. */
function prefersLanes({ group, profile, mapping }: PolicyQuestion, lanes: number): boolean {
  const axes = pointAxesOf(group, mapping);
  const innermost = innermostAxis(mapping, axes);
  const [axis, tile] = [axes[innermost], mapping.axes[innermost]];
  if (axis === undefined || tile === undefined) return false;
  const invocations = Math.min(tile.workgroup, Math.ceil(extentOf(axis) / tile.points));
  const { statements } = group;
  return invocations % lanes === 0 && prefersSpread(axes, innermost, { statements, profile });
}

/** The axis along which neighbouring invocations lie. */
export function innermostAxis({ order }: KernelMapping, axes: readonly Axis[]): number {
  return order.find((a) => a < axes.length) ?? 0;
}

/** Preferences of the shape. */
export function preferredShape(knob: Knob, q: PolicyQuestion): Choice | undefined {
  const [name, at, field = ""] = knob.path.split("/");
  const lanes = subgroupLanes(q.profile);
  switch (name) {
    case "team":
      return teamOf(knob, q);
    case "combine":
      return q.profile.class === "gpu" ? knob.values.at(-1) : "no";
    case "axes":
      return axisValue(knob, q, Number(at), field);
    case "blocked":
      return prefersBlocked(knob, q);
    case "points":
      return q.mapping.blocked && q.mapping.team === 1 && prefersVectors(q) ? "vector" : "unroll";
    case "lanes":
      return lanes !== null && prefersLanes(q, lanes) ? lanes : 1;
    default:
      return undefined;
  }
}
