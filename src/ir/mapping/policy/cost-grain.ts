/** Whether neighbouring invocations have neighbouring elements, and what loads cost in the cost model where they have not. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { coefficientOf } from "../../affine.ts";
import { type Access, indexVariables, type Statement } from "../../program.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { sharedExtent } from "../group/shared-dims.ts";
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
const sectorElements = 8;

/** Elements of a read from which caches do not hold all of it however it is read: 256 KiB. */
const elementsBeyondCaches = 2 ** 16;

/** The dim of a statement along which neighbouring invocations lie; undefined where they have all alike. */
function dimOfLanes(s: Statement, axes: readonly Axis[], team: number): string | undefined {
  const shared = team > 1 ? sharedExtent(s, axes, team) : null;
  if (team > 1) return shared !== null && shared.extent > 1 ? shared.dim : undefined;
  return axes.findLast((axis) => axis.dims.has(s.id) && extentOf(axis) > 1)?.dims.get(s.id);
}

/** Whether neighbours along a dim are elsewhere than beside each other, as far as affine functions tell. */
function isAgainstGrain(s: Statement, { index }: Access, dim: string): boolean {
  const varying = index.filter((i) => indexVariables(s, i).has(dim));
  const last = index.findLast((i) => i.kind !== "affine" || i.affine.terms.length > 0);
  const [only, more] = varying;
  if (only?.kind !== "affine") return false;
  return more !== undefined || only !== last || Math.abs(coefficientOf(only.affine, dim)) !== 1;
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
