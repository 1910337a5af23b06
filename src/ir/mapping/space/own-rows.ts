/** Maps along whose rows invocations may go, one each, where rows may begin anywhere in a vector of memory. */
import { remember } from "../../../support/remember.ts";
import { coefficientOf } from "../../affine.ts";
import { type Access, findTensor, indexVariables, type Statement } from "../../program.ts";
import { hasVectors, shortestRow } from "../../scheduling/mark-aligned.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import type { Group } from "../group/group.ts";

/** Whether an access goes from neighbour to neighbour with a dim. */
function isAlong(s: Statement, { index }: Pick<Access, "index">, dim: string): boolean {
  const last = index.at(-1);
  if (last?.kind !== "affine" || coefficientOf(last.affine, dim) !== 1) return false;
  return index.slice(0, -1).every((i) => !indexVariables(s, i).has(dim));
}

/** Whether all statements are maps that write rows along an axis. */
function writeRows({ program, statements }: Group, axis: Axis): boolean {
  return statements.every((s) => {
    const dim = axis.dims.get(s.id);
    const tensor = findTensor(program, s.write.tensor);
    const isMap = s.reduction === null && s.loops.length === 0;
    if (!isMap || dim === undefined || tensor === undefined) return false;
    return hasVectors(tensor) && isAlong(s, s.write, dim);
  });
}

/** Whether the last axis may be a loop in each point of the others: its rows are no whole vectors. */
export const mayGoAlongRows: (group: Group) => boolean = remember((group: Group): boolean => {
  const last = group.axes.at(-1);
  if (last === undefined || group.axes.length < 2) return false;
  const extent = extentOf(last);
  return extent % 4 !== 0 && extent >= shortestRow && writeRows(group, last);
});
