/**
 * Arg reductions that are searched in blocks: in all executions, beside plain loops that know nothing
 * of the compiler.
 */

import { afterAll, expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import {
  type DeviceProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import { drawn, someOf } from "../support/sweep.ts";
import { describeFailure, isFailure, mapCase, prepareCase, valuesOf } from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const profiles: readonly DeviceProfile[] = [runtime.profile, llvmpipeProfile];

/** Mappings with blocks of a size, otherwise the defaults, unless other answers are given. */
function inBlocks(size: number, choices: Readonly<Record<string, number | boolean>> = {}): Way {
  const all = { "structure/statements/$0/blocks/r0": size, ...choices };
  return { kind: "options", options: given(all) };
}

/** A register tile of few points: a tile that computes candidates again is a long text. */
const small = { "kernels/$0/axes/0/points": 2, "kernels/$0/axes/1/points": 4 };

const random: readonly Way[] = [
  { kind: "random", seed: 3, share: 0.3 },
  { kind: "random", seed: 19, share: 0.6, lanes: 4 },
];

/** The place of the greatest, or of the least, of some values: the first of equals. */
function placeOf(values: readonly number[], sign: 1 | -1): number {
  return values.reduce((best, x, at) => (sign * x > sign * (values[best] ?? 0) ? at : best), 0);
}

interface Search {
  readonly source: string;
  /** Candidates for an element, in order. */
  values(a: ArrayLike<number>, b: ArrayLike<number>, m: number, n: number, size: Sizes): number[];
  readonly sign: 1 | -1;
  readonly sizes: readonly Sizes[];
}

interface Sizes {
  readonly M: number;
  readonly N: number;
  readonly K: number;
}

function along(size: number, value: (k: number) => number): number[] {
  return Array.from({ length: size }, (_, k) => value(k));
}

const one: Sizes = { M: 1, N: 1, K: 5 };
const primes: Sizes = { M: 7, N: 13, K: 17 };
const even: Sizes = { M: 8, N: 32, K: 16 };
const long: Sizes = { M: 3, N: 19, K: 61 };

const products: Search["values"] = (a, b, m, n, { N, K }) =>
  along(K, (k) => (a[m * K + k] ?? 0) * (b[k * N + n] ?? 0));

const searches: Readonly<Record<string, Search>> = {
  "greatest product": {
    source: "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) argmax=! A(m, k) * B(k, n) }",
    values: products,
    sign: 1,
    sizes: [one, primes, even, long],
  },
  "least product of halves": {
    source: "def f(half(M, K) A, half(K, N) B) -> (C) { C(m, n) argmin=! A(m, k) * B(k, n) }",
    values: products,
    sign: -1,
    sizes: [primes, even],
  },
  "greatest product of bytes": {
    source: "def f(int8(M, K) A, int8(K, N) B) -> (C) { C(m, n) argmax=! A(m, k) * B(k, n) }",
    values: products,
    sign: 1,
    sizes: [one, long],
  },
  "least sum of transposed": {
    source: "def f(int(K, M) A, int(N, K) B) -> (C) { C(m, n) argmin=! A(k, m) + B(n, k) }",
    values: (a, b, m, n, { M, K }) => along(K, (k) => (a[k * M + m] ?? 0) + (b[n * K + k] ?? 0)),
    sign: -1,
    sizes: [primes, even],
  },
  "greatest of infinities": {
    source: `def f(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) argmax=! A(m, k) >= B(k, n) ? A(m, k) : -inf
}`,
    values: (a, b, m, n, { N, K }) =>
      along(K, (k) => {
        const [x, y] = [a[m * K + k] ?? 0, b[k * N + n] ?? 0];
        return x >= y ? x : -Infinity;
      }),
    sign: 1,
    sizes: [one, long],
  },
  // Guarded reads are not searched in blocks.
  "greatest after the diagonal": {
    source: `def f(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) argmax=! k > m + n ? A(m, k) * B(k, n) : -inf where m in 0:M, n in 0:N, k in 0:K
}`,
    values: (a, b, m, n, size) =>
      products(a, b, m, n, size).map((x, k) => (k > m + n ? x : -Infinity)),
    sign: 1,
    sizes: [one, primes],
  },
  "least of rows": {
    source: "def f(float(M, K) A) -> (C) { C(m) argmin=! A(m, k) * A(m, k) }",
    values: (a, _, m, _n, { K }) => along(K, (k) => (a[m * K + k] ?? 0) ** 2),
    sign: -1,
    sizes: [
      { M: 1, N: 1, K: 17 },
      { M: 13, N: 1, K: 64 },
    ],
  },
};

const cases = Object.entries(searches).flatMap(([name, search]) =>
  search.sizes.map((size) => ({ name, search, size })),
);

test.each(cases)(
  "$name: in blocks, the same in all executions: $size",
  async ({ name, search, size }) => {
    const { N, ...others } = size;
    const tcCase: TcCase = {
      name,
      source: search.source,
      sizes: /\bN\b/.test(search.source) ? { ...others, N } : others,
      population: "integers",
      inputSeed: size.K,
    };
    const preparation = prepareCase(tcCase);
    if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
    const { inputs } = preparation.prepared;
    const [a, b] = [inputs["A"] ?? [], inputs["B"] ?? []];
    const places = Array.from({ length: size.M * N }, (_, at) => {
      const [m, n] = [Math.floor(at / N), at % N];
      return placeOf(search.values(a, b, m, n, size), search.sign);
    });
    expect(Array.from(valuesOf(preparation.prepared, "C"))).toEqual(places);
    const mappings = [
      inBlocks(4),
      inBlocks(8, { ...small, "kernels/$0/unroll": 4, "structure/statements/$1/with": true }),
      inBlocks(16, { ...small, "kernels/$0/unroll": 8 }),
    ];
    const executions = { profiles, runtime, tally: createTally(), plans: null };
    const turn = cases.findIndex((c) => c.search === search && c.size === size);
    const few = { ...executions, plans: drawn(1, 2) };
    const failures = [...(await runPrepared(preparation.prepared, few, random))];
    for (const [n, profile] of profiles.entries()) {
      const own = { ...executions, profiles: [profile] };
      const some = someOf(mappings, 1, turn + n);
      failures.push(...(await runPrepared(preparation.prepared, own, some)));
    }
    expect(failures.map((failure) => describeFailure(tcCase, failure))).toEqual([]);
  },
);

test("the mappings have blocks, and updates that change a value alone", () => {
  const [search] = Object.values(searches);
  const preparation = prepareCase({
    name: "blocks",
    source: search?.source ?? "",
    sizes: { M: 16, N: 32, K: 64 },
    population: "integers",
    inputSeed: 1,
  });
  if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
  for (const size of [4, 8, 16]) {
    const variant = mapCase(preparation.prepared, swiftshaderProfile, inBlocks(size));
    if (isFailure(variant)) throw new Error(JSON.stringify(variant));
    expect(variant.mapped.program.statements.map((s) => s.reduction?.monoid.name)).toContain(
      `argmax/${size}`,
    );
    const texts = variant.plan.kernels.map((k) => k.wgsl).join("\n");
    expect(texts).toContain("blocks_before");
  }
});
