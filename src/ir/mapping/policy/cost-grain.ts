/** Whether neighbouring invocations have neighbouring elements, and what loads cost in the cost model where they have not. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { coefficientOf } from "../../affine.ts";
import { type Access, indexVariables, type Statement } from "../../program.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { sharedDims, sharedExtent } from "../group/shared-dims.ts";
import { hasRegisterTile } from "./register-tile.ts";
import { elementsOf } from "./team-defaults.ts";

/** A kernel whose neighbouring invocations are asked for. */
interface Lanes {
  readonly axes: readonly Axis[];
  /** Invocations that share a point of the axes. */
  readonly team: number;
  readonly statements: readonly Statement[];
}

/** Elements of a sector of memory, which is what a lane costs that has none of its neighbours' sectors. */
export const sectorElements = 8;

/** Elements of a read from which caches do not hold all of it however it is read: 256 KiB. */
const elementsBeyondCaches = 2 ** 16;

/** The dim of a statement along which neighbouring invocations lie; undefined where they have all alike. */
function dimOfLanes(s: Statement, axes: readonly Axis[], team: number): string | undefined {
  const shared = team > 1 ? sharedExtent(s, axes, team) : null;
  if (team > 1) return shared !== null && shared.extent > 1 ? shared.dim : undefined;
  return axes.findLast((axis) => axis.dims.has(s.id) && extentOf(axis) > 1)?.dims.get(s.id);
}

/** Whether neighbours along a dim are elsewhere than beside each other, as far as affine functions tell. */
function isAgainstGrain(s: Statement, { index }: Pick<Access, "index">, dim: string): boolean {
  const varying = index.filter((i) => indexVariables(s, i).has(dim));
  const last = index.findLast((i) => i.kind !== "affine" || i.affine.terms.length > 0);
  const [only, more] = varying;
  if (only?.kind !== "affine") return false;
  return more !== undefined || only !== last || Math.abs(coefficientOf(only.affine, dim)) !== 1;
}

/** Whether a statement has accesses whose neighbours along its last axis are elsewhere. */
export function isAcross(s: Statement, axes: readonly Axis[]): boolean {
  const dim = dimOfLanes(s, axes, 1);
  if (dim === undefined) return false;
  return [s.write, ...s.reads].some((access) => isAgainstGrain(s, access, dim));
}

/**
 * How many times an access costs what it would if neighbouring invocations had neighbouring elements, on a GPU. Kernels
 * with a register tile copy what they use, and steps of a recurrence wait for loads, however many sectors these take.
 */
export function grainOf(
  s: Statement,
  { axes, team, statements }: Lanes,
  profile: DeviceProfile,
): (access: Access) => number {
  const dim = dimOfLanes(s, axes, team);
  const isNear = s.loops.length > 0 || hasRegisterTile(axes, statements);
  if (profile.class !== "gpu" || dim === undefined || isNear) return () => 1;
  return (access) => {
    const isFar = elementsOf(s, access) >= elementsBeyondCaches;
    return isFar && isAgainstGrain(s, access, dim) ? sectorElements : 1;
  };
}

/** The parallel dim of a statement that a loop of its nest goes along; undefined for a loop of another one. */
function dimOfLoop(s: Statement, loop: string, axes: readonly Axis[]): string | undefined {
  const [id, at = ""] = [
    loop.slice(0, loop.lastIndexOf(".")),
    loop.slice(loop.lastIndexOf(".") + 1),
  ];
  return id === s.id && at.startsWith("q")
    ? sharedDims(s, axes)[Number(at.slice(1))]?.dim
    : undefined;
}

/** The smallest team whose rows are so long that sectors, not latency, are what it waits for. */
const fewestAlongRows = 64;

/**
 * Whether a team would have the iterations of two joined loops, and one of its statements go against the grain in more
 * accesses than on its own: as the rows of a matrix whose first column is updated before. By estimates an LU decomposition
 * takes 0.33 to 0.41 of the time in loops of their own.
 */
export function turnsFromRows(
  loops: readonly { readonly loop: string; readonly statements: readonly Statement[] }[],
  { axes, team }: Pick<Lanes, "axes" | "team">,
): boolean {
  if (team < fewestAlongRows) return false;
  const known = flatMap(loops, ({ loop, statements }) =>
    flatMap(statements, (s) => {
      const [dim, own] = [dimOfLoop(s, loop, axes), dimOfLanes(s, axes, team)];
      return dim === undefined || own === undefined ? [] : [{ s, dim, own }];
    }),
  );
  const against = (s: Statement, dim: string): number =>
    [s.write, ...s.reads].filter((access) => isAgainstGrain(s, access, dim)).length;
  const hasTeam = known.some(({ dim, own }) => dim === own);
  return hasTeam && known.some(({ s, dim, own }) => against(s, dim) > against(s, own));
}
