/**
 * Purpose: asks whether each invocation of a kernel of maps goes along rows of its own, where these may
 * begin anywhere in a vector of memory: as whole rows they can be loaded and stored in vectors.
 *
 * ```
 * y(r, d) = x(r, d) * b(r) of 509 columns      axes r, d   -->   axes r, with a loop over d in each point
 * ```
 * Requires: the axes of a group of statements. Ensures: these axes, or all but the last one; where no
 * rows are found that are no whole vectors, nothing is asked.
 */
import type { DeviceProfile } from "../../support/device-profile.ts";
import { coefficientOf } from "../affine.ts";
import type { Decider } from "../decisions.ts";
import {
  type Access,
  findTensor,
  indexVariables,
  type Program,
  type Statement,
} from "../program.ts";
import { hasVectors, shortestRow } from "../scheduling/mark-aligned.ts";
import { type Axis, extentOf } from "./axes.ts";
import { prefersOwnRows } from "./row-defaults.ts";

/** What the answer depends on. */
export interface RowsQuestion {
  readonly program: Program;
  readonly statements: readonly Statement[];
  readonly axes: readonly Axis[];
  readonly profile: DeviceProfile;
  readonly decider: Decider;
  readonly prefix: string;
  /** Whether a kernel over some axes is legal. */
  isLegal(axes: readonly Axis[]): boolean;
}

/** Whether an access goes from neighbour to neighbour with a dim. */
function isAlong(s: Statement, { index }: Pick<Access, "index">, dim: string): boolean {
  const last = index.at(-1);
  if (last?.kind !== "affine" || coefficientOf(last.affine, dim) !== 1) return false;
  return index.slice(0, -1).every((i) => !indexVariables(s, i).has(dim));
}

/** Whether all statements are maps that write rows along an axis. */
function writeRows({ program, statements }: RowsQuestion, axis: Axis): boolean {
  return statements.every((s) => {
    const dim = axis.dims.get(s.id);
    const tensor = findTensor(program, s.write.tensor);
    const isMap = s.reduction === null && s.loops.length === 0;
    if (!isMap || dim === undefined || tensor === undefined) return false;
    return hasVectors(tensor) && isAlong(s, s.write, dim);
  });
}

/** Whether what statements read lies along their rows, or is the same for all of a row. */
function readRows(statements: readonly Statement[], axis: Axis): boolean {
  return statements.every((s) => {
    const dim = axis.dims.get(s.id) ?? "";
    return s.reads.every((r) => {
      return isAlong(s, r, dim) || r.index.every((i) => !indexVariables(s, i).has(dim));
    });
  });
}

/** The axes of a kernel's points. */
export function asksRows(q: RowsQuestion): readonly Axis[] {
  const { axes, statements, profile, decider, prefix } = q;
  const [last, rows] = [axes.at(-1), axes.slice(0, -1)];
  if (last === undefined || rows.length === 0) return axes;
  const extent = extentOf(last);
  if (extent % 4 === 0 || extent < shortestRow || !writeRows(q, last) || !q.isLegal(rows))
    return axes;
  const wish = readRows(statements, last) && prefersOwnRows(rows.map(extentOf), extent, profile);
  return decider.decide(`${prefix}.rows`, [false, true], wish) ? rows : axes;
}
