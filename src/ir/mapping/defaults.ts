/**
 * The heuristic: what each Decision of the mapping answers when nobody chose.
 *
 * This is one of the two places that look at what kind of kernel a group is (how many axes, whether
 * it reduces); everything else only sees loops. The rules for software adapters follow the measured
 * cost model in performance notes: small workgroups of one vector of lanes, big register tiles, no
 * shared memory; GPUs want the opposite.
 */

import type { DeviceProfile } from "../../support/device-profile.ts";
import { boundingBox } from "../domain.ts";
import { eachExpression } from "../expression.ts";
import { findStatement, type Program, parallelDims, type Statement } from "../program.ts";
import type { Axis } from "./axes.ts";

/** How one axis is spread: `workgroup` invocations, each `thread` points. */
export interface AxisTile {
  readonly workgroup: number;
  readonly thread: number;
}

function extentOf(axis: Axis): number {
  return Math.max(0, axis.upper - axis.lower);
}

/** Points of a statement's dims, the reduced ones left out or alone. */
function points(statement: Statement, which: "parallel" | "reduced"): number {
  const box = boundingBox(statement.domain);
  const parallel = new Set(parallelDims(statement));
  return statement.domain.dims
    .filter((d) => parallel.has(d.name) === (which === "parallel"))
    .filter((d) => !statement.loops.includes(d.name))
    .reduce((product, d) => {
      const range = box.get(d.name);
      return product * (range === undefined ? 1 : Math.max(0, range.hi - range.lo + 1));
    }, 1);
}

/** A temporary without function calls costs less to compute again than to store and load. */
export function prefersInline(program: Program, tensor: string): boolean {
  const writer = program.statements.find((s) => s.write.tensor === tensor);
  const readers = program.statements.filter((s) => s.reads.some((r) => r.tensor === tensor));
  const calls = (writer?.body ?? []).some((e) =>
    [...eachExpression(e)].some((node) => node.kind === "call"),
  );
  return !calls || readers.length <= 1;
}

/** Few long reductions are dealt to many invocations first. */
export function prefersFactor(
  program: Program,
  candidate: {
    readonly statement: string;
    readonly dim: string;
    readonly sizes: readonly number[];
  },
  profile: DeviceProfile,
): string {
  const statement = findStatement(program, candidate.statement);
  if (statement === undefined || statement.reduction?.dims.length !== 1) return "no";
  const wanted = profile.lanes * profile.cores * (profile.class === "gpu" ? 8 : 1);
  const [rows, length] = [points(statement, "parallel"), points(statement, "reduced")];
  if (rows >= wanted || length < 256) return "no";
  const parts = profile.class === "gpu" ? 64 : 16;
  const size = candidate.sizes.filter((n) => n <= parts).at(-1);
  return size === undefined ? "no" : `strided ${size}`;
}

/** True for a statement that uses what it loads many times: it lives by its register tile. */
function isContraction(statement: Statement): boolean {
  return points(statement, "reduced") >= 8 && statement.reads.length >= 2;
}

/**
 * Whether a group that may be one kernel should be: only if enough runs at the same time, and if
 * no contraction loses an axis of its register tile that would save more loads than a launch costs.
 */
export function prefersFusion(
  axes: readonly Axis[],
  statements: readonly Statement[],
  profile: DeviceProfile,
): boolean {
  const together = axes.reduce((product, a) => product * extentOf(a), 1);
  const alone = Math.max(...statements.map((s) => points(s, "parallel")));
  const wanted = profile.lanes * profile.cores * (profile.class === "gpu" ? 8 : 2);
  const spoils = statements.some((s) => {
    const rows = points(s, "parallel");
    const loads = rows * points(s, "reduced") * profile.costs.load;
    return isContraction(s) && rows > together && loads > profile.costs.launch;
  });
  return together >= Math.min(alone, wanted) && !spoils;
}

/** The tiles of a group's axes. */
export function preferredTiles(
  axes: readonly Axis[],
  statements: readonly Statement[],
  profile: DeviceProfile,
): readonly AxisTile[] {
  const contracts = axes.length >= 2 && statements.some(isContraction);
  const last = axes.length - 1;
  const lanes = profile.class === "gpu" ? 16 : profile.lanes;
  const tiles = axes.map((_, a): AxisTile => {
    if (contracts && a === last) return { workgroup: lanes, thread: 4 };
    if (contracts && a === last - 1) {
      return profile.class === "gpu" ? { workgroup: 16, thread: 4 } : { workgroup: 1, thread: 8 };
    }
    if (a === last) return { workgroup: profile.class === "gpu" ? 64 : lanes, thread: 1 };
    return { workgroup: 1, thread: 1 };
  });
  return tiles.map((t, a) => fitTile(t, axes, a, tiles, profile));
}

/** Shrinks a tile to its axis, and so far that there are workgroups for every core. */
function fitTile(
  tile: AxisTile,
  axes: readonly Axis[],
  at: number,
  tiles: readonly AxisTile[],
  profile: DeviceProfile,
): AxisTile {
  const axis = axes[at];
  if (axis === undefined) return tile;
  const others = axes.reduce((product, a, i) => {
    const t = tiles[i];
    return i === at || t === undefined
      ? product
      : product * Math.ceil(extentOf(a) / (t.workgroup * t.thread));
  }, 1);
  let { workgroup, thread } = tile;
  while (workgroup > 1 && workgroup >= 2 * extentOf(axis)) workgroup /= 2;
  const groups = (): number => others * Math.ceil(extentOf(axis) / (workgroup * thread));
  while (thread > 1 && groups() < 2 * profile.cores) thread /= 2;
  return { workgroup, thread };
}
