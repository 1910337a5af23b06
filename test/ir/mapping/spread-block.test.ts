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

test.for([
  ["sum", sum, 2, 2],
  ["minimum", least, 2, 1],
  ["place of the greatest", place, 2, 1],
] as const)("of a %s the text fits the cache", ([, source, llvmpipe, swiftshader]) => {
  expect(blockOf(source, llvmpipeProfile, 512)).toBe(llvmpipe);
  expect(blockOf(source, swiftshaderProfile, 512)).toBe(swiftshader);
});

test("taller tiles have room for fewer steps", () => {
  expect(blockOf(sum, swiftshaderProfile, 1024)).toBe(1);
});
