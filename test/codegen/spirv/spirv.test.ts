import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { PlanKernel } from "../../../src/codegen/plan.ts";
import { compile } from "../../../src/compile.ts";
import { countChecks } from "./count-checks.ts";
import { dumpSpirv, type ShaderText } from "./dump-spirv.ts";

/** What Tint adds to the loops of kernels: index clamps, and guards against endless loops. */
async function addedTo(
  kernels: readonly ShaderText[],
): Promise<
  readonly { readonly clamps: number; readonly guards: number; readonly loops: number }[]
> {
  const checked = (await dumpSpirv(kernels)).map(countChecks);
  // The minima that are left are the kernel's own.
  const plain = (await dumpSpirv(kernels, ["disable_robustness"])).map(countChecks);
  return checked.map(({ loops, minima, guards }, n) => {
    return { clamps: minima - (plain[n]?.minima ?? Number.NaN), guards, loops };
  });
}

/** A kernel around some statements, over 64 elements, in 4 workgroups of 8. */
function shader(body: string): ShaderText {
  return {
    entryPoint: "main",
    wgsl: `@group(0) @binding(0) var<storage, read> x: array<f32, 64>;
@group(0) @binding(1) var<storage, read_write> y: array<f32, 64>;
@compute @workgroup_size(8)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  ${body}
  y[local] = x[local];
}
`,
  };
}

test("the counts see clamps and guards in loops, and nothing else", async () => {
  const group = "let group = min(id.x, 3u);";
  const loop = (index: string, extent = "4u"): string =>
    `for (var k = 0u; k < ${extent}; k++) { y[${index}] = 1.0; }`;
  const found = await addedTo([
    shader(loop("k * 8u + local")),
    shader(`${group} ${loop("group * 8u + k")}`),
    shader(`${group} ${loop("min(group * 64u + k, 63u)")}`),
    shader(loop("id.x * 8u + k")),
    shader(`y[id.x] = 1.0; ${loop("k")}`),
    shader(loop("k", "u32(x[0]) % 64u")),
    shader(`for (var k = 0u; k < 4u; k++) { ${loop("id.x + k").replaceAll("k", "j")} }`),
  ]);
  expect(found).toEqual([
    { clamps: 0, guards: 0, loops: 1 },
    { clamps: 0, guards: 0, loops: 1 },
    { clamps: 0, guards: 0, loops: 1 },
    { clamps: 1, guards: 0, loops: 1 },
    { clamps: 0, guards: 0, loops: 1 },
    { clamps: 1, guards: 1, loops: 1 },
    { clamps: 1, guards: 0, loops: 2 },
  ]);
});

/** The texts of goldens: one or more kernels each. */
function goldens(): readonly (ShaderText & { readonly name: string })[] {
  return readdirSync("test/golden")
    .filter((file) => file.endsWith(".wgsl"))
    .flatMap((file) =>
      readFileSync(`test/golden/${file}`, "utf8")
        .split(/\n(?=enable |(?<!enable.*;\n+)@group\(0\) @binding\(0\))/)
        .map((wgsl) => {
          const entryPoint = /@compute.*\nfn (\w+)\(/.exec(wgsl)?.[1] ?? "";
          return { name: `${file} ${entryPoint}`, wgsl, entryPoint };
        }),
    );
}

/** A loop that ends when its exchange succeeds has no literal bound. */
const exchanges = /^\s*loop \{/gm;

/** Tint clamps the lane that a value comes from, whatever is known of it: to one that there is. */
const shuffles = /subgroupShuffle\(/g;

test("no golden kernel has a clamp in a loop, or a guard in a literal one", async () => {
  const kernels = goldens();
  const added = await addedTo(kernels);
  expect(kernels.length).toBeGreaterThan(15);
  expect(added.reduce((sum, { loops }) => sum + loops, 0)).toBeGreaterThan(20);
  const faults = kernels.flatMap(({ name, wgsl }, n) => {
    const { clamps = -1, guards = -1 } = added[n] ?? {};
    const open = wgsl.match(exchanges)?.length ?? 0;
    const counted = wgsl.match(shuffles)?.length ?? 0;
    return clamps === counted && guards === open
      ? []
      : [`${name}: ${clamps} clamps, ${guards} guards`];
  });
  expect(faults).toEqual([]);
}, 120_000);

/** The kernels of the default plans of the examples. */
function exampleKernels(profile: string): readonly (ShaderText & { readonly name: string })[] {
  const kernels = new Map<string, ShaderText & { readonly name: string }>();
  for (const file of readdirSync("examples").filter((name) => name.endsWith(".tc"))) {
    const compiled = compile(readFileSync(`examples/${file}`, "utf8"), { profile });
    const found: readonly PlanKernel[] = compiled.ok ? compiled.plan.kernels : [];
    for (const { wgsl, entryPoint } of found) {
      if (!kernels.has(wgsl)) kernels.set(wgsl, { name: entryPoint, wgsl, entryPoint });
    }
  }
  return [...kernels.values()];
}

test.each(["baseline", "swiftshader"])(
  "the default plans of the examples have the clamps and guards that are listed: %s",
  async (profile) => {
    const kernels = exampleKernels(profile);
    const added = await addedTo(kernels);
    const lines = kernels.flatMap(({ name }, n) => {
      const { clamps = -1, guards = -1 } = added[n] ?? {};
      return clamps === 0 && guards === 0 ? [] : [`${name}  clamps ${clamps}  guards ${guards}`];
    });
    const share = `${kernels.length - lines.length} of ${kernels.length} kernels have none`;
    await expect(`${[share, ...lines].join("\n")}\n`).toMatchFileSnapshot(
      `./checks-${profile}.txt`,
    );
  },
  300_000,
);
