/** What shares a kernel of a GPU where neighbouring invocations would read elements that are apart in memory. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compile, lowerSource } from "../../../src/compile.ts";
import { axesOf } from "../../../src/ir/mapping/group/axes.ts";
import { grainOf } from "../../../src/ir/mapping/policy/cost-grain.ts";
import { statementOf } from "../../../src/ir/program.ts";
import {
  type DeviceProfile,
  gpuProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";

/** What each read of the first statement costs beside neighbours, in a team along what the axes leave. */
function grains(source: string, team: number, profile: DeviceProfile, N = 256): readonly number[] {
  const lowered = lowerSource(source, { sizes: { N, K: 256 } });
  if (!lowered.ok) throw new Error(lowered.diagnostics.map((d) => d.message).join());
  const { program } = lowered;
  const s = statementOf(program, program.statements[0]?.id ?? "");
  const statements = [s];
  return s.reads.map(grainOf(s, { axes: axesOf(statements), team, statements }, profile));
}

describe("what a read costs beside its neighbours", () => {
  const rows = "def f(float(N, K) x, float(K) v) -> (y) { y(n) +=! x(n, k) * v(k) }";
  const columns = "def f(float(K, N) x) -> (y) { y(n) +=! x(k, n) }";
  const loop =
    "def f(float(N, K) x) -> (y) { for k in K { if k == 0 { y(n) = x(n, 0) } else { y(n) = y(n) * 0.5 + x(n, k) } } }";

  it.each([
    ["rows that invocations have to themselves", rows, 1, gpuProfile, [8, 1]],
    ["rows that teams have", rows, 32, gpuProfile, [1, 1]],
    ["columns of neighbours", columns, 1, gpuProfile, [1]],
    ["columns that teams have", columns, 32, gpuProfile, [8]],
    ["steps of a recurrence, which wait anyway", loop, 1, gpuProfile, [1]],
    ["what CPUs read", rows, 1, swiftshaderProfile, [1, 1]],
  ] as const)("%s", (_, source, team, profile, wanted) => {
    expect(grains(source, team, profile)).toEqual(wanted);
  });

  it("rows that caches hold", () => {
    expect(grains(rows, 1, gpuProfile, 64)).toEqual([1, 1]);
  });
});

/** The statements and loops with which some share a kernel by default: false for none. */
function kernelOf(name: string, sizes: Readonly<Record<string, number>>, profile: string) {
  const source = readFileSync(`examples/${name}.tc`, "utf8");
  const compiled = compile(source, { sizes, profile });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  const paths = compiled.decisions.filter((d) => d.path.endsWith("/with"));
  return new Map(paths.map((d) => [d.path.split("/")[2], d.value]));
}

describe("statements are apart where teams along their rows would become rows of invocations", () => {
  it.each(["intel-xe", "mali", "nvidia"])("on %s", (profile) => {
    expect(kernelOf("cumsum", { N: 256, L: 4096 }, profile).get("y.carry")).toBe(false);
    const experts = { N: 256, D: 256, E: 8, F: 1024 };
    expect(kernelOf("mixture_of_experts", experts, profile).get("y")).toBe(false);
    const points = { N: 65536, D: 16, K: 32 };
    expect(kernelOf("k_means", points, profile).get("count#1")).toBe(false);
  });
});

describe("loops of teams are joined unless rows become columns", () => {
  const source = (second: string): string =>
    `def f(float(N, N) A, float(N, N) B) -> (${second.startsWith("B") ? "A, B" : "A"}) {
      for k in N {
        A(i, k) = A(i, k) / 2.0 where i in k + 1:N
        ${second}
      }
    }`;

  it.each([
    [
      "of a matrix whose first column is updated before",
      "A(i, j) -= A(i, k) * A(k, j) where i in k + 1:N, j in k + 1:N",
      256,
      false,
    ],
    ["of a small one", "A(i, j) -= A(i, k) * A(k, j) where i in k + 1:N, j in k + 1:N", 32, true],
    ["of one column after the other", "B(i, k) = A(i, k) + B(k, 0) where i in k + 1:N", 256, true],
  ])("%s", (_, second, N, wanted) => {
    const compiled = compile(source(second), {
      sizes: { N },
      profile: "intel-xe",
      options: { version: 2, structure: { loops: { k: { on: "serial" } } } },
    });
    if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
    const { decisions } = compiled;
    expect(decisions.find((d) => d.path.endsWith("/team"))?.value).toBe(N);
    const joins = decisions.filter((d) => d.path.includes("/joins/"));
    expect(joins[0]?.value).toBe(wanted);
  });
});
