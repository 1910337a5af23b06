import { describe, expect, it } from "vitest";
import {
  type Affine,
  add,
  addConstant,
  type Constraint,
  constant,
  equal,
  lessOrEqual,
  lessThan,
  scale,
  subtract,
  variable,
} from "../../../src/ir/affine.ts";
import { bounds } from "../../../src/ir/integer-set/bounds.ts";
import { implies } from "../../../src/ir/integer-set/implies.ts";
import { feasible, isEmpty } from "../../../src/ir/integer-set/is-empty.ts";

const v = variable;
const k = constant;
const [x, y, z] = [v("x"), v("y"), v("z")];

function between(lo: number, affine: Affine, hi: number): Constraint[] {
  return [lessOrEqual(k(lo), affine), lessOrEqual(affine, k(hi))];
}

/** `q == floor(e / c)`. */
function quotient(q: Affine, e: Affine, c: number): Constraint[] {
  return [lessOrEqual(scale(q, c), e), lessThan(e, addConstant(scale(q, c), c))];
}

describe("isEmpty", () => {
  it("finds points in the set without constraints and in boxes", () => {
    expect(isEmpty([])).toBe("nonempty");
    expect(isEmpty(between(0, x, 7))).toBe("nonempty");
    expect(isEmpty([...between(0, x, 7), lessThan(k(7), x)])).toBe("empty");
    expect(isEmpty([lessThan(k(0), k(0))])).toBe("empty");
    expect(isEmpty([equal(k(0), k(0)), lessOrEqual(k(3), x)])).toBe("nonempty");
  });

  it("sees that the rational points of Pugh's example have no integer among them", () => {
    const strip = [
      ...between(27, add(scale(x, 11), scale(y, 13)), 45),
      ...between(-10, add(scale(x, 7), scale(y, -9)), 4),
    ];
    expect(isEmpty(strip)).toBe("empty");
    expect(isEmpty(strip.slice(2))).toBe("nonempty");
  });

  it("solves Pugh's equalities, none of whose coefficients is 1", () => {
    const system = [
      equal(add(scale(x, 7), scale(y, 12), scale(z, 31)), k(17)),
      equal(add(scale(x, 3), scale(y, 5), scale(z, 14)), k(7)),
      ...between(1, x, 40),
    ];
    expect(isEmpty([...system, ...between(-50, y, 50)])).toBe("nonempty");
    // The solutions are x = -1 - 13z, y = 2 + 5z.
    expect(bounds(system, x)).toEqual({ lo: 12, hi: 38, exact: true });
  });

  it("sees contradictions of parity without any bounds", () => {
    expect(isEmpty([equal(scale(x, 2), addConstant(scale(y, 2), 1))])).toBe("empty");
    expect(isEmpty([equal(add(scale(x, 6), scale(y, 10)), addConstant(scale(z, 15), 1))])).toBe(
      "nonempty",
    );
    expect(isEmpty([equal(add(scale(x, 6), scale(y, -9)), scale(k(2), 2))])).toBe("empty");
    const odd = [equal(x, addConstant(scale(y, 4), 1)), equal(x, addConstant(scale(z, 6), 2))];
    expect(isEmpty(odd)).toBe("empty");
  });

  it("sees that 2 <= 3x <= 2 has no point but 3 <= 3x does", () => {
    expect(isEmpty([lessOrEqual(k(4), scale(x, 3)), lessOrEqual(scale(x, 3), k(5))])).toBe("empty");
    expect(isEmpty([lessOrEqual(k(4), scale(x, 3)), lessOrEqual(scale(x, 3), k(6))])).toBe(
      "nonempty",
    );
  });

  it("finds a point that lies on the edge of narrow strips", () => {
    // 4x is 0 or 1 modulo 3 and 5x is 0 or 1 modulo 7: of 1, 2, 3 only 3.
    const tight = [
      ...between(0, subtract(scale(x, 4), scale(y, 3)), 1),
      ...between(0, subtract(scale(x, 5), scale(z, 7)), 1),
    ];
    expect(isEmpty([...tight, ...between(1, x, 2)])).toBe("empty");
    expect(isEmpty([...tight, ...between(1, x, 3)])).toBe("nonempty");
  });

  it("keeps the tiles of a tiling apart", () => {
    const tile = (i: string): Constraint[] => [
      equal(v(i), add(v(`${i}o`, 8), v(`${i}i`))),
      ...between(0, v(`${i}i`), 7),
      ...between(0, v(i), 99),
    ];
    const two = [...tile("a"), ...tile("b")];
    const same = equal(v("a"), v("b"));
    expect(isEmpty([...two, same, lessThan(v("ao"), v("bo"))])).toBe("empty");
    expect(isEmpty([...two, same, lessThan(v("ai"), v("bi"))])).toBe("empty");
    expect(isEmpty([...two, lessThan(v("a"), v("b")), lessThan(v("bi"), v("ai"))])).toBe(
      "nonempty",
    );
    expect(isEmpty([...two, lessThan(v("a"), v("b")), lessThan(v("bo"), v("ao"))])).toBe("empty");
    expect(bounds(two, v("ao"))).toEqual({ lo: 0, hi: 12, exact: true });
    const next = equal(v("bo"), addConstant(v("ao"), 1));
    expect(bounds([...two, next], subtract(v("b"), v("a")))).toEqual({
      lo: 1,
      hi: 15,
      exact: true,
    });
  });

  it("follows a reshape through quotients and remainders", () => {
    const flat = (p: string): Affine => add(v(`${p}i`, 7), v(`${p}j`));
    const instance = (p: string): Constraint[] => [
      ...between(0, v(`${p}i`), 29),
      ...between(0, v(`${p}j`), 6),
      ...quotient(v(`${p}q`), flat(p), 5),
    ];
    const two = [...instance("a"), ...instance("b"), equal(v("aq"), v("bq"))];
    const remainder = (p: string): Affine => subtract(flat(p), v(`${p}q`, 5));
    const before = lessThan(v("ai"), v("bi"));
    expect(isEmpty([...two, before])).toBe("nonempty");
    expect(isEmpty([...two, before, equal(remainder("a"), remainder("b"))])).toBe("empty");
    expect(bounds(two, subtract(v("bi"), v("ai")))).toEqual({ lo: -1, hi: 1, exact: true });
  });

  it("knows that a quotient of a quotient is a quotient", () => {
    const chain = [
      ...quotient(v("p"), x, 4),
      ...quotient(v("q"), v("p"), 6),
      ...quotient(v("r"), x, 24),
    ];
    expect(implies(chain, equal(v("q"), v("r")))).toBe(true);
    expect(implies(chain, equal(v("p"), v("r")))).toBe(false);
  });

  it("answers unknown when the budget or the safe integers run out", () => {
    const strip = [
      ...between(27, add(scale(x, 11), scale(y, 13)), 45),
      ...between(-10, add(scale(x, 7), scale(y, -9)), 4),
    ];
    expect(isEmpty(strip, 1)).toBe("unknown");
    const large = 2 ** 52 + 1;
    const wide = [
      ...between(0, add(scale(x, large), scale(y, large - 4), z), 5),
      ...between(3, subtract(scale(x, large - 2), scale(y, large - 6)), 4),
    ];
    expect(isEmpty(wide)).toBe("unknown");
    expect(isEmpty([lessOrEqual(x, k(Number.POSITIVE_INFINITY))])).toBe("unknown");
    expect(feasible(wide)).toBe(true);
    expect(bounds(wide, z)).toMatchObject({ exact: false });
  });
});

describe("bounds", () => {
  it("are infinite where the set is unbounded", () => {
    const half = [lessOrEqual(k(3), x), lessOrEqual(y, x)];
    const [below, above] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect(bounds(half, x)).toEqual({ lo: 3, hi: above, exact: true });
    expect(bounds(half, y)).toEqual({ lo: below, hi: above, exact: true });
    expect(bounds(half, subtract(y, x))).toEqual({ lo: below, hi: 0, exact: true });
    expect(bounds(half, v("absent"))).toEqual({ lo: below, hi: above, exact: true });
  });

  it("are attained by integers where the rational bounds are not", () => {
    const strip = between(-10, add(scale(x, 7), scale(y, -9)), 4);
    const set = [...strip, ...between(27, add(scale(x, 11), scale(y, 13)), 150)];
    let [lo, hi] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let a = -50; a <= 50; a++) {
      for (let b = -50; b <= 50; b++) {
        const [p, q] = [7 * a - 9 * b, 11 * a + 13 * b];
        if (p < -10 || p > 4 || q < 27 || q > 150) continue;
        [lo, hi] = [Math.min(lo, 3 * a + b), Math.max(hi, 3 * a + b)];
      }
    }
    expect(bounds(set, add(scale(x, 3), y))).toEqual({ lo, hi, exact: true });
  });

  it("are not called exact when the numbers leave the safe integers", () => {
    const large = 2 ** 40;
    const set = [equal(x, scale(y, large)), equal(y, scale(z, large)), ...between(1, z, 4)];
    const found = bounds(set, x);
    expect(found).toMatchObject({ exact: false });
    if (found === "empty") return;
    expect(found.lo).toBeLessThanOrEqual(large * large);
    expect(found.hi).toBeGreaterThanOrEqual(4 * large * large);
  });

  it("of a constant are that constant, and of the empty set are empty", () => {
    expect(bounds(between(0, x, 3), k(5))).toEqual({ lo: 5, hi: 5, exact: true });
    expect(bounds([lessThan(x, k(0)), lessThan(k(0), x)], y)).toBe("empty");
    expect(bounds([equal(scale(x, 2), k(3))], y)).toBe("empty");
  });
});

describe("implies", () => {
  it("proves what follows and nothing else", () => {
    const set = [...between(0, x, 7), equal(y, scale(x, 2))];
    expect(implies(set, lessOrEqual(y, k(14)))).toBe(true);
    expect(implies(set, lessOrEqual(y, k(13)))).toBe(false);
    expect(implies(set, equal(add(x, x), y))).toBe(true);
    expect(implies(set, equal(x, y))).toBe(false);
    expect(implies([lessThan(x, x)], equal(x, y))).toBe(true);
  });
});
