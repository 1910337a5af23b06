/**
 * Purpose: asks for the shape of one kernel: tiles, order, team, unrolling.
 *
 * Ensures: at most as many invocations as the profile's limit, and no more statements after
 * unrolling than it is worth.
 */

import {
  type DeviceProfile,
  mostInvocations,
  subgroupLanes,
} from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { coefficientOf } from "../affine.ts";
import type { Decider } from "../decisions.ts";
import { boundingBox } from "../domain.ts";
import { isScatter, parallelDims, type Statement } from "../program.ts";
import { type Axis, extentOf } from "./axes.ts";
import { widthOf } from "./cost-kernel.ts";
import {
  hasRegisterTile,
  isLongRow,
  preferredTiles,
  preferredUnroll,
  prefersComponents,
  prefersSpread,
} from "./defaults.ts";
import { type AxisTile, tilePoints } from "./fit-tiles.ts";
import { asksSubgroup, asksTurnOrder, asksTurns } from "./levels.ts";
import type { GroupShape } from "./map-group.ts";
import { innermostReduced, reducedExtents } from "./reduced-extents.ts";
import { elementsInIteration } from "./row-defaults.ts";
import {
  preferredTeam,
  sharedDims,
  sharedExtent,
  sharesReduction,
  tilesOfTeams,
} from "./team-defaults.ts";
import { windowStep } from "./window-defaults.ts";

/** What a shape depends on. */
export interface ShapeQuestion {
  readonly statements: readonly Statement[];
  readonly axes: readonly Axis[];
  readonly profile: DeviceProfile;
  readonly decider: Decider;
  readonly prefix: string;
  /** Names of the program loops around the kernel. */
  readonly host: ReadonlySet<string>;
  /** Whether a team of that size is legal, with reductions dealt to it or not. */
  mayHaveTeam(team: number, deals: boolean): boolean;
  /** Whether loops of the kernel in this shape go along rows that may begin anywhere in a vector. */
  hasOddRows(shape: GroupShape): boolean;
}

/** The most points of a window that may be written out. */
const largestWindow = 32;

const powers = [1, 2, 4, 8, 16, 32, 64, 128, 256];

function asksTiles(q: ShapeQuestion, team: number): readonly AxisTile[] {
  const hasTeams = team > 1 && q.profile.class === "gpu";
  const preferred = hasTeams
    ? tilesOfTeams(q.axes, team, q.profile)
    : preferredTiles(q.axes, q.statements, q.profile);
  let invocations = team;
  let copies = q.statements.length;
  return q.axes.map((axis, a): AxisTile => {
    const extent = Math.max(1, axis.upper - axis.lower);
    const wish = preferred[a] ?? { workgroup: 1, thread: 1 };
    const left = mostInvocations(q.profile) / invocations;
    const groups = powers.filter((n) => n <= left && n < 2 * extent);
    const path = `${q.prefix}.p${a}`;
    const workgroup = q.decider.decide(
      `${path}.workgroup`,
      groups,
      closest(groups, team > 1 && !hasTeams ? 1 : wish.workgroup),
    );
    invocations *= workgroup;
    const room = q.profile.costs.unrollStatements / copies;
    const threads = powers.filter((n) => n === 1 || (n <= 16 && n <= room && n < 2 * extent));
    const thread = q.decider.decide(`${path}.thread`, threads, closest(threads, wish.thread));
    copies *= thread;
    const tile = asksStep(q, axis, { workgroup, thread }, path, wish.step ?? 1);
    return asksTurns(q, axis, tile, path);
  });
}

/** Asks whether the points of an invocation are as far apart as windows that share what they read. */
function asksStep(
  q: ShapeQuestion,
  axis: Axis,
  tile: AxisTile,
  path: string,
  wish: number,
): AxisTile {
  const apart = windowStep(axis, q.statements);
  if (apart === 1 || tile.thread === 1 || tile.workgroup < apart) return tile;
  const step = q.decider.decide(`${path}.step`, [1, apart], wish === apart ? apart : 1);
  return step === 1 ? tile : { ...tile, step };
}

function closest(values: readonly number[], wish: number): number {
  return values.filter((v) => v <= wish).at(-1) ?? 1;
}

/** The last axis's points sit side by side in rows that are whole vectors. */
function prefersVectors(q: ShapeQuestion, tiles: readonly AxisTile[]): boolean {
  const last = q.axes.at(-1);
  const { thread: width, step = 1 } = tiles.at(-1) ?? { thread: 1 };
  if (last === undefined || step > 1 || prefersComponents(q.statements, q.profile)) return false;
  return width > 1 && (extentOf(last) % width === 0 || isLongRow(extentOf(last)));
}

/** The trips of a statement's innermost reduced loops together, of two or more, if they are few. */
function windowLengths(s: Statement): readonly number[] {
  if (isScatter(s)) return [];
  const [innermost = 1, ...around] = reducedExtents(s)
    .filter((n) => n > 1)
    .toReversed();
  let trips = innermost;
  const lengths = around.map((extent) => {
    trips *= extent;
    return trips;
  });
  return lengths.filter((n) => n <= largestWindow);
}

function asksUnroll(q: ShapeQuestion, plain: GroupShape): number {
  const { tiles, points } = plain;
  const extents = flatMap(q.statements, (s) => {
    const extent = innermostReduced(s);
    return extent === null || isScatter(s) ? [] : [extent];
  });
  const copies = tiles.reduce((product, t) => product * t.thread, q.statements.length);
  const room = q.profile.costs.unrollStatements / copies;
  // Of a window, neighbours share what they load: its vectors count as one statement.
  const roomOfWindow = room * vectorWidth({ tiles, points });
  const longest = Math.max(1, ...extents);
  // A short loop as a whole, so that neighbours in it share what they load.
  const whole = longest <= 8 ? [longest] : [];
  const lengths = [...new Set([1, 2, 4, 8, 16, ...whole])].sort((a, b) => a - b);
  const windows = q.statements.map(windowLengths).filter((ns) => ns.length > 0);
  const more = [...new Set(windows.flat())].filter((n) => n > longest && n <= 2 * roomOfWindow);
  const values = lengths
    .filter((n) => n === 1 || (n <= longest && n <= room))
    .concat(more.sort((a, b) => a - b));
  const isWhole = (n: number): boolean =>
    n <= roomOfWindow && windows.length === extents.length && windows.every((ns) => ns.includes(n));
  const even = values.filter((n) =>
    more.includes(n) ? isWhole(n) : extents.every((e) => e % n === 0),
  );
  const wish = closest(even, preferredUnroll(longest, copies, q.statements, q.profile));
  // Those are written in blocks of vectors.
  const isAligned = wish > 1 && q.profile.class === "cpu" && q.hasOddRows(plain);
  return q.decider.decide(`${q.prefix}.unroll`, values, isAligned ? 1 : wish);
}

/** Components of the vectors that the points of an invocation are. */
function vectorWidth({ tiles, points }: Pick<GroupShape, "tiles" | "points">): number {
  return points === "vector" ? Math.min(4, tiles.at(-1)?.thread ?? 1) : 1;
}

/** Whether a shape has room for so many copies of what is in it: vectors count as one statement. */
export function mayUnroll(
  { tiles, points }: GroupShape,
  copies: number,
  { costs }: DeviceProfile,
): boolean {
  const written = tiles.reduce((product, t) => product * t.thread, copies);
  return written / vectorWidth({ tiles, points }) <= 2 * costs.unrollStatements;
}

/** Whether the invocations along an axis are whole subgroups, with something to spread over them. */
function mayHaveLanes(
  q: ShapeQuestion,
  tiles: readonly AxisTile[],
  innermost: number,
  lanes: number,
): boolean {
  const [axis, tile] = [q.axes[innermost], tiles[innermost]];
  if (axis === undefined || tile === undefined) return false;
  const invocations = Math.min(tile.workgroup, Math.ceil((axis.upper - axis.lower) / tile.thread));
  return invocations % lanes === 0 && prefersSpread(q.axes, innermost, q);
}

/** The extents of the last dims of maps that are no axes, and whether they are stored side by side. */
function innerExtents(q: ShapeQuestion): readonly { extent: number; unit: boolean }[] {
  return flatMap(q.statements, (s) => {
    const axes = new Set(q.axes.map((axis) => axis.dims.get(s.id)));
    const dim = parallelDims(s).findLast((d) => !axes.has(d) && !s.loops.includes(d));
    const range = dim === undefined ? undefined : boundingBox(s.domain).get(dim);
    if (s.reduction !== null || dim === undefined || range === undefined) return [];
    const last = s.write.index.at(-1);
    const unit = last?.kind === "affine" && coefficientOf(last.affine, dim) === 1;
    return [{ extent: range.hi - range.lo + 1, unit }];
  });
}

/** Vectors along what is inside of a map; what one of a team has of it, or of a reduction, in a row. */
function asksInner(q: ShapeQuestion, team: number, deals: boolean): number {
  if (team > 1) return asksShare(q, team, deals);
  const maps = innerExtents(q);
  const widths = [1, 2, 4].filter((n) => n === 1 || maps.some((m) => m.extent % n === 0));
  if (widths.length === 1) return 1;
  const wide = q.profile.class === "cpu" && maps.some((m) => m.unit && m.extent % 4 === 0);
  const most = Math.min(...maps.map((m) => elementsInIteration(m.extent, q.profile)));
  return q.decider.decide(`${q.prefix}.inner`, widths, wide ? most : 1);
}

/** How many neighbours one of a team has in a row: a GPU loads them as a vector. */
function asksShare(q: ShapeQuestion, team: number, deals: boolean): number {
  const extents = flatMap(
    q.statements.filter((s) => deals || !sharesReduction(s, q.axes)),
    (s) => sharedExtent(s, q.axes, team)?.extent ?? [],
  );
  const widths = [1, 2, 4].filter(
    (n) => n === 1 || extents.some((e) => e % n === 0 && e / n >= team),
  );
  if (widths.length === 1) return 1;
  const isWide = (n: number): boolean => extents.every((e) => e % n === 0 && e / n >= team);
  const wide = q.profile.class === "gpu" && deals ? (widths.findLast(isWide) ?? 1) : 1;
  return q.decider.decide(`${q.prefix}.inner`, widths, wide);
}

/** Asks for the invocations that share a point of the axes. */
function asksTeam(q: ShapeQuestion): number {
  const { decider, profile } = q;
  const path = `${q.prefix}.team`;
  const limit = mostInvocations(profile);
  const longest = Math.max(
    0,
    ...flatMap(q.statements, (s) => sharedDims(s, q.axes).map((d) => d.extent)),
  );
  const teams = [1, 4, 8, 16, 32, 64, 128, 256].filter(
    (n) => n <= limit && (n <= 64 || n < 2 * longest),
  );
  const wish = preferredTeam(q.axes, q.statements, q.host, widthOf(profile), profile);
  const isTiled = hasRegisterTile(q.axes, q.statements);
  const mayWish = wish > 1 && !isTiled && teams.includes(wish) && q.mayHaveTeam(wish, true);
  const wished = decider.decide(path, teams, mayWish ? wish : 1);
  const team = wished === 1 || q.mayHaveTeam(wished, false) ? wished : 1;
  if (team !== wished) decider.repair(path, wished, team);
  return team;
}

/**
 * Asks how a team combines its parts of reductions: the lanes of subgroups, 1 for a tree, null where
 * it has none.
 */
function asksCombine(q: ShapeQuestion, team: number): number | null {
  if (team === 1 || !q.statements.some((s) => sharesReduction(s, q.axes))) return null;
  const path = `${q.prefix}.combine`;
  const lanes = subgroupLanes(q.profile) ?? 1;
  const forms = lanes > 1 && team % lanes === 0 ? ["tree", "subgroups"] : ["tree"];
  const wish = q.profile.class === "gpu" ? (forms.at(-1) ?? "no") : "no";
  const wished = q.decider.decide(path, ["no", ...forms], wish);
  if (wished === "no") return null;
  if (q.mayHaveTeam(team, true)) return wished === "subgroups" ? lanes : 1;
  q.decider.repair(path, wished, "no");
  return null;
}

/** Asks for the order of the other axes among the invocations, as far as it makes a difference. */
function asksOrder(
  q: ShapeQuestion,
  tiles: readonly AxisTile[],
  innermost: number,
): readonly number[] {
  let rest = [...q.axes.keys()].filter((a) => a !== innermost);
  const order: number[] = [];
  for (let n = 1; rest.length > 0; n++) {
    const several = rest.filter((a) => (tiles[a]?.workgroup ?? 1) > 1);
    const last = several.at(-1) ?? rest.at(-1) ?? 0;
    const next =
      several.length > 1 ? q.decider.decide(`${q.prefix}.innermost${n}`, several, last) : last;
    order.unshift(next);
    rest = rest.filter((a) => a !== next);
  }
  return order;
}

/** Asks whether workgroups are numbered in bands of rows or columns of the tiles of two axes. */
function asksBands(
  q: ShapeQuestion,
  tiles: readonly AxisTile[],
): NonNullable<GroupShape["bands"]> | null {
  const counts = q.axes.map((axis, a) => {
    return Math.ceil(extentOf(axis) / tilePoints(tiles[a] ?? { workgroup: 1, thread: 1 }));
  });
  const [row, column] = [...counts.keys()].filter((a) => (counts[a] ?? 1) > 1).slice(-2);
  if (row === undefined || column === undefined) return null;
  const named = { rows: row, columns: column } as const;
  const forms = flatMap(["rows", "columns"] as const, (name) =>
    [2, 4, 8, 16].filter((n) => n < (counts[named[name]] ?? 1)).map((n) => `${name} ${n}`),
  );
  if (forms.length === 0) return null;
  const answer = q.decider.decide(`${q.prefix}.bands`, ["no", ...forms], "no");
  const [name, size] = answer.split(" ");
  if (name !== "rows" && name !== "columns") return null;
  return { axis: named[name], size: Number(size) };
}

/** Asks for the shape of a kernel. */
export function shapeOf(q: ShapeQuestion): GroupShape {
  const { decider, prefix, profile } = q;
  const team = asksTeam(q);
  const combine = asksCombine(q, team);
  const flat = asksTiles(q, team);
  const turnOrder = asksTurnOrder(q, flat);
  const innermost = decider.decide(
    `${prefix}.innermost`,
    q.axes.length === 0 ? [0] : [...q.axes.keys()],
    Math.max(0, q.axes.length - 1),
  );
  const tiles = asksSubgroup(q, flat, innermost);
  const order = asksOrder(q, tiles, innermost);
  const bands = asksBands(q, tiles);
  const blocked = decider.decide(`${prefix}.blocked`, [false, true], true);
  const points = decider.decide(
    `${prefix}.points`,
    ["serial", "unroll", "vector"] as const,
    blocked && prefersVectors(q, tiles) ? "vector" : "unroll",
  );
  const subgroup = subgroupLanes(profile);
  const sizes = [...new Set([1, 4, 8, 32, subgroup ?? 1])].sort((a, b) => a - b);
  const spreads = subgroup !== null && mayHaveLanes(q, tiles, innermost, subgroup);
  const lanes = decider.decide(`${prefix}.lanes`, sizes, spreads ? subgroup : 1);
  const tiled = { tiles, blocked, points, innermost, order, team, combine, lanes };
  const unroll = asksUnroll(q, { ...tiled, unroll: 1, inner: 1 });
  const inner = asksInner(q, team, combine !== null);
  const plain = { ...tiled, unroll, inner };
  return {
    ...plain,
    ...(turnOrder.length === 0 ? {} : { turnOrder }),
    ...(bands === null ? {} : { bands }),
  };
}
