/**
 * Reductions whose range depends on where the result is: in all executions, beside plain loops that
 * know nothing of the compiler; and what is left of their conditions in the text.
 */

import { afterAll, describe, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import {
  type DeviceProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import { drawn, someOf } from "../support/sweep.ts";
import { describeFailure, prepareCase, valuesOf } from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** A sum of products over those `k` of a row or column that a condition keeps. */
interface Band {
  readonly source: string;
  keeps(m: number, n: number, k: number, size: number): boolean;
}

function product(range: string): string {
  return `def f(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n) where m in 0:M, ${range}
}`;
}

const bands: Readonly<Record<string, Band>> = {
  lower: { source: product("k in 0:m + 1"), keeps: (m, _, k) => k <= m },
  "lower without the diagonal": { source: product("k in 0:m"), keeps: (m, _, k) => k < m },
  upper: { source: product("k in m:K"), keeps: (m, _, k) => k >= m },
  "upper without the diagonal": { source: product("k in m + 1:K"), keeps: (m, _, k) => k > m },
  shifted: { source: product("k in 0:m - 4"), keeps: (m, _, k) => k < m - 4 },
  banded: {
    source: product("k in max(m - 5, 0):min(m + 7, K)"),
    keeps: (m, _, k) => k >= m - 5 && k < m + 7,
  },
  steep: { source: product("k in 0:min(3 * m + 2, K)"), keeps: (m, _, k) => k < 3 * m + 2 },
  "along the columns": { source: product("k in 0:n + 1"), keeps: (_, n, k) => k <= n },
  "from the row to the column": {
    source: product("k in m:n + 1"),
    keeps: (m, n, k) => k >= m && k <= n,
  },
  "half of the results": {
    source: `def f(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n) where m in 0:M, n in 0:m + 1
}`,
    keeps: (m, n) => n <= m,
  },
  mirrored: {
    source: product("k in 0:K - m"),
    keeps: (m, _, k, size) => k < size - m,
  },
};

const sizes = [1, 37, 64] as const;

const profiles: readonly DeviceProfile[] = [runtime.profile, llvmpipeProfile];

const plain: Way = { kind: "options", options: given() };
const random: readonly Way[] = [
  { kind: "random", seed: 5, share: 0.3 },
  { kind: "random", seed: 11, share: 0.6, lanes: 4 },
];

function plainSums({ keeps }: Band, a: ArrayLike<number>, b: ArrayLike<number>, size: number) {
  return Array.from({ length: size * size }, (_, at) => {
    const [m, n] = [Math.floor(at / size), at % size];
    let sum = 0;
    for (let k = 0; k < size; k++) {
      if (keeps(m, n, k, size)) sum += (a[m * size + k] ?? 0) * (b[k * size + n] ?? 0);
    }
    return sum;
  });
}

describe.each(Object.entries(bands))("%s", (name, band) => {
  test.each(sizes)("of size %d means the same in all executions", async (size) => {
    const tcCase: TcCase = {
      name,
      source: band.source,
      sizes: { M: size, N: size, K: size },
      population: "integers",
      inputSeed: size,
    };
    const preparation = prepareCase(tcCase);
    if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
    const { inputs } = preparation.prepared;
    const meant = Array.from(valuesOf(preparation.prepared, "C"), (x) => x + 0);
    expect(meant).toEqual(plainSums(band, inputs["A"] ?? [], inputs["B"] ?? [], size));
    const turn = Object.keys(bands).indexOf(name);
    const own = size === 64 ? someOf(profiles, 1, turn) : profiles;
    const executions = { profiles: own, runtime, tally: createTally(), plans: null };
    const mappings = size === 37 ? random : [];
    const failures = [
      ...(await runPrepared(preparation.prepared, executions, [plain])),
      ...(await runPrepared(preparation.prepared, { ...executions, plans: drawn(1, 2) }, mappings)),
    ];
    expect(failures.map((failure) => describeFailure(tcCase, failure))).toEqual([]);
  });
});

/** The only kernel of a definition, and the statements of each of its loops. */
function loopsOf(source: string, size: number, profile: DeviceProfile): readonly string[] {
  const result = compile(source, { sizes: { M: size, N: size, K: size }, profile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  expect(result.repairs).toEqual([]);
  const [kernel, more] = result.plan.kernels;
  expect(more).toBeUndefined();
  return (kernel?.wgsl ?? "")
    .split(/^ {2}for /m)
    .slice(1)
    .map((text) => text.split("\n  }")[0] ?? "");
}

test.each([llvmpipeProfile, swiftshaderProfile])(
  "the trips of a triangle that are whole have no guards, others are not made: $name",
  (profile) => {
    const [whole, ...edges] = loopsOf(bands["lower"]?.source ?? "", 512, profile);
    expect(whole).toMatch(
      /^\(var \w+ = 0u; \w+ < \d+u; \w+\+\+\) \{\n {4}if \(\w+ >= \w+\) \{ break; \}/,
    );
    expect(whole?.match(/\bif\b/g)).toHaveLength(1);
    expect(whole).toContain("subgroupBroadcast");
    // Two steps, in each of which a vector of B is loaded once for all rows of a tile.
    expect(whole?.match(/ B\[/g)?.length).toBe(2 * (32 / profile.lanes / 4));
    expect(edges.length).toBeLessThanOrEqual(1);
  },
);

test("a band has whole trips between two edges", () => {
  const source = product("k in max(m - 64, 0):min(m + 64, K)");
  // Where a loop ends is one more.
  const loops = loopsOf(source, 512, { ...llvmpipeProfile, subgroups: null });
  expect(loops.map((text) => (text.match(/\bif\b/g) ?? []).length)).toEqual([9, 1, 9]);
});
