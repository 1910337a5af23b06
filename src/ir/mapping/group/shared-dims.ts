/** What a team of invocations that has one point of the axes of a kernel may divide among itself. */
import { boundingBox } from "../../domain.ts";
import { isScatter, parallelDims, reducedDims, type Statement } from "../../program.ts";
import type { Axis } from "./axes.ts";

/** A dim and its extent. */
export interface DimExtent {
  readonly dim: string;
  readonly extent: number;
}

/** The dims of a statement that a team may share: the parallel ones that are no axes, else the reduced. */
export function sharedDims(s: Statement, axes: readonly Axis[]): readonly DimExtent[] {
  if (isScatter(s)) return [];
  const taken = new Set([...s.loops, ...axes.map((axis) => axis.dims.get(s.id) ?? "")]);
  const parallel = parallelDims(s).filter((d) => !taken.has(d));
  const dims = parallel.length > 0 ? parallel : reducedDims(s);
  const box = boundingBox(s.domain);
  return dims.map((dim) => {
    const { lo, hi } = box.get(dim) ?? { lo: 0, hi: 0 };
    return { dim, extent: Math.max(1, hi - lo + 1) };
  });
}

/** Whether a team has parts of the statement's reduction: it has nothing else to share. */
export function sharesReduction(s: Statement, axes: readonly Axis[]): boolean {
  const reduced = new Set(reducedDims(s));
  return sharedDims(s, axes).some(({ dim }) => reduced.has(dim));
}

/** Of some dims or loops the one that a team shares: the last that has work for most of it. */
export function lastFor<T extends { readonly extent: number }>(
  team: number,
  candidates: readonly T[],
): T | null {
  const most = Math.max(...candidates.map((c) => Math.min(team, c.extent)));
  return candidates.findLast((c) => Math.min(team, c.extent) === most) ?? null;
}

/** The dim that a team of that size shares. */
export function sharedExtent(s: Statement, axes: readonly Axis[], team: number): DimExtent | null {
  return lastFor(team, sharedDims(s, axes));
}
