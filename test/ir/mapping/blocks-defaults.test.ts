import { describe, expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import {
  type DeviceProfile,
  gpuProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";

const product = "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) argmax=! A(m, k) * B(k, n) }";
const rows = "def f(float(M, K) A) -> (C) { C(m) argmax=! A(m, k) }";

/** The blocks of the first reduction by default, and the dispatches. */
function blocks(
  source: string,
  sizes: Readonly<Record<string, number>>,
  profile: DeviceProfile,
): readonly unknown[] {
  const result = compile(source, { sizes, profile });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  expect(result.repairs).toEqual([]);
  const path = "structure/statements/C/blocks/r0";
  const decision = result.decisions.find((d) => d.path === path);
  return [decision?.value, result.plan.kernels.length];
}

describe("arg reductions", () => {
  it("are searched in blocks where choices are dear and candidates many, in a dispatch more", () => {
    const at = (size: number): readonly unknown[] =>
      blocks(product, { M: size, N: size, K: size }, swiftshaderProfile);
    expect(at(512)).toEqual([4, 2]);
    // One more packs rows of whole vectors.
    expect(at(509)).toEqual([4, 3]);
    expect(at(32)).toEqual(["no", 1]);
    expect(blocks(product, { M: 512, N: 512, K: 64 }, swiftshaderProfile)).toEqual(["no", 1]);
  });

  it("are not where choices cost what products cost, nor where loads take the time", () => {
    const sizes = { M: 512, N: 512, K: 512 };
    expect(blocks(product, sizes, llvmpipeProfile)).toEqual(["no", 1]);
    expect(blocks(product, sizes, gpuProfile)).toEqual(["no", 1]);
    expect(blocks(rows, { M: 512, K: 512 }, swiftshaderProfile)[0]).toBe("no");
  });
});
