/**
 * The tiles of a GPU's kernel without a register tile, which only move sectors of memory: so small that every core has a
 * workgroup, or with points that share what their lanes load alike. The cost model does not look at them.
 */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { boxVolume } from "../../domain.ts";
import { indexVariables, type Statement } from "../../program.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { type Tiles, workgroups } from "../group/axis-tile.ts";
import { isAcross, sectorElements } from "./cost-grain.ts";
import { balance, halveWorkgroup, mostIdleCores } from "./fit-tiles.ts";
import { hasRegisterTile, points } from "./register-tile.ts";
import { turnedAxis } from "./staging-defaults.ts";
import { preferredTiles } from "./tile-policy.ts";

/** Elements of sectors that a kernel touches for each core, from which every core should have a workgroup. */
const elementsOfCore = 64;

/**
 * Instances of a statement for each core, from which rows of invocations are dealt to cores one by one: each reads sectors
 * of its own, which another core has as well. By estimates 64 rows of 16,384 steps take 0.2 to 0.8 of the time of whole
 * subgroups.
 */
const instancesOfRows = 4096;

/** The same where no invocation reads the sectors of others: fewer elements are as fast in one core. */
const elementsOfRows = 1024;

/** Sectors of memory that 32 lanes of a row load, where what all of them have alike takes one. */
const sectorsOfRow = 4;

/** Points of an invocation that share what lanes have alike. */
const pointsOfAlike = 4;

/** How workgroups of a kernel become smaller so that every core has one: to rows that are dealt one by one; not at all. */
function dealing(
  statements: readonly Statement[],
  axes: readonly Axis[],
  cores: number,
): "rows" | "sectors" | "no" {
  const across = statements.filter((s) => isAcross(s, axes));
  const isLong = statements.some((s) => boxVolume(s.domain) >= instancesOfRows * cores);
  const isStream = isLong && across.length === 0 && statements.every((s) => s.loops.length === 0);
  if (isStream || (!isLong && turnedAxis(statements, axes, axes.length - 1) !== undefined)) {
    return "no";
  }
  const touched = statements.map((s) => {
    const each = across.includes(s) ? sectorElements : 1 / points(s, "reduced");
    return boxVolume(s.domain) * each;
  });
  const elements = touched.reduce((sum, n) => sum + n, 0) / cores;
  if (elements < elementsOfCore) return "no";
  const stores = statements.every((s) => s.reads.length === 0);
  const isApart = statements.every((s) => s.reads.length === 0 || across.includes(s));
  const isWorth = elements >= elementsOfRows && isApart;
  return stores || isWorth || (isLong && across.length > 0) ? "rows" : "sectors";
}

/**
 * Tiles of smaller workgroups where cores would have none. Lanes of a subgroup that a smaller workgroup has not would be
 * those of an idle core; but neighbours of a sector stay together, unless each has rows of its own, or only stores.
 * Neighbours that wait long for what they read together hide that for each other, but steps of a recurrence wait
 * themselves: by estimates columns of a triangular solve take 0.65 to 1.15 of the time.
 */
function spreadOverCores(
  tiles: Tiles,
  axes: readonly Axis[],
  statements: readonly Statement[],
  cores: number,
): Tiles {
  const dealt = dealing(statements, axes, cores);
  if (dealt === "no") return tiles;
  let [spread, count] = [tiles, workgroups(tiles, axes)];
  for (;;) {
    const smaller = halveWorkgroup(spread, dealt === "rows" ? 1 : sectorElements);
    if (smaller === null) return spread;
    const more = workgroups(smaller, axes);
    const gain = dealt === "rows" ? balance(more, cores) - balance(count, cores) : 0;
    if (count >= cores && gain < mostIdleCores) return spread;
    [spread, count] = [smaller, more];
  }
}

/** The tensors that vary along an axis. */
function varying(axis: Axis | undefined, statements: readonly Statement[]): ReadonlySet<string> {
  const reads = flatMap(statements, (s) => {
    const dim = axis?.dims.get(s.id) ?? "";
    return s.reads.filter((r) => r.index.some((i) => indexVariables(s, i).has(dim)));
  });
  return new Set(reads.map((r) => r.tensor));
}

/**
 * Tiles of several points that share what lanes along the last axis load alike, as statistics and weights of a channel: of
 * maps that load no fewer sectors of that than of rows.
 */
function shareAlike(tiles: Tiles, axes: readonly Axis[], statements: readonly Statement[]): Tiles {
  const rows = varying(axes.at(-1), statements);
  const all = new Set(flatMap(statements, (s) => s.reads.map((r) => r.tensor)));
  const alike = [...all].filter((tensor) => !rows.has(tensor));
  const most = sectorsOfRow * rows.size;
  if (most === 0 || alike.length < most || statements.some((s) => s.reduction !== null)) {
    return tiles;
  }
  const shared = axes.slice(0, -1).findLastIndex((axis) => {
    const apart = varying(axis, statements);
    const isWhole = extentOf(axis) % pointsOfAlike === 0;
    return isWhole && alike.filter((tensor) => !apart.has(tensor)).length >= most;
  });
  return tiles.map((t, a) => (a === shared ? { ...t, thread: pointsOfAlike } : t));
}

/** The tiles of the axes of a kernel. */
export function tilesOfKernel(
  axes: readonly Axis[],
  statements: readonly Statement[],
  profile: DeviceProfile,
): Tiles {
  const tiles = preferredTiles(axes, statements, profile);
  const isPlain = profile.class === "gpu" && tiles.every((t) => t.thread === 1);
  if (!isPlain || hasRegisterTile(axes, statements)) return tiles;
  const count = workgroups(tiles, axes);
  if (count < profile.cores) return spreadOverCores(tiles, axes, statements, profile.cores);
  const isMany = count >= 2 * pointsOfAlike * profile.cores;
  return isMany ? shareAlike(tiles, axes, statements) : tiles;
}
