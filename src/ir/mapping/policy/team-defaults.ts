/**
 * The heuristic of teams: how many invocations share a row, when nobody chose.
 *
 * A GPU reads rows well with neighbouring invocations on neighbouring elements, and has invocations
 * enough for each row to have many; software adapters give each invocation rows of its own.
 */

import { type DeviceProfile, mostInvocations } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { coefficientOf } from "../../affine.ts";
import { boundingBox } from "../../domain.ts";
import { type Access, indexVariables, type Statement } from "../../program.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import type { AxisTile } from "../group/axis-tile.ts";
import { sharedExtent, sharesReduction } from "../group/shared-dims.ts";

/** The shortest rows that several invocations share. */
const shortestRow = 16;

/** How many elements of a row each invocation should have, if there are invocations enough. */
const worthwhileShare = 4;

/** The most invocations of a row. */
export const largestTeam: number = 256;

/**
 * The most elements of a row that one of a team reduces: drivers write loops of a few times as many out, load all of them
 * at once, and spill registers (RADV, rows of 65,536: 81 registers, 18 kB of scratch).
 */
export const mostShare = 64;

/** Elements that one of a team reduces in a loop that drivers leave a loop (RADV: 48 registers, none spilled). */
const shareOfLoop = 1024;

/** The smallest team of a row that is not split. */
const smallestTeam = 64;

/** The team of a row that is so long that each has a loop, not a text, of its elements; null for shorter ones. */
export function teamOfLongRow(length: number): number | null {
  const most = 2 ** Math.floor(Math.log2(Math.max(1, length / shareOfLoop)));
  return most < smallestTeam ? null : Math.min(most, largestTeam);
}

/** Invocations of a workgroup that has several rows. */
const invocationsOfRows = 128;

/** How many elements a read touches at most, as far as affine functions of dims tell. */
export function elementsOf(s: Statement, { index }: Access): number {
  const box = boundingBox(s.domain);
  const dims = new Set(flatMap(index, (i) => [...indexVariables(s, i)]));
  return [...dims].reduce((product, d) => {
    const { lo, hi } = box.get(d) ?? { lo: 0, hi: 0 };
    return product * Math.max(1, hi - lo + 1);
  }, 1);
}

/**
 * Whether neighbours along a dim are neighbours in what the statement reads most of: what is small, as
 * the vector beside a matrix, comes from caches however it is read.
 */
export function readsRowsAlong(s: Statement, dim: string): boolean {
  const varying = s.reads.filter(({ index }) => index.some((i) => indexVariables(s, i).has(dim)));
  const sizes = varying.map((r) => elementsOf(s, r));
  const most = Math.max(0, ...sizes);
  return varying.some(({ index }, n) => {
    const last = index.at(-1);
    return sizes[n] === most && last?.kind === "affine" && coefficientOf(last.affine, dim) === 1;
  });
}

/**
 * The team of a kernel: as many invocations as have some elements each of the longest row that the
 * kernel reduces, more where there are too few rows to keep the device busy. 1 without such rows, and on
 * software adapters. `width` are the invocations that keep the device busy.
 */
export function preferredTeam(
  axes: readonly Axis[],
  statements: readonly Statement[],
  host: ReadonlySet<string>,
  width: number,
  profile: DeviceProfile,
): number {
  if (profile.class !== "gpu") return 1;
  const looped = statements.filter((s) => s.loops.some((l) => !host.has(l)));
  if (looped.length > 0) return teamOfLoop(axes, looped, profile);
  const rows = flatMap(
    statements.filter((s) => sharesReduction(s, axes)),
    (s) => sharedExtent(s, axes, largestTeam) ?? [],
  ).filter(({ dim }) => statements.some((s) => readsRowsAlong(s, dim)));
  const longest = Math.max(0, ...rows.map((r) => r.extent));
  if (longest < shortestRow) return 1;
  const points = axes.reduce((n, axis) => n * Math.max(1, extentOf(axis)), 1);
  const most = Math.min(largestTeam, mostInvocations(profile));
  let team = 4;
  const wants = (): boolean =>
    longest / (2 * team) >= worthwhileShare || (points * team < width && 2 * team <= longest);
  while (2 * team <= most && wants()) team *= 2;
  return longest > mostShare * team ? Math.min(team, teamOfLongRow(longest) ?? team) : team;
}

/**
 * The team of a kernel with loops of the program in it: one invocation for each element that an iteration computes
 * of a point of the axes, as of a row of a recurrent layer's state, where these wait for each other alone.
 */
function teamOfLoop(
  axes: readonly Axis[],
  looped: readonly Statement[],
  profile: DeviceProfile,
): number {
  const own = looped.filter((s) => !sharesReduction(s, axes));
  const extents = flatMap(own, (s) => sharedExtent(s, axes, largestTeam)?.extent ?? []);
  const longest = Math.max(0, ...extents);
  if (longest < shortestRow) return 1;
  const most = Math.min(largestTeam, mostInvocations(profile));
  let team = 4;
  while (2 * team <= most && team < longest) team *= 2;
  return team;
}

/** The tiles of axes whose points teams share: several rows in a workgroup if that leaves enough. */
export function tilesOfTeams(
  axes: readonly Axis[],
  team: number,
  { cores }: DeviceProfile,
): readonly AxisTile[] {
  const points = axes.reduce((n, axis) => n * Math.max(1, extentOf(axis)), 1);
  let rows = 1;
  const fits = (): boolean =>
    2 * rows * team <= invocationsOfRows && points / (2 * rows) >= 2 * cores;
  while (fits()) rows *= 2;
  const last = axes.length - 1;
  return axes.map((_, a) => ({ workgroup: a === last ? rows : 1, thread: 1 }));
}

/** The most rows of a recurrence that an invocation has: for each it keeps sums of its own. */
const mostRows = 4;

/**
 * Rows of a recurrence for each invocation: as many as keep cores from having several workgroups, each of which would
 * load all weights in each step.
 */
export function rowsOfLoop(axes: readonly Axis[], { cores }: DeviceProfile): readonly AxisTile[] {
  const points = axes.reduce((n, axis) => n * Math.max(1, extentOf(axis)), 1);
  let rows = 1;
  while (2 * rows <= Math.min(mostRows, Math.ceil(points / cores))) rows *= 2;
  const last = axes.length - 1;
  return axes.map((_, a) => ({ workgroup: 1, thread: a === last ? rows : 1 }));
}
