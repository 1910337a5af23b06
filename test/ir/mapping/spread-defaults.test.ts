/** Where operands are spread over lanes by default. */
import { expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import {
  type DeviceProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";

const product = "def f(float(M,K) a, float(K,N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";

function textsOf(profile: DeviceProfile, rows: number): readonly string[] {
  const result = compile(product, { sizes: { M: rows, K: 256, N: 256 }, profile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.plan.kernels.map(({ wgsl }) => wgsl);
}

function usesSubgroups(profile: DeviceProfile, rows: number): boolean {
  return textsOf(profile, rows).some((wgsl) => wgsl.includes("subgroup"));
}

it("one row of a product gives broadcasts no register tile to serve", () => {
  expect(usesSubgroups(swiftshaderProfile, 1)).toBe(false);
  expect(usesSubgroups(swiftshaderProfile, 64)).toBe(true);
});

it("where broadcasts are cheap they need none", () => {
  expect(usesSubgroups(llvmpipeProfile, 1)).toBe(true);
});

it("a loop counts the steps of a register tile where iterations are cheap", () => {
  const counts = (profile: DeviceProfile, rows: number): boolean =>
    textsOf(profile, rows).some((wgsl) => wgsl.includes("subgroupShuffle("));
  expect(counts(llvmpipeProfile, 4)).toBe(true);
  expect(counts(llvmpipeProfile, 1)).toBe(false);
  expect(counts(swiftshaderProfile, 2)).toBe(false);
});

it("lanes load for points where these are as many as lanes, or a multiple", () => {
  const loads = (profile: DeviceProfile, rows: number): number =>
    textsOf(profile, rows).join().match(/ a\[/g)?.length ?? 0;
  expect(loads(llvmpipeProfile, 256)).toBe(2);
  expect(loads(llvmpipeProfile, 16)).toBe(1);
  expect(loads(llvmpipeProfile, 4)).toBe(4);
  expect(loads(swiftshaderProfile, 16)).toBe(2);
});
