/** Iterations of the program's loops that are written out inside of a kernel. */
import { expect, test } from "vitest";
import { compile } from "../../../src/compile.ts";
import { given } from "../../support/given.ts";

const rows = `def rows(float(N, T) x, float(N) s) -> (y) {
  state(n) = s(n)
  for t in T { state(n) = tanh(state(n)) + x(n, t)  y(n, t) = state(n) }
}`;

function compiled(source: string, sizes: Readonly<Record<string, number>>, paths = {}) {
  const result = compile(source, { sizes, profile: "nvidia", options: given(paths) });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  const asked = result.decisions.filter(({ path }) => path.endsWith("/iterations"));
  return {
    asked,
    repairs: result.repairs,
    wgsl: result.plan.kernels.map((k) => k.wgsl).join("\n"),
  };
}

test("make vectors of what each invocation loads and stores along its row", () => {
  const { asked, wgsl } = compiled(rows, { N: 8192, T: 64 });
  expect(asked).toMatchObject([{ values: [1, 2, 4, 8, 16], value: 8 }]);
  expect(wgsl).toContain("var<storage, read> x: array<vec4<f32>, 131072>");
  expect(wgsl).toContain("var<storage, read_write> y: array<vec4<f32>, 131072>");
  const [path = ""] = asked.map((d) => d.path);
  const plain = compiled(rows, { N: 8192, T: 64 }, { [path]: 1 });
  expect(plain.wgsl).toContain("var<storage, read> x: array<f32, 524288>");
});

test("are as many as divide the loop, or none", () => {
  expect(compiled(rows, { N: 8192, T: 12 }).asked).toMatchObject([{ values: [1, 2, 4], value: 4 }]);
  expect(compiled(rows, { N: 8192, T: 13 }).asked).toEqual([]);
});

test("are asked neither where a team shares a step, nor where it has a sum", () => {
  const state = `def state(float(N) x, float(N, N) w, int T) -> (s) {
    s(i) = x(i)
    for t in T { z(i) +=! w(i, k) * s(k)  s(i) = tanh(z(i)) }
  }`;
  expect(compiled(state, { N: 64, T: 32 }).asked).toEqual([]);
});
