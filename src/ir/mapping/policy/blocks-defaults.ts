/** Whether arg reductions are searched in blocks by default, and what that means for fusion. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import type { BlocksCandidate } from "../../algebraic/search-blocks.ts";
import { findStatement, type Program, parallelDims, type Statement } from "../../program.ts";
import { type Axis, axesOf } from "../group/axes.ts";
import { dimsOf, extentsOf } from "./cost-kernel.ts";
import { hasRegisterTile } from "./register-tile.ts";

/**
 * The candidates of a block, or `no`: small blocks where a choice takes more than a multiply-add, and an
 * element has candidates enough to make up for those of its block that are computed again. In a
 * kernel without a register tile loads are what takes the time, and no GPU was measured.
 */
export function preferredBlocks(
  program: Program,
  { statement, sizes }: BlocksCandidate,
  { class: kind, costs }: DeviceProfile,
): Choice {
  const s = findStatement(program, statement);
  const [size] = sizes;
  if (s === undefined || size === undefined || kind === "gpu") return "no";
  if (costs.choice <= costs.fma || !hasRegisterTile(axesOf([s]), [s])) return "no";
  const parallel = new Set(parallelDims(s));
  let [elements, candidates] = [1, 1];
  for (const [d, extent] of extentsOf(s)) {
    if (parallel.has(d)) elements *= extent;
    else candidates *= extent;
  }
  // A candidate that changes a value alone needs one choice less.
  const saved = candidates * costs.choice;
  const again = size * s.reads.length * costs.load + costs.load + costs.store;
  return saved > again + costs.launch / elements ? size : "no";
}

/**
 * Whether one of the statements of a kernel with a register tile reduces over elements which indices
 * choose for each point: a tile shares none of its loads, and has all of them in its text.
 */
export function gathersInTile(axes: readonly Axis[], statements: readonly Statement[]): boolean {
  if (!hasRegisterTile(axes, statements)) return false;
  const gathers = (s: Statement): boolean => {
    const own = flatMap(axes, (axis) => axis.dims.get(s.id) ?? []);
    return s.reads.some((r) => {
      const dims = dimsOf(s, r);
      return r.index.some((i) => i.kind === "opaque") && own.every((d) => dims.has(d));
    });
  };
  return statements.some((s) => s.reduction !== null && gathers(s));
}
