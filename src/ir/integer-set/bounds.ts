import type { Affine, Constraint, Interval } from "../affine.ts";
import { defaultBudget } from "./is-empty.ts";
import { type Emptiness, eliminateOne, simplify, solve } from "./solve.ts";
import {
  addInequality,
  copySystem,
  type Loaded,
  loadSystem,
  type Row,
  type System,
  type Work,
} from "./system.ts";

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

/** Two variables stand for ends: variable 1 for the objective, variable 2 for its negative. */
const ends = 2;

function negative(row: Row): number[] {
  return row.map((a) => -a + 0);
}

/**
 * The system with `variable 1 <= objective` and `variable 2 <= -objective`, simplified. As they are
 * bounded from above only, they never take part in an equality, and the rows of either can be
 * dropped without changing what the rest says of the other. Undefined when there is no point.
 */
function withEnds({ system, objective }: Loaded, work: Work): System | undefined {
  const s = copySystem(system);
  const rows = [objective.slice(), negative(objective)];
  for (const [i, row] of rows.entries()) {
    row[i + 1] = -1;
    if (!addInequality(s, row)) return undefined;
  }
  return simplify(s, ends, work) ? s : undefined;
}

/**
 * The greatest value of variable `end`, by eliminating all variables but the ends. Exact if every
 * shadow was.
 */
function project(both: System, end: number, work: Work): End | "empty" {
  let s = copySystem(both);
  const other = ends + 1 - end;
  s.inequalities = s.inequalities.filter((row) => row[other] === 0);
  let exact = true;
  for (;;) {
    if (!simplify(s, ends, work)) return "empty";
    if (work.left < 0) return { value: s.hi[end] as number, exact: false };
    const next = eliminateOne(s, ends, work);
    if (next === "empty") return "empty";
    if (next === "done") return { value: s.hi[end] as number, exact };
    if (next.dark.length > 0) exact = false;
    s = next.real;
  }
}

/** What the box says of the objective. */
function rangeOf(both: System): Interval {
  return { lo: -(both.hi[2] as number) + 0, hi: both.hi[1] as number };
}

/**
 * The bounds over a set that is its box, where sums stay safe integers; undefined elsewhere. Most
 * indices of tensors are functions of independent ranges.
 */
function boundsOfBox({ system, objective }: Loaded): AffineBounds | undefined {
  if (system.equalities.length > 0 || system.inequalities.length > 0) return undefined;
  let [lo, hi, mass] = [0, 0, 0];
  for (let v = 0; v < objective.length; v++) {
    const a = objective[v] as number;
    if (a === 0) continue;
    const [x, y] = [a * (system.lo[v] as number), a * (system.hi[v] as number)];
    lo += Math.min(x, y);
    hi += Math.max(x, y);
    mass += Math.max(Math.abs(x), Math.abs(y));
  }
  return mass <= Number.MAX_SAFE_INTEGER ? { lo: lo + 0, hi: hi + 0, exact: true } : undefined;
}

/** Whether the objective reaches `value`: "empty" when it is proved to stay below. */
function reaches({ system, objective }: Loaded, value: number, work: Work): Emptiness {
  const s = copySystem(system);
  const row = objective.slice();
  row[0] = (row[0] as number) - value;
  if (!Number.isSafeInteger(row[0])) return "unknown";
  if (!addInequality(s, row)) return "empty";
  return solve(s, work);
}

/**
 * Lowers a bound to the greatest value that is attained: steps of doubling length down to a value
 * that is reached, then bisection. Stops at the last proved bound when an answer is unknown.
 */
function confirm(loaded: Loaded, value: number, budget: number): End {
  const test = (v: number): Emptiness => reaches(loaded, v, { left: budget });
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

/** The greatest value of the objective, which is what variable `end` stands for. */
function greatest(loaded: Loaded, both: System, end: number, budget: number): End | "empty" {
  const found = project(both, end, { left: budget });
  if (found === "empty" || found.exact) return found;
  const some = solve(copySystem(loaded.system), { left: budget });
  if (some === "empty") return "empty";
  if (some === "unknown") return found;
  // A rational set that is unbounded and has an integer point has unboundedly many.
  if (found.value === Number.POSITIVE_INFINITY) return { value: found.value, exact: true };
  return confirm(loaded, found.value, budget);
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
  const loaded = loadSystem(constraints, affine, ends);
  if (loaded === "empty") return "empty";
  if (loaded === "unknown") {
    return { lo: Number.NEGATIVE_INFINITY, hi: Number.POSITIVE_INFINITY, exact: false };
  }
  const known = boundsOfBox(loaded);
  if (known !== undefined) return known;
  const work: Work = { left: budget };
  const both = withEnds(loaded, work);
  if (both === undefined) return "empty";
  if (work.left < 0) return { ...rangeOf(both), exact: false };
  const most = greatest(loaded, both, 1, budget);
  if (most === "empty") return "empty";
  const mirrored = { system: loaded.system, objective: negative(loaded.objective) };
  const least = greatest(mirrored, both, 2, budget);
  if (least === "empty") return "empty";
  return { lo: -least.value + 0, hi: most.value + 0, exact: most.exact && least.exact };
}
