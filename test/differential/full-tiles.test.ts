/**
 * Workgroups with full tiles beside others: in all executions, beside plain loops that know nothing of the
 * compiler; and what is left of the guards in their text.
 */

import { afterAll, describe, expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { type Compiled, compile } from "../../src/compile.ts";
import { printSchedule } from "../../src/ir/schedule.ts";
import { openRuntime as openUsual } from "../../src/node.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { baselineProfile, gpuProfile } from "../../src/support/device-profile.ts";
import { wgslFaults } from "../codegen/support/validate-wgsl.ts";
import { given } from "../support/given.ts";
import {
  at,
  centredRows,
  product,
  productWithEpilogue,
  type Sizes,
  sumOf,
  threeSteps,
  transposition,
  triangle,
} from "./definitions.ts";
import { expectMeaning, type MappedDefinition } from "./expect-meaning.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** Tiles of 8 by 8. */
const tiles = {
  "kernels/$0/axes/0/workgroup": 4,
  "kernels/$0/axes/0/points": 2,
  "kernels/$0/axes/1/workgroup": 2,
  "kernels/$0/axes/1/points": 4,
  "kernels/$0/full": true,
};

/** The same choices for a kernel of another name than `$0`. */
function inKernel(kernel: string, choices: MappedDefinition["choices"]): typeof choices {
  const prefix = "kernels/$0/";
  return Object.fromEntries(
    Object.entries(choices).map(([path, choice]) => [
      `kernels/${kernel}/${path.slice(prefix.length)}`,
      choice,
    ]),
  );
}

const plainProduct = { ...product, profile: baselineProfile };
const unpacked = {
  "structure/statements/$0/pack/read0": false,
  "structure/statements/$0/pack/read1": false,
  "structure/statements/$0/pad/r0": "no",
};
const staged = {
  ...unpacked,
  "kernels/$0/operands/$0.read0/stage": "workgroup",
  "kernels/$0/operands/$0.read0/pad": 1,
  "kernels/$0/operands/$0.read1/stage": "workgroup",
  "kernels/$0/reduced/0/0": 4,
};

const { lanes } = runtime.profile;

const cases: Readonly<Record<string, MappedDefinition>> = {
  "a product": { ...plainProduct, choices: { ...unpacked, ...tiles } },
  "a product in vectors": {
    ...plainProduct,
    choices: { ...unpacked, ...tiles, "kernels/$0/points": "vector" },
  },
  "a product of points a workgroup apart": {
    ...plainProduct,
    choices: { ...unpacked, ...tiles, "kernels/$0/blocked": false, "kernels/$0/points": "serial" },
  },
  "a product of staged operands": { ...plainProduct, choices: { ...staged, ...tiles } },
  "a product of staged operands in two slots": {
    ...plainProduct,
    choices: {
      ...staged,
      ...tiles,
      "kernels/$0/operands/$0.read0/slots": 2,
      "kernels/$0/operands/$0.read1/slots": 2,
    },
  },
  "a product of padded and packed operands": {
    ...plainProduct,
    choices: {
      "structure/statements/$0/pack/read0": true,
      "structure/statements/$0/pad/r0": 4,
      ...tiles,
      ...inKernel("$0.A", tiles),
    },
  },
  "a product in bands": {
    ...plainProduct,
    choices: { ...unpacked, ...tiles, "kernels/$0/bands": "columns 2" },
  },
  "a map on a grid that is folded": {
    source: "def f(float(2, 2, M, N) x) -> (y) { y(a, b, m, n) = 3.0 * x(a, b, m, n) }",
    output: "y",
    profile: {
      ...baselineProfile,
      limits: { ...baselineProfile.limits, maxWorkgroupsPerDimension: 7 },
    },
    choices: {
      "kernels/$0/axes/0/workgroup": 1,
      "kernels/$0/axes/1/workgroup": 1,
      "kernels/$0/axes/2/workgroup": 8,
      "kernels/$0/axes/3/workgroup": 4,
      "kernels/$0/axes/3/points": 2,
      "kernels/$0/full": true,
    },
    element: ({ x }, _, p) => 3 * at(x, p),
  },
  "a product spread over subgroups": {
    ...plainProduct,
    profile: runtime.profile,
    choices: {
      ...unpacked,
      "kernels/$0/axes/0/workgroup": 2,
      "kernels/$0/axes/0/points": 4,
      "kernels/$0/axes/1/workgroup": lanes,
      "kernels/$0/axes/1/points": 8 / lanes,
      "kernels/$0/order/0": 1,
      "kernels/$0/lanes": lanes,
      "kernels/$0/spread": "steps",
      "kernels/$0/full": true,
    },
  },
  "a product with an epilogue": {
    ...productWithEpilogue,
    profile: gpuProfile,
    choices: { ...staged, ...tiles, "structure/statements/$1/with": true },
  },
  "a transposition": {
    ...transposition,
    profile: baselineProfile,
    choices: tiles,
  },
  "a padded window": {
    source: `def f(float(M, N) x, float(3, 3) w) -> (y) {
      y(m, n) +=! pad(x(m + r - 1, n + s - 1)) * w(r, s) where m in 0:M, n in 0:N
    }`,
    output: "y",
    profile: baselineProfile,
    choices: { ...unpacked, ...tiles },
    element: ({ x, w }, { M = 1, N = 1 }, p) =>
      sumOf(9, (t) => {
        const [i, j] = [Math.floor(p / N) + Math.floor(t / 3) - 1, (p % N) + (t % 3) - 1];
        const inside = i >= 0 && i < M && j >= 0 && j < N;
        return inside ? at(x, i * N + j) * at(w, t) : 0;
      }),
  },
  "rows by teams": {
    ...centredRows,
    profile: baselineProfile,
    choices: {
      "structure/statements/$1/with": true,
      "kernels/$0/team": 4,
      "kernels/$0/combine": "tree",
      "kernels/$0/axes/0/workgroup": 8,
      "kernels/$0/axes/0/points": 1,
      "kernels/$0/full": true,
    },
  },
  "a triangle": {
    ...triangle,
    profile: baselineProfile,
    choices: { ...unpacked, ...tiles },
  },
  "a step of every dispatch": {
    ...threeSteps,
    profile: baselineProfile,
    choices: {
      "structure/loops/$t0/with": false,
      "structure/loops/$t0/on": "host",
      ...tiles,
      ...inKernel("$0#1", tiles),
    },
  },
};

/** One point; primes; multiples of the tile; one less and one more; one dimension partial, or both. */
const sizes: readonly Sizes[] = [
  { M: 1, N: 1, K: 1 },
  { M: 13, N: 19, K: 5 },
  { M: 16, N: 24, K: 8 },
  { M: 15, N: 23, K: 7 },
  { M: 17, N: 25, K: 9 },
  { M: 16, N: 17, K: 3 },
  { M: 23, N: 8, K: 4 },
];

describe.each(Object.entries(cases))("%s", (_, each) => {
  test.each(sizes)("of $M by $N means the same in all executions", async (size) => {
    await expectMeaning(each, size, runtime);
  });
});

function compiled(
  { source, choices, profile }: Pick<MappedDefinition, "source" | "choices" | "profile">,
  size: Sizes,
): Compiled {
  const result = compile(source, { sizes: size, profile, options: given(choices) });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result;
}

/** The text of the only kernel, and its two branches where it has them. */
async function branchesOf({ plan }: Compiled): Promise<readonly string[]> {
  const [kernel, more] = plan.kernels;
  if (kernel === undefined || more !== undefined) throw new Error("not one kernel");
  expect(await wgslFaults(kernel.wgsl, kernel.entryPoint)).toEqual([]);
  const [, then, otherwise] =
    /^ {2}if \(.*?\) \{\n(.*?)^ {2}\} else \{\n(.*?)^ {2}\}\n\}/ms.exec(kernel.wgsl) ?? [];
  return then === undefined || otherwise === undefined ? [] : [then, otherwise];
}

function countOf(text: string | undefined, what: RegExp): number {
  return text?.match(what)?.length ?? Number.NaN;
}

const partial = { M: 20, N: 20, K: 8 };

describe("the text for full tiles", () => {
  test("has no guard and no clamp but of the tile's number, that for others has", async () => {
    const choices = { ...staged, ...tiles };
    const [full, edge] = await branchesOf(compiled({ ...plainProduct, choices }, partial));
    expect(full).not.toMatch(/\bif\b/);
    expect(full?.match(/^.*min\(.*$/gm)).toEqual([
      "    let tile = min(workgroup_y, 1u);",
      "    let tile_1 = min(workgroup_x, 1u);",
    ]);
    expect(countOf(edge, /\bif\b/g)).toBeGreaterThan(2);
  });

  test.each(Object.entries(cases))("is written where tiles are partial: %s", (name, each) => {
    const { M, N, K } = { M: 13, N: 19, K: 5 };
    const size = Object.fromEntries(
      Object.entries({ M, N, K }).filter(([n]) => each.source.includes(n)),
    );
    const { mapped, plan, repairs, unusedChoices } = compiled(each, size);
    expect(repairs, name).toEqual([]);
    // Not every source has reads to pack and a sum to pad.
    const used = unusedChoices.filter((path) => !/\/(?:pack|pad)\//.test(path));
    expect(used, name).toEqual([]);
    expect(printSchedule(mapped.schedule)).toContain(", full tiles in ");
    expect(plan.kernels.some(({ wgsl }) => wgsl.includes("} else {"))).toBe(true);
  });

  test("keeps barriers and exchanges in both branches", async () => {
    const barriers = await branchesOf(
      compiled({ ...plainProduct, choices: { ...staged, ...tiles } }, partial),
    );
    expect(barriers.map((text) => countOf(text, /workgroupBarrier/g))).toEqual([2, 2]);
    const spread = cases["a product spread over subgroups"];
    if (spread === undefined) throw new Error("no case");
    const exchanges = await branchesOf(compiled(spread, { M: 13, N: 19, K: 32 }));
    expect(exchanges).toHaveLength(2);
    for (const text of exchanges) expect(countOf(text, /subgroupBroadcast/g)).toBeGreaterThan(0);
  });

  test("leaves constraints on a reduced dim alone", async () => {
    const choices = { ...staged, ...tiles };
    const [full] = await branchesOf(compiled({ ...plainProduct, choices }, { ...partial, K: 7 }));
    expect(countOf(full, /\bif\b/g)).toBeGreaterThan(0);
  });

  test("binds the offset of a view once", async () => {
    const { source } = transposition;
    const [rows, columns, pitch, first] = [13, 19, 24, 5];
    const layouts = { x: { strides: [pitch, 1], offsetMultiple: 1 as const } };
    const options = given(tiles);
    const result = compile(source, { sizes: { M: rows, N: columns }, layouts, options });
    if (!result.ok) throw new Error("not compiled");
    expect(result.plan.kernels[0]?.kernel.steps).toHaveLength(1);
    expect(await branchesOf(result)).toHaveLength(2);
    const x = Float32Array.from({ length: rows * columns }, (_, n) => n);
    const meant = Array.from(x, (_, p) => at(x, (p % rows) * columns + Math.floor(p / rows)));
    const { outputs, faults } = interpretPlan(result.plan, { x }, { offsets: { x: first } });
    expect(faults).toEqual([]);
    expect([...(outputs["y"] ?? [])]).toEqual(meant);
    const memory = new Float32Array(first + rows * pitch);
    for (const [n, value] of x.entries()) {
      memory[first + Math.floor(n / columns) * pitch + (n % columns)] = value;
    }
    const device = await openUsual();
    const whole = device.tensor("float32", [memory.length], memory);
    const view = whole.view({ shape: [rows, columns], strides: [pitch, 1], offset: first });
    const { f } = device.define(source, { options });
    const { y } = (await f?.({ x: view })) ?? {};
    expect([...((await y?.read()) ?? [])]).toEqual(meant);
    device.dispose();
  });
});

describe("the decision", () => {
  const asked = (choices: MappedDefinition["choices"], size: Sizes): unknown =>
    compiled({ ...plainProduct, choices }, size).decisions.find((d) => d.path === "kernels/C/full")
      ?.value;

  test("is no by default", () => {
    expect(asked({ ...tiles, "kernels/$0/full": false }, partial)).toBe(false);
  });

  test.each([
    { M: 1, N: 1, K: 9 },
    { M: 7, N: 5, K: 9 },
    { M: 8, N: 16, K: 9 },
    { M: 16, N: 24, K: 9 },
  ])("is not asked where all tiles of $M by $N are full, or none is", (size) => {
    expect(asked(tiles, size)).toBeUndefined();
  });

  test("is not asked where the text would be too long twice", () => {
    const size = { M: 500, N: 500, K: 64 };
    const large = {
      ...unpacked,
      "kernels/$0/axes/0/points": 16,
      "kernels/$0/points": "unroll",
      "kernels/$0/unroll": 1,
    };
    // Each of 128 or 256 points begins, adds up and ends a sum.
    expect(asked({ ...large, "kernels/$0/axes/1/points": 8 }, size)).toBe(false);
    expect(asked({ ...large, "kernels/$0/axes/1/points": 16 }, size)).toBeUndefined();
  });
});
