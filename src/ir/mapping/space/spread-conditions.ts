/** What has to hold so that lanes of a subgroup can load operands for each other: necessary conditions. */
import { flatMap } from "../../../support/flat-map.ts";
import { indexVariables, isScatter, reducedDims, type Statement } from "../../program.ts";
import { isRare } from "../build/spread-ways.ts";
import { extentOf } from "../group/axes.ts";
import { extentsOf, nestedReducedDims } from "../group/footprints.ts";
import { isBlockedAlong } from "../kernel-mapping.ts";
import { type KernelQuestion, pointAxes } from "./knob.ts";
import { laneDims } from "./place-conditions.ts";

/** The dims that each read of what a statement adds up moves with. */
function dimsOfReads(s: Statement): readonly ReadonlySet<string>[] {
  return s.reads.map((r) => new Set(flatMap(r.index, (i) => [...indexVariables(s, i)])));
}

/** The reductions whose operands lanes may load: one loop over lanes is around them, along an axis. */
function spreadable(q: KernelQuestion): readonly Statement[] {
  const axes = pointAxes(q);
  return q.group.statements.filter((s) => {
    const isSum = s.reduction !== null && !isScatter(s) && reducedDims(s).length > 0;
    if (!isSum || isRare(s, q.group)) return false;
    return laneDims(s, axes, q).length === 1;
  });
}

/** The innermost of a statement's reduced dims that has several steps. */
function innermostDim(s: Statement): { readonly dim: string; readonly extent: number } | undefined {
  const extents = extentsOf(s);
  const all = nestedReducedDims(s).map((dim) => ({ dim, extent: extents.get(dim) ?? 1 }));
  return all.filter(({ extent }) => extent > 1).at(-1);
}

/** The dim of a statement along the lanes. */
function laneDim(s: Statement, q: KernelQuestion): string {
  const at = q.mapping.order.find((a) => (q.mapping.axes[a]?.workgroup ?? 1) > 1) ?? -1;
  return pointAxes(q)[at]?.dims.get(s.id) ?? "";
}

/** Whether some reduction has a step for each lane, of what all lanes need alike. */
export function maySpreadSteps(q: KernelQuestion, lanes: number): boolean {
  return spreadable(q).some((s) => {
    const innermost = innermostDim(s);
    if (innermost === undefined || innermost.extent <= lanes) return false;
    const lane = laneDim(s, q);
    return dimsOfReads(s).some((dims) => dims.has(innermost.dim) && !dims.has(lane));
  });
}

/** Whether some reduction has points for each lane to load for, of what all lanes need alike; in blocks of steps. */
export function maySpreadPoints(q: KernelQuestion, lanes: number, block: number): boolean {
  const { mapping } = q;
  const axes = pointAxes(q);
  return spreadable(q).some((s) => {
    const innermost = innermostDim(s);
    if (innermost === undefined || innermost.extent <= block) return false;
    const lane = laneDim(s, q);
    return axes.some((axis, a) => {
      const { points = 1, workgroup = 1 } = mapping.axes[a] ?? {};
      const isWritten =
        mapping.points === "unroll" || (mapping.points === "vector" && a < axes.length - 1);
      const isNext = isBlockedAlong(mapping, a, axes.length) || workgroup === 1;
      const dim = axis.dims.get(s.id);
      if (dim === undefined || dim === lane || !isWritten || !isNext) return false;
      if (Math.min(points, extentOf(axis)) % lanes !== 0) return false;
      return dimsOfReads(s).some(
        (dims) => dims.has(dim) && dims.has(innermost.dim) && !dims.has(lane),
      );
    });
  });
}
