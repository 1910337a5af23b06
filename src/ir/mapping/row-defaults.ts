/** What the heuristic answers where maps can become rows of whole vectors. */
import type { DeviceProfile } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { boundingBox } from "../domain.ts";
import type { Program, Statement } from "../program.ts";

/** What a vector saves of the cost of a load or a store, for each of its elements. */
const savedByVector = 0.25;

function pointsOf(s: Statement): number {
  return [...boundingBox(s.domain).values()].reduce((n, { lo, hi }) => n * (hi - lo + 1), 1);
}

/**
 * Whether some statements are to have rows of their own, over one dim or rounded up. Others of the
 * program may then not run in their loops any more: so they have to save what a launch costs, unless
 * there are no others. A GPU coalesces what neighbours load one by one.
 */
export function prefersRows(
  program: Program,
  { statements }: { readonly statements: readonly string[] },
  { class: kind, costs }: DeviceProfile,
): boolean {
  if (kind === "gpu") return false;
  if (statements.length === program.statements.length) return true;
  const own = program.statements.filter((s) => statements.includes(s.id));
  const accesses = flatMap(own, (s) => [s.write, ...s.reads].map(() => pointsOf(s)));
  const saved = accesses.reduce((sum, n) => sum + n, 0) * costs.load * savedByVector;
  return saved > costs.launch;
}
