import { afterAll, describe, expect, it } from "vitest";
import { keepLoops } from "../../../../src/codegen/drivers/mesa/keep-loops.ts";
import { interpretPlan } from "../../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { KernelStatement as S } from "../../../../src/codegen/kernel.ts";
import { printKernel } from "../../../../src/codegen/print-kernel.ts";
import { compile } from "../../../../src/compile.ts";
import { openRuntime } from "../../../../src/runtime/node/open-runtime.ts";
import { f, kernelOf, loop, storage, store, u } from "../../support/kernels.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const limits = { mostStatements: 256 };
const stores = (count: number, width: 1 | 4 = 1): readonly S[] =>
  Array.from({ length: count }, (_, n) => store("y", u(n), f(n, width)));

/** The heads of the loops of a kernel after the pass. */
function heads(...body: readonly S[]): readonly string[] {
  const kept = keepLoops(kernelOf([storage("y", 128)], body), limits);
  return printKernel(kept)
    .split("\n")
    .filter((line) => line.includes("loop "))
    .map((line) => line.trim());
}

describe("loops that Mesa would write out", () => {
  it("are kept where 128 statements would come of it", () => {
    expect(heads(loop("a", 32, stores(4)))).toEqual(["loop a in 0..32"]);
    expect(heads(loop("a", 32, stores(5)))).toEqual([
      "loop a.kept in 0..34 to 32u + workgroup-x / 2147483648u",
    ]);
  });

  it("count a statement once for each component", () => {
    expect(heads(loop("a", 8, stores(4, 4)))).toEqual(["loop a in 0..8"]);
    expect(heads(loop("a", 8, stores(5, 4)))).toEqual([
      "loop a.kept in 0..34 to 8u + workgroup-x / 2147483648u",
    ]);
  });

  it("are written out from the inside, and those around one that is left are left by Mesa", () => {
    expect(heads(loop("a", 2, [loop("b", 3, [loop("c", 3, stores(20))])]))).toEqual([
      "loop a in 0..2",
      "loop b.kept in 0..34 to 3u + workgroup-x / 2147483648u",
      "loop c in 0..3",
    ]);
  });

  it("are no long ones, and none with a second exit", () => {
    const twoExits = { ...loop("a", 8, stores(99)), end: u(8) } as S;
    expect(heads(loop("b", 34, stores(99)), twoExits)).toEqual([
      "loop b in 0..34",
      "loop a in 0..8 to 8u",
    ]);
  });
});

const source = `def pool(float(C,H,W) x) -> (y) {
  y(c, i, j) +=! x(c, i + p, j + q) where i in 0:H - 2, p in 0:3, q in 0:3
}`;
const shapes = { x: [2, 5, 70] };

it("a nest of short reductions has a bound that only llvmpipe does not know, and is right", async () => {
  const compiled = (profile: "llvmpipe" | "swiftshader") => {
    const result = compile(source, { shapes, profile });
    if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
    return result.plan;
  };
  const hidden =
    /for \(var y_r0_kept = 0u; y_r0_kept < 34u; y_r0_kept\+\+\) \{\s+if \(y_r0_kept >= 3u \+ workgroup_. \/ 2147483648u\) \{ break; \}\s+let y_r0 = min\(y_r0_kept, 2u\);/;
  const plan = compiled("llvmpipe");
  expect(plan.kernels[0]?.wgsl).toMatch(hidden);
  expect(compiled("swiftshader").kernels[0]?.wgsl).not.toMatch(hidden);
  const x = Float32Array.from({ length: 700 }, (_, n) => ((n * 7) % 31) - 15);
  const expected = Array.from({ length: 2 * 3 * 68 }, (_, at) => {
    const [c, i, j] = [Math.floor(at / 204), Math.floor(at / 68) % 3, at % 68];
    const window = [0, 1, 2].flatMap((p) => [0, 1, 2].map((q) => 350 * c + 70 * (i + p) + j + q));
    return window.reduce((sum, place) => sum + (x[place] ?? Number.NaN), 0);
  });
  const { outputs, faults } = interpretPlan(plan, { x });
  expect(faults).toEqual([]);
  expect([...(outputs["y"] ?? [])]).toEqual(expected);
  const { y } = await (await runtime.load(plan)).run({ x });
  expect([...((await y?.read()) ?? [])]).toEqual(expected);
});
