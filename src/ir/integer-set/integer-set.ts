import type { Constraint } from "../affine.ts";

/**
 * A set of integer points: all assignments of integers to the variables that satisfy every
 * constraint.
 *
 * ```
 * set := constraint and constraint and ...
 * ```
 * Variables are implicit: those that occur. A variable that only helps to describe the set (a
 * quotient, a tile index) is existential; none is distinguished. No constraint: all points.
 */
export interface IntegerSet {
  readonly constraints: readonly Constraint[];
}

/** The set of the points that satisfy all `constraints`. */
export function integerSet(constraints: readonly Constraint[]): IntegerSet {
  return { constraints };
}

/** The points that are in every set; variables of the same name are the same variable. */
export function intersect(...sets: readonly IntegerSet[]): IntegerSet {
  return { constraints: sets.flatMap((s) => s.constraints) };
}
