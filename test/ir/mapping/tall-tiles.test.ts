/** Where an invocation has 16 rows of a contraction by default. */
import { expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import {
  type DeviceProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";

const product = "def f(float(M,K) a, float(K,N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";
const triangle =
  "def f(float(M,M) a, float(M,N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) where k in 0:m+1 }";

function rowsOf(
  source: string,
  sizes: Readonly<Record<string, number>>,
  profile: DeviceProfile = llvmpipeProfile,
): unknown {
  const result = compile(source, { sizes, profile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  const rows = result.decisions.filter((d) => /^kernels\/[^/]+\/axes\/0\/points$/.test(d.path));
  return rows.at(-1)?.value;
}

it("a contraction has 16 where points take steps in a row", () => {
  expect(rowsOf(product, { M: 512, K: 512, N: 512 })).toBe(16);
  expect(rowsOf(product, { M: 509, K: 509, N: 509 })).toBe(16);
});

it("elsewhere a contraction has 16 where two calls make up for the longer text", () => {
  expect(rowsOf(product, { M: 512, K: 512, N: 512 }, swiftshaderProfile)).toBe(8);
  expect(rowsOf(product, { M: 1024, K: 480, N: 1024 }, swiftshaderProfile)).toBe(8);
  expect(rowsOf(product, { M: 1024, K: 512, N: 1024 }, swiftshaderProfile)).toBe(16);
});

it("rows that 16 divide worse than 8 keep 8", () => {
  expect(rowsOf(product, { M: 16 * 8 + 8, K: 64, N: 512 })).toBe(16);
  expect(rowsOf(product, { M: 24, K: 64, N: 4096 })).toBe(8);
});

it("a triangle has 16, although its tiles take the steps of their longest row", () => {
  expect(rowsOf(triangle, { M: 512, N: 512 })).toBe(16);
});

it("workgroups for all cores come first", () => {
  expect(rowsOf(product, { M: 16, K: 512, N: 256 })).toBe(8);
  expect(rowsOf(product, { M: 64, K: 512, N: 64 })).toBe(8);
});
