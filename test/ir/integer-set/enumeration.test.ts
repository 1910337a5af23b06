import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds, nonnegative, zero } from "../../../src/ir/affine.ts";
import { bounds } from "../../../src/ir/integer-set/bounds.ts";
import { implies } from "../../../src/ir/integer-set/implies.ts";
import { isEmpty } from "../../../src/ir/integer-set/is-empty.ts";
import { boxConstraints, boxedSets, enumerate, enumeratedBounds } from "./enumerate.ts";

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

describe("a small budget", () => {
  it("never gives a wrong answer", () => {
    let unknown = 0;
    const property = fc.property(
      boxedSets(3, 7, 6),
      fc.integer({ min: 0, max: 12 }),
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
    fc.assert(property, { seed: 14, numRuns: 2000 });
    expect(unknown).toBeGreaterThan(50);
  });
});
