/** How much of a row an iteration has by default on software adapters: a vector. */
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

it.each([32, 64, 128, 136, 140])("rows of %d elements are loaded in vectors of four", (length) => {
  expect(tripsOf(length, llvmpipeProfile)).toEqual([length / 4, length / 4]);
  expect(tripsOf(length, swiftshaderProfile)).toEqual([length / 4, length / 4, length / 4]);
});

it.each([34, 67, 101, 127, 139, 141, 509])(
  "rows of %d elements, which begin anywhere in a vector, are loaded in those that are whole",
  (length) => {
    const whole = Math.floor(length / 4) - 1;
    expect(tripsOf(length, llvmpipeProfile)).toEqual([whole, whole]);
  },
);
