import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Plan } from "../../src/codegen/plan.ts";
import { compile } from "../../src/compile.ts";
import { printModule } from "../../src/emit/print-module.ts";
import { printTypes } from "../../src/emit/print-types.ts";
import { bufferUsage } from "../../src/runtime/gpu-flags.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { roundToHalf } from "../../src/support/half.ts";
import { seededRandom } from "../../src/support/random.ts";
import { allocate, elementCount, type TensorData } from "../../src/support/scalar-type.ts";
import { buffer, kernel, nestedRepeatPlan, plan as planOf } from "../runtime/plans.ts";
import { openFolder } from "./emitted.ts";

const folder = openFolder();
let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => {
  runtime.dispose();
  folder.remove();
});

function compiled(source: string, options: Parameters<typeof compile>[1] = {}): Plan {
  const result = compile(source, options);
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  return result.plan;
}

function example(name: string): string {
  return readFileSync(new URL(`../../examples/${name}.tc`, import.meta.url), "utf8");
}

/** Whole numbers, so that atomics in any order give the same sums. */
function draw(plan: Plan): Readonly<Record<string, TensorData>> {
  const random = seededRandom(3);
  const given = plan.buffers.filter(({ role }) => role === "input" || role === "inout");
  return Object.fromEntries(
    given.map(({ name, type, shape }) => {
      const data = allocate(type, elementCount(shape));
      return [name, data.map(() => random.integer(0, type === "bool" ? 2 : 5))];
    }),
  );
}

/** What our own runtime computes. */
async function expected(
  plan: Plan,
  inputs: Readonly<Record<string, TensorData>>,
): Promise<Readonly<Record<string, TensorData>>> {
  const loaded = await runtime.load(plan);
  const outputs = await loaded.run(inputs);
  const read = Object.entries(outputs).map(async ([name, t]) => [name, await t.read()] as const);
  return Object.fromEntries(await Promise.all(read));
}

const sources: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["matmul", "lu", "elman", "softmax", "scatter_add", "conv2d", "argmax"].map((name) => [
      name,
      example(name),
    ]),
  ),
  "bool in and out": `
    def flip(bool(N) a, bool(N) b) -> (bool(N) c) { c(i) = a(i) != b(i) }
    #! sizes N=37`,
  "names that JavaScript reserves": `
    def class(float(N) var, float await) -> (delete) { delete(i) = var(i) * await }
    #! sizes N=3`,
  "elements of 8 and 16 bits": `
    def narrow(int8(N) a, uint16(N, M) b, half(N) h) -> (int16(N) c, uint8(M) d, half(N) e) {
      c(n) = int16(a(n))
      d(m) max=! uint8(b(n, m))
      e(n) = h(n) + h(n)
    }
    #! sizes N=7 M=3`,
  "no dimensions": "def twice(float s) -> (float r) { r = 2.0 * s }",
};

describe("an emitted module computes what the runtime does", () => {
  test.each(Object.entries(sources))("%s", async (_, source) => {
    for (const [options, profile] of [
      ["default", runtime.profile],
      ["naive", "baseline"],
    ] as const) {
      const plan = compiled(source, { options, profile });
      const inputs = draw(plan);
      const module = await folder.load(plan);
      expect(module.name).toBe(plan.name);
      const kernel = await module.load(runtime.device);
      const results = await kernel.run(inputs);
      expect(results).toEqual(await expected(plan, inputs));
      expect(await kernel.run(inputs)).toEqual(results);
      kernel.dispose();
    }
  });

  test.each(["table", "immediate"] as const)("nested repeats with the %s", async (stepIndices) => {
    if (stepIndices === "immediate" && !runtime.profile.features.immediates) return;
    const plan = nestedRepeatPlan(stepIndices);
    const kernel = await (await folder.load(plan)).load(runtime.device);
    expect(await kernel.run({})).toEqual(await expected(plan, {}));
  });

  test("buffers that steps fill with zeros, and temporaries that share memory", async () => {
    const add = (from: string, to: string): ReturnType<typeof kernel> =>
      kernel({
        name: `${from} to ${to}`,
        bindings: [
          [from, "read"],
          [to, "read_write"],
        ],
        groups: 2,
        body: "if (i < 100u) { b1[i] += b0[i] + 1.0; }",
      });
    const plan = planOf(
      "chain",
      [
        buffer("x", "input", [100]),
        buffer("a", "temporary", [100], { live: [0, 3] }),
        buffer("b", "temporary", [100], { live: [2, 5] }),
        buffer("c", "temporary", [100], { live: [4, 7] }),
        buffer("y", "output", [100]),
      ],
      [add("x", "a"), add("a", "b"), add("b", "c"), add("c", "y")],
      {
        steps: ["a", "b", "c", "y"].flatMap((id, n) => [
          { kind: "zero", buffer: id } as const,
          { kind: "dispatch", kernel: n } as const,
        ]),
      },
    );
    const text = printModule(plan, { producer: "a test" });
    expect(text).toContain("scratch: [400,400]");
    const emitted = await (await folder.load(plan)).load(runtime.device);
    const x = Float32Array.from({ length: 100 }, (_, n) => n);
    for (let n = 0; n < 2; n++) {
      expect(await emitted.run({ x })).toEqual({ y: x.map((v) => v + 4) });
    }
  });
});

test("tensors without elements are there", async () => {
  const plan = planOf(
    "nothing",
    [buffer("x", "input", [0]), buffer("y", "output", [2, 0])],
    [
      kernel({
        name: "nothing",
        bindings: [
          ["x", "read"],
          ["y", "read_write"],
        ],
        groups: 0,
        body: "",
      }),
    ],
    {
      steps: [
        { kind: "zero", buffer: "y" },
        { kind: "dispatch", kernel: 0 },
      ],
    },
  );
  const emitted = await (await folder.load(plan)).load(runtime.device);
  expect(await emitted.run({ x: new Float32Array(0) })).toEqual({ y: new Float32Array(0) });
});

test("values of float16 are rounded to nearest even, from and to their bits", async () => {
  const source = "def same(half(N) x) -> (half(N) y) { y(i) = x(i) }";
  const special = [0, -0, 1, -2, 65504, 65519, 65520, -1e9, 2 ** -24, 2 ** -25, 3 * 2 ** -26];
  const halves = Array.from({ length: 2001 }, (_, n) => 1 + n / 4000);
  const x = Float32Array.of(...special, 2 ** -14, Infinity, NaN, ...halves, 0.1, 1 / 3, 1e-5);
  const plan = compiled(source, { sizes: { N: x.length } });
  const emitted = await (await folder.load(plan)).load(runtime.device);
  const { y } = await emitted.run({ x });
  expect(y).toEqual(x.map(roundToHalf));
});

describe("buffers on the device", () => {
  const { storage, copySource, copyDestination } = bufferUsage;
  const upload = (data: TensorData, usage = storage | copySource | copyDestination): GPUBuffer => {
    const made = runtime.device.createBuffer({ size: 256 + data.byteLength, usage });
    if (usage & copyDestination) runtime.device.queue.writeBuffer(made, 256, data.slice());
    return made;
  };

  test("are read at their offsets and updated in place", async () => {
    const source = "def f(float(N) x, float(N) y) -> (y) { y(i) += 3.0 * x(i) }\n#! sizes N=9";
    const emitted = await (await folder.load(compiled(source))).load(runtime.device);
    const [x, y] = [new Float32Array(9).fill(2), new Float32Array(9).fill(1)];
    const place = { buffer: upload(y), offset: 256 };
    const inputs = { x: { buffer: upload(x), offset: 256 }, y: place };
    expect(await emitted.run(inputs)).toEqual({ y: new Float32Array(9).fill(7) });
    const encoder = runtime.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    emitted.encode(pass, inputs);
    pass.end();
    runtime.device.queue.submit([encoder.finish()]);
    expect(await emitted.run({ x, y: place })).toEqual({ y: new Float32Array(9).fill(19) });
    expect(y).toEqual(new Float32Array(9).fill(1));
  });

  test("and arrays that do not fit are refused by name, with what is needed", async () => {
    const source = `def f(float(N) x, float(N) y, float s) -> (y, z) {
      y(i) += s * x(i)
      z(i) = x(i)
    }
    #! sizes N=9`;
    const emitted = await (await folder.load(compiled(source))).load(runtime.device);
    const x = new Float32Array(9);
    const given = { x, y: x, s: 1 };
    const refused = async (change: object, message: string): Promise<void> => {
      await expect(emitted.run({ ...given, ...change })).rejects.toThrow(message);
    };
    await refused({ X: x }, "f takes no X here; it takes x, y, s");
    await refused({ z: x }, "f takes no z here");
    await refused({ x: undefined }, "f: x: float32[9] is missing");
    await refused({ x: new Float32Array(8) }, "has 9 elements, the Float32Array has 8");
    await refused({ x: new Int32Array(9) }, "needs a Float32Array");
    await refused({ x: 1 }, "needs a Float32Array");
    await refused({ x: { buffer: upload(x), offset: 4 } }, "offset 4 is no multiple of 256");
    await refused({ x: { buffer: upload(x), offset: 512 } }, "takes 36 bytes");
    await refused({ x: upload(x, copyDestination) }, "needs a GPUBuffer with usage STORAGE");
    await refused({ y: upload(x, storage) }, "usage STORAGE and COPY_SRC");
    const both = upload(x);
    await refused({ x: both, y: both }, "y: float32[9] is written, and shares its buffer with x");
    const encoder = runtime.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const tensors = { x: upload(x), y: upload(x), s: upload(x), z: x as unknown as GPUBuffer };
    expect(() => emitted.encode(pass, tensors)).toThrow("z: float32[9] needs a GPUBuffer here");
    pass.end();
  });
});

test("a device that is gone, and a call without tensors, are told", async () => {
  const plan = compiled(example("transpose"));
  const own = await openRuntime();
  const loaded = await (await folder.load(plan)).load(own.device);
  // As JavaScript without types calls it.
  const nothing = undefined as unknown as Parameters<typeof loaded.run>[0];
  await expect(loaded.run(nothing)).rejects.toThrow(
    /transpose takes one object with its tensors by name: \w/,
  );
  own.dispose();
  await expect(loaded.run(draw(plan))).rejects.toThrow(
    /transpose: \w+ cannot be read: the device is lost \(destroyed\)/,
  );
});

describe("the requirements", () => {
  test("are limits that not every device has, checked when it is loaded", async () => {
    const source = "def big(float(N) x) -> (y) { y(i) = x(i) }";
    const module = await folder.load(compiled(source, { sizes: { N: 3e7 } }));
    expect(module.requirements).toEqual({ requiredFeatures: [], requiredLimits: {} });
    const huge = planOf(
      "huge",
      [buffer("x", "output", [1e9])],
      [kernel({ name: "k", bindings: [["x", "read_write"]], groups: 1, body: "" })],
    );
    const refused = await folder.load(huge);
    expect(refused.requirements.requiredLimits).toEqual({
      maxBufferSize: 4e9,
      maxStorageBufferBindingSize: 4e9,
    });
    const small = { ...runtime.device, features: new Set(), limits: { maxBufferSize: 1e9 } };
    await expect(refused.load(small as unknown as GPUDevice)).rejects.toThrow(
      "huge: needs maxBufferSize 4000000000, the device has 1000000000",
    );
  });
});

describe("the types", () => {
  const tsc = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
  const flags = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext"];
  const libraries = ["--lib", "es2022,dom", "--types", "@webgpu/types", "--allowJs", "--checkJs"];

  /** What the compiler of TypeScript has against files of the folder. */
  function complaints(...files: readonly string[]): readonly string[] {
    const args = [tsc, ...flags, ...libraries, ...files];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
    return stdout.split("\n").filter((line) => line !== "");
  }

  /** A program that uses the module f.js in some ways, a line each. */
  function use(lines: readonly string[]): string {
    const head = `import { load, name, requirements } from "./f.js"; declare const adapter: GPUAdapter;
declare const b: GPUBuffer; declare const pass: GPUComputePassEncoder; const a = new Float32Array(4);
const kernel = await load(await adapter.requestDevice(requirements)); export const n: "f" = name;
`;
    return `${head}${lines.join("\n")}\n`;
  }

  test("of modules are right, and those beside them take the names of tensors only", () => {
    const plan = compiled(
      "def f(float(N) x, float(N) y, float s) -> (y, z) { y(i) += s * x(i)  z(i) = x(i) > 1.0 }",
      { sizes: { N: 4 } },
    );
    folder.write("f.js", printModule(plan, { producer: "a test" }));
    folder.write("f.d.ts", printTypes(plan, { producer: "a test" }));
    const lu = folder.write("lu.js", printModule(compiled(example("lu")), { producer: "a test" }));
    const halves = compiled("def h(half(N) x) -> (half(N) y) { y(i) = x(i) }", { sizes: { N: 4 } });
    const half = folder.write("h.js", printModule(halves, { producer: "a test" }));
    const both = (["nvidia", "gpu"] as const).map((profile) => ({ profile, plan }));
    folder.write("both.d.ts", printTypes(both, { producer: "a test" }));
    const several = folder.write("several.js", printModule(both, { producer: "a test" }));
    const chosen = folder.write(
      "chosen.ts",
      `import { choose, load, profiles, type Profile } from "./both.js"; declare const a: GPUAdapter;
const { profile, requirements, refused } = choose(a); export const all: readonly Profile[] = [...profiles, profile];
const device = await a.requestDevice(requirements); export const whys: string[] = refused.map((r) => r.why);
export const own: "nvidia" | "gpu" = (await load(device, "gpu")).profile;
// @ts-expect-error There is no plan for it.
await load(device, "apple");
`,
    );
    const right = [
      "const { y, z } = await kernel.run({ s: 2, x: a, y: { buffer: b } });",
      "export const both: readonly [Float32Array, Uint32Array] = [y, z];",
      "kernel.encode(pass, { s: b, x: b, y: b, z: { buffer: b, offset: 256 } });",
    ];
    const used = folder.write("right.ts", use(right));
    expect(complaints(lu, half, several, chosen, used)).toEqual([]);
    const wrong = [
      ["await kernel.run({ s: 2, x: a, Y: a });", "'Y' does not exist"],
      ["await kernel.run({ s: 2, x: a });", "not assignable to parameter of type 'Inputs'"],
      ["await kernel.run({ s: 2, x: a, y: new Int32Array(4) });", "not assignable"],
      ["(await kernel.run({ s: a, x: a, y: a })).w;", "'w' does not exist"],
      ["kernel.encode(pass, { s: 2, x: b, y: b, z: b });", "not assignable"],
    ] as const;
    const found = complaints(folder.write("wrong.ts", use(wrong.map(([line]) => line))));
    const errors = found.filter((line) => line.includes("error"));
    expect(errors).toEqual(
      wrong.map(([, text], n) => expect.stringMatching(new RegExp(`\\(${n + 4},.*${text}`))),
    );
  });
});
