/** Parts of a mapping that go together: each pair of the table is taken, and means the same in all executions. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainKernel } from "../../src/ir/mapping/kernel-mapping.ts";
import {
  exclusions,
  type Feature,
  features,
  uses,
} from "../../src/ir/mapping/space/composition.ts";
import { printSchedule } from "../../src/ir/schedule.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type GivenChoices, given } from "../support/given.ts";
import {
  describeFailure,
  executeInterpreted,
  executeOnDevice,
  isFailure,
  mapCase,
  prepareCase,
} from "./differential.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

const twoProducts = `def f(float(M, K) a, float(K, N) b) -> (c, d) {
  c(m, n) +=! a(m, k) * b(k, n)
  d(m, n) +=! a(m, k) * b(k, n) * b(k, n)
}`;
const rows = `def f(float(M, K) a, float(K) x) -> (y) { y(m) +=! a(m, k) * x(k) }`;
const twoSums = `def f(float(M, K) a, float(K) x) -> (y, z) {
  y(m) +=! a(m, k) * x(k)
  z(m) +=! a(m, k) * a(m, k)
}`;

const joined: GivenChoices = {
  "structure/statements/$1/with": true,
  "kernels/$0/joins/c.r0 d.r0": true,
};
const team: GivenChoices = { "kernels/$0/team": 4, "kernels/$0/axes/0/workgroup": 2 };
const staged = (...names: readonly string[]): GivenChoices =>
  Object.fromEntries(names.map((name) => [`kernels/$0/operands/${name}/stage`, "workgroup"]));

const mapAndSums = `def f(float(M, K) a, float(K) x) -> (y, z) {
  u(m, k) = 2 * a(m, k)
  y(m) +=! u(m, k) * x(k)
  z(m) +=! u(m, k) * u(m, k)
}`;

const inLanes: GivenChoices = {
  "kernels/$0/axes/0/workgroup": 4,
  "kernels/$0/lanes": 4,
  "kernels/$0/spread": "steps",
};
const second: GivenChoices = { "structure/statements/$1/with": true };

const twoMaps = `def f(float(M, K) a, float(K) x) -> (y) {
  u(m, k) = 2 * a(m, k)
  v(m, k) = u(m, k) + x(k)
  y(m) +=! u(m, k) * v(m, k)
}`;

interface Pair {
  readonly pair: readonly [Feature, Feature];
  readonly source: string;
  readonly choices: GivenChoices;
  /** What the schedule has where both are taken. */
  readonly has: readonly RegExp[];
}

const pairs: readonly Pair[] = [
  {
    pair: ["joins", "staging"],
    source: twoProducts,
    choices: {
      ...joined,
      ...staged("c.read0", "c.read1", "d.read0", "d.read1"),
      "kernels/$0/axes/0/workgroup": 4,
      "kernels/$0/axes/1/workgroup": 4,
      "kernels/$0/axes/1/points": 2,
      "kernels/$0/points": "unroll",
      "kernels/$0/reduced/0/0": 4,
    },
    has: [
      /serial c\.r0\.tile in/,
      /place a_copy in workgroup at c\.r0\.tile/,
      /d\.update\(.*c\.r0\.point/,
    ],
  },
  {
    pair: ["team", "staging"],
    source: rows,
    choices: { ...team, ...staged("y.read1"), "kernels/$0/reduced/0/0": 8 },
    has: [/place x_copy in workgroup/],
  },
  {
    pair: ["combine", "staging"],
    source: rows,
    choices: {
      "kernels/$0/team": 4,
      "kernels/$0/axes/0/points": 4,
      "kernels/$0/points": "unroll",
      "kernels/$0/combine": "tree",
      ...staged("y.read0", "y.read1"),
      "kernels/$0/reduced/0/0": 8,
    },
    has: [
      /place x_copy in workgroup at y\.r0\.tile/,
      /workgroup y\.r0\.point\.team in 0\.\.4/,
      /serial y\.r0\.tile in/,
    ],
  },
  {
    pair: ["team", "combine"],
    source: rows,
    choices: { ...team, "kernels/$0/combine": "tree" },
    has: [/workgroup y\.r0\.team in 0\.\.4/],
  },
  {
    pair: ["team", "joins"],
    source: twoMaps,
    choices: {
      ...team,
      "structure/statements/$1/with": true,
      "structure/statements/$2/with": true,
      "kernels/$0/joins/u.q0 v.q0": true,
    },
    has: [/workgroup u\.q0\.team in 0\.\.4/, /v\(.*u\.q0\.t/],
  },
  {
    pair: ["combine", "joins"],
    source: twoSums,
    choices: {
      ...team,
      "structure/statements/$1/with": true,
      "kernels/$0/combine": "tree",
      "kernels/$0/joins/y.r0 z.r0": true,
    },
    has: [/workgroup y\.r0\.team in 0\.\.4/, /z\.update\(.*y\.r0/],
  },
];

/** Each part in a kernel with a second reduction, but a matrix unit, whose kernels have one. */
const seconds: readonly (Omit<Pair, "pair"> & { readonly part: Exclude<Feature, "unit"> })[] = [
  {
    part: "team",
    source: mapAndSums,
    choices: { ...second, "structure/statements/$2/with": true, ...team },
    has: [/workgroup u\.q0\.team in 0\.\.4/],
  },
  {
    part: "combine",
    source: twoSums,
    choices: { ...second, ...team, "kernels/$0/combine": "tree" },
    has: [/workgroup y\.r0\.team in 0\.\.4/, /workgroup z\.r0\.team in 0\.\.4/],
  },
  {
    part: "joins",
    source: twoSums,
    choices: { ...second, "kernels/$0/joins/y.r0 z.r0": true },
    has: [/z\.update\(.*y\.r0/],
  },
  {
    part: "spread",
    source: twoSums,
    choices: { ...second, ...inLanes },
    has: [/y\.part\(.*lane/, /place y_part in lanes/],
  },
  {
    part: "staging",
    source: twoSums,
    choices: { ...second, ...staged("y.read1"), "kernels/$0/reduced/0/0": 8 },
    has: [/place x_copy in workgroup at y\.r0\.tile/],
  },
];

const taken = [
  ...pairs.map(({ pair, ...rest }) => ({ name: pair.join(" with "), ...rest })),
  ...seconds.map(({ part, ...rest }) => ({ name: `${part} with a second reduction`, ...rest })),
];

describe.each(taken)("$name", ({ source, choices, has }) => {
  test.each([
    { M: 8, N: 16, K: 16 },
    { M: 5, N: 7, K: 13 },
    { M: 17, N: 33, K: 9 },
  ])("means the same in all executions, for %o", async (all) => {
    const sizes = Object.fromEntries(
      Object.entries(all).filter(([name]) => new RegExp(`\\b${name}\\b`).test(source)),
    );
    const tcCase = { name: "pair", source, sizes, population: "reals", inputSeed: 8 } as const;
    const preparation = prepareCase(tcCase);
    if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
    const { prepared } = preparation;
    const options = given(choices, "plain");
    const variant = mapCase(prepared, runtime.profile, { kind: "options", options });
    if (isFailure(variant)) throw new Error(describeFailure(tcCase, variant));
    expect(variant.repairs).toEqual([]);
    const text = printSchedule(variant.mapped.schedule);
    for (const pattern of has) expect(text).toMatch(pattern);
    for (const result of [
      executeInterpreted(prepared, variant),
      await executeOnDevice(prepared, variant, runtime),
    ]) {
      if (isFailure(result)) throw new Error(describeFailure(tcCase, result));
      expect(result.compared).toBeGreaterThan(0);
    }
  });
});

test("each two parts are excluded, with a reason, or go together and are tested here", () => {
  const named = (pair: readonly Feature[]): string => [...pair].sort().join(" ");
  const all = features.flatMap((a, n) => features.slice(n + 1).map((b) => named([a, b])));
  const found = [...exclusions, ...pairs].map(({ pair }) => named(pair));
  expect(found.sort()).toEqual(all.sort());
});

test("the table in the header of composition.ts is what is tested and excluded", () => {
  const order = ["team", "combine", "joins", "spread", "staging", "unit"] as const;
  const width = 9;
  const isExcluded = (a: string, b: string): boolean =>
    exclusions.some(({ pair }) => pair.every((part) => part === a || part === b));
  const row = (a: string, n: number): string =>
    [a, ...order.map((b, m) => (m < n ? "" : m === n ? "." : isExcluded(a, b) ? "-" : "x"))]
      .map((cell) => cell.padEnd(width))
      .join("")
      .trimEnd();
  const ofSecond = ["second", ...order.map((part) => (part === "unit" ? "-" : "x"))];
  const rows = [
    ["", ...order]
      .map((cell) => cell.padEnd(width))
      .join("")
      .trimEnd(),
    ...order.slice(0, -1).map(row),
    ofSecond
      .map((cell) => cell.padEnd(width))
      .join("")
      .trimEnd(),
  ];
  const header = readFileSync("src/ir/mapping/space/composition.ts", "utf8");
  expect(header).toContain(rows.map((line) => ` * ${line}`.trimEnd()).join("\n"));
  expect([...seconds.map(({ part }) => part)].sort()).toEqual([...order.slice(0, -1)].sort());
});

test("exclusions name two different parts and say why, and a plain kernel uses none", () => {
  for (const { pair, why } of exclusions) {
    expect(pair[0]).not.toBe(pair[1]);
    expect(pair.every((part) => features.includes(part))).toBe(true);
    expect(why.length).toBeGreaterThan(20);
  }
  expect(features.filter((part) => uses(plainKernel(2), part))).toEqual([]);
});
