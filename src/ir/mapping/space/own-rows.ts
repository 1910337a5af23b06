/** Maps along whose rows invocations may go, one each, where rows may begin anywhere in a vector of memory. */
import { remember } from "../../../support/remember.ts";
import { coefficientOf } from "../../affine.ts";
import { type Access, findTensor, indexVariables, type Statement } from "../../program.ts";
import { hasVectors, shortestRow } from "../../scheduling/mark-aligned.ts";
import { mapPlainly } from "../build/map-group.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { type Group, legalityOf } from "../group/group.ts";

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
  const { axes, program, nodes, folds, prefix } = group;
  const [last, rows] = [axes.at(-1), axes.slice(0, -1)];
  if (last === undefined || rows.length === 0) return false;
  const extent = extentOf(last);
  if (extent % 4 === 0 || extent < shortestRow || !writeRows(group, last)) return false;
  const { root } = mapPlainly(program, nodes, rows, prefix);
  return legalityOf(group)({ root, places: folds });
});
