/** How many points in a row an invocation of a map has on software adapters by default. */
import { expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import { llvmpipeProfile, swiftshaderProfile } from "../../../src/support/device-profile.ts";

// What is added to each row keeps rows from being one.
const map = "def f(float(N, M) x, float(M) b) -> (y) { y(i, j) = 2.0 * x(i, j) + b(j) }";

/** The default of the decision about the last axis, whose extent is given. */
function pointsInRow(extent: number): readonly unknown[] {
  return [llvmpipeProfile, swiftshaderProfile].map((profile) => {
    const result = compile(map, { sizes: { N: 1024, M: extent }, profile });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    return result.decisions.find((d) => d.path === "kernel0.p1.thread")?.default;
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
