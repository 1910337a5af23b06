import { compact } from "./compact.ts";
import { eliminateEqualities } from "./eliminate-equalities.ts";
import { mergeParallel } from "./merge-parallel.ts";
import { foldFixed, propagate } from "./propagate.ts";
import { boundsOf, candidatesOf, darkSystem, type Shadow, shadowOf } from "./shadow.ts";
import { addEquality, copySystem, type Row, type System, type Work } from "./system.ts";

/** Whether a set has an integer point; "unknown" when the work or the number range ran out. */
export type Emptiness = "empty" | "nonempty" | "unknown";

/** A variable is split by value only if its box has at most so many. */
const mostValues = 16;

/** So many variables without a unit coefficient are tried in search of an exact shadow. */
const mostTried = 4;

/**
 * Removes equalities and redundant rows until nothing changes, then renumbers the variables after
 * the first `keep`. False when there is no point.
 */
export function simplify(s: System, keep: number, work: Work): boolean {
  do {
    work.left -= s.equalities.length + s.inequalities.length;
    if (!propagate(s) || !foldFixed(s)) return false;
    if (s.equalities.length > 0) {
      if (!eliminateEqualities(s, work) || !propagate(s)) return false;
    }
    if (!mergeParallel(s)) return false;
  } while (s.equalities.length > 0 && work.left >= 0);
  compact(s, keep);
  return true;
}

/** The elimination of one variable. */
export interface Elimination extends Shadow {
  readonly variable: number;
}

/**
 * Eliminates one variable after the first `keep` from a simplified system, choosing one with an
 * exact shadow if there is one. "done" when only those first variables occur, "empty" when there
 * is no point.
 */
export function eliminateOne(s: System, keep: number, work: Work): Elimination | "empty" | "done" {
  let best: Elimination | undefined;
  const candidates = candidatesOf(s, keep);
  for (const { variable } of candidates.slice(0, mostTried)) {
    const shadow = shadowOf(s, variable, work);
    if (shadow === "empty") return "empty";
    if (best === undefined || shadow.dark.length < best.dark.length) best = { ...shadow, variable };
    if (shadow.dark.length === 0) return best;
  }
  return best ?? "done";
}

/** "nonempty" if one of the systems is, "empty" if all are. */
function anyOf(systems: Iterable<System>, work: Work): Emptiness {
  let result: Emptiness = "empty";
  for (const s of systems) {
    if (work.left < 0) return "unknown";
    const one = solve(s, work);
    if (one === "nonempty") return one;
    if (one === "unknown") result = one;
  }
  return result;
}

/** The parts of the system by the value of a variable. */
function* values(s: System, v: number): Iterable<System> {
  for (let value = s.lo[v] as number; value <= (s.hi[v] as number); value++) {
    const part = copySystem(s);
    part.lo[v] = value;
    part.hi[v] = value;
    yield part;
  }
}

/** For a lower bound `a * v >= l` and the greatest upper coefficient: the last i of `a v = l + i`. */
function lastSplinter(a: number, greatest: number): number {
  return Math.floor((greatest * a - greatest - a) / greatest);
}

/**
 * The splinters: every integer point whose projection is not in the dark shadow lies, for some
 * lower bound `a * v >= l`, on `a * v == l + i` for a small i (Pugh 1991, section 2.3.3).
 */
function* splinters(s: System, v: number): Iterable<System> {
  const { lower, upper } = boundsOf(s, v);
  const greatest = upper.reduce((most, row) => Math.max(most, -(row[v] as number)), 1);
  for (const row of lower) {
    const last = lastSplinter(row[v] as number, greatest);
    for (let i = 0; i <= last; i++) {
      const part = copySystem(s);
      // The row's coefficients have gcd 1, so that this equality alone is never contradictory.
      const equality = row.slice();
      equality[0] = (row[0] as number) - i;
      if (addEquality(part, equality)) yield part;
    }
  }
}

/** The number of systems that {@link splinters} gives at most. */
function splinterCount(s: System, v: number): number {
  const { lower, upper } = boundsOf(s, v);
  const greatest = upper.reduce((most, row) => Math.max(most, -(row[v] as number)), 1);
  return lower.reduce(
    (n, row: Row) => n + Math.max(0, lastSplinter(row[v] as number, greatest) + 1),
    0,
  );
}

/** The variable that occurs in rows with the fewest values, if they are few. */
function fewestValues(s: System, most: number): number {
  let best = 0;
  let bestCount = most + 1;
  for (const { variable: v } of candidatesOf(s, 0)) {
    const count = (s.hi[v] as number) - (s.lo[v] as number) + 1;
    if (count < bestCount) [best, bestCount] = [v, count];
  }
  return best;
}

/** Decides a simplified system of which no variable has an exact shadow. */
function branch(s: System, elimination: Elimination, work: Work): Emptiness {
  const real = solve(copySystem(elimination.real), work);
  if (real === "empty" || work.left < 0) return real === "empty" ? "empty" : "unknown";
  const dark = darkSystem(elimination);
  if (dark !== "empty" && solve(dark, work) === "nonempty") return "nonempty";
  const v = elimination.variable;
  const byValue = fewestValues(s, Math.min(mostValues, splinterCount(s, v)));
  return anyOf(byValue > 0 ? values(s, byValue) : splinters(s, v), work);
}

/**
 * The Omega test (W. Pugh, The Omega Test: a fast and practical integer programming algorithm for
 * dependence analysis, 1991). Changes `start`. "nonempty" is only said while work is left, that is,
 * of systems from which no row was left out.
 */
export function solve(start: System, work: Work): Emptiness {
  let s = start;
  for (;;) {
    if (!simplify(s, 0, work)) return "empty";
    if (work.left < 0) return "unknown";
    const next = eliminateOne(s, 0, work);
    if (next === "empty") return "empty";
    if (next === "done") return "nonempty";
    if (next.dark.length > 0) return branch(s, next, work);
    s = next.real;
  }
}
