/** Views in all executions, against plain loops. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { compile, interpret, type LayoutInput } from "../../src/index.ts";
import { type GpuTensor, openRuntime, type Runtime } from "../../src/node.ts";
import { liesOfMatrix, liesOfResult, type NamedLie, positionsOf } from "./memory.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

/** A memory of small whole numbers that holds a view. */
function memoryFor(shape: readonly number[], lie: NamedLie): Float32Array {
  const length = Math.max(...positionsOf(shape, lie.strides, lie.offset)) + 6;
  return Float32Array.from({ length }, (_, n) => ((n * 7) % 23) - 11);
}

function gathered(memory: Float32Array, shape: readonly number[], lie: NamedLie): number[] {
  return positionsOf(shape, lie.strides, lie.offset).map((at) => memory[at] ?? Number.NaN);
}

function viewOn(memory: GpuTensor, shape: readonly number[], lie: NamedLie): GpuTensor {
  return memory.view({ shape, strides: lie.strides, offset: lie.offset });
}

/** What a plan is to know of a view that is alone in its binding, and where it would be bound. */
function layoutOf(
  shape: readonly number[],
  { strides, offset }: NamedLie,
): { readonly layout: LayoutInput; readonly first: number } {
  const first = Math.min(...positionsOf(shape, strides, offset));
  return { layout: { strides, offsetMultiple: first % 4 === 0 ? 4 : 1 }, first: first % 64 };
}

const source = `def f(float(M, N) x, float(N) b) -> (y) {
  y(n, m) = 2.0 * x(m, n) + b(n)
}`;

function plain(x: readonly number[], b: Float32Array, rows: number, columns: number): number[] {
  return Array.from({ length: rows * columns }, (_, k) => {
    const [n, m] = [Math.floor(k / rows), k % rows];
    return 2 * (x[m * columns + n] ?? 0) + (b[n] ?? 0);
  });
}

const sizes = [
  [1, 1],
  [7, 5],
  [8, 16],
  [13, 36],
] as const;

test.each(sizes)("inputs of %i by %i that lie in every way", async (rows, columns) => {
  const shape = [rows, columns];
  const b = Float32Array.from({ length: columns }, (_, n) => n - 3);
  const { f } = runtime.define(source);
  for (const lie of liesOfMatrix(rows, columns)) {
    const memory = memoryFor(shape, lie);
    const expected = plain(gathered(memory, shape, lie), b, rows, columns);
    const host = { data: memory, shape, strides: lie.strides, offset: lie.offset };
    const reference = interpret(source as string, { x: host, b })["y"]?.data ?? [];
    expect(Array.from(reference), lie.name).toEqual(expected);
    const { layout, first } = layoutOf(shape, lie);
    for (const options of ["default", "naive"] as const) {
      const request = { sizes: { M: rows, N: columns }, layouts: { x: layout }, options };
      const compiled = compile(source, request);
      if (!compiled.ok) throw new Error(lie.name);
      const x = Float32Array.from(gathered(memory, shape, lie));
      const { outputs, faults } = interpretPlan(compiled.plan, { x, b }, { offsets: { x: first } });
      expect(faults, lie.name).toEqual([]);
      expect([...(outputs["y"] ?? [])], lie.name).toEqual(expected);
    }
    const whole = runtime.tensor("float32", [memory.length], memory);
    const view = viewOn(whole, shape, lie);
    const { y } = await f({ x: view, b });
    expect([...(await y.read())], lie.name).toEqual(expected);
    expect([...(await view.read())], lie.name).toEqual(gathered(memory, shape, lie));
    const { y: fromHost } = await f({ x: host, b });
    expect([...(await fromHost.read())], lie.name).toEqual(expected);
  }
});

test.each(sizes)("results of %i by %i that lie in every way", async (rows, columns) => {
  const b = Float32Array.from({ length: columns }, (_, n) => n - 3);
  const x = Float32Array.from({ length: rows * columns }, (_, n) => (n % 9) - 4);
  const expected = plain([...x], b, rows, columns);
  const shape = [columns, rows];
  const { f } = runtime.define(source);
  for (const lie of liesOfResult(columns, rows)) {
    const memory = memoryFor(shape, lie);
    const after = Float32Array.from(memory);
    for (const [n, at] of positionsOf(shape, lie.strides, lie.offset).entries()) {
      after[at] = expected[n] ?? 0;
    }
    const { layout, first } = layoutOf(shape, lie);
    const compiled = compile(source, { sizes: { M: rows, N: columns }, layouts: { y: layout } });
    if (!compiled.ok) throw new Error(lie.name);
    const interpreted = interpretPlan(compiled.plan, { x, b }, { offsets: { y: first } });
    expect(interpreted.faults, lie.name).toEqual([]);
    expect([...(interpreted.outputs["y"] ?? [])], lie.name).toEqual(expected);
    const whole = runtime.tensor("float32", [memory.length], memory);
    const y = viewOn(whole, shape, lie);
    const result = await f({ x: { data: x, shape: [rows, columns] }, b }, { outputs: { y } });
    expect(result.y, lie.name).toBe(y);
    expect([...(await whole.read())], lie.name).toEqual([...after]);
  }
});

test("rows that a sum does not reach, and counts, leave what lies between them", async () => {
  const scatter = `def count(int(N) at, int B) -> (float(B) c, float(B) top) {
    c(b) = 0.0 where b in 0:B
    c(at(n)) += 1.0
    top(b) = c(b) where b in 1:B
  }`;
  const at = Int32Array.of(0, 2, 2, 5, 0, 2, -1, 9);
  const memory = new Float32Array(24).fill(9);
  const whole = runtime.tensor("float32", [24], memory);
  const [c, top] = [
    whole.view({ shape: [6], strides: [2], offset: 1 }),
    whole.view({ shape: [6], strides: [-2], offset: 22 }),
  ];
  const { count } = runtime.define(scatter);
  await count({ at, B: 6 }, { outputs: { c, top } });
  expect([...(await c.read())]).toEqual([2, 0, 3, 0, 0, 1]);
  expect([...(await top.read())]).toEqual([0, 0, 3, 0, 0, 1]);
  const used = new Set([...positionsOf([6], [2], 1), ...positionsOf([6], [-2], 22)]);
  const rest = [...(await whole.read())].filter((_, n) => !used.has(n));
  expect(rest).toEqual(rest.map(() => 9));
});

test("tensors in place, gathers that run backwards, and loops over rows", async () => {
  const steps = `def steps(float(N) h, float(T, N) x, int(N) at) -> (h) {
    for t in T { h(n) = 0.5 * h(n) + x(t, at(n)) }
  }`;
  const [T, N] = [3, 7];
  const whole = runtime.tensor("float32", [2 * N], new Float32Array(2 * N).fill(4));
  const data = Float32Array.from({ length: T * N }, (_, n) => n);
  const at = Int32Array.from({ length: N }, (_, n) => (3 * n) % N);
  const x = runtime.tensor("float32", [T, N], data).slice([0, T, -1], [0, N, -1]);
  const { steps: kernel } = runtime.define(steps);
  const expected = Array.from({ length: N }, (_, n) => {
    let h = 4;
    for (let t = 0; t < T; t++) h = 0.5 * h + ((T - 1 - t) * N + N - 1 - ((3 * n) % N));
    return h;
  });
  const h = whole.slice([0, 2 * N, 2]);
  await kernel({ h, x, at });
  expect([...(await h.read())]).toEqual(expected);
  expect([...(await whole.slice([1, 2 * N, 2]).read())]).toEqual(Array(N).fill(4));
  const { us, n } = await kernel.time({ h, x, at }, { minMs: 1 });
  expect(us).toBeGreaterThan(0);
  expect(n).toBeGreaterThan(0);
  expect([...(await h.read())]).toEqual(expected);
});

test.each(["int8", "uint8", "int16", "uint16", "half"] as const)(
  "%s in views: inputs of any strides, results in rows of words",
  async (type) => {
    const dtype = type === "half" ? "float16" : type;
    const narrow = `def narrow(${type}(M, N) x) -> (${type}(M, N) y) { y(m, n) = x(m, n) }`;
    const kernel = runtime.define(narrow as string)["narrow"];
    const numbers = Array.from({ length: 96 }, (_, n) => n + 1);
    const Elements = { int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array };
    const data = type === "half" ? Float32Array.from(numbers) : Elements[type].from(numbers);
    const from = runtime.tensor(dtype, [96], data);
    for (const lie of liesOfMatrix(4, 8).slice(1, 8)) {
      if (Math.max(...positionsOf([4, 8], lie.strides, lie.offset)) >= 96) continue;
      const whole = runtime.tensor(dtype, [4, 16]);
      const y = whole.slice(null, [4, 12]);
      await kernel?.({ x: from.view({ shape: [4, 8], ...lie }) }, { outputs: { y } });
      const expected = positionsOf([4, 8], lie.strides, lie.offset).map((at) => at + 1);
      expect([...(await y.read())], lie.name).toEqual(expected);
      const sum = [...(await whole.read())].reduce((total, value) => total + value, 0);
      expect(sum, lie.name).toBe(expected.reduce((total, value) => total + value, 0));
    }
  },
);

test("views of one buffer, far apart, with offsets from uniforms", async () => {
  const copy = "def copy(float(N) x) -> (y) { y(n) = x(n) + 1.0 }";
  const compiled = compile(copy, {
    sizes: { N: 5 },
    layouts: { x: { offsetMultiple: 1 }, y: { offsetMultiple: 1 } },
    shared: [["x", "y"]],
  });
  if (!compiled.ok) throw new Error("refused");
  expect(compiled.plan.stepIndices).toBe("table");
  using loaded = await runtime.load(compiled.plan);
  const whole = runtime.tensor(
    "float32",
    [4000],
    Float32Array.from({ length: 4000 }, (_, n) => n),
  );
  for (const [from, to] of [
    [3, 3001],
    [3333, 7],
    [3333, 2500],
  ] as const) {
    const x = whole.slice([from, from + 5]);
    await loaded.run({ x }, { outputs: { y: whole.slice([to, to + 5]) } });
    const expected = [...(await x.read())].map((value) => value + 1);
    expect([...(await whole.slice([to, to + 5]).read())]).toEqual(expected);
  }
});

test("tensors of several types in one buffer, one of them written", async () => {
  const { device } = runtime;
  const usage = 0x80 | 0x8 | 0x4;
  const buffer = device.createBuffer({ size: 4096, usage });
  device.queue.writeBuffer(buffer, 0, Float32Array.of(1, 2, 3, 4, 5));
  device.queue.writeBuffer(buffer, 1024, Int32Array.of(4, 3, 2, 1, 0));
  const { pick } = runtime.define("def pick(float(N) x, int(N) at) -> (y) { y(n) = x(at(n)) }");
  const { y } = await pick(
    { x: { buffer, shape: [5] }, at: { buffer, offset: 1024, shape: [5] } },
    { outputs: { y: { buffer, offset: 20, shape: [5] } } },
  );
  expect([...(await y.read())]).toEqual([5, 4, 3, 2, 1]);
  expect(y.offset).toBe(20);
  const near = { buffer, offset: 1024 + 20, shape: [5] };
  const outputs = { y: near };
  const inputs = { x: { buffer, shape: [5] }, at: { buffer, offset: 1024, shape: [5] } };
  await expect(pick(inputs, { outputs })).rejects.toThrow(
    'tensor "y": it is written, and shares its memory with tensor "at": give one of them memory of its own',
  );
});
