/** Operands staged in workgroup memory and packed to whole vectors, in all three executions. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import {
  baselineProfile,
  type DeviceProfile,
  gpuProfile,
  swiftshaderProfile,
} from "../../src/support/device-profile.ts";
import type { Mapping } from "../../src/support/mapping-file.ts";
import { isFailure, mapCase, type Prepared } from "../differential/differential.ts";
import type { Variant } from "../differential/variants.ts";
import { given as mappingWith } from "../support/given.ts";
import {
  type Choices,
  everyOperand,
  executed as execute,
  expectTaken,
  mappedBy,
  prepared,
  type Sizes,
  stagedPlaces,
  valuesAt,
} from "./support/staged.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

/** Maps, and executes in the interpreters and on the device; all agree. */
function executed(given: Prepared, options: Mapping, profile?: DeviceProfile): Promise<Variant> {
  return execute(given, options, runtime, profile);
}

/** Tiles, orders and levels that differ in every respect that copies depend on. */
const shapes: Readonly<Record<string, Choices>> = {
  "small tiles, vectors, padded rows": {
    "kernels/$0/axes/0/workgroup": 4,
    "kernels/$0/axes/1/workgroup": 8,
    "kernels/$0/axes/0/points": 2,
    "kernels/$0/axes/1/points": 4,
    "kernels/$0/points": "vector",
    "kernels/$0/operands/$0.read0/pad": 1,
    "kernels/$0/operands/$0.read1/pad": 4,
    "kernels/$0/operands/$0.read1/slots": 2,
    "kernels/$0/reduced/0/0": 4,
    "kernels/$0/reduced/1/0": 2,
    "kernels/$0/reduced/2/0": 1,
    "kernels/$0/operands/$0.read0/vector": 4,
    "kernels/$0/operands/$0.read1/vector": 4,
    "kernels/$0/prefetch": true,
    "kernels/$0/unroll": 2,
  },
  "points a workgroup apart, the first axis innermost": {
    "kernels/$0/axes/0/workgroup": 8,
    "kernels/$0/axes/1/workgroup": 2,
    "kernels/$0/axes/2/workgroup": 4,
    "kernels/$0/axes/1/points": 2,
    "kernels/$0/axes/2/points": 2,
    "kernels/$0/blocked": false,
    "kernels/$0/order/0": 0,
    "kernels/$0/operands/$0.read0/slots": 2,
    "kernels/$0/operands/$0.read1/slots": 2,
    "kernels/$0/reduced/0/0": 1,
    "kernels/$0/prefetch": true,
  },
  "tiles loaded ahead into one place, long copies": {
    "kernels/$0/axes/0/workgroup": 2,
    "kernels/$0/axes/1/workgroup": 2,
    "kernels/$0/axes/0/points": 4,
    "kernels/$0/axes/1/points": 4,
    "kernels/$0/operands/$0.read0/pad": 1,
    "kernels/$0/reduced/0/0": 2,
    "kernels/$0/reduced/1/0": 1,
    "kernels/$0/prefetch": true,
  },
  "two places, nothing loaded ahead": {
    "kernels/$0/axes/0/workgroup": 4,
    "kernels/$0/axes/1/workgroup": 4,
    "kernels/$0/operands/$0.read0/slots": 2,
    "kernels/$0/operands/$0.read1/slots": 2,
    "kernels/$0/reduced/0/0": 2,
    "kernels/$0/operands/$0.read0/vector": 2,
    "kernels/$0/operands/$0.read1/vector": 2,
    "kernels/$0/prefetch": false,
  },
  "the whole reduction at once, one invocation": {
    "kernels/$0/axes/0/workgroup": 1,
    "kernels/$0/axes/1/workgroup": 1,
    "kernels/$0/axes/2/workgroup": 1,
    "kernels/$0/reduced/0/0": "whole",
    "kernels/$0/reduced/1/0": "whole",
    "kernels/$0/reduced/2/0": "whole",
  },
};

interface Case {
  readonly source: string;
  readonly sizes: readonly Sizes[];
  /** Copies in workgroup memory. */
  readonly staged: number;
}

function contraction(a: string, b: string, statement: string): string {
  return `def f(${a} A, ${b} B) -> (C) { ${statement} }`;
}

const [rows, columns] = ["float(M, K)", "float(K, N)"];

const cases: Readonly<Record<string, Case>> = {
  "a matrix product": {
    source: contraction(rows, columns, "C(m, n) +=! A(m, k) * B(k, n)"),
    sizes: [
      { M: 17, K: 23, N: 19 },
      { M: 2, K: 1, N: 3 },
      { M: 8, K: 4, N: 32 },
    ],
    staged: 2,
  },
  "transposed operands": {
    source: contraction("float(K, M)", "float(N, K)", "C(m, n) +=! A(k, m) * B(n, k)"),
    sizes: [{ M: 9, K: 13, N: 11 }],
    staged: 2,
  },
  "a batch of products": {
    source: contraction(
      "float(Z, M, K)",
      "float(Z, K, N)",
      "C(z, m, n) +=! A(z, m, k) * B(z, k, n)",
    ),
    sizes: [{ Z: 3, M: 5, K: 7, N: 9 }],
    staged: 2,
  },
  "a product with an epilogue": {
    source: `def f(float(M, K) A, float(K, N) B, float(N) b) -> (C) {
      C(m, n) +=! A(m, k) * B(k, n)
      C(m, n) = fmax(C(m, n) + b(n), 0.0)
    }`,
    sizes: [{ M: 7, K: 9, N: 11 }],
    staged: 3,
  },
  "shortest paths": {
    source: contraction(rows, columns, "C(m, n) min=! A(m, k) + B(k, n)"),
    sizes: [{ M: 7, K: 9, N: 11 }],
    staged: 2,
  },
  "the best of each row and column": {
    source: contraction(rows, columns, "C(m, n) argmax=! A(m, k) * B(k, n)"),
    sizes: [{ M: 7, K: 9, N: 11 }],
    staged: 2,
  },
  "a convolution with a border and strides": {
    source: `def f(float(C, H, W) x, float(O, C, R, S) w) -> (y) {
      y(o, i, j) +=! pad(x(c, 2 * i + r - 1, 2 * j + s - 1)) * w(o, c, r, s)
        where i in 0:(H + 1) / 2, j in 0:(W + 1) / 2
    }`,
    sizes: [{ C: 2, H: 7, W: 9, O: 3, R: 3, S: 3 }],
    staged: 2,
  },
  "a depthwise convolution": {
    source: `def f(float(C, H, W) x, float(C, R, S) w) -> (y) {
      y(c, i, j) +=! x(c, i + r, j + s) * w(c, r, s)
    }`,
    sizes: [{ C: 3, H: 8, W: 11, R: 3, S: 2 }],
    staged: 2,
  },
  "windows with gaps between them": {
    source: `def f(float(C, H) x, float(O, C) w) -> (y) {
      y(o, i) +=! x(c, 3 * i + r) * w(o, c) where i in 0:7, r in 0:2
    }`,
    sizes: [{ C: 3, H: 21, O: 5 }],
    staged: 2,
  },
  "taps apart": {
    source: `def f(float(C, H) x, float(O, C, R) w) -> (y) {
      y(o, i) +=! x(c, i + 3 * r) * w(o, c, r) where i in 0:H - 3 * R + 3
    }`,
    sizes: [{ C: 2, H: 23, O: 3, R: 3 }],
    staged: 2,
  },
  "a triangle": {
    source: contraction(
      rows,
      columns,
      "C(m, n) +=! A(m, k) * B(k, n) where m in 0:M, n in 0:N, k in 0:m + 1",
    ),
    sizes: [{ M: 9, K: 9, N: 7 }],
    staged: 2,
  },
  "neighbours in a row": {
    source: "def f(float(N) x) -> (y) { y(i) = x(i - 1) + x(i) * x(i + 1) where i in 1:N - 1 }",
    sizes: [{ N: 37 }],
    staged: 1,
  },
  "narrow operands": {
    source: "def f(half(M, K) A, int8(K, N) B) -> (C) { C(m, n) +=! A(m, k) * float(B(k, n)) }",
    sizes: [{ M: 7, K: 9, N: 10 }],
    staged: 2,
  },
  "a product in each iteration of a loop": {
    source: `def f(float(B, K) x, float(K, K) W) -> (h) {
      h(0, b, k) = x(b, k)
      for t in 0:3 { h(t + 1, b, k) +=! h(t, b, j) * W(j, k) where b in 0:B, k in 0:K, j in 0:K }
    }`,
    sizes: [{ B: 3, K: 5 }],
    staged: 1,
  },
};

describe.each(Object.entries(cases))("%s, staged", (_, { source, sizes, staged }) => {
  it.each(Object.entries(shapes))("means the same: %s", async (_shape, choices) => {
    for (const given of sizes) {
      const variant = await executed(prepared(source, given), everyOperand(choices));
      expect(stagedPlaces(variant).length).toBeGreaterThanOrEqual(staged);
      const repairs = variant.decisions.filter(({ path }) => path.endsWith("/stage"));
      expect(repairs.map((r) => r.value)).not.toContain("no");
    }
  });
});

it.each(Object.entries(shapes))("a matrix product has all of the shape: %s", (_shape, choices) => {
  const { source = "", sizes: [size = {}] = [] } = cases["a matrix product"] ?? {};
  const subject = prepared(source, size);
  const ofTwoAxes = Object.entries(choices).filter(([path]) => !/axes\/2|reduced\/[12]/.test(path));
  const variant = mappedBy(subject, everyOperand(choices), baselineProfile);
  expectTaken(subject, variant, Object.fromEntries(ofTwoAxes));
});

/** The element widths of a variant's arrays, by name. */
function widthsOf({ plan }: Pick<Variant, "plan">): Readonly<Record<string, number>> {
  const arrays = plan.kernels.flatMap(({ kernel }) => kernel.arrays);
  return Object.fromEntries(arrays.map((a) => [a.id, a.width]));
}

describe("copies in vectors", () => {
  const product = cases["a matrix product"]?.source ?? "";
  const vectors: Choices = {
    "kernels/$0/axes/0/workgroup": 4,
    "kernels/$0/axes/0/points": 2,
    "kernels/$0/axes/1/workgroup": 4,
    "kernels/$0/axes/1/points": 4,
    "kernels/$0/points": "vector",
    "kernels/$0/unroll": 4,
    "kernels/$0/reduced/0/0": 8,
    "kernels/$0/operands/$0.read0/vector": 4,
    "kernels/$0/operands/$0.read1/vector": 4,
  };
  const whole = { M: 16, K: 24, N: 32 };

  it.each<readonly [string, Sizes, Choices]>([
    ["whole tiles", whole, {}],
    [
      "two tiles at a time",
      whole,
      {
        "kernels/$0/operands/$0.read0/slots": 2,
        "kernels/$0/operands/$0.read1/slots": 2,
        "kernels/$0/prefetch": true,
      },
    ],
    [
      "rows apart by a vector",
      whole,
      { "kernels/$0/operands/$0.read0/pad": 4, "kernels/$0/operands/$0.read1/pad": 4 },
    ],
    ["tiles that are not full", { M: 5, K: 20, N: 12 }, {}],
    ["full tiles apart", { M: 13, K: 12, N: 44 }, { "kernels/$0/full": true }],
    ["one vector", { M: 2, K: 4, N: 4 }, { "kernels/$0/reduced/0/0": "whole" }],
  ])("load, keep and use vectors: %s", async (_, sizes, choices) => {
    const subject = prepared(product, sizes);
    const variant = await executed(subject, everyOperand({ ...vectors, ...choices }));
    if (sizes === whole) expectTaken(subject, variant, { ...vectors, ...choices });
    expect(widthsOf(variant)).toMatchObject({ A: 4, A_copy: 4, B: 4, B_copy: 4 });
  });

  it.each<readonly [string, Sizes, Choices, Readonly<Record<string, number>>]>([
    [
      "rows apart by one element are loaded in vectors and kept in elements",
      whole,
      { "kernels/$0/operands/$0.read0/pad": 1, "kernels/$0/operands/$0.read1/pad": 1 },
      { A: 4, A_copy: 1, B: 4, B_copy: 1 },
    ],
    [
      "elements that a loop picks out are not kept in vectors",
      whole,
      { "kernels/$0/unroll": 1 },
      { A: 4, A_copy: 1, B: 4, B_copy: 4 },
    ],
    [
      "pairs that are read as fours are kept in elements",
      whole,
      { "kernels/$0/operands/$0.read1/vector": 2 },
      { B: 2, B_copy: 1 },
    ],
    [
      "rows of pairs are copied in pairs",
      { M: 6, K: 10, N: 14 },
      { "kernels/$0/reduced/0/0": 2, "kernels/$0/axes/1/points": 2, "kernels/$0/unroll": 2 },
      { A: 2, A_copy: 2, B: 2, B_copy: 2 },
    ],
    ["rows of prime lengths are copied by elements", { M: 8, K: 23, N: 19 }, {}, { A: 1, B: 1 }],
    [
      "tiles that begin between vectors are copied by elements",
      whole,
      {
        "kernels/$0/axes/1/workgroup": 1,
        "kernels/$0/axes/1/points": 1,
        "kernels/$0/reduced/0/0": 1,
      },
      { A: 1, A_copy: 1, B: 1, B_copy: 1 },
    ],
  ])("%s", async (_, sizes, choices, widths) => {
    const all = { ...vectors, ...choices };
    const subject = prepared(product, sizes);
    const variant = await executed(subject, everyOperand(all));
    if (sizes === whole) expectTaken(subject, variant, all);
    expect(widthsOf(variant)).toMatchObject(widths);
  });

  it.each<readonly [string, string, Sizes]>([
    [
      "a convolution with a border",
      cases["a convolution with a border and strides"]?.source ?? "",
      { C: 4, H: 8, W: 12, O: 4, R: 2, S: 4 },
    ],
    ["narrow operands", cases["narrow operands"]?.source ?? "", { M: 8, K: 12, N: 16 }],
    ["transposed operands", cases["transposed operands"]?.source ?? "", { M: 8, K: 12, N: 16 }],
    ["a transposition", "def f(float(M, N) x) -> (y) { y(j, i) = x(i, j) }", { M: 36, N: 68 }],
    [
      "the state of a loop",
      cases["a product in each iteration of a loop"]?.source ?? "",
      { B: 4, K: 8 },
    ],
  ])("mean the same: %s", async (_, source, sizes) => {
    await executed(prepared(source, sizes), everyOperand(vectors));
  });

  it("are the default for contractions on GPUs", () => {
    const result = compile(product, { sizes: { M: 512, K: 512, N: 512 }, profile: "gpu" });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    expect(widthsOf(result)).toEqual({ A: 4, A_copy: 4, B: 4, B_copy: 4, C: 4 });
  });
});

describe("a transposition", () => {
  const source = "def f(float(M, N) x) -> (y) { y(j, i) = x(i, j) }";
  const small = shapes["small tiles, vectors, padded rows"] ?? {};

  it("goes through workgroup memory by default on GPUs, a square at a time", async () => {
    for (const sizes of [
      { M: 67, N: 37 },
      { M: 1, N: 5 },
    ]) {
      const variant = await executed(prepared(source, sizes), mappingWith());
      expect(stagedPlaces(variant).map((p) => [p.at, p.pad])).toEqual([[null, 1]]);
    }
  });

  it("means the same in small tiles", async () => {
    const variant = await executed(prepared(source, { M: 13, N: 37 }), everyOperand(small));
    expect(stagedPlaces(variant).length).toBe(1);
  });
});

describe("staging", () => {
  const product = cases["a matrix product"]?.source ?? "";

  it("is the default for contractions on GPUs, and never on software adapters", async () => {
    const given = prepared(product, { M: 40, K: 70, N: 36 });
    const options: Mapping = mappingWith();
    // With more cores tiles are so small that little is used often.
    const gpu = { ...gpuProfile, cores: 1 };
    expect(stagedPlaces(await executed(given, options, gpu)).length).toBe(2);
    // Any device can run what needs no subgroups of a certain size.
    const features = { ...swiftshaderProfile.features, subgroups: false };
    const software: DeviceProfile = { ...swiftshaderProfile, features };
    expect(stagedPlaces(await executed(given, options, software))).toEqual([]);
  });

  it.each([
    ["pad", 1],
    ["slots", 2],
    ["vector", 2],
  ])("is done otherwise if its %s alone is asked for", (what, value) => {
    const textOf = (choices: Choices): readonly string[] => {
      const sizes = { M: 64, K: 64, N: 64 };
      const profile = { ...gpuProfile, cores: 1 };
      const compiled = compile(product, { sizes, profile, options: mappingWith(choices) });
      if (!compiled.ok) throw new Error("is refused");
      return compiled.plan.kernels.map((k) => k.wgsl);
    };
    expect(textOf({ [`kernels/$0/operands/$0.read1/${what}`]: value })).not.toEqual(textOf({}));
  });

  it("copies all rows of a tile, those of a partial one too, without reading beyond", async () => {
    const given = prepared(product, { M: 67, K: 37, N: 65 });
    const choices = {
      "kernels/$0/axes/0/points": 4,
      "kernels/$0/axes/1/points": 4,
      "kernels/$0/points": "vector",
      "kernels/$0/reduced/0/0": 16,
    };
    const variant = await executed(given, everyOperand(choices), gpuProfile);
    expect(stagedPlaces(variant).map((p) => p.at)).toEqual(["C.r0.tile", "C.r0.tile"]);
  });

  it("takes shorter tiles where the copies have no room", () => {
    const given = prepared(product, { M: 64, K: 512, N: 64 });
    const wide = {
      "kernels/$0/axes/0/points": 4,
      "kernels/$0/axes/1/points": 4,
      "structure/statements/$0/factor/r0": "no",
      "kernels/$0/reduced/0/0": "whole",
      "kernels/$0/operands/$0.read0/pad": 0,
      "kernels/$0/operands/$0.read1/pad": 0,
    };
    const options = everyOperand({
      "kernels/$0/axes/0/workgroup": 16,
      "kernels/$0/axes/1/workgroup": 16,
      ...wide,
    });
    const variant = mapCase(given, baselineProfile, { kind: "options", options });
    if (isFailure(variant)) throw new Error(variant.detail);
    expect(stagedPlaces(variant)).toHaveLength(2);
    const [steps] = valuesAt(given, variant, "kernels/$0/reduced/0/0");
    // Of 64 rows and of 64 columns, so many elements of four bytes each.
    const bytes = 4 * (64 + 64) * Number(steps);
    expect(bytes).toBeLessThanOrEqual(baselineProfile.limits.maxWorkgroupBytes);
    expect(2 * bytes).toBeGreaterThan(baselineProfile.limits.maxWorkgroupBytes);
  });
});

describe("packing", () => {
  it.each([
    [
      "both operands of a product",
      cases["a matrix product"]?.source ?? "",
      { M: 7, K: 13, N: 19 },
      "C.B",
    ],
    [
      "a picture with a border",
      `def f(float(H, W) x, float(R, S) w) -> (y) {
        y(i, j) +=! pad(x(i + r - 1, j + s - 1)) * w(r, s) where i in 0:H, j in 0:W
      }`,
      { H: 5, W: 11, R: 3, S: 3 },
      "y.x",
    ],
  ])("means the same: %s", async (_, source, sizes, kernel) => {
    const given = prepared(source, sizes);
    const paths = [0, 1, 2].flatMap((s) =>
      [0, 1].map((r) => `structure/statements/$${s}/pack/read${r}`),
    );
    const packs = Object.fromEntries(paths.map((p) => [p, true]));
    const vectors: Choices = { "kernels/$0/points": "vector", "kernels/$0/axes/1/points": 4 };
    const ofCopies = ["$0.A", "$0.B", "$0.x", "$0.w"].flatMap((kernel) => [
      [`kernels/${kernel}/points`, "vector"] as const,
      [`kernels/${kernel}/axes/1/points`, 4] as const,
    ]);
    for (const together of [kernel, false]) {
      const joined = { "structure/statements/$0/with": together };
      const choices = { ...packs, ...vectors, ...Object.fromEntries(ofCopies), ...joined };
      const variant = await executed(given, mappingWith(choices));
      expectTaken(given, variant, together !== false ? joined : { ...vectors, ...joined });
      const copies = variant.mapped.program.tensors.filter((t) => t.name.includes("_copy"));
      expect(copies.length).toBeGreaterThan(0);
      for (const { shape } of copies) expect((shape.at(-1) ?? 0) % 4).toBe(0);
    }
  });

  it("lets rows of a prime length be read as vectors", async () => {
    const given = prepared(cases["a matrix product"]?.source ?? "", { M: 8, K: 5, N: 13 });
    const wide = {
      "kernels/$0/axes/1/workgroup": 2,
      "kernels/$0/axes/1/points": 4,
      "kernels/$0/points": "vector",
    };
    const choices = {
      "structure/statements/$0/pack/read1": true,
      "structure/statements/$0/with": false,
      ...wide,
    };
    const variant = await executed(given, mappingWith(choices), swiftshaderProfile);
    expectTaken(given, variant, choices);
    const { plan } = variant;
    const arrays = plan.kernels.at(-1)?.kernel.arrays ?? [];
    expect(arrays.find((a) => a.id === "B_copy")?.width).toBe(4);
  });
});
