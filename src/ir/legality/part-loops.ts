import { coefficientOf, constant } from "../affine.ts";
import { isScatter, parallelDims, reducedDims } from "../program.ts";
import { isLocal, type Leaf, type Loop } from "../schedule.ts";
import type { Occurrence } from "./occurrence.ts";

/** Whether some of the dims of a leaf move with a loop. */
function uses({ binding }: Leaf, dims: readonly string[], { id }: Loop): boolean {
  return dims.some((d) => coefficientOf(binding.get(d) ?? constant(0), id) !== 0);
}

/**
 * The local loops around an update that deal its reduction to invocations: used by reduced dims, and
 * by no other. None around leaves of other phases, and of scatters.
 */
export function partLoops({
  statement,
  leaf,
  loops,
}: Pick<Occurrence, "statement" | "leaf" | "loops">): readonly Loop[] {
  if (leaf.phase !== "update" || isScatter(statement)) return [];
  const reduced = reducedDims(statement);
  const others = parallelDims(statement);
  return loops.filter(
    (l) => isLocal(l.on) && l.extent > 1 && uses(leaf, reduced, l) && !uses(leaf, others, l),
  );
}
