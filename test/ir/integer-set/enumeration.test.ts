import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  add,
  type Constraint,
  constant,
  equal,
  holds,
  lessOrEqual,
  lessThan,
  nonnegative,
  substituteConstraint,
  variable,
  zero,
} from "../../../src/ir/affine.ts";
import { bounds } from "../../../src/ir/integer-set/bounds.ts";
import { implies } from "../../../src/ir/integer-set/implies.ts";
import { isEmpty } from "../../../src/ir/integer-set/is-empty.ts";
import { floorDiv } from "../../../src/support/integer.ts";
import { boxConstraints, boxedSets, enumerate, enumeratedBounds, names } from "./enumerate.ts";

const shapes = [
  { count: 2, greatest: 7, width: 20, runs: 3000 },
  { count: 3, greatest: 7, width: 9, runs: 3000 },
  { count: 4, greatest: 5, width: 5, runs: 2000 },
  { count: 5, greatest: 4, width: 3, runs: 1000 },
] as const;

describe.each(shapes)("random sets of $count variables", ({ count, greatest, width, runs }) => {
  const sets = boxedSets(count, greatest, width);
  const constraintsOf = (set: Parameters<typeof enumerate>[0]) => [
    ...boxConstraints(set.ranges),
    ...set.constraints,
  ];

  it("are empty exactly when enumeration finds no point", () => {
    const seen = { empty: 0, nonempty: 0 };
    const property = fc.property(sets, (set) => {
      const some = !enumerate(set)[Symbol.iterator]().next().done;
      const expected = some ? "nonempty" : "empty";
      seen[expected]++;
      expect(isEmpty(constraintsOf(set))).toBe(expected);
    });
    fc.assert(property, { seed: 11, numRuns: runs });
    expect(Math.min(seen.empty, seen.nonempty)).toBeGreaterThan(runs / 10);
  });

  it("have the bounds that enumeration finds", () => {
    const property = fc.property(sets, (set) => {
      const expected = enumeratedBounds(set);
      const found = bounds(constraintsOf(set), set.objective);
      expect(found).toEqual(expected === undefined ? "empty" : { ...expected, exact: true });
    });
    fc.assert(property, { seed: 12, numRuns: runs / 2 });
  });

  it("imply a constraint exactly when it holds at all points", () => {
    const property = fc.property(sets, fc.boolean(), (set, equality) => {
      const candidate = equality ? zero(set.objective) : nonnegative(set.objective);
      let everywhere = true;
      for (const point of enumerate(set)) everywhere &&= holds(candidate, (v) => point.get(v) ?? 0);
      expect(implies(constraintsOf(set), candidate)).toBe(everywhere);
    });
    fc.assert(property, { seed: 13, numRuns: runs / 4 });
  });
});

/** The same set in other coordinates: a += k * b and the like, whose inverses are integer too. */
function shear(
  constraints: readonly Constraint[],
  steps: readonly (readonly [number, number, number])[],
  count: number,
): readonly Constraint[] {
  return steps.reduce((current, [to, by, factor]) => {
    const [target, source] = [names[to % count] ?? "", names[by % count] ?? ""];
    if (target === source) return current;
    const image = add(variable(target), variable(source, factor));
    return current.map((c) => substituteConstraint(c, (v) => (v === target ? image : undefined)));
  }, constraints);
}

/** Each variable v as factor * v_outer + v_inner, 0 <= v_inner < factor. */
function tile(constraints: readonly Constraint[], factors: readonly number[]): Constraint[] {
  const split = factors.flatMap((factor, i) => {
    const v = names[i] ?? "";
    const inner = variable(`${v}_inner`);
    const tiled = add(variable(`${v}_outer`, factor), inner);
    return [equal(variable(v), tiled), nonnegative(inner), lessThan(inner, constant(factor))];
  });
  return [...constraints, ...split];
}

describe("random sets in other coordinates", () => {
  const step = fc.tuple(fc.nat(4), fc.nat(4), fc.integer({ min: -3, max: 3 }));
  const factor = fc.integer({ min: 1, max: 5 });

  it.each([
    { count: 2, greatest: 7, width: 12, runs: 1500 },
    { count: 3, greatest: 5, width: 6, runs: 1500 },
    { count: 4, greatest: 3, width: 4, runs: 500 },
  ])("stay empty or nonempty under shears of $count variables", (shape) => {
    const { count, greatest, width, runs } = shape;
    const sets = boxedSets(count, greatest, width);
    const steps = fc.array(step, { minLength: 1, maxLength: 5 });
    const property = fc.property(sets, steps, (set, list) => {
      const constraints = [...boxConstraints(set.ranges), ...set.constraints];
      const some = !enumerate(set)[Symbol.iterator]().next().done;
      expect(isEmpty(shear(constraints, list, count))).toBe(some ? "nonempty" : "empty");
    });
    fc.assert(property, { seed: 15, numRuns: runs });
  });

  it("keep their bounds when every variable is tiled", () => {
    const sets = boxedSets(3, 5, 6);
    const factors = fc.array(factor, { minLength: 3, maxLength: 3 });
    const property = fc.property(sets, factors, (set, list) => {
      const constraints = tile([...boxConstraints(set.ranges), ...set.constraints], list);
      const expected = enumeratedBounds(set);
      const found = bounds(constraints, set.objective);
      expect(found).toEqual(expected === undefined ? "empty" : { ...expected, exact: true });
    });
    fc.assert(property, { seed: 16, numRuns: 1000 });
  });

  it("keep their bounds when a quotient of the objective is added", () => {
    const property = fc.property(boxedSets(3, 5, 6), factor, (set, c) => {
      const quotient = variable("q", c);
      const constraints = [
        ...boxConstraints(set.ranges),
        ...set.constraints,
        lessOrEqual(quotient, set.objective),
        lessThan(set.objective, add(quotient, constant(c))),
      ];
      const expected = enumeratedBounds(set);
      const found = bounds(constraints, variable("q"));
      const lo = floorDiv(expected?.lo ?? 0, c);
      const hi = floorDiv(expected?.hi ?? 0, c);
      expect(found).toEqual(expected === undefined ? "empty" : { lo, hi, exact: true });
    });
    fc.assert(property, { seed: 17, numRuns: 1000 });
  });
});

describe("a small budget", () => {
  it("never gives a wrong answer", () => {
    let unknown = 0;
    const property = fc.property(
      boxedSets(3, 30, 9),
      fc.integer({ min: 0, max: 150 }),
      (set, budget) => {
        const constraints = [...boxConstraints(set.ranges), ...set.constraints];
        const expected = enumeratedBounds(set);
        const answer = isEmpty(constraints, budget);
        if (answer === "unknown") unknown++;
        else expect(answer).toBe(expected === undefined ? "empty" : "nonempty");
        const found = bounds(constraints, set.objective, budget);
        if (found === "empty") expect(expected).toBeUndefined();
        else if (found.exact) expect({ lo: found.lo, hi: found.hi }).toEqual(expected);
        else if (expected !== undefined) {
          expect(found.lo).toBeLessThanOrEqual(expected.lo);
          expect(found.hi).toBeGreaterThanOrEqual(expected.hi);
        }
      },
    );
    fc.assert(property, { seed: 14, numRuns: 4000 });
    expect(unknown).toBeGreaterThan(50);
  });
});
