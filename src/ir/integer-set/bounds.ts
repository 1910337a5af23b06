import { type Affine, type Constraint, scale } from "../affine.ts";
import { defaultBudget } from "./is-empty.ts";
import { eliminateOne, simplify, solve } from "./solve.ts";
import { addInequality, copySystem, type Loaded, loadSystem, type Work } from "./system.ts";

/** The range of an affine function over the integer points of a set. */
export interface AffineBounds {
  /** No value is less; -Infinity when unbounded. */
  readonly lo: number;
  /** No value is greater; Infinity when unbounded. */
  readonly hi: number;
  /** Both ends are attained, or the function is truly unbounded there. */
  readonly exact: boolean;
}

/** An upper bound on the objective, and whether it is the greatest value. */
interface End {
  readonly value: number;
  readonly exact: boolean;
}

/** The index of the variable that stands for the objective. */
const target = 1;

/**
 * The greatest `t <= objective`, by eliminating all variables but `t`. As `t` is bounded from above
 * only, it never takes part in an equality. Exact if every shadow was.
 */
function project({ system, objective }: Loaded, work: Work): End | "empty" {
  let s = copySystem(system);
  const row = objective.slice();
  row[target] = -1;
  let exact = true;
  if (!addInequality(s, row)) return "empty";
  for (;;) {
    if (!simplify(s, work)) return "empty";
    if (work.left < 0) return { value: s.hi[target] as number, exact: false };
    const next = eliminateOne(s, target, work);
    if (next === "empty") return "empty";
    if (next === "done") return { value: s.hi[target] as number, exact };
    if (next.dark.length > 0) exact = false;
    s = next.real;
  }
}

/** Whether the objective reaches `value`: "empty" when it is proved to stay below. */
function reaches({ system, objective }: Loaded, value: number, work: Work): string {
  const s = copySystem(system);
  const row = objective.slice();
  row[0] = (row[0] as number) - value;
  if (!Number.isSafeInteger(row[0])) return "unknown";
  if (!addInequality(s, row)) return "empty";
  const result = solve(s, work);
  return result === "nonempty" && work.left < 0 ? "unknown" : result;
}

/**
 * Lowers a bound to the greatest value that is attained: steps of doubling length down to a value
 * that is reached, then bisection. Stops at the last proved bound when an answer is unknown.
 */
function confirm(loaded: Loaded, value: number, budget: number): End {
  const test = (v: number): string => reaches(loaded, v, { left: budget });
  let reached = value;
  let excluded = value + 1;
  for (let step = 1; ; step *= 2) {
    const answer = test(reached);
    if (answer === "nonempty") break;
    if (answer === "unknown") return { value: excluded - 1, exact: false };
    excluded = reached;
    reached -= step;
  }
  while (excluded - reached > 1) {
    const middle = Math.floor((reached + excluded) / 2);
    const answer = test(middle);
    if (answer === "unknown") return { value: excluded - 1, exact: false };
    if (answer === "nonempty") reached = middle;
    else excluded = middle;
  }
  return { value: reached, exact: true };
}

/** The greatest value of the objective. */
function greatest(loaded: Loaded, budget: number): End | "empty" {
  const end = project(loaded, { left: budget });
  if (end === "empty" || end.exact) return end;
  const work: Work = { left: budget };
  const some = solve(copySystem(loaded.system), work);
  if (some === "empty") return "empty";
  if (some === "unknown" || work.left < 0) return end;
  // A rational set that is unbounded and has an integer point has unboundedly many.
  if (end.value === Number.POSITIVE_INFINITY) return { value: end.value, exact: true };
  return confirm(loaded, end.value, budget);
}

/**
 * The least and greatest value of `affine` over the integer points of the set, or "empty" if it is
 * proved to have none. When `exact` is false (the work or the safe integers ran out) the bounds
 * still hold, and the set may be empty.
 */
export function bounds(
  constraints: readonly Constraint[],
  affine: Affine,
  budget: number = defaultBudget,
): AffineBounds | "empty" {
  const above = loadSystem(constraints, affine, target);
  const below = loadSystem(constraints, scale(affine, -1), target);
  if (above === "empty" || below === "empty") return "empty";
  if (above === "unknown" || below === "unknown") {
    return { lo: Number.NEGATIVE_INFINITY, hi: Number.POSITIVE_INFINITY, exact: false };
  }
  const most = greatest(above, budget);
  if (most === "empty") return "empty";
  const least = greatest(below, budget);
  if (least === "empty") return "empty";
  return { lo: -least.value + 0, hi: most.value + 0, exact: most.exact && least.exact };
}
