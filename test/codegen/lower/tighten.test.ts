import { expect, it } from "vitest";
import { tighten, type Variables } from "../../../src/codegen/lower/variables.ts";
import type { Constraint } from "../../../src/ir/affine.ts";
import { seededRandom } from "../../../src/support/random.ts";

/** All points of variables `v0..` in 0..extent. */
function* points(extents: readonly number[]): Generator<readonly number[]> {
  const [first, ...rest] = extents;
  if (first === undefined) {
    yield [];
    return;
  }
  for (let v = 0; v < first; v++) for (const more of points(rest)) yield [v, ...more];
}

function holds({ kind, affine }: Constraint, point: readonly number[]): boolean {
  const value = affine.terms.reduce(
    (sum, t) => sum + t.coefficient * (point[Number(t.variable.slice(1))] ?? Number.NaN),
    affine.constant,
  );
  return kind === "zero" ? value === 0 : value >= 0;
}

function variablesOf(extents: readonly number[]): Variables {
  return new Map(
    extents.map((extent, n) => [
      `v${n}`,
      {
        range: { lo: 0, hi: extent - 1 },
        expression: { kind: "variable", name: `v${n}`, type: { scalar: "uint32", width: 1 } },
      },
    ]),
  );
}

it("a tightened constraint holds at the same points, with as many terms or fewer", () => {
  const random = seededRandom(1);
  let shorter = 0;
  for (let n = 0; n < 2000; n++) {
    const extents = Array.from({ length: random.integer(1, 4) }, () => random.integer(1, 6));
    const terms = extents.map((_, v) => ({
      variable: `v${v}`,
      coefficient: random.pick([-16, -8, -4, -3, -2, -1, 1, 2, 3, 4, 8, 16]),
    }));
    const affine = { terms, constant: random.integer(-40, 60) };
    const before: Constraint = { kind: random.chance(0.9) ? "nonnegative" : "zero", affine };
    const after = tighten(before, variablesOf(extents));
    for (const p of points(extents)) {
      expect(holds(after, p), JSON.stringify([before, after, p])).toBe(holds(before, p));
    }
    expect(after.affine.terms.length).toBeLessThanOrEqual(terms.length);
    if (after.affine.terms.length < terms.length) shorter += 1;
  }
  expect(shorter).toBeGreaterThan(100);
});
