/**
 * What a kernel uses again: the loads that points of an invocation share, and those that lanes load for each other.
 */
import {
  type DeviceProfile,
  hasCheapLoops,
  subgroupLanes,
} from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { boundingBox } from "../../domain.ts";
import { indexVariables, parallelDims, type Statement } from "../../program.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { innermostReduced } from "../group/reduced-extents.ts";

/** Points of a statement's dims, the reduced ones left out or alone. */
export function points(statement: Statement, which: "parallel" | "reduced"): number {
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

/** True for a statement that uses what it loads many times: it lives by its register tile. */
export function usesLoadsOften(statement: Statement): boolean {
  return points(statement, "reduced") >= 8 && statement.reads.length >= 2;
}

/** The reads that are the same for all points of the axis: what a register tile along it reuses. */
export function reusedReads(axis: Axis, statements: readonly Statement[]): ReadonlySet<string> {
  const reused = flatMap(statements.filter(usesLoadsOften), (s) => {
    const dim = axis.dims.get(s.id);
    return flatMap(s.reads, (access, r) => {
      const varies = access.index.some((i) => dim !== undefined && indexVariables(s, i).has(dim));
      return varies ? [] : [`${s.id}/${r}`];
    });
  });
  return new Set(reused);
}

/** What the heuristics of a kernel look at. */
interface KernelQuestion {
  readonly statements: readonly Statement[];
  readonly profile: DeviceProfile;
}

/**
 * The axis that, beside the last one, makes the best register tile: it reuses reads that the last one
 * does not. An axis of one point makes none. Undefined if there is none.
 */
export function secondAxis(
  axes: readonly Axis[],
  statements: readonly Statement[],
): number | undefined {
  const last = axes.at(-1);
  if (last === undefined) return undefined;
  const known = reusedReads(last, statements);
  let [best, most] = [-1, 0];
  for (const [a, axis] of axes.slice(0, -1).entries()) {
    if (extentOf(axis) <= 1) continue;
    const fresh = [...reusedReads(axis, statements)].filter((r) => !known.has(r)).length;
    if (fresh > 0 && fresh >= most) [best, most] = [a, fresh];
  }
  return best < 0 ? undefined : best;
}

/** Whether a kernel lives by a register tile over two axes. */
export function hasRegisterTile(axes: readonly Axis[], statements: readonly Statement[]): boolean {
  return secondAxis(axes, statements) !== undefined;
}

/**
 * Whether software adapters' kernels spread what is the same for all points of the axis `at` over the
 * lanes that lie along it: a broadcast costs less than a load there. Long reductions only: where lanes
 * load for steps, those of a subgroup come at once. Where broadcasts cost nearly as much as loads, each
 * has to serve a register tile: with one axis alone (a matrix by a vector) SwiftShader is 1.3 times slower.
 */
export function prefersSpread(
  axes: readonly Axis[],
  at: number,
  { statements, profile }: Pick<KernelQuestion, "statements" | "profile">,
): boolean {
  const lanes = subgroupLanes(profile);
  const axis = axes[at];
  if (axis === undefined || lanes === null || profile.class !== "cpu") return false;
  if (!hasRegisterTile(axes, statements) && !hasCheapLoops(profile)) return false;
  const long = statements.filter((s) => (innermostReduced(s) ?? 0) >= 4 * lanes);
  return reusedReads(axis, long).size > 0;
}

/**
 * Whether the steps that lanes load for each other, where they do not for points, are counted by a loop
 * rather than written out. On llvmpipe contractions take 0.6 to 0.8 of the time so, and half of the first
 * call; but a step needs a register tile to hide the iteration (a matrix by a vector takes 1.3 times as
 * long). On SwiftShader, whose exchanges with counted lanes cost more, they take 1.4 to 1.9 times as long.
 */
export function prefersCountedSteps(
  axes: readonly Axis[],
  { statements, profile }: Pick<KernelQuestion, "statements" | "profile">,
): boolean {
  return hasCheapLoops(profile) && hasRegisterTile(axes, statements);
}
