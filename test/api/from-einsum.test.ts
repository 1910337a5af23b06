import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { check, compile, format, fromEinsum, interpret } from "../../src/index.ts";
import { openRuntime, type Runtime } from "../../src/node.ts";

/** A tensor of the tests' own: whole numbers, row-major. */
interface Tensor {
  readonly data: Float32Array<ArrayBuffer>;
  readonly shape: readonly number[];
}

/** What numpy.einsum says, by one loop over all values of all letters. */
function einsum(inputs: readonly string[], output: string, given: readonly Tensor[]): Tensor {
  const extent = new Map<string, number>();
  for (const [n, letters] of inputs.entries()) {
    for (const [d, letter] of [...letters].entries()) extent.set(letter, given[n]?.shape[d] ?? 0);
  }
  const letters = [...extent.keys()];
  const offset = (of: string, at: ReadonlyMap<string, number>): number =>
    [...of].reduce((sum, l) => sum * (extent.get(l) ?? 0) + (at.get(l) ?? 0), 0);
  const shape = [...output].map((l) => extent.get(l) ?? 0);
  const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
  const total = [...extent.values()].reduce((a, b) => a * b, 1);
  for (let point = 0; point < total; point++) {
    const at = new Map<string, number>();
    let rest = point;
    for (const letter of letters) {
      const size = extent.get(letter) ?? 1;
      at.set(letter, rest % size);
      rest = Math.floor(rest / size);
    }
    const product = inputs.reduce((p, l, n) => p * (given[n]?.data[offset(l, at)] ?? 0), 1);
    const place = offset(output, at);
    data[place] = (data[place] ?? 0) + product;
  }
  return { data, shape };
}

const extents: Readonly<Record<string, number>> = {
  a: 2,
  b: 3,
  i: 3,
  j: 5,
  k: 1,
  l: 2,
  M: 4,
  m: 3,
};

function drawn(letters: string, seed: number): Tensor {
  const shape = [...letters].map((l) => extents[l] ?? 2);
  const count = shape.reduce((p, n) => p * n, 1);
  const data = Float32Array.from({ length: count }, (_, n) => ((7 * n + 3 * seed) % 11) - 4);
  return { data, shape };
}

/** The elements as numbers, with one zero. */
function plain(data: Iterable<number> | undefined): readonly number[] {
  return [...(data ?? [])].map((x) => x + 0);
}

/** Formulas with their result as numpy defines it. */
const formulas: readonly (readonly [string, readonly string[], string])[] = [
  ["mk,kj->mj", ["mk", "kj"], "mj"],
  ["ab,bi", ["ab", "bi"], "ai"],
  ["ba,bj", ["ba", "bj"], "aj"],
  ["ij->ji", ["ij"], "ji"],
  ["ji", ["ji"], "ij"],
  ["ij->", ["ij"], ""],
  ["ij->i", ["ij"], "i"],
  ["ii->i", ["ii"], "i"],
  ["ii", ["ii"], ""],
  ["iij->j", ["iij"], "j"],
  ["i,j->ij", ["i", "j"], "ij"],
  ["i,i->", ["i", "i"], ""],
  ["i,i->i", ["i", "i"], "i"],
  [" b i j , b j l -> b i l ", ["bij", "bjl"], "bil"],
  ["mM,Mi->mi", ["mM", "Mi"], "mi"],
  ["Mm", ["Mm"], "Mm"],
  ["Mj->jM", ["Mj"], "jM"],
  ["ij,jk,kl->il", ["ij", "jk", "kl"], "il"],
  ["i,ij,j,jk", ["i", "ij", "j", "jk"], "k"],
  [",ij->ij", ["", "ij"], "ij"],
  ["i,->i", ["i", ""], "i"],
  ["", [""], ""],
];

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

describe("fromEinsum", () => {
  it.each(formulas)(
    "computes `%s` as numpy does, in three executions",
    async (spec, inputs, output) => {
      const source = fromEinsum(spec);
      const given = inputs.map(drawn);
      const expected = einsum(inputs, output, given);
      const names = given.map((_, n) => String.fromCharCode(65 + n));
      const result = String.fromCharCode(65 + given.length);
      const tensors = Object.fromEntries(given.map((t, n) => [names[n] ?? "", t]));
      const { data: found, shape } = interpret(source, tensors)[result] ?? {};
      expect(plain(found), source).toEqual(plain(expected.data));
      expect(shape).toEqual(expected.shape);
      const shapes = Object.fromEntries(given.map((t, n) => [names[n] ?? "", t.shape]));
      const compiled = compile(source, { shapes });
      if (!compiled.ok) throw new Error(source);
      expect(compiled.diagnostics).toEqual([]);
      const data = Object.fromEntries(given.map((t, n) => [names[n] ?? "", t.data]));
      const { outputs, faults } = interpretPlan(compiled.plan, data);
      expect(faults).toEqual([]);
      expect(plain(outputs[result])).toEqual(plain(expected.data));
      const onDevice = await runtime.define(source)["einsum"]?.(tensors);
      expect(plain(await onDevice?.[result]?.read())).toEqual(plain(expected.data));
    },
  );

  it("gives formatted text, with an assignment where nothing is summed", () => {
    expect(fromEinsum("mk,kn->mn")).toBe(
      "def einsum(float(M, K) A, float(K, N) B) -> (C) {\n  C(m, n) +=! A(m, k) * B(k, n)\n}\n",
    );
    expect(fromEinsum("i,j->ij")).toBe(
      "def einsum(float(I) A, float(J) B) -> (C) {\n  C(i, j) = A(i) * B(j)\n}\n",
    );
    expect(fromEinsum("ii")).toBe("def einsum(float(I, I) A) -> (B) {\n  B +=! A(i, i)\n}\n");
    const long = fromEinsum(Array.from({ length: 30 }, () => "ab").join(","));
    expect(format(long)).toBe(long);
    expect(check(long, { sizes: { NA: 2, NB: 2 } }).diagnostics).toEqual([]);
  });

  it("gives sizes and indices names that no tensor has", () => {
    expect(fromEinsum("ab,bc->ac")).toBe(
      "def einsum(float(NA, NB) A, float(NB, NC) B) -> (C) {\n  C(a, c) +=! A(a, b) * B(b, c)\n}\n",
    );
    expect(fromEinsum("Nn->nN")).toBe(
      "def einsum(float(NN, N) A) -> (B) {\n  B(n, nn) = A(nn, n)\n}\n",
    );
    const crowded = fromEinsum("nN->n", { operands: ["N"], output: "n" });
    expect(crowded).toBe("def einsum(float(NN, NNN) N) -> (n) {\n  n(n_) +=! N(n_, nn)\n}\n");
    expect(compile(crowded, { sizes: { NN: 2, NNN: 3 } }).ok).toBe(true);
  });

  it("takes names", () => {
    const names = { def: "mm", operands: ["left", "right"], output: "product" };
    expect(fromEinsum("mk,kn->mn", names)).toBe(
      "def mm(float(M, K) left, float(K, N) right) -> (product) {\n" +
        "  product(m, n) +=! left(m, k) * right(k, n)\n}\n",
    );
    expect(fromEinsum("i->", { operands: ["B"] })).toContain("-> (C)");
  });

  it.each([
    ["ij->ik", {}, "einsum `ij->ik`: index `k` of the result is in no operand: add it to one"],
    ["ij->ii", {}, "einsum `ij->ii`: index `i` is twice in the result: leave one out"],
    [
      "...i->i",
      {},
      "einsum `...i->i`: `...` stands for an unknown number of dimensions: write a letter for each",
    ],
    ["i->j->k", {}, "einsum `i->j->k`: `->` may stand once, before the result"],
    ["ij->i,j", {}, "einsum `ij->i,j`: there is one result: nothing but letters follow `->`"],
    ["i1,1j", {}, "einsum `i1,1j`: an index is a letter, not `1`"],
    ["i-j", {}, "einsum `i-j`: an index is a letter, not `-`"],
    ["ij", { operands: ["x", "y"] }, "the formula has 1 operands, got 2 names: give one for each"],
    ["i,i", { operands: ["x", "x"] }, "`x` is used twice: give each tensor a name of its own"],
    [
      "i",
      { operands: ["x"], output: "x" },
      "`x` is used twice: give each tensor a name of its own",
    ],
    ["i", { def: "A" }, "`A` is used twice: give each tensor a name of its own"],
    [
      "i",
      { operands: ["where"] },
      "`where` is no name: letters, digits and `_`, no digit first, and no word of the language",
    ],
    [
      "i",
      { output: "a) {} # " },
      "`a) {} # ` is no name: letters, digits and `_`, no digit first, and no word of the language",
    ],
  ])("refuses `%s` with names %j", (spec, names, message) => {
    expect(() => fromEinsum(spec, names)).toThrow(new RangeError(message));
  });
});
