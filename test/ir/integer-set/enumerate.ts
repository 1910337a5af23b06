import fc from "fast-check";
import {
  type Affine,
  add,
  type Constraint,
  constant,
  evaluate,
  holds,
  lessOrEqual,
  nonnegative,
  variable,
  zero,
} from "../../../src/ir/affine.ts";

/** A random set: constraints over variables that each lie in a small closed interval. */
export interface BoxedSet {
  readonly ranges: readonly (readonly [number, number])[];
  readonly constraints: readonly Constraint[];
  readonly objective: Affine;
}

export const names: readonly string[] = ["a", "b", "c", "d", "e"];

function affineOf(coefficients: readonly number[], value: number): Affine {
  return add(...coefficients.map((k, i) => variable(names[i] ?? "", k)), constant(value));
}

/** The range of each variable as constraints. */
export function boxConstraints(ranges: BoxedSet["ranges"]): readonly Constraint[] {
  return ranges.flatMap(([lo, hi], i) => [
    lessOrEqual(constant(lo), variable(names[i] ?? "")),
    lessOrEqual(variable(names[i] ?? ""), constant(hi)),
  ]);
}

/** All points of the box that satisfy the constraints, by trying each. */
export function* enumerate(set: BoxedSet): Iterable<ReadonlyMap<string, number>> {
  const point = new Map<string, number>();
  function* at(i: number): Iterable<ReadonlyMap<string, number>> {
    const range = set.ranges[i];
    if (range === undefined) {
      if (set.constraints.every((c) => holds(c, (v) => point.get(v) ?? 0))) yield point;
      return;
    }
    for (let x = range[0]; x <= range[1]; x++) {
      point.set(names[i] ?? "", x);
      yield* at(i + 1);
    }
  }
  yield* at(0);
}

/** The least and greatest value of the objective by enumeration; undefined for the empty set. */
export function enumeratedBounds(set: BoxedSet): { lo: number; hi: number } | undefined {
  let found: { lo: number; hi: number } | undefined;
  for (const point of enumerate(set)) {
    const value = evaluate(set.objective, (v) => point.get(v) ?? 0);
    found = { lo: Math.min(found?.lo ?? value, value), hi: Math.max(found?.hi ?? value, value) };
  }
  return found;
}

function vectors(count: number, greatest: number): fc.Arbitrary<number[]> {
  const zeroOften = fc.oneof(
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: -greatest, max: greatest }) },
  );
  return fc.array(zeroOften, { minLength: count, maxLength: count });
}

/**
 * Sets of `count` variables with coefficients in [-greatest, greatest]. The inequalities come in
 * narrow strips, so that rational points without integer points near them are frequent.
 */
export function boxedSets(count: number, greatest: number, width: number): fc.Arbitrary<BoxedSet> {
  const range = fc
    .tuple(fc.integer({ min: -4, max: 2 }), fc.integer({ min: 0, max: width }))
    .map(([lo, extent]): readonly [number, number] => [lo, lo + extent]);
  const row = vectors(count, greatest);
  const offset = fc.integer({ min: -12, max: 12 });
  const equality = fc.tuple(row, offset).map(([k, c]) => [zero(affineOf(k, c))]);
  const half = fc.tuple(row, offset).map(([k, c]) => [nonnegative(affineOf(k, c))]);
  const strip = fc.tuple(row, offset, fc.integer({ min: 0, max: 6 })).map(([k, c, w]) => [
    nonnegative(affineOf(k, c)),
    nonnegative(
      affineOf(
        k.map((a) => -a),
        w - c,
      ),
    ),
  ]);
  return fc.record({
    ranges: fc.array(range, { minLength: count, maxLength: count }),
    constraints: fc
      .array(fc.oneof(equality, half, strip, strip), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.flat()),
    objective: row.map((k) => affineOf(k, 3)),
  });
}
