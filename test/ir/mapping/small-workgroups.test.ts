/** Where the workgroups of a GPU are smaller than usual, so that every core has one. */
import { expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import { namedProfiles } from "../../../src/support/device-profile.ts";

const recurrence =
  "def f(float(N, T) x) -> (y) { y(n, 0) = tanh(x(n, 0)) for t in 1:T { y(n, t) = tanh(x(n, t) + y(n, t - 1)) } }";

/** The workgroups of the last kernel, and their invocations. */
function workgroupsOf(sizes: Readonly<Record<string, number>>, name: string) {
  const compiled = compile(recurrence, { sizes, profile: name });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  const kernel = compiled.plan.kernels.at(-1)?.kernel;
  return [kernel?.grid.reduce((n, e) => n * e, 1), kernel?.workgroupSize];
}

it.each([
  ["intel-xe", 256, [8, 32]],
  ["intel-xe", 64, [4, 16]],
  ["nvidia", 256, [8, 32]],
  ["adreno", 256, [4, 64]],
  ["intel-xe", 4096, [64, 64]],
  ["swiftshader", 256, [4, 8]],
] as const)("on %s %i rows of a recurrence are so many workgroups", (name, N, wanted) => {
  expect(namedProfiles[name]?.lanes).toBeLessThanOrEqual(wanted[1]);
  expect(workgroupsOf({ N, T: 4096 }, name)).toEqual(wanted);
});

it("little work stays in one", () => {
  expect(workgroupsOf({ N: 64, T: 2 }, "intel-xe")).toEqual([1, 64]);
});
