/** Windows of a few points, written out as a whole, that neighbours along two axes share. */

import { afterAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { compile } from "../../../src/compile.ts";
import { openRuntime } from "../../../src/runtime/node/open-runtime.ts";
import { swiftshaderProfile } from "../../../src/support/device-profile.ts";
import { given } from "../../support/given.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** By name: a window of 3 x 3 that slides, with `step` between its points and `stride` between it. */
const source = (step: number, stride: number): string =>
  `def f(float(H,W) x, float(3,3) k) -> (y) {
    y(i, j) +=! pad(x(${stride}*i + ${step}*r - 1, ${stride}*j + ${step}*s - 2)) * k(r, s)
      where i in 0:H / ${stride}, j in 0:W / ${stride}, r in 0:3, s in 0:3
  }`;

const cell = (at: number): number => ((at * 7 + (at % 3) * 5) % 13) - 6;

function reference(h: number, w: number, step: number, stride: number): number[] {
  const [rows, columns] = [Math.floor(h / stride), Math.floor(w / stride)];
  const inside = (i: number, j: number): number =>
    i >= 0 && i < h && j >= 0 && j < w ? cell(i * w + j) : 0;
  return Array.from({ length: rows * columns }, (_, at) => {
    const [i, j] = [Math.floor(at / columns) * stride, (at % columns) * stride];
    return Array.from({ length: 9 }, (_t, t) => {
      const [r, s] = [Math.floor(t / 3), t % 3];
      return inside(i + step * r - 1, j + step * s - 2) * cell(t);
    }).reduce((a, b) => a + b, 0);
  });
}

const sizes: readonly (readonly [number, number])[] = [
  [1, 1],
  [3, 5],
  [7, 33],
  [13, 17],
  [16, 64],
];

describe.each([
  { step: 1, stride: 1 },
  { step: 2, stride: 1 },
  { step: 3, stride: 1 },
  { step: 1, stride: 2 },
  { step: 4, stride: 2 },
])("a window with steps of $step, moved by $stride", ({ step, stride }) => {
  const text = source(step, stride);
  const near = {
    "kernels/$0/unroll": "whole 2",
    "kernels/$0/axes/0/points": 4,
    "kernels/$0/axes/1/points": 8,
  };
  const apart =
    step > stride
      ? { "kernels/$0/axes/0/step": step / stride, "kernels/$0/axes/1/step": step / stride }
      : {};
  const wide = { "kernels/$0/axes/0/workgroup": 8, "kernels/$0/axes/1/workgroup": 4 };
  const chosen = [near, { ...near, ...apart, ...wide }];

  it.each(sizes.filter(([h, w]) => Math.min(h, w) >= stride))("of %i x %i", async (h, w) => {
    const data = {
      x: Float32Array.from({ length: h * w }, (_, at) => cell(at)),
      k: Float32Array.from({ length: 9 }, (_, at) => cell(at)),
    };
    const wanted = reference(h, w, step, stride);
    for (const options of ["default" as const, ...chosen.map((choices) => given(choices))]) {
      const { profile } = runtime;
      const result = compile(text, { sizes: { H: h, W: w }, profile, options });
      if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
      if (h === 16 && options !== "default") expect(result.repairs).toEqual([]);
      const { outputs, faults } = interpretPlan(result.plan, data);
      expect(faults.map((f) => f.message)).toEqual([]);
      expect([...(outputs["y"] ?? [])].map((v) => v + 0)).toEqual(wanted);
      using loaded = await runtime.load(result.plan);
      const onDevice = await loaded.run(data);
      expect([...((await onDevice["y"]?.read()) ?? [])].map((v) => v + 0)).toEqual(wanted);
    }
  });
});

/** The default answers of a kernel of 64 x 64 points, by name, and its text. */
function byDefault(
  text: string,
  choices: Readonly<Record<string, number>> = {},
): { readonly wgsl: string; chosen(names: readonly string[]): readonly unknown[] } {
  const result = compile(text, {
    sizes: { H: 64, W: 64 },
    profile: swiftshaderProfile,
    options: given(choices),
  });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  expect([...result.repairs, ...result.unusedChoices]).toEqual([]);
  const chosen = (names: readonly string[]): readonly unknown[] =>
    names.map((n) => result.decisions.find((d) => d.path === `kernels/y/${n}`)?.value);
  return { chosen, wgsl: result.plan.kernels[0]?.wgsl ?? "" };
}

it("is written out by default, with a block of points where windows overlap", () => {
  const texts = [source(1, 1), source(1, 4)].map((text) => byDefault(text));
  expect(texts.map(({ chosen }) => chosen(["unroll", "axes/0/points", "axes/1/points"]))).toEqual([
    ["whole 2", 4, 8],
    ["whole 2", 1, 4],
  ]);
  for (const { wgsl } of texts) expect(wgsl).not.toContain("for (");
});

describe("a dilated window", () => {
  const names = ["axes/0/workgroup", "axes/0/points", "axes/0/step"];

  it("takes points together that are as far apart as it reads, and loads less", () => {
    const loads = (wgsl: string): number => wgsl.split("= x[").length;
    const dilated = byDefault(source(2, 1));
    expect(dilated.chosen(names)).toEqual([2, 4, 2]);
    const near = byDefault(source(2, 1), { "kernels/$0/axes/0/step": 1 });
    expect(loads(dilated.wgsl)).toBeLessThan(0.8 * loads(near.wgsl));
  });

  it("has as many invocations between the points as the dilation over the stride says", () => {
    expect(byDefault(source(3, 1)).chosen(names)).toEqual([4, 4, 3]);
    expect(byDefault(source(4, 2)).chosen(names)).toEqual([2, 4, 2]);
  });

  it("asks for no step where neighbours share what they read, or nothing does", () => {
    expect(byDefault(source(1, 1)).chosen(names)).toEqual([2, 4, undefined]);
    expect(byDefault(source(3, 2)).chosen(["axes/0/step"])).toEqual([undefined]);
    const alone = byDefault(source(2, 1), { "kernels/$0/axes/0/workgroup": 1 });
    expect(alone.chosen(["axes/0/step"])).toEqual([undefined]);
  });
});
