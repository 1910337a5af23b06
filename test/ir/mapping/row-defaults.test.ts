/** How much of a row an iteration has by default: llvmpipe's driver writes loops of 33 iterations out. */
import { expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import {
  type DeviceProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";

const source = `def softmax(float(R,D) x) -> (y) {
  t(r) max=! x(r, d)
  e(r, d) = exp(x(r, d) - t(r))
  s(r) +=! e(r, d)
  y(r, d) = e(r, d) / s(r)
}`;

/**
 * The iterations of the loops of softmax of rows of so many elements: two on llvmpipe, where the sum does not
 * wait for the maximum. A loop that its driver shall not write out has an exit where it ends.
 */
function tripsOf(length: number, profile: DeviceProfile): readonly number[] {
  const result = compile(source, { sizes: { R: 1024, D: length }, profile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  const text = result.plan.kernels.map((k) => k.wgsl).join("\n");
  const loops = / < (\d+)u; [^\n]*\n(?:\s*if \(\w+ >= (\d+)u [^\n]*break; \})?/g;
  return [...text.matchAll(loops)].map(([, trips, exit]) => Number(exit ?? trips));
}

it.each([34, 64, 66, 67, 68, 70, 127, 128, 132, 135, 136, 139, 140, 141, 509])(
  "rows of %d elements take more iterations than are written out",
  (length) => {
    const trips = tripsOf(length, llvmpipeProfile);
    expect(trips).toHaveLength(2);
    expect(Math.min(...trips)).toBeGreaterThan(33);
  },
);

it("rows are loaded in the longest vectors that leave so many iterations", () => {
  expect(tripsOf(136, llvmpipeProfile)).toEqual([34, 34]);
  expect(tripsOf(128, llvmpipeProfile)).toEqual([64, 64]);
  expect(tripsOf(64, llvmpipeProfile)).toEqual([64, 64]);
  expect(tripsOf(140, llvmpipeProfile)).toEqual([35, 35]);
});

it("short rows, and those of others, are loaded in vectors of four", () => {
  expect(tripsOf(32, llvmpipeProfile)).toEqual([8, 8]);
  expect(tripsOf(128, swiftshaderProfile)).toEqual([32, 32, 32]);
});
