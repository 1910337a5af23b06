import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PlanKernel } from "../../../src/codegen/plan.ts";
import { compile } from "../../../src/compile.ts";
import { executedLines, isLong } from "../../../src/runtime/slices/long-kernels.ts";
import { sliceWgsl } from "../../../src/runtime/slices/slice-wgsl.ts";
import type { DeviceProfile } from "../../../src/support/device-profile.ts";
import { wgslFaults } from "../../codegen/support/validate-wgsl.ts";
import { matrixProfile } from "../../support/matrix-profile.ts";

type Text = Pick<PlanKernel, "wgsl" | "entryPoint">;

/** The kernels in a golden: each text ends with its entry point. */
function goldenKernels(file: string): readonly Text[] {
  const all = readFileSync(`test/golden/${file}`, "utf8");
  return all.split(/(?<=^}\n)\n(?=enable|requires|@group)/m).map((wgsl) => {
    const entryPoint = /^@compute.*\nfn (\w+)\(/m.exec(wgsl)?.[1] ?? "";
    return { wgsl, entryPoint };
  });
}

/** A kernel with a text, on a grid. */
function onGrid(text: Text, grid: readonly [number, number, number]): PlanKernel {
  const rest = { name: "k", arrays: [], workgroupSize: 64, steps: [], body: [] };
  return { kernel: { ...rest, grid }, ...text, bindings: [] };
}

function kernelsOf(source: string, profile: DeviceProfile | string): readonly PlanKernel[] {
  const compiled = compile(source, { profile });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join("\n"));
  return compiled.plan.kernels;
}

function parametersOf({ wgsl, entryPoint }: Text): string {
  const list = new RegExp(`^fn ${entryPoint}\\((.*)\\) \\{$`, "m").exec(wgsl)?.[1] ?? "?";
  return [...list.matchAll(/@builtin\((\w+)\)/g)].map(([, name]) => name).join();
}

/** Checks that the text is what it was, but for its number, and that Tint takes it. */
async function expectSliced(one: PlanKernel): Promise<void> {
  const sliced = sliceWgsl(one);
  const [before, after] = [one.wgsl.split("\n"), sliced.split("\n")];
  const gone = before.filter((line) => !after.includes(line));
  const come = after.filter((line) => !before.includes(line));
  const [x, y] = one.kernel.grid;
  const isNumbered = parametersOf(one).includes("workgroup_id");
  expect(gone.length).toBe(isNumbered ? 1 : 0);
  expect(come).toEqual([
    "@group(1) @binding(0) var<uniform> tc_first: u32;",
    ...(isNumbered
      ? [
          gone[0]?.replace("workgroup_id: vec3<u32>", "tc_slice: vec3<u32>"),
          "  let tc_number = tc_first + tc_slice.x;",
          `  let workgroup_id = vec3<u32>(tc_number % ${x}u, tc_number / ${x}u % ${y}u, tc_number / ${x * y}u);`,
        ]
      : []),
  ]);
  expect(await wgslFaults(sliced, one.entryPoint), sliced).toEqual([]);
}

describe("the text of slices", () => {
  it("is made of all goldens, whatever parameters they have", async () => {
    const seen = new Set<string>();
    for (const file of readdirSync("test/golden").filter((name) => name.endsWith(".wgsl"))) {
      for (const text of goldenKernels(file)) {
        await expectSliced(onGrid(text, [5, 7, 3]));
        seen.add(parametersOf(text));
      }
    }
    expect([...seen].sort()).toEqual([
      "local_invocation_index",
      "workgroup_id,local_invocation_index",
      "workgroup_id,local_invocation_index,subgroup_invocation_id",
      "workgroup_id,subgroup_invocation_id",
    ]);
  });

  it.each(["baseline", "swiftshader"])(
    "is made of all examples for %s",
    async (profile) => {
      for (const file of readdirSync("examples").filter((name) => name.endsWith(".tc"))) {
        for (const one of kernelsOf(readFileSync(`examples/${file}`, "utf8"), profile)) {
          await expectSliced(one);
        }
      }
    },
    240_000,
  );

  it("is made of kernels for matrix units", async () => {
    const source = `#! sizes M=256 K=64 N=256
def mm(half(M, K) A, half(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }`;
    const kernels = kernelsOf(source, matrixProfile);
    expect(kernels.some(({ wgsl }) => wgsl.includes("subgroup_matrix"))).toBe(true);
    expect(kernels.map(parametersOf).join()).toContain("subgroup_id");
    for (const one of kernels) await expectSliced(one);
  });

  const usual = `@group(0) @binding(0) var<storage, read_write> y: array<f32, 64>;
@compute @workgroup_size(64)
fn k_0(@builtin(workgroup_id) workgroup_id: vec3<u32>) {
  y[workgroup_id.x] = 1.0f;
}
`;

  it.each([
    [
      "the invocation's own number",
      (text: string) => text.replaceAll("workgroup_id", "global_invocation_id"),
    ],
    ["the size of the grid", (text: string) => text.replace("workgroup_id)", "num_workgroups)")],
    [
      "the size of the grid beside its number",
      (text: string) =>
        text.replace("(@builtin", "(@builtin(num_workgroups) n: vec3<u32>, @builtin"),
    ],
    ["another name for its number", (text: string) => text.replaceAll(" workgroup_id", " group")],
    ["parameters on several lines", (text: string) => text.replace("k_0(", "k_0(\n")],
    [
      "builtins in a structure",
      (text: string) => `struct S { @builtin(workgroup_id) w: vec3<u32> }\n${text}`,
    ],
    [
      "a second entry point",
      (text: string) => `${text}@compute @workgroup_size(1)\nfn other() {}\n`,
    ],
    ["another second group", (text: string) => text.replace("@group(0)", "@group(1)")],
    ["names that it would get", (text: string) => text.replaceAll("y", "tc_first")],
    ["another entry point", (text: string) => text.replaceAll("k_0", "k_1")],
    [
      "attributes elsewhere",
      (text: string) =>
        text.replace("@compute @workgroup_size(64)\n", "@compute @workgroup_size(64) "),
    ],
  ])("is refused of a text with %s", (_, change) => {
    const [good, bad] = [usual, change(usual)];
    expect(sliceWgsl(onGrid({ wgsl: good, entryPoint: "k_0" }, [64, 1, 1]))).toContain("tc_first");
    expect(bad).not.toBe(good);
    expect(() => sliceWgsl(onGrid({ wgsl: bad, entryPoint: "k_0" }, [64, 1, 1]))).toThrow(
      /kernel "k" cannot be launched in slices: its entry point "k_0"/,
    );
  });
});

describe("the lines that an invocation executes", () => {
  it("are counted as often as the loops around them say", () => {
    const wgsl = `fn tc_exp(x: f32) -> f32 {
  return exp(x);
}

@compute @workgroup_size(64)
fn k_0() {
  var a: f32 = 0.0f;
  for (var i = 0u; i < 10u; i++) {
    if (i >= a) { break; }
    for (var j = 0u; j < 100u; j++) {
      if (j < i) {
        a = 1.0f;
      } else {
        {
          a = 2.0f;
        }
      }
    }
  }
}
fn after() {
  for (var i = 0u; i < 1000u; i++) {
  }
}
`;
    // The declaration, the outer loop and its end; the exit, the inner loop and its end; the seven lines inside.
    expect(executedLines(wgsl, "k_0")).toBe(3 + 10 * 3 + 1000 * 7);
  });

  it("say of the same program at other sizes whether it may take long", () => {
    const of = (n: number): boolean =>
      kernelsOf(
        `#! sizes N=${n}\ndef f(float(N, N) A) -> (B) { B(i, j) +=! A(i, k) * A(k, j) }`,
        "baseline",
      ).some(isLong);
    expect([16, 64, 2048].map(of)).toEqual([false, false, true]);
  });
});
