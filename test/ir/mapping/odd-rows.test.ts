/** How many points in a row an invocation of a map has on software adapters by default. */

import { expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import {
  baselineProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";
import { chosen, chosenFirst } from "../support/chosen.ts";

// What is added to each row keeps rows from being one.
const map = "def f(float(N, M) x, float(M) b) -> (y) { y(i, j) = 2.0 * x(i, j) + b(j) }";

/** The default of the decision about the last axis, whose extent is given, if there is one. */
function pointsInRow(extent: number): readonly unknown[] {
  return [llvmpipeProfile, swiftshaderProfile].map((profile) => {
    // So many rows end within a vector: none is asked whether it is one invocation's.
    const result = compile(map, { sizes: { N: 1021, M: extent }, profile });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    return chosen(result, "kernels/$0/axes/1/points");
  });
}

it.each([
  [1024, 16],
  [1016, 8],
  [1020, 4],
])("rows of %i are vectors, %i points of them", (extent, points) => {
  expect(pointsInRow(extent)).toEqual([points, points]);
});

it.each([1021, 1022, 101, 67])(
  "long rows of %i, no whole vectors, have 8 all the same",
  (extent) => {
    expect(pointsInRow(extent)).toEqual([8, 8]);
  },
);

it.each([33, 13])("short rows of %i have fewer, so that no invocation idles", (extent) => {
  expect(pointsInRow(extent)).toEqual([4, 4]);
});

/** How many points in a row each device's invocations have of a map of 2^20, and what they become. */
function pointsOf(body: string): readonly unknown[] {
  const source = `def f(float(N) x) -> (y) { y(i) = ${body} }`;
  return [llvmpipeProfile, swiftshaderProfile].map((profile) => {
    const result = compile(source, { sizes: { N: 2 ** 20 }, profile });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    return [chosen(result, "kernels/$0/axes/0/points"), chosen(result, "kernels/$0/points")];
  });
}

it("points that call many functions are fewer", () => {
  for (const some of ["2.0 * x(i)", "gelu(x(i))", "log(1.0 + exp(x(i)))"]) {
    expect(pointsOf(some)).toEqual([
      [16, "vector"],
      [16, "vector"],
    ]);
  }
  expect(pointsOf("exp(x(i)) * log(x(i)) * tanh(x(i))")).toEqual([
    [4, "vector"],
    [4, "vector"],
  ]);
});

/** The default of flattening the first statement for each device; undefined where it is not asked. */
function flattens(source: string, N: number, M: number): readonly unknown[] {
  return [baselineProfile, llvmpipeProfile, swiftshaderProfile].map((profile) => {
    const result = compile(source, { sizes: { N, M }, profile });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    return chosen(result, "structure/statements/$0/flatten");
  });
}

it("maps over odd rows become one row on software adapters", () => {
  const alone = "def f(float(N, M) x) -> (y) { y(i, j) = 2.0 * x(i, j) }";
  expect(flattens(alone, 3, 7)).toEqual([false, true, true]);
  expect(flattens(alone, 3, 8)).toEqual([undefined, undefined, undefined]);
});

it("only large ones do beside what may run in the same kernel", () => {
  const beside = `def f(float(N, M) x, float(N, M) z) -> (y, s) {
    y(i, j) = 2.0 * x(i, j)
    s(i) +=! z(i, j)
  }`;
  expect(flattens(beside, 3, 7)).toEqual([false, false, false]);
  expect(flattens(beside, 1021, 1021)).toEqual([false, true, true]);
});

it("total sums become sums of one row where that is worth a launch", () => {
  const total = "def f(float(N, M) x) -> (y) { y +=! x(i, j) }";
  expect(flattens(total, 64, 64)).toEqual([false, false, false]);
  expect(flattens(total, 512, 32)).toEqual([false, false, true]);
  expect(flattens(total, 1024, 1024)).toEqual([false, true, true]);
});

/** The defaults of decisions about the loops of a kernel. */
function loopDefaults(source: string, N: number, M: number, padded: boolean): readonly unknown[] {
  return [baselineProfile, llvmpipeProfile, swiftshaderProfile].map((profile) => {
    const result = compile(source, { sizes: { N, M }, profile, padded });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    expect(result.repairs).toEqual([]);
    return [chosenFirst(result, "unroll"), chosenFirst(result, "align")];
  });
}

const rowSums = "def f(float(N, M) x) -> (y) { y(i) +=! x(i, j) }";

it.each([509, 510, 511])("sums of rows of %d are aligned on software adapters", (extent) => {
  // On GPUs even rows are whole vectors of two.
  const expected = [
    [extent % 2 === 0 ? 2 : 1, false],
    [1, true],
    [1, true],
  ];
  expect(loopDefaults(rowSums, 1024, extent, false)).toEqual(expected);
  expect(loopDefaults(rowSums, 1021, extent, true)).toEqual(expected);
});

it("but not where memory ends within a vector, nor those of whole vectors", () => {
  const written = [
    [1, false],
    [1, false],
    [1, false],
  ];
  expect(loopDefaults(rowSums, 1021, 509, false)).toEqual(written);
  const [, ...software] = loopDefaults(rowSums, 1021, 512, true);
  expect(software).toEqual([
    [4, false],
    [4, false],
  ]);
});

/** The default of rows of invocations of their own for each device, which is none; undefined where it is not asked. */
function ownRows(N: number, M: number, source = map, padded = true): readonly unknown[] {
  return [baselineProfile, llvmpipeProfile, swiftshaderProfile].map((profile) => {
    const result = compile(source, { sizes: { N, M }, profile, padded });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    expect(result.repairs).toEqual([]);
    return chosenFirst(result, "rows");
  });
}

const [unasked, offered] = [
  [undefined, undefined, undefined],
  [false, false, false],
];

it("no rows are asked for where they are whole vectors, or memory ends within one", () => {
  expect(ownRows(1021, 1024)).toEqual(unasked);
  expect(ownRows(1021, 1021, map, false)).toEqual(unasked);
  expect(ownRows(1024, 1021, map, false)).toEqual(offered);
});

it("no rows are asked for of what writes columns, nor wished for what reads some", () => {
  const turned = "def f(float(N, M) x, float(M) b) -> (y) { y(j, i) = x(i, j) + b(j) }";
  const across = "def f(float(N, M) x, float(M, N) z) -> (y) { y(i, j) = x(i, j) + z(j, i) }";
  expect(ownRows(1021, 1021, across)).toEqual(offered);
  expect(ownRows(1020, 1021, turned)).toEqual(unasked);
});

it("an invocation has one long row that is mapped with a short sum of its own", () => {
  const scaled = `def f(float(N, M) x, float(N, K) b) -> (y) {
    s(i) +=! b(i, k)
    y(i, j) = x(i, j) * s(i)
  }`;
  const result = compile(scaled, { sizes: { N: 4096, M: 1024, K: 4 }, profile: llvmpipeProfile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  const of = (what: string): unknown => chosenFirst(result, `axes/0/${what}`);
  expect([of("workgroup"), of("points")]).toEqual([8, 1]);
});
