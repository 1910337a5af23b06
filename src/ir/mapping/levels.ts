/**
 * Purpose: asks for the levels of tiles between the grid and the points of an invocation: tiles of an
 * axis that are computed one after the other, tiles of reduced dims, and blocks of invocations.
 *
 * Ensures: every answer but the first, which is the default, makes a difference; an axis of one tile,
 * or a reduction with nothing to put between its tiles, is not asked.
 */
import { type DeviceProfile, subgroupLanes } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Choice, Decider } from "../decisions.ts";
import { isScatter, type Statement } from "../program.ts";
import { type Axis, extentOf } from "./axes.ts";
import { type AxisTile, tilePoints, turnsOf } from "./fit-tiles.ts";
import type { GroupShape } from "./map-group.ts";
import { prefersOutside } from "./reduction-defaults.ts";
import { extentsOf, nestedReducedDims } from "./staging-defaults.ts";

/** What the levels of a kernel depend on. */
export interface LevelsQuestion {
  readonly statements: readonly Statement[];
  readonly axes: readonly Axis[];
  readonly profile: DeviceProfile;
  readonly decider: Pick<Decider, "decide">;
  /** For example `kernel0`. */
  readonly prefix: string;
}

/** The most levels of one axis or reduced dim. */
const mostLevels = 3;

/** The most bytes of accumulators of an invocation that loops choose from: half of what WGSL promises. */
const accumulatorBytes = 4096;

/** The path of a level: the first has no number. */
function levelPath(path: string, level: number): string {
  return level === 0 ? path : `${path}${level + 1}`;
}

/** Asks how many tiles of an axis the invocations compute one after the other, at each level. */
export function asksTurns(q: LevelsQuestion, axis: Axis, tile: AxisTile, path: string): AxisTile {
  const turns: number[] = [];
  let count = Math.ceil(extentOf(axis) / tilePoints(tile));
  while (count > 1 && turns.length < mostLevels) {
    const values = [1, 2, 4, 8, 16].filter((n) => n <= count);
    const n = q.decider.decide(levelPath(`${path}.turns`, turns.length), values, 1);
    if (n === 1) break;
    turns.push(n);
    count = Math.ceil(count / n);
  }
  return turns.length === 0 ? tile : { ...tile, turns };
}

/** Asks for the order of the loops over tiles of several axes. */
export function asksTurnOrder(q: LevelsQuestion, tiles: readonly AxisTile[]): readonly number[] {
  const order: number[] = [];
  let open = flatMap(tiles, (t, a) => (turnsOf(t).length > 0 ? [a] : []));
  for (let n = 0; open.length > 1; n++) {
    const path = levelPath(`${q.prefix}.turnOrder`, n);
    const inner = q.decider.decide(path, open, open.at(-1) ?? 0);
    order.unshift(inner);
    open = open.filter((a) => a !== inner);
  }
  return [...open, ...order];
}

/**
 * Asks for the invocations of a subgroup along the axes: a block of neighbours in place of a row of
 * them.
 */
export function asksSubgroup(
  { profile, decider, prefix }: LevelsQuestion,
  tiles: readonly AxisTile[],
  innermost: number,
): readonly AxisTile[] {
  const lanes = subgroupLanes(profile) ?? profile.lanes;
  const several = flatMap(tiles, (t, a) => (t.workgroup > 1 && (t.step ?? 1) === 1 ? [a] : []));
  const all = tiles.reduce((product, t) => product * t.workgroup, 1);
  if (several.length < 2 || all <= lanes) return tiles;
  let left = lanes;
  return tiles
    .map((tile, a) => {
      if (!several.includes(a) || a === innermost) return tile;
      const values = [1, 2, 4, 8, 16, 32].filter((n) => left % n === 0 && tile.workgroup % n === 0);
      if (values.length === 1) return tile;
      const subgroup = decider.decide(`${prefix}.p${a}.subgroup`, values, 1);
      left /= subgroup;
      return subgroup === 1 ? tile : { ...tile, subgroup };
    })
    .map((tile, a, asked) => {
      const isAsked = asked.some((t) => (t.subgroup ?? 1) > 1);
      const subgroup = Math.min(left, tile.workgroup);
      const fits = tile.workgroup % subgroup === 0 && (tile.step ?? 1) === 1;
      return a === innermost && isAsked && fits ? { ...tile, subgroup } : tile;
    });
}

/** Of the statements that reduce: the extents of their reduced dims, in the order of their loops. */
function reductionsOf(statements: readonly Statement[]): readonly (readonly number[])[] {
  return flatMap(statements, (s) => {
    const extents = extentsOf(s);
    if (s.reduction === null || isScatter(s)) return [];
    return [nestedReducedDims(s).map((d) => extents.get(d) ?? 1)];
  });
}

/** Powers of two below an extent. */
function tileSizes(extent: number): readonly number[] {
  return [1, 2, 4, 8, 16, 32, 64, 128].filter((n) => n < extent);
}

/** Asks for the steps of the tiles of a reduced dim, the largest first; the first is `wish` by default. */
function asksTile(
  q: LevelsQuestion,
  path: string,
  extent: number,
  wish: Choice,
): readonly number[] {
  const sizes: number[] = [];
  let left = extent;
  while (left > 1 && sizes.length < mostLevels) {
    const values: readonly Choice[] = ["no", ...tileSizes(left)];
    const usual = sizes.length === 0 ? wish : "no";
    const size = q.decider.decide(levelPath(path, sizes.length), values, usual);
    if (typeof size !== "number") break;
    sizes.push(size);
    left = size;
  }
  return sizes;
}

/** How many loops over tiles the axes of a shape have. */
function turnCount({ tiles }: Pick<GroupShape, "tiles">): number {
  return tiles.reduce((sum, t) => sum + turnsOf(t).length, 0);
}

/**
 * Asks for tiles of reduced dims, where something can be between them: other reduced dims, or tiles of
 * the axes.
 */
export function asksReductionTiles(q: LevelsQuestion, shape: GroupShape): GroupShape {
  const all = reductionsOf(q.statements);
  const rank = Math.max(0, ...all.map((extents) => extents.length));
  const isNested = all.some((extents) => extents.filter((n) => n > 1).length > 1);
  if (rank === 0 || shape.combine !== null || !(isNested || turnCount(shape) > 0)) return shape;
  const reductions: (readonly number[])[] = [];
  for (let r = 0; r < rank; r++) {
    const extent = Math.max(...all.map((extents) => extents[r] ?? 1));
    const wish = prefersOutside(all, r, shape.unroll, q.profile) ? 1 : "no";
    reductions.push(asksTile(q, `${q.prefix}.r${r}.tile`, extent, wish));
  }
  if (reductions.every((sizes) => sizes.length === 0)) return shape;
  return { ...shape, reductions, inside: asksInside(q, shape) };
}

/**
 * Asks how many of the loops over tiles of the axes stand inside of the tiles of reductions, the
 * innermost ones: as far as there is room for the accumulators of all.
 */
export function asksInside(q: LevelsQuestion, shape: GroupShape): number {
  const turns = turnCount(shape);
  if (turns === 0 || shape.team > 1) return 0;
  const points = shape.tiles.reduce((product, t) => product * t.thread, 1);
  const states = q.statements.reduce((sum, s) => sum + (s.reduction?.monoid.state.length ?? 0), 0);
  const most = Math.max(1, ...flatMap(shape.tiles, turnsOf));
  const values = [...Array(turns + 1).keys()].filter(
    (n) => n === 0 || 4 * states * points * most ** n <= accumulatorBytes,
  );
  return values.length === 1 ? 0 : q.decider.decide(`${q.prefix}.turnsInside`, values, 0);
}

/**
 * What is made of a shape with tiles of its reductions as asked; without them where that is null, with
 * them not asked where that is null, too.
 */
export function mapReductionTiles<T>(
  levels: LevelsQuestion & { readonly decider: Decider },
  shape: GroupShape,
  make: (shape: GroupShape) => T | null,
): T | null {
  const { decider } = levels;
  const from = decider.asked.length;
  const asked = asksReductionTiles(levels, shape);
  const made = make(asked);
  if (made !== null || asked === shape) return made;
  const plain = make(decider.askPlainly(from, () => asksReductionTiles(levels, shape)));
  if (plain === null) decider.rewind(from);
  return plain;
}
