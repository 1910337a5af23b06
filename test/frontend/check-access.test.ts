import fc from "fast-check";
import { expect, test } from "vitest";
import { analyse } from "../../src/frontend/analyse.ts";
import type { CheckedAccess, CheckedExpression } from "../../src/frontend/checked.ts";
import { holds } from "../../src/ir/affine.ts";
import { floorDiv, floorMod } from "../../src/support/integer.ts";
import { codesOf, statementsOf } from "./support.ts";

/** `x * i + y * j + z`, then perhaps divided or reduced by `by`. */
interface Index {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly by: number;
  readonly form: "plain" | "/" | "%";
}

interface Case {
  readonly size: number;
  readonly ranges: readonly (readonly [number, number])[];
  /** `j` runs from `i` on. */
  readonly triangle: boolean;
  readonly index: Index;
}

const arbitraryCase: fc.Arbitrary<Case> = fc.record({
  size: fc.integer({ min: 1, max: 9 }),
  ranges: fc.array(
    fc
      .tuple(fc.integer({ min: -3, max: 4 }), fc.integer({ min: 1, max: 5 }))
      .map(([lo, n]) => [lo, lo + n] as const),
    { minLength: 2, maxLength: 2 },
  ),
  triangle: fc.boolean(),
  index: fc.record({
    x: fc.integer({ min: -2, max: 3 }),
    y: fc.integer({ min: -2, max: 3 }),
    z: fc.integer({ min: -3, max: 6 }),
    by: fc.constantFrom(-3, 1, 2, 3, 4),
    form: fc.constantFrom("plain", "plain", "/", "%"),
  }),
});

function indexValue({ x, y, z, by, form }: Index, i: number, j: number): number {
  const sum = x * i + y * j + z;
  if (form === "plain") return sum;
  return form === "/" ? floorDiv(sum, by) : floorMod(sum, by);
}

function textOf({ x, y, z, by, form }: Index): string {
  const sum = `${x} * i + ${y} * j + ${z}`;
  return form === "plain" ? sum : `(${sum}) ${form} ${by}`;
}

/** All instances of a case. */
function* points({ ranges, triangle }: Case): Generator<readonly [number, number]> {
  const [[a, b], [c, d]] = [ranges[0] ?? [0, 0], ranges[1] ?? [0, 0]];
  for (let i = a; i < b; i++) {
    for (let j = triangle ? Math.max(c, i) : c; j < d; j++) yield [i, j];
  }
}

function sourceOf(c: Case, value: (read: string) => string): string {
  const [[a, b], [lo, d]] = [c.ranges[0] ?? [0, 0], c.ranges[1] ?? [0, 0]];
  const lower = c.triangle ? `max(${lo}, i)` : `${lo}`;
  const body = value(`a(${textOf(c.index)})`);
  return `def f(float(${c.size}) a) -> (o) {
  o(i + 9, j + 9) = ${body} where i in ${a}:${b}, j in ${lower}:${d}
}`;
}

test("a read is refused exactly when an instance leaves the tensor, with its first value", () => {
  let refused = 0;
  fc.assert(
    fc.property(arbitraryCase, (c) => {
      const values = [...points(c)].map(([i, j]) => indexValue(c.index, i, j));
      const below = values.filter((v) => v < 0);
      const above = values.filter((v) => v >= c.size);
      const { diagnostics } = analyse(sourceOf(c, (read) => read));
      const found = diagnostics.find((d) => d.code === "TC3003");
      expect(found !== undefined).toBe(below.length + above.length > 0);
      if (found === undefined) return;
      refused++;
      const first = below.length > 0 ? Math.max(...below) : Math.min(...above);
      expect(found.message).toContain(`takes the value ${first}`);
    }),
    { seed: 4, numRuns: 400 },
  );
  expect(refused).toBeGreaterThan(50);
  expect(refused).toBeLessThan(390);
});

/** The first access of an expression. */
function accessOf(e: CheckedExpression): CheckedAccess {
  if (e.kind === "access") return e.access;
  if (e.kind === "select") return accessOf(e.whenTrue);
  throw new Error(`no access in ${e.kind}`);
}

test("the guard of a padded read holds exactly where the read is inside", () => {
  fc.assert(
    fc.property(arbitraryCase, (c) => {
      const [statement] = statementsOf(sourceOf(c, (read) => `pad(${read})`));
      if (statement === undefined) return;
      const { guard, index } = accessOf(statement.value);
      for (const [i, j] of points(c)) {
        const values = new Map([
          ["i", i],
          ["j", j],
        ]);
        const at = (name: string): number => values.get(name) ?? 0;
        for (const q of statement.quotients) {
          const numerator = q.numerator.terms.reduce(
            (sum, t) => sum + t.coefficient * at(t.variable),
            q.numerator.constant,
          );
          values.set(q.name, floorDiv(numerator, q.divisor));
        }
        const value = indexValue(c.index, i, j);
        const inside = value >= 0 && value < c.size;
        expect(guard.every((g) => holds(g, at))).toBe(inside);
        const [affine] = index;
        if (affine?.kind !== "affine") throw new Error("opaque");
        const computed = affine.affine.terms.reduce(
          (sum, t) => sum + t.coefficient * at(t.variable),
          affine.affine.constant,
        );
        expect(computed + 0).toBe(value + 0);
      }
    }),
    { seed: 5, numRuns: 300 },
  );
});

const vector = "#! sizes N=8\ndef f(float(N) a) -> (o)";

test("guards let reads through: branches, `&&`, `||`, `!`", () => {
  const body = (value: string): readonly string[] =>
    codesOf(`${vector} { o(i) = ${value} where i in 0:N }`);
  expect(body("i > 0 ? a(i - 1) : 0.0")).not.toContain("TC3003");
  expect(body("i >= 0 ? a(i - 1) : 0.0")).toContain("TC3003");
  expect(body("i == 0 ? 0.0 : a(i - 1)")).not.toContain("TC3003");
  expect(body("!(i < 1) && i < N ? a(i - 1) : 0.0")).not.toContain("TC3003");
  expect(body("i < 1 || i > 5 ? 0.0 : a(i + 2)")).not.toContain("TC3003");
  expect(body("i < 1 || i > 6 ? 0.0 : a(i + 2)")).toContain("TC3003");
  expect(body("(i > 0 && a(i - 1) > 0.0) ? 1.0 : 0.0")).not.toContain("TC3003");
  expect(body("(i < 1 || a(i - 1) > 0.0) ? 1.0 : 0.0")).not.toContain("TC3003");
  expect(body("a(i) > 0.0 ? a(i - 1) : 0.0")).toContain("TC3003");
  expect(body("i % 2 == 1 ? a(i - 1) : a(i + 1)")).not.toContain("TC3003");
});

test("`min`, `max` and `clamp` keep an index inside", () => {
  const body = (index: string): readonly string[] =>
    codesOf(`${vector} { o(i) = a(${index}) where i in 0:N }`);
  expect(body("max(i - 1, 0)")).toEqual([]);
  expect(body("min(i + 3, N - 1)")).toEqual([]);
  expect(body("clamp(2 * i - 3, 0, N - 1)")).toEqual([]);
  expect(body("max(i - 1, -1)")).toContain("TC3003");
  expect(body("clamp(2 * i - 3, 0, N)")).toContain("TC3003");
});

test("gathers and products of indices are opaque and not checked", () => {
  const [gather] = statementsOf(
    `#! sizes N=8\ndef f(float(N) a, int(N) k) -> (o) { o(i) = a(k(i)) }`,
  );
  const { index, guard } = accessOf(gather?.value ?? { kind: "literal", value: 0, type: "bool" });
  expect(index.map((i) => i.kind)).toEqual(["opaque"]);
  expect(guard).toEqual([]);
  expect(codesOf(`${vector} { o(i) = a(i * i) where i in 0:N }`)).toEqual([]);
});

test("a padded read has its value as fill, another value becomes a choice", () => {
  const [constant, computed] = statementsOf(`${vector} {
    o(i) = pad(a(i - 1), -inf) where i in 0:N
    o(i) = pad(a(i - 1), a(0)) where i in 0:N }`);
  expect(accessOf(constant?.value ?? fail()).fill).toBe(-Infinity);
  expect(computed?.value.kind).toBe("select");
});

function fail(): never {
  throw new Error("no statement");
}

test("left sides that determine their indices are parallel, others are scatters", () => {
  const reduced = (statement: string): readonly string[] | undefined =>
    statementsOf(`#! sizes N=8 M=2
      def f(float(N, M) a, float(20) o) -> (o) { ${statement} }`)[0]
      ?.dims.filter((d) => d.reduced)
      .map((d) => d.name);
  expect(reduced("o(i) += a(i, j)")).toEqual(["j"]);
  expect(reduced("o(2 * i + j) += a(i, j)")).toEqual([]);
  expect(reduced("o(i + j) += a(i, j)")).toEqual(["i", "j"]);
  expect(reduced("o(i / 2) += a(i, 0)")).toEqual(["i"]);
  expect(reduced("o(2 * (i / 2) + i % 2) += a(i, 0)")).toEqual([]);
  expect(reduced("o(0) += a(i, j)")).toEqual(["i", "j"]);
});
