/**
 * Levels of tiles between the grid and the points of an invocation: tiles of axes that are computed one
 * after the other, tiles of reductions, blocks of invocations. In all executions, beside plain loops that
 * know nothing of the compiler; at sizes of 1, at primes, at multiples of the tiles and beside them.
 */

import { afterAll, describe, expect, test } from "vitest";
import { type Compiled, compile } from "../../src/compile.ts";
import { verifySchedule } from "../../src/ir/legality/verify-schedule.ts";
import { printSchedule } from "../../src/ir/schedule.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { baselineProfile, gpuProfile } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import {
  at,
  centredRows,
  product,
  productWithEpilogue,
  type Sizes,
  sumOf,
  threeSteps,
  transposition,
  triangle,
} from "./definitions.ts";
import { prepareCase } from "./differential.ts";
import { expectMeaning, type MappedDefinition, sizesIn } from "./expect-meaning.ts";
import type { TcCase } from "./generate-tc.ts";
import { mapIn } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** A definition, its levels, and what it means. */
interface Case extends MappedDefinition {
  /** What the loops of the schedule look like at {@link large} sizes. */
  readonly loops: readonly RegExp[];
}

const plainProduct = { ...product, profile: baselineProfile };

/** Nothing is packed, padded or split before; tiles of 4 by 4 points, of 2 by 2 invocations. */
const small = {
  "structure/statements/$0/pack/read0": false,
  "structure/statements/$0/pack/read1": false,
  "structure/statements/$0/pad/r0": "no",
  "kernels/$0/axes/0/workgroup": 2,
  "kernels/$0/axes/0/points": 2,
  "kernels/$0/axes/1/workgroup": 2,
  "kernels/$0/axes/1/points": 2,
};

const turns = {
  "kernels/$0/axes/0/turns/0": 2,
  "kernels/$0/axes/1/turns/0": 2,
  "kernels/$0/points": "unroll",
};

const staged = {
  "kernels/$0/operands/$0.read0/stage": "workgroup",
  "kernels/$0/operands/$0.read0/pad": 1,
  "kernels/$0/operands/$0.read1/stage": "workgroup",
};

const { lanes } = runtime.profile;

const cases: Readonly<Record<string, Case>> = {
  "a product in tiles, one after the other": {
    ...plainProduct,
    choices: { ...small, ...turns, "kernels/$0/turnOrder/0": 0 },
    loops: [/serial kernel0.p1.turn in 0..2, serial kernel0.p0.turn in 0..2\n/],
  },
  "a product in tiles of tiles": {
    ...plainProduct,
    choices: { ...small, ...turns, "kernels/$0/axes/1/turns/1": 2, "kernels/$0/points": "vector" },
    loops: [
      /serial kernel0.p1.turn2 in 0..2, serial kernel0.p0.turn in 0..2, serial kernel0.p1.turn in 0..2\n/,
    ],
  },
  "a product of points a workgroup apart": {
    ...plainProduct,
    choices: { ...small, ...turns, "kernels/$0/blocked": false },
    loops: [/= 8\*kernel0.p0.grid \+ 2\*kernel0.p0.thread.0 \+ 4\*kernel0.p0.turn \+ kernel0/],
  },
  "a product in tiles of its sum": {
    ...plainProduct,
    choices: { ...small, ...turns, "kernels/$0/reduced/0/0": 4, "kernels/$0/reduced/0/1": 2 },
    loops: [/ serial C.r0.tile in 0..3, serial C.r0.tile2 in 0..2, serial C.r0.point2 in 0..2, /],
  },
  "a product in tiles inside of those of its sum": {
    ...plainProduct,
    choices: {
      ...small,
      ...turns,
      "kernels/$0/axes/0/turns/1": 2,
      "kernels/$0/reduced/0/0": 4,
      "kernels/$0/reduced/0/1": 2,
      "kernels/$0/inside": 2,
      "kernels/$0/unroll": 2,
    },
    loops: [
      / serial kernel0.p0.turn2 in 0..2\n/,
      / serial C.r0.tile in 0..3, serial kernel0.p0.turn.1 in 0..2, serial kernel0.p1.turn.1 in 0..2, serial C.r0.tile2 in 0..2, unroll/,
    ],
  },
  "a product of staged operands": {
    ...plainProduct,
    profile: gpuProfile,
    choices: { ...small, ...turns, ...staged, "kernels/$0/reduced/0/0": 4 },
    loops: [/ serial kernel0.p0.turn in 0..2, serial kernel0.p1.turn in 0..2\n +sequence\n +work/],
  },
  "a product with an operand staged once for several tiles": {
    ...plainProduct,
    profile: gpuProfile,
    choices: {
      ...small,
      ...turns,
      ...staged,
      "kernels/$0/operands/$0.read1/slots": 2,
      "kernels/$0/reduced/0/0": 4,
      "kernels/$0/inside": 1,
    },
    loops: [
      /place A_copy in workgroup at C.r0.tile/,
      /place B_copy in workgroup at kernel0.p1.turn.1/,
    ],
  },
  "a product that prefetches the tiles of one operand inside of those of the other": {
    ...plainProduct,
    profile: gpuProfile,
    choices: {
      ...small,
      ...turns,
      ...staged,
      "kernels/$0/reduced/0/0": 4,
      "kernels/$0/inside": 1,
      "kernels/$0/prefetch": true,
    },
    loops: [
      / serial kernel0.p1.turn.1 in 0..2 prefetching\n/,
      /place A_copy in workgroup at C.r0.tile/,
    ],
  },
  "a product with blocks of invocations": {
    ...plainProduct,
    profile: gpuProfile,
    choices: {
      ...small,
      ...staged,
      "kernels/$0/axes/0/workgroup": 8,
      "kernels/$0/axes/0/points": 1,
      "kernels/$0/axes/1/workgroup": 16,
      "kernels/$0/axes/1/points": 1,
      "kernels/$0/order/0": 1,
      "kernels/$0/axes/0/subgroup": 4,
      "kernels/$0/reduced/0/0": 4,
    },
    loops: [
      /workgroup kernel0.p0.subgroups.1 in 0..2, workgroup kernel0.p1.subgroups.1 in 0..2, workgroup kernel0.p0.subgroup.1 in 0..4, workgroup kernel0.p1.subgroup.1 in 0..8,/,
    ],
  },
  "a product spread over subgroups": {
    ...plainProduct,
    profile: runtime.profile,
    choices: {
      ...small,
      ...turns,
      "kernels/$0/axes/1/workgroup": lanes,
      "kernels/$0/axes/1/points": 1,
      "kernels/$0/axes/1/turns/0": 1,
      "kernels/$0/order/0": 1,
      "kernels/$0/lanes": lanes,
      "kernels/$0/spread": "steps",
      "kernels/$0/reduced/0/0": 2 * lanes,
      "kernels/$0/inside": 1,
    },
    loops: [
      / serial kernel0.p0.turn.1 in 0..2, serial C.r0.point.outer in 0../,
      /unroll C.r0.point.inner in 0../,
      / in lanes at /,
    ],
  },
  "the place of the largest sum": {
    source: "def f(int(M, K) A, int(K, N) B) -> (C) { C(m, n) argmax=! A(m, k) + B(k, n) }",
    output: "C",
    profile: baselineProfile,
    choices: { ...small, ...turns, "kernels/$0/reduced/0/0": 2, "kernels/$0/inside": 2 },
    element: ({ A, B }, { K = 0, N = 1 }, p) => {
      const sum = (k: number) => at(A, Math.floor(p / N) * K + k) + at(B, k * N + (p % N));
      return [...Array(K).keys()].reduce((best, k) => (sum(k) > sum(best) ? k : best), 0);
    },
    loops: [/ serial C.r0.tile in 0..6, serial kernel0.p0.turn.1 in 0..2, serial kernel0.p1/],
  },
  "a product with what follows it": {
    ...productWithEpilogue,
    profile: gpuProfile,
    choices: {
      ...small,
      ...turns,
      ...staged,
      "kernels/$0/reduced/0/0": 4,
      "kernels/$0/inside": 2,
      "structure/statements/$1/with": true,
    },
    loops: [/ serial kernel0.p0.turn.2 in 0..2, serial kernel0.p1.turn.2 in 0..2, /],
  },
  "a transposition through workgroup memory": {
    ...transposition,
    profile: gpuProfile,
    choices: { ...small, ...turns, "kernels/$0/operands/$0.read0/stage": "workgroup" },
    loops: [/place x_copy in workgroup at kernel0.p1.turn/],
  },
  "a padded window over channels": {
    source: `def f(float(K, M, N) x, float(K, 3, 3) w) -> (y) {
      y(m, n) +=! pad(x(k, m + r - 1, n + s - 1)) * w(k, r, s) where m in 0:M, n in 0:N
    }`,
    output: "y",
    profile: baselineProfile,
    choices: {
      ...small,
      "kernels/$0/operands/$0.read0/stage": "no",
      "kernels/$0/operands/$0.read1/stage": "no",
      "kernels/$0/points": "unroll",
      "kernels/$0/unroll": 1,
      "kernels/$0/axes/1/turns/0": 2,
      "kernels/$0/reduced/0/0": 4,
      "kernels/$0/reduced/0/1": 2,
      "kernels/$0/reduced/1/0": 1,
      "kernels/$0/reduced/2/0": 2,
      "kernels/$0/inside": 1,
    },
    element: ({ x, w }, { M = 1, N = 1, K = 0 }, p) =>
      sumOf(9 * K, (t) => {
        const [i, j] = [Math.floor(p / N) + (Math.floor(t / 3) % 3) - 1, (p % N) + (t % 3) - 1];
        const inside = i >= 0 && i < M && j >= 0 && j < N;
        return inside ? at(x, (Math.floor(t / 9) * M + i) * N + j) * at(w, t) : 0;
      }),
    loops: [
      /serial y.r0.tile in 0..3, serial y.r1.tile in 0..3, serial y.r2.tile in 0..2, serial kernel0.p1.turn.1 in 0..2, serial y.r0.tile2 in 0..2, serial y.r0.point2 in 0..2, serial y.r2.point in 0..2/,
    ],
  },
  "a dilated window": {
    source: `def f(float(M, N) x, float(3) w) -> (y) {
      y(m, n) +=! pad(x(m + 2 * r - 2, n)) * w(r) where m in 0:M, n in 0:N
    }`,
    output: "y",
    profile: runtime.profile,
    choices: { ...small, ...turns, "kernels/$0/axes/0/step": 2, "kernels/$0/points": "vector" },
    element: ({ x, w }, { M = 1, N = 1 }, p) =>
      sumOf(3, (r) => {
        const i = Math.floor(p / N) + 2 * r - 2;
        return i >= 0 && i < M ? at(x, i * N + (p % N)) * at(w, r) : 0;
      }),
    loops: [/serial kernel0.p0.turn in 0..2, serial kernel0.p1.turn in 0..2\n/],
  },
  "rows by teams": {
    ...centredRows,
    profile: baselineProfile,
    choices: {
      "structure/statements/$1/with": true,
      "kernels/$0/team": 4,
      "kernels/$0/combine": "tree",
      "kernels/$0/axes/0/workgroup": 4,
      "kernels/$0/axes/0/points": 1,
      "kernels/$0/axes/0/turns/0": 2,
    },
    loops: [/workgroup kernel0.p0.workgroup in 0..4, serial kernel0.p0.turn in 0..2\n/],
  },
  "a triangle": {
    ...triangle,
    profile: baselineProfile,
    choices: {
      ...small,
      ...turns,
      "kernels/$0/operands/$0.read0/stage": "no",
      "kernels/$0/operands/$0.read1/stage": "no",
      "kernels/$0/reduced/0/0": 4,
      "kernels/$0/inside": 1,
    },
    loops: [
      /serial C.r0.tile in 0..10, serial kernel0.p1.turn.1 in 0..2, serial C.r0.point in 0..4/,
    ],
  },
  "steps of a loop in the kernel": {
    ...threeSteps,
    profile: baselineProfile,
    choices: {
      "structure/loops/$t0/with": true,
      ...small,
      ...turns,
    },
    loops: [/serial kernel0.p0.turn in 0..2, serial kernel0.p1.turn in 0..2\n/],
  },
};

/** One point; primes; multiples of all tiles; one less and one more; one dim partial. */
const sizes: readonly Sizes[] = [
  { M: 1, N: 1, K: 1 },
  { M: 13, N: 19, K: 5 },
  { M: 16, N: 32, K: 8 },
  { M: 15, N: 31, K: 7 },
  { M: 17, N: 33, K: 9 },
  { M: 23, N: 8, K: 11 },
];

/** Large enough for all levels. */
const large: Sizes = { M: 37, N: 43, K: 11 };

function compiled({ source, choices, profile }: Case, size: Sizes): Compiled {
  const options = given(choices);
  const result = compile(source, { sizes: sizesIn(source, size), profile, options });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result;
}

describe.each(Object.entries(cases))("%s", (_, each) => {
  test.each(sizes)("of $M by $N by $K means the same in all executions", async (size) => {
    await expectMeaning(each, size, runtime);
  });

  test("has the loops that were asked for", () => {
    const { mapped, repairs, unusedChoices } = compiled(each, large);
    expect(repairs).toEqual([]);
    // Not every source has reads to pack and a sum to pad.
    expect(unusedChoices.filter((path) => !/\/(?:pack|pad)\//.test(path))).toEqual([]);
    const text = printSchedule(mapped.schedule);
    for (const loops of each.loops) expect(text).toMatch(loops);
  });
});

test("random plans have all of them, and are legal", () => {
  const { source } = product;
  const tcCase: TcCase = {
    name: "product",
    source,
    sizes: large,
    population: "reals",
    inputSeed: 3,
  };
  const preparation = prepareCase(tcCase);
  if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
  const { program } = preparation.prepared;
  const wanted = {
    "tiles one after the other": /\.turn in /,
    "tiles of tiles": /\.turn2 in /,
    "tiles of a sum": /\.r0\.tile in /,
    "tiles of them": /\.r0\.tile2 in /,
    "tiles inside of those of a sum": /\.r0\.tile in .*\.turn\.\d+ in /,
    "blocks of invocations": /\.subgroup(?:\.\d+)? in /,
  };
  const found = new Set<string>();
  for (let seed = 0; seed < 80; seed++) {
    const { mapped } = mapIn(program, gpuProfile, { kind: "random", seed, share: 0.8 });
    const text = printSchedule(mapped.schedule);
    const all = Object.entries(wanted).filter(([, pattern]) => pattern.test(text));
    if (all.length === 0) continue;
    expect(verifySchedule(mapped.program, mapped.schedule)).toEqual([]);
    for (const [name] of all) found.add(name);
  }
  expect([...found].sort()).toEqual(Object.keys(wanted).sort());
});
