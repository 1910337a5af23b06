/** How many steps lanes load at once by default. */
import { expect, test } from "vitest";
import { compile } from "../../../src/compile.ts";
import {
  type DeviceProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";

const contraction = (update: string): string =>
  `def f(float(M,K) a, float(K,N) b) -> (c) { c(m, n) ${update} }`;
const sum = contraction("+=! a(m, k) * b(k, n)");
const least = contraction("min=! a(m, k) + b(k, n)");
const place = contraction("argmax=! a(m, k) * b(k, n)");

/** The default of a product of squares: of the kernel that has the question. */
function blockOf(source: string, profile: DeviceProfile, N: number): number {
  const result = compile(source, { sizes: { M: N, K: N, N }, profile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  const found = result.decisions.find((d) => d.path.endsWith("/spreadBlock"));
  return Number(found?.value);
}

test.each([
  ["sum", sum],
  ["minimum", least],
  ["place of the greatest", place],
])("of a %s they are two", (_, source) => {
  for (const profile of [llvmpipeProfile, swiftshaderProfile]) {
    expect(blockOf(source, profile, 512)).toBe(2);
    expect(blockOf(source, profile, 1024)).toBe(2);
  }
});

test("they are one where their number is odd, and nothing pads it", () => {
  expect(blockOf(place, llvmpipeProfile, 511)).toBe(1);
  expect(blockOf(place, swiftshaderProfile, 511)).toBe(1);
});
