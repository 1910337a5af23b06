/** What the heuristic answers where maps can become rows of whole vectors, or go along rows that are none. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { boxVolume } from "../../domain.ts";
import type { Program } from "../../program.ts";

/** What a vector saves of the cost of a load or a store, for each of its elements. */
const savedByVector = 0.25;

/**
 * Whether some statements are to have rows of their own, over one dim or rounded up. Others of the
 * program may then not run in their loops any more: so they have to save what a launch costs, unless
 * there are no others. A long sum of one dim is made in two launches, so that a short one loses. A GPU
 * coalesces what neighbours load one by one.
 */
export function prefersRows(
  program: Program,
  { statements }: { readonly statements: readonly string[] },
  { class: kind, costs }: DeviceProfile,
): boolean {
  if (kind === "gpu") return false;
  const own = program.statements.filter((s) => statements.includes(s.id));
  const accesses = flatMap(own, (s) => [s.write, ...s.reads].map(() => boxVolume(s.domain)));
  const loads = accesses.reduce((sum, n) => sum + n, 0) * costs.load;
  // What a reduction writes is one element.
  if (own.some((s) => s.reduction !== null) && loads <= 2 * costs.launch) return false;
  return own.length === program.statements.length || loads * savedByVector > costs.launch;
}
