import fc from "fast-check";
import { expect, test } from "vitest";
import { printAffine } from "../../src/ir/affine.ts";
import { checkedOf, codesOf, statementsOf } from "./support.ts";

/** The ranges of the last statement: `i in 0..4`. */
function ranges(source: string): readonly string[] {
  const dims = statementsOf(source).at(-1)?.dims ?? [];
  return dims.map((d) => `${d.name} in ${printAffine(d.lower)}..${printAffine(d.upper)}`);
}

/** The shape of a tensor. */
function shape(source: string, name: string): readonly number[] | undefined {
  return checkedOf(source).tensors.find((t) => t.name === name)?.shape;
}

const vectors = "#! sizes H=10 K=3 N=8\ndef f(float(H) a, float(K) w, float(N) x)";

test("a stencil leaves room for the whole window", () => {
  expect(ranges(`${vectors} -> (o) { o(h) +=! a(h + k) * w(k) }`)).toEqual([
    "h in 0..8",
    "k in 0..3",
  ]);
});

test("strides and shifts are inverted", () => {
  expect(ranges(`${vectors} -> (o) { o(h) +=! a(2 * h + k) * w(k) }`)).toEqual([
    "h in 0..4",
    "k in 0..3",
  ]);
  expect(ranges(`${vectors} -> (o) { o(i) = a(9 - i) }`)).toEqual(["i in 0..10"]);
  expect(ranges(`${vectors} -> (o) { o(i) = a(i - 2) }`)).toEqual(["i in 2..12"]);
  expect(shape(`${vectors} -> (o) { o(i) = a(i - 2) }`, "o")).toEqual([12]);
});

test("bare and shifted accesses intersect", () => {
  expect(ranges(`${vectors} -> (o) { o(i) = x(i) + x(i + 1) + a(i - 1) }`)).toEqual(["i in 1..7"]);
});

test("division by a constant is inverted, remainders do not narrow", () => {
  expect(ranges(`${vectors} -> (o) { o(i) = w(i / 4) }`)).toEqual(["i in 0..12"]);
  expect(ranges(`${vectors} -> (o) { o(i) = w(i % 3) + a(i) }`)).toEqual(["i in 0..10"]);
  expect(ranges(`${vectors} -> (o) { o(i) +=! a(i / 2 + k) * w(k) }`)).toEqual([
    "i in 0..16",
    "k in 0..3",
  ]);
});

test("a range after `where` is final, several intersect", () => {
  expect(ranges(`${vectors} -> (o) { o(i) = a(i) where i in 2:9, i in 0:7 }`)).toEqual([
    "i in 2..7",
  ]);
  expect(codesOf(`${vectors} -> (o) { o(i) = x(i) where i in 0:9 }`)).toContain("TC3003");
});

test("bounds may use earlier indices", () => {
  const triangle = `${vectors} -> (o) { o(i) +=! a(j) where i in 0:H, j in 0:i + 1 }`;
  expect(ranges(triangle)).toEqual(["i in 0..10", "j in 0..i + 1"]);
  const turned = `${vectors} -> (o) { o(j) +=! a(i) where j in 0:i + 1 }`;
  expect(ranges(turned)).toEqual(["i in 0..10", "j in 0..i + 1"]);
});

test("a range that needs `max` and `min` keeps the rest as guards", () => {
  const source = `${vectors} -> (o) {
    o(i) +=! a(j) where i in 0:H, j in max(0, i - 1):min(H, i + 2) }`;
  const [band] = statementsOf(source);
  expect(ranges(source)).toEqual(["i in 0..10", "j in i - 1..i + 2"]);
  expect(band?.guards.length).toBe(2);
});

test("where nothing else ranges an index, the shaped left side does", () => {
  const source = "#! sizes N=5\ndef f(float(N, N) A) -> (A) { A(i, j) = 0.0 A(i, i) += 1.0 }";
  expect(ranges(source)).toEqual(["i in 0..5"]);
  expect(statementsOf(source)[0]?.dims.length).toBe(2);
});

test("what a statement in a loop writes says nothing about its own ranges", () => {
  const source = `#! sizes N=3
    def f(float(N) A) -> (o) { for t in 0:2 { o(t, j + 9) = pad(A(j)) } }`;
  expect(ranges(source)).toEqual(["j in 0..3"]);
  const others = `#! sizes N=3
    def f(float(N) A) -> (o) { for t in 0:2 { o(t, i) = A(i) o(t, j) = 0.0 } }`;
  expect(ranges(others)).toEqual(["j in 0..3"]);
});

test("a bare index of a padded access takes its size, another does not", () => {
  const source = `#! sizes N=5
    def f(float(N, N) A) -> (o) { o(n, h) = pad(A(n, h - 1)) where h in 0:N + 2 }`;
  expect(ranges(source)).toEqual(["n in 0..5", "h in 0..7"]);
  const open = "#! sizes N=5\ndef f(float(N) A) -> (o) { o(h) = pad(A(h - 1)) }";
  expect(codesOf(open)).toEqual(["TC3001"]);
});

test("a guard shields only the dimensions that use its indices", () => {
  const source = `#! sizes N=5
    def f(float(N, N) A) -> (o) { o(i, j) = i > 0 ? A(i - 1, j) : 0.0 where i in 0:N }`;
  expect(ranges(source)).toEqual(["i in 0..5", "j in 0..5"]);
});

test("an `if` shields nothing", () => {
  const source = `#! sizes T=3 N=5
    def f(float(T, N) x) -> (h) {
      for t in T {
        if t == 0 { h(t, i) = x(t, i) } else { h(t, i) = h(t - 1, i) }
      }
    }`;
  const [first, second] = statementsOf(source);
  expect(second?.dims.map((d) => printAffine(d.upper))).toEqual(["5"]);
  expect(first?.guards.length).toBe(1);
  expect(second?.guards.length).toBe(1);
});

test("a value of the last iteration takes the ranges of the writes that follow it", () => {
  const source = `#! sizes T=3 N=5
    def f(float(T, N) x) -> (o) {
      for t in T {
        o(t, i) = t > 0 ? s(i) : 0.0
        s(i) = x(t, i)
      }
    }`;
  expect(shape(source, "o")).toEqual([3, 5]);
});

test("loops nest, run backwards and bound their bodies", () => {
  const source = `#! sizes N=6
    def f(float(N, N) x) -> (o) {
      for i in reversed(1:N) {
        for j in 0:i { o(i, j) = x(i, j) }
      }
    }`;
  const checked = checkedOf(source);
  const [outer] = checked.body;
  if (outer?.kind !== "loop") throw new Error("no loop");
  expect([outer.reversed, printAffine(outer.lower), printAffine(outer.upper)]).toEqual([
    true,
    "1",
    "6",
  ]);
  const [inner] = outer.body;
  if (inner?.kind !== "loop") throw new Error("no loop");
  expect(printAffine(inner.upper)).toBe("i");
  expect(shape(source, "o")).toEqual([6, 5]);
});

test("conditions that are no conjunctions give disjoint copies", () => {
  const source = `#! sizes N=6
    def f(float(N) x) -> (o) {
      for t in N { if t != 2 || t > 4 { o(t) = x(t) } else { o(t) = 0.0 } }
    }`;
  const statements = statementsOf(source);
  for (let t = 0; t < 6; t++) {
    const running = statements.filter((s) =>
      s.guards.every((g) => {
        const value = g.affine.constant + t * (g.affine.terms[0]?.coefficient ?? 0);
        return g.kind === "zero" ? value === 0 : value >= 0;
      }),
    );
    expect(running.length).toBe(1);
    expect(running[0]?.value.kind).toBe(t === 2 ? "literal" : "access");
  }
});

test("a gather ranges the index that it uses, a scatter reduces over it", () => {
  const source = `#! sizes V=7 B=4
    def f(float(V) G, int(B) I) -> (o, float(V) h) {
      o(b) = G(I(b))
      h(I(b)) +=! 1.0
    }`;
  const [gather, scatter] = statementsOf(source);
  expect(gather?.dims.map((d) => [d.name, d.reduced])).toEqual([["b", false]]);
  expect(scatter?.dims.map((d) => [d.name, d.reduced])).toEqual([["b", true]]);
  expect(scatter?.reset).toBe(false);
});

test("the size of a dimension is a number", () => {
  expect(shape(`${vectors} -> (o) { o(i) = x(i) / a.0 where i in 0:x.0 - 1 }`, "o")).toEqual([7]);
});

test("a compile-time parameter is given like a size", () => {
  const source = "def f(float(N) a, int S, int unused) -> (o) { o(i) = a(S * i) * unused }";
  const checked = checkedOf(source, { sizes: { N: 9, S: 2 } });
  expect(checked.tensors.map((t) => [t.name, t.role, t.shape])).toEqual([
    ["a", "input", [9]],
    ["unused", "input", []],
    ["o", "output", [5]],
  ]);
});

test("indices of a tensor named like a function are indices", () => {
  const source = "def f(float(N) atanh, int S) -> (o) { o(i) = atanh(S * i) }";
  expect(checkedOf(source, { sizes: { N: 9, S: 2 } }).tensors.map((t) => t.name)).toEqual([
    "atanh",
    "o",
  ]);
});

test("sizes come from shapes, then from the file", () => {
  const source = "#! sizes M=3 N=4\ndef f(float(M, N) a) -> (o) { o(i, j) = a(i, j) }";
  const { sizes } = checkedOf(source, { shapes: { a: [5, 6] } });
  expect(sizes).toEqual([
    { name: "M", value: 5 },
    { name: "N", value: 6 },
  ]);
});

interface Case {
  readonly sizes: readonly number[];
  readonly accesses: readonly (readonly [number, number, number])[];
}

/** The rounds of language.md by enumeration; undefined when no index makes progress. */
function bruteForce({ sizes, accesses }: Case): readonly (readonly [number, number])[] | undefined {
  const known: (readonly [number, number] | undefined)[] = [undefined, undefined];
  const limit = 40;
  while (known.some((k) => k === undefined)) {
    const found = [0, 1].map((v) => {
      if (known[v] !== undefined) return undefined;
      const alone = accesses.flatMap((a, n) =>
        a[v] !== 0 && (a[1 - v] === 0 || known[1 - v] !== undefined) ? [{ a, n }] : [],
      );
      if (alone.length === 0) return undefined;
      const [lo, hi] = known[1 - v] ?? [0, 1];
      const fits = (value: number): boolean =>
        alone.every(({ a, n }) => {
          for (let other = lo; other < hi; other++) {
            const at = (a[v] ?? 0) * value + (a[1 - v] ?? 0) * other + a[2];
            if (at < 0 || at >= (sizes[n] ?? 0)) return false;
          }
          return true;
        });
      const values = Array.from({ length: 2 * limit }, (_, i) => i - limit).filter(fits);
      return [values.at(0) ?? 0, (values.at(-1) ?? -1) + 1] as const;
    });
    if (found.every((f) => f === undefined)) return undefined;
    for (const [v, range] of found.entries()) known[v] ??= range;
  }
  return known.flatMap((k) => (k === undefined ? [] : [k]));
}

const arbitraryCase: fc.Arbitrary<Case> = fc
  .array(
    fc.record({
      size: fc.integer({ min: 3, max: 9 }),
      access: fc.tuple(
        fc.integer({ min: -2, max: 2 }),
        fc.integer({ min: -2, max: 2 }),
        fc.integer({ min: -2, max: 4 }),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => ({ sizes: all.map((a) => a.size), accesses: all.map((a) => a.access) }))
  .filter(({ accesses }) => [0, 1].every((v) => accesses.some((a) => a[v] !== 0)));

test("inferred ranges are those of the rounds by enumeration", () => {
  let compared = 0;
  fc.assert(
    fc.property(arbitraryCase, (c) => {
      const expected = bruteForce(c);
      const parameters = c.sizes.map((n, k) => `float(${n}) a${k}`).join(", ");
      const terms = c.accesses.map(([x, y, z], k) => `a${k}(${x} * i + ${y} * j + ${z})`);
      const source = `def f(${parameters}) -> (o) { o(i + 50, j + 50) = ${terms.join(" + ")} }`;
      const codes = codesOf(source);
      if (expected === undefined) {
        expect(codes).toContain("TC3001");
        return;
      }
      if (codes.includes("TC3003") || codes.includes("TC3002")) return;
      if (expected.some(([lo, hi]) => lo >= hi)) {
        expect(codes).toContain("TC3011");
        return;
      }
      compared++;
      const dims = new Map(statementsOf(source)[0]?.dims.map((d) => [d.name, d]));
      for (const [v, name] of ["i", "j"].entries()) {
        const dim = dims.get(name);
        expect([dim?.lower.constant, dim?.upper.constant]).toEqual(expected[v]);
      }
    }),
    { seed: 3, numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(50);
});

test("a remainder beside an index leaves room for its values, not for those of its parts", () => {
  expect(ranges(`${vectors} -> (o) { o(i, k) = x(i % 3 + k) where i in 0:20 }`)).toEqual([
    "i in 0..20",
    "k in 0..6",
  ]);
  expect(ranges(`${vectors} -> (o) { o(i, k) = x(i / 2 + i % 2 + k) where i in 0:4 }`)).toEqual([
    "i in 0..4",
    "k in 0..6",
  ]);
});

test("a padded quotient is no bare index and ranges nothing", () => {
  expect(codesOf(`${vectors} -> (o) { o(i) = pad(x(i / 2)) }`)).toContain("TC3001");
});

test("an arg reduction cannot scatter by what it reduces over", () => {
  const source = `${vectors} -> (o) { o(j) argmax=! a(i) where i in 0:3, j in 2 * i:2 * i + 1 }`;
  expect(codesOf(source)).toContain("TC4002");
  const interval = `${vectors} -> (o) { o(j) argmax=! a(i) where i in 0:3, j in 0:i + 1 }`;
  expect(shape(interval, "o")).toEqual([3]);
});
