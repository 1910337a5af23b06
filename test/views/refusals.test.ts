import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planData, printModule, printTypes, readPlan } from "../../src/emit.ts";
import { compile } from "../../src/index.ts";
import { openRuntime, type Runtime, RuntimeFault, type TensorInput } from "../../src/node.ts";
import type { ElementType } from "../../src/support/scalar-type.ts";
import { openFolder } from "../emit/emitted.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

const copySource = "def copy(float(M, N) x) -> (y) { y(m, n) = x(m, n) }";

function tensor(shape: readonly number[], dtype: ElementType = "float32") {
  return runtime.tensor(dtype, shape);
}

/** What is wrong with a call, as the fault says it. */
async function refusal(
  inputs: Readonly<Record<string, TensorInput>>,
  outputs: Readonly<Record<string, TensorInput>> = {},
  source = copySource,
): Promise<string> {
  const [kernel] = Object.values(runtime.define(source));
  const error: unknown = await kernel?.(inputs, { outputs }).then(
    () => "it ran",
    (reason: unknown) => reason,
  );
  if (!(error instanceof RuntimeFault)) throw new Error(`no fault: ${error}`);
  expect(error.kind).toBe("argument");
  return error.message;
}

describe("a call refuses", () => {
  test("a result of which two indices are one element", async () => {
    const x = tensor([3, 4]);
    const message = (strides: string) =>
      `tensor "y": with strides [${strides}], two indices are one element: write to a tensor of its own, and copy it`;
    expect(await refusal({ x }, { y: tensor([1, 4]).broadcastTo([3, 4]) })).toBe(message("0, 1"));
    const windows = tensor([6]).view({ shape: [3, 4], strides: [1, 1] });
    expect(await refusal({ x }, { y: windows })).toBe(message("1, 1"));
    const accumulate = "def add(float(M, N) y, float(M, N) x) -> (y) { y(m, n) += x(m, n) }";
    expect(await refusal({ y: windows, x }, {}, accumulate)).toBe(message("1, 1"));
  });

  test("a result that shares elements with what is read or written too", async () => {
    const all = tensor([8, 4]);
    const says = 'tensor "y": it is written, and shares its memory with tensor "x"';
    const advice = "give one of them memory of its own";
    expect(await refusal({ x: all.slice([0, 5]) }, { y: all.slice([3, 8]) })).toBe(
      `${says}: ${advice}`,
    );
    const square = tensor([4, 4]);
    expect(await refusal({ x: square }, { y: square.transpose() })).toBe(`${says}: ${advice}`);
    const two = "def two(float(N) x) -> (y, z) { y(n) = x(n)\n z(n) = 2.0 * x(n) }";
    const line = tensor([10]);
    const halves = { y: line.slice([0, 6]), z: line.slice([4, 10]) };
    expect(await refusal({ x: tensor([6]) }, halves, two)).toBe(
      `tensor "z": it is written, and shares its memory with tensor "y": ${advice}`,
    );
  });

  test("rows of 8 and 16 bits that share words", async () => {
    const bytes = "def bytes(int8(M, N) x) -> (int8(M, N) y) { y(m, n) = x(m, n) }";
    const x = tensor([2, 8], "int8");
    const says = (type: string, per: number, strides: string) =>
      `tensor "y": ${type} is written in words of ${per} elements, and with strides [${strides}] ` +
      `rows share words: give dense rows of whole words, at multiples of ${per}`;
    const wide = tensor([2, 16], "int8");
    const at = async (y: TensorInput) => await refusal({ x }, { y }, bytes);
    expect(await at(wide.slice(null, [0, 16, 2]))).toBe(says("int8", 4, "16, 2"));
    expect(await at(wide.slice(null, [2, 10]))).toBe(says("int8", 4, "16, 1"));
    expect(await at(tensor([8, 2], "int8").transpose())).toBe(says("int8", 4, "1, 2"));
    expect(await at(tensor([40], "int8").view({ shape: [2, 8], strides: [9, 1] }))).toBe(
      says("int8", 4, "9, 1"),
    );
    if (runtime.profile.features.float16) return;
    const halves = "def halves(half(M, N) x) -> (half(M, N) y) { y(m, n) = x(m, n) }";
    const odd = tensor([2, 9], "float16").slice(null, [1, 9]);
    expect(await refusal({ x: tensor([2, 8], "float16") }, { y: odd }, halves)).toBe(
      says("float16", 2, "9, 1"),
    );
  });

  test("ranges of buffers that the elements leave", async () => {
    const { device } = runtime;
    const buffer = device.createBuffer({ size: 64, usage: 0x80 });
    const at = async (more: object) => await refusal({ x: { buffer, shape: [2, 4], ...more } });
    expect(await at({ strides: [16, 1] })).toBe(
      'tensor "x": its elements lie from byte 0 to 80 with strides [16, 1], its memory is from 0 to 64',
    );
    expect(await at({ strides: [-4, 1] })).toBe(
      'tensor "x": its elements lie from byte -16 to 16 with strides [-4, 1], its memory is from 0 to 64',
    );
    expect(await at({ strides: [4, 1], offset: 40 })).toMatch(/takes 32 bytes/);
    expect(await at({ strides: [1, 2], offset: 32, size: 16 })).toMatch(
      /its memory is from 32 to 48/,
    );
    expect(await at({ strides: [1, 2], size: 80 })).toBe(
      'tensor "x": its size is 80 bytes, the GPUBuffer has 64 from 0 on',
    );
    expect(await at({ strides: [4] })).toBe('tensor "x": has rank 2, its strides are [4]');
    expect(await at({ strides: [4, 0.5] })).toBe(
      'tensor "x": its strides are no array of integers',
    );
    expect(await at({ offset: 6 })).toBe('tensor "x": offset 6 is no multiple of 4 bytes');
  });

  test("arrays of the host that their strides leave", async () => {
    const data = new Float32Array(8);
    expect(await refusal({ x: { data, shape: [2, 4], strides: [5, 1] } })).toBe(
      'tensor "x": it takes elements 0 to 8 of an array of 8',
    );
    expect(await refusal({ x: { data, shape: [2, 4], offset: -1 } })).toBe(
      'tensor "x": it takes elements -1 to 6 of an array of 8',
    );
    expect(await refusal({ x: { data, shape: [2, 4], strides: [4] } })).toBe(
      'tensor "x": shape [2, 4] has no strides [4]',
    );
  });
});

test("a plan says which strides it is for", async () => {
  const request = { sizes: { M: 2, N: 3 }, layouts: { x: { strides: [1, 2], offsetMultiple: 4 } } };
  const compiled = compile(copySource, {
    ...request,
    layouts: { x: { ...request.layouts.x, offsetMultiple: 4 } },
  });
  if (!compiled.ok) throw new Error("refused");
  using loaded = await runtime.load(compiled.plan);
  const run = async (x: TensorInput) =>
    await loaded.run({ x }).then(
      () => "it ran",
      (error: Error) => error.message,
    );
  expect(await run(tensor([2, 3]))).toBe(
    'tensor "x": the plan is for strides [1, 2], got [3, 1]: compile for these',
  );
  expect(await run(new Float32Array(6))).toBe(
    'tensor "x": the plan is for strides [1, 2]: give a tensor on the device that lies so',
  );
  const line = tensor([10]);
  expect(await run(line.view({ shape: [2, 3], strides: [1, 2], offset: 2 }))).toBe(
    'tensor "x": the plan is for a first element at a multiple of 16 bytes, it is at 8',
  );
  expect(await run(line.view({ shape: [2, 3], strides: [1, 2], offset: 4 }))).toBe("it ran");
});

test("encode says what to prepare for a view", async () => {
  const { copy } = runtime.define(copySource);
  const [x, y] = [tensor([3, 2]).transpose(), tensor([2, 3])];
  await copy.prepare({ M: 2, N: 3 });
  const pass = runtime.device.createCommandEncoder().beginComputePass();
  expect(() => copy.encode(pass, { x, y })).toThrow(
    '"copy": call prepare({ M: 2, N: 3 }, io) before encode, where x lie as they do here',
  );
  pass.end();
});

describe("compile refuses", () => {
  const at = (layouts: object, shared: readonly (readonly string[])[] = []) => {
    const source = "def f(float(M, N) x) -> (y) { y(m, n) = x(m, n) t(m, n) = x(m, n) }";
    return () => compile(source, { sizes: { M: 3, N: 4 }, layouts: { ...layouts }, shared });
  };

  test("layouts that a tensor cannot have", () => {
    expect(at({ z: { strides: [1] } })).toThrow('layout of "z": f has no such tensor');
    expect(at({ x: { strides: [1] } })).toThrow(
      'layout of "x": it has rank 2 ([3, 4]), got strides [1]',
    );
    expect(at({ x: { strides: [1, 0.5] } })).toThrow("got strides [1, 0.5]");
    expect(at({ y: { strides: [1, 2] } })).toThrow(
      /"y": with strides \[1, 2\], two indices are one/,
    );
  });

  test("tensors in one buffer without offsets", () => {
    const layouts = { x: { offsetMultiple: 4 }, y: { strides: [8, 1] } };
    expect(at(layouts, [["x", "y"]])).toThrow(
      'layout of "y": in a shared buffer it needs a layout with an offset',
    );
  });

  test("modules of plans for views, and what it says to do works", async () => {
    const request = { sizes: { M: 2, N: 3 } };
    const compiled = compile(copySource, { ...request, layouts: { x: { strides: [1, 2] } } });
    const dense = compile(copySource, request);
    if (!compiled.ok || !dense.ok) throw new Error("refused");
    const { plan } = compiled;
    const message =
      'modules take dense tensors, and "x" is compiled for a view: compile without its layout, ' +
      "or write planData(plan), which readPlan makes a plan for runtime.load";
    expect(() => printModule(plan, { producer: "test" })).toThrow(new RangeError(message));
    expect(() => printTypes(plan, { producer: "test" })).toThrow(new RangeError(message));
    expect(printModule(dense.plan, { producer: "test" })).toContain("export");
    const read = readPlan(JSON.parse(JSON.stringify(planData(plan))));
    if (!read.ok) throw new Error(read.fault);
    using loaded = await runtime.load(read.plan);
    const columns = runtime.tensor("float32", [3, 2], Float32Array.of(1, 2, 3, 4, 5, 6));
    const { y } = await loaded.run({ x: columns.transpose() });
    expect(await y?.read()).toEqual(Float32Array.of(1, 3, 5, 2, 4, 6));
  });
});

test("modules refuse tensors that lie otherwise, and take dense ones", async () => {
  const compiled = compile(copySource, { sizes: { M: 2, N: 3 } });
  if (!compiled.ok) throw new Error("refused");
  const folder = openFolder();
  try {
    const emitted = await (await folder.load(compiled.plan)).load(runtime.device);
    const data = Float32Array.of(1, 2, 3, 4, 5, 6);
    const columns = runtime.tensor("float32", [3, 2], data);
    await expect(emitted.run({ x: columns.transpose() })).rejects.toThrow(
      "copy: x: float32[2, 3] is dense here, the strides are [1, 2]: " +
        "copy it, or run a plan that --layout and --emit json compile for it",
    );
    const wide = runtime.tensor("float32", [2, 4]).slice(null, [0, 3]);
    await expect(emitted.run({ x: wide })).rejects.toThrow("the strides are [4, 1]");
    const { buffer } = wide;
    await expect(emitted.run({ x: { buffer, strides: [4, 1] } as never })).rejects.toThrow(
      "the strides are [4, 1]",
    );
    const rows = runtime.tensor("float32", [2, 3], data);
    for (const x of [rows, columns, runtime.tensor("float32", [1, 6], data)]) {
      expect(await emitted.run({ x })).toEqual({ y: data });
    }
  } finally {
    folder.remove();
  }
});
