/** How often reductions of software adapters' kernels are written out. */
import { type DeviceProfile, hasCheapLoops } from "../../../support/device-profile.ts";
import { coefficientOf } from "../../affine.ts";
import { indexVariables, type Statement } from "../../program.ts";
import { reducesWindow } from "../group/windows.ts";
import { points } from "./register-tile.ts";

/**
 * How often the innermost reduction of software adapters' kernels is written out, if its longest
 * extent and the `copies` of the statements in its body are these: a loop of a few iterations as a
 * whole, so that neighbours share what they load; others where iterations are dear, or where what
 * follows each other in it lies side by side.
 */
export function preferredUnroll(
  longest: number,
  copies: number,
  statements: readonly Statement[],
  profile: DeviceProfile,
): number {
  const windows = statements.filter(reducesWindow).map((s) => points(s, "reduced"));
  if (windows.length > 0 && windows.length === statements.filter(isReduced).length) {
    return Math.max(...windows);
  }
  if (longest <= 4) return longest;
  const isCheap = hasCheapLoops(profile);
  if (copies <= 16 && (!isCheap || statements.some(reducesRows))) {
    return 4;
  }
  return isCheap ? 1 : 2;
}

function isReduced(s: Statement): boolean {
  return s.reduction !== null;
}

/** True if consecutive values of the last reduced dim are side by side in all that depends on it. */
export function reducesRows(s: Statement): boolean {
  const dim = s.reduction?.dims.at(-1);
  if (dim === undefined) return false;
  const varying = s.reads.filter((r) => r.index.some((i) => indexVariables(s, i).has(dim)));
  return varying.every(({ index }) => {
    const last = index.at(-1);
    return last?.kind === "affine" && coefficientOf(last.affine, dim) === 1;
  });
}
