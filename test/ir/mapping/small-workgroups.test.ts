/** Where the workgroups of a GPU are smaller than usual, so that every core has one, or have points that share loads. */
import { expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";

const recurrence =
  "def f(float(N, T) x) -> (y) { y(n, 0) = tanh(x(n, 0)) for t in 1:T { y(n, t) = tanh(x(n, t) + y(n, t - 1)) } }";
const columns =
  "def f(float(T, N) x) -> (y) { y(0, n) = tanh(x(0, n)) for t in 1:T { y(t, n) = tanh(x(t, n) + y(t - 1, n)) } }";
const zeros =
  "def f(float(N, 16) x) -> (y, z) { y(n, d) = 0.0 where n in 0:N, d in 0:16 z(n) = 0 where n in 0:N }";

/** The workgroups of the last kernel, and their invocations. */
function workgroupsOf(source: string, sizes: Readonly<Record<string, number>>, profile: string) {
  const compiled = compile(source, { sizes, profile });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  const kernel = compiled.plan.kernels.at(-1)?.kernel;
  return [kernel?.grid.reduce((n, e) => n * e, 1), kernel?.workgroupSize];
}

// As few as leave no core without one, then as many as give cores equal shares.
it.each([
  ["intel-xe", 256, [16, 16]],
  ["intel-xe", 64, [16, 4]],
  ["nvidia", 256, [64, 4]],
  ["nvidia", 64, [64, 1]],
  ["adreno", 256, [8, 32]],
  ["intel-xe", 4096, [64, 64]],
  ["swiftshader", 256, [4, 4]],
] as const)("on %s %i long rows of a recurrence are so many workgroups", (name, N, wanted) => {
  expect(workgroupsOf(recurrence, { N, T: 4096 }, name)).toEqual(wanted);
});

it("neighbours of a sector stay together where rows are short", () => {
  expect(workgroupsOf(recurrence, { N: 64, T: 64 }, "nvidia")).toEqual([8, 8]);
  expect(workgroupsOf(recurrence, { N: 64, T: 64 }, "intel-xe")).toEqual([8, 8]);
});

it("columns of a recurrence, whose steps wait for each other however long it is, go to as many cores as sectors leave whole", () => {
  expect(workgroupsOf(columns, { N: 256, T: 4096 }, "intel-xe")).toEqual([8, 32]);
  expect(workgroupsOf(columns, { N: 256, T: 64 }, "intel-xe")).toEqual([8, 32]);
});

it("stores alone go to all cores", () => {
  expect(workgroupsOf(zeros, { N: 32 }, "nvidia")).toEqual([32, 1]);
});

it("little work stays in one", () => {
  expect(workgroupsOf(recurrence, { N: 16, T: 2 }, "intel-xe")).toEqual([1, 16]);
});

const normalised = `def f(float(N, C, H, W) x, float(N, C) mean, float(N, C) scale, float(C) gamma, float(C) beta) -> (y) {
  y(n, c, h, w) = (x(n, c, h, w) - mean(n, c)) * scale(n, c) * gamma(c) + beta(c)
}`;
const biased =
  "def f(float(N, C, H, W) x, float(C) beta) -> (y) { y(n, c, h, w) = x(n, c, h, w) + beta(c) }";

it("points of maps share what lanes load alike, where that is as much as the rest", () => {
  const sizes = { N: 16, C: 64, H: 56, W: 56 };
  const of = (source: string, size: Readonly<Record<string, number>>, name: string) =>
    workgroupsOf(source, { ...sizes, ...size }, name)[0];
  expect(of(normalised, {}, "nvidia")).toBe((16 * 64 * 56) / 4);
  expect(of(biased, {}, "nvidia")).toBe(16 * 64 * 56);
  expect(of(normalised, { H: 55 }, "nvidia")).toBe(16 * 64 * 55);
  // Every core has several workgroups first.
  expect(of(normalised, { N: 1, C: 2 }, "nvidia")).toBe(2 * 56);
});
