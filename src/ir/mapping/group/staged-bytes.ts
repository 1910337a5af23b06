/** What copies of operands take of workgroup memory: the tiles of a workgroup, from extents alone. */
import { elementBytes } from "../../../support/scalar-type.ts";
import {
  findTensor,
  isScatter,
  type Program,
  parallelDims,
  type Statement,
} from "../../program.ts";
import type { KernelMapping, OperandMapping } from "../kernel-mapping.ts";
import type { Axis } from "./axes.ts";
import { footprintExtents, type TileOfDims, tileOfDims } from "./footprints.ts";
import type { Operand } from "./operands.ts";
import { sharedExtent } from "./shared-dims.ts";

/** The points of a statement for which its operands are copied at once, by dim: `reduced` of each reduced one. */
export function copiedTile(
  s: Statement,
  axes: readonly Axis[],
  mapping: KernelMapping,
  reduced: readonly number[],
): TileOfDims {
  const tiles = mapping.axes.map(({ workgroup, points }) => ({ workgroup, thread: points }));
  const tile = new Map(tileOfDims(s, axes, tiles, reduced));
  // Around a reduction stand the loops over what is no axis, inside of them the team.
  if (s.reduction === null || isScatter(s)) return tile;
  const own = new Set(axes.map((axis) => axis.dims.get(s.id)));
  const { team, inner } = mapping;
  const dealt = team > 1 ? sharedExtent(s, axes, team)?.dim : undefined;
  for (const dim of parallelDims(s)) {
    if (own.has(dim) || s.loops.includes(dim)) continue;
    tile.set(dim, dim === dealt ? Math.min(team * inner, tile.get(dim) ?? 1) : 1);
  }
  return tile;
}

/** The bytes of the copy of an operand, with what lies between its rows and all that is held at once. */
export function copyBytes(
  program: Program,
  { statement, read }: Pick<Operand, "statement" | "read">,
  tile: TileOfDims,
  { pad, slots }: Pick<OperandMapping, "pad" | "slots">,
): number {
  const extents = footprintExtents(statement, read, tile);
  const row = extents.findLastIndex((e) => e > 1);
  const elements = extents.reduce((product, n, d) => product * (d === row ? n + pad : n), 1);
  const components = findTensor(program, statement.reads[read]?.tensor ?? "")?.components ?? [];
  return slots * elements * components.reduce((bytes, c) => bytes + elementBytes(c), 0);
}
