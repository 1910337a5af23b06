import { type Constraint, constant } from "../affine.ts";
import { type Emptiness, solve } from "./solve.ts";
import { loadSystem } from "./system.ts";

/** Rows that a query may handle unless its caller says otherwise: some 10 milliseconds at most. */
export const defaultBudget = 20_000;

/**
 * Whether some assignment of integers to the variables satisfies all constraints. Exact unless the
 * budget (rows handled) or the safe integers are exceeded; then "unknown", which callers must
 * treat as either.
 */
export function isEmpty(
  constraints: readonly Constraint[],
  budget: number = defaultBudget,
): Emptiness {
  const loaded = loadSystem(constraints, constant(0), 0);
  if (typeof loaded === "string") return loaded;
  return solve(loaded.system, { left: budget });
}

/** False only if it is proved that no integer point satisfies the constraints. */
export function feasible(constraints: readonly Constraint[]): boolean {
  return isEmpty(constraints) !== "empty";
}
