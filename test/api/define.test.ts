import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HostInputs } from "../../src/api/host-tensors.ts";
import { interpret } from "../../src/api/interpret.ts";
import { TcError } from "../../src/api/tc-error.ts";
import { openRuntime, type Runtime } from "../../src/node.ts";
import { createRuntime, type GpuTensor, RuntimeFault } from "../../src/runtime.ts";

const matmul = `
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n)
}`;

const A = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] };
const B = { data: Float32Array.of(1, 0, 0, 1, 1, 1), shape: [3, 2] };
const C = Float32Array.of(4, 5, 10, 11);

let rt: Runtime;

beforeAll(async () => {
  rt = await openRuntime();
});

afterAll(() => rt.dispose());

/** A call as a caller without types may make it. */
async function refused(inputs: unknown): Promise<unknown> {
  const { mm } = rt.define(matmul);
  const call = mm as unknown as (given: unknown) => Promise<unknown>;
  return await call(inputs).then(
    () => "no error",
    (error: unknown) => (error instanceof RuntimeFault ? error.message : error),
  );
}

describe("a call that cannot be meant", () => {
  it.each([
    ["a tensor that is missing", { A }, 'tensor "B": missing; it is declared `float(K, N) B`'],
    ["a misspelt tensor", { A, b: B }, '"mm" has no tensor "b" here; did you mean "B"?'],
    ["a tensor too many", { A, B, weights: B }, '"mm" has no tensor "weights" here; it has A, B'],
    [
      "an undefined tensor",
      { A, B: undefined },
      'tensor "B": missing; it is declared `float(K, N) B`',
    ],
    ["no arguments", undefined, '"mm" takes one object with its tensors by name: mm({ A, B })'],
    [
      "arguments by position",
      [A, B],
      '"mm" takes one object with its tensors by name: mm({ A, B })',
    ],
    [
      "null",
      { A, B: null },
      'tensor "B": is `float(K, N)`: give { data, shape: [K, N] }, got null',
    ],
    [
      "nothing of a tensor",
      { A, B: { shape: [3, 2] } },
      'tensor "B": is `float(K, N)`: give { data, shape: [K, N] }, got { shape }',
    ],
    [
      "a string",
      { A, B: "3" },
      'tensor "B": is `float(K, N)`: give { data, shape: [K, N] }, got a value of type string',
    ],
    [
      "rows of different lengths",
      {
        A,
        B: [
          [1, 0],
          [0, 1, 2],
          [1, 1],
        ],
      },
      'tensor "B": element [1] has 3 elements, those before it have 2',
    ],
    [
      "a number among rows",
      { A, B: [[1, 0], 1, [1, 1]] },
      'tensor "B": element [1] is no array, those before it are',
    ],
    [
      "a row among numbers",
      {
        A,
        B: [
          [1, 0],
          [0, [1]],
          [1, 1],
        ],
      },
      'tensor "B": element [1, 1] is an array, not a number',
    ],
    [
      "nested arrays of a wrong rank",
      { A, B: [1, 0, 0, 1, 1, 1] },
      'tensor "B": has rank 2 ([K, N]), got rank 1 ([6])',
    ],
    ["a number for a matrix", { A, B: 3 }, 'tensor "B": is `float(K, N)`, got the number 3'],
    [
      "an array without its shape",
      { A, B: { data: B.data } },
      'tensor "B": says no shape; is `float(K, N)`: give { data, shape: [K, N] }',
    ],
    [
      "a wrong rank",
      { A, B: { data: B.data, shape: [6] } },
      'tensor "B": has rank 2 ([K, N]), got rank 1 ([6])',
    ],
    [
      "a plain array of another length",
      { A, B: { data: [1, 0, 0], shape: [3, 2] } },
      'tensor "B": shape [3, 2] has 6 elements, the array has 3',
    ],
    [
      "a shape that is none",
      { A, B: { data: B.data, shape: [3, 0.5] } },
      'tensor "B": dimension 1 of its shape [3, 0.5] is 0.5',
    ],
    [
      "elements of another type",
      { A, B: { data: Int32Array.of(1, 2, 3, 4, 5, 6), shape: [3, 2] } },
      'tensor "B": float32 needs a Float32Array, got Int32Array',
    ],
    [
      "bare arrays that do not tell the shapes",
      { A: A.data, B: B.data },
      'tensor "A", declared `float(M, K) A`: 6 elements do not tell M and K: give `{ data: A, shape: [M, K] }` with M * K = 6',
    ],
    [
      "a bare array of a length that cannot be",
      { A, B: Float32Array.of(1, 2, 3, 4) },
      'tensor "B", declared `float(K, N) B`: 4 elements are no multiple of 3, as `{ data, shape: [3, N] }` would need',
    ],
  ])("refuses %s", async (_, inputs, message) => {
    expect(await refused(inputs)).toBe(message);
  });

  it("refuses options that are none, and types that are none", () => {
    const wrong = "fast" as unknown as "naive";
    expect(() => rt.define(matmul, { options: wrong })).toThrow(
      'options are default, naive, apart, together, plain, or a mapping: got "fast"',
    );
    expect(() => rt.tensor("float" as unknown as "float32", [2])).toThrow(
      "there is no type float; there are float32, float16, int32, uint32, bool, int8",
    );
    const swapped = Float32Array.of(1, 2) as unknown as "float32";
    expect(() => rt.tensor(swapped, [2])).toThrow(
      'tensor: the first argument is the type of the elements, got Float32Array. For example tensor("float32", [2, 3], data)',
    );
    const extent = 2 as unknown as readonly number[];
    expect(() => rt.tensor("float32", extent)).toThrow(
      'tensor: the second argument is the shape, got 2. For example tensor("float32", [2, 3], data)',
    );
  });
});

describe("arguments that tell their shapes", () => {
  const cases: readonly (readonly [string, Record<string, unknown>])[] = [
    [
      "nested arrays",
      {
        A: [
          [1, 2, 3],
          [4, 5, 6],
        ],
        B: [
          [1, 0],
          [0, 1],
          [1, 1],
        ],
      },
    ],
    ["plain arrays with shapes", { A: { data: [...A.data], shape: A.shape }, B }],
    ["a bare array beside one with a shape", { A, B: B.data }],
    ["a bare array before one with a shape", { A: A.data, B }],
    [
      "a tensor of onnxruntime on the host",
      { A, B: { location: "cpu", dims: B.shape, data: B.data, type: "float32" } },
    ],
  ];

  it.each(cases)("may be %s", async (_, inputs) => {
    const call = rt.define(matmul)["mm"] as unknown as (
      given: unknown,
    ) => Promise<{ C: GpuTensor }>;
    const result = await call(inputs);
    expect(result.C.shape).toEqual([2, 2]);
    expect(await result.C.read()).toEqual(C);
    expect(interpret(matmul as string, inputs as HostInputs)["C"]).toEqual({
      data: C,
      shape: [2, 2],
    });
  });

  it("may be bare arrays of which one tells the next", async () => {
    const { chain } = rt.define(`
      def chain(float(K) v, float(M, K) A, float(N, M, N) T) -> (y) {
        y(n, p) +=! v(k) * A(m, k) * T(n, m, p)
      }`);
    const [v, T] = [Float32Array.of(1, 1, 1), Float32Array.from({ length: 18 }, (_, i) => i)];
    const result = await chain?.({ v, A: A.data, T });
    expect(result?.["y"]?.shape).toEqual([3, 3]);
    // 6 and 15 are the sums of the rows of A.
    const expected = [0, 1, 2, 6, 7, 8, 12, 13, 14].map((first) => 6 * first + 15 * (first + 3));
    expect(await result?.["y"]?.read()).toEqual(Float32Array.from(expected));
  });

  it("may be bare arrays of the sizes that the source or the caller says", async () => {
    const { mm } = rt.define(`#! sizes M=2 K=3 N=2\n${matmul}`);
    const first = await mm?.({ A: A.data, B: B.data });
    expect(await first?.["C"]?.read()).toEqual(C);
    const sizes = { K: 3 };
    const second = await rt.define(matmul)["mm"]?.({ A: A.data, B: B.data }, { sizes });
    expect(await second?.["C"]?.read()).toEqual(C);
  });

  it("may be booleans and numbers for scalars, true and false for bools", async () => {
    const { pick } = rt.define(`
      def pick(bool which, bool(N) mask, float a) -> (y) {
        y(n) = (which && mask(n)) ? a : 0.0
      }`);
    const result = await pick?.({ which: true, mask: [true, false, true], a: 0.1 });
    expect(await result?.["y"]?.read()).toEqual(Float32Array.of(0.1, 0, 0.1));
    await expect(pick?.({ which: true, mask: [1, 2], a: 1 })).rejects.toThrow(
      'tensor "mask": bool is 0 or 1, element 1 is 2',
    );
    const { halve } = rt.define("def halve(int(N) x) -> (y) { y(n) = x(n) / 2 }");
    await expect(halve?.({ x: [1, 0.5] })).rejects.toThrow(
      'tensor "x": element 1 is 0.5, which is no int32',
    );
  });

  it("may leave sizes to the options of the call that no tensor tells", async () => {
    const { ramp } = rt.define("def ramp() -> (float(N) y) { y(n) = float(n) }");
    const result = await ramp?.({}, { sizes: { N: 4 } });
    expect(await result?.["y"]?.read()).toEqual(Float32Array.of(0, 1, 2, 3));
    await expect(ramp?.({})).rejects.toThrow("no value given for `N`");
    // @ts-expect-error: the types see it too
    await expect(ramp?.({}, { sizes: { M: 4, N: 4 } })).rejects.toThrow("TC2011");
  });
});

describe("a defined kernel", () => {
  it("computes from arrays with shapes: the three lines of the README", async () => {
    const { mm } = rt.define(matmul);
    const result = await mm?.({ A, B });
    expect(result?.["C"]?.shape).toEqual([2, 2]);
    expect(await result?.["C"]?.read()).toEqual(C);
  });

  it("is compiled for each shape that it meets, and takes tensors on the device", async () => {
    const { mm } = rt.define(matmul, { options: "naive" });
    const wide = rt.tensor("float32", [3, 1], Float32Array.of(1, 1, 1));
    const first = await mm?.({ A: rt.tensor("float32", [2, 3], A.data), B: wide });
    expect(await first?.["C"]?.read()).toEqual(Float32Array.of(6, 15));
    const second = await mm?.({ A, B });
    expect(await second?.["C"]?.read()).toEqual(C);
  });

  it("takes integers that it needs to know like other arguments", async () => {
    const { window } = rt.define(`
      def window(float(N) x, int W) -> (y) { y(i) +=! x(i + w) where w in 0:W }`);
    const x = Float32Array.of(1, 2, 3, 4);
    const two = await window?.({ x, W: 2 });
    expect(await two?.["y"]?.read()).toEqual(Float32Array.of(3, 5, 7));
    const three = await window?.({ x, W: 3 });
    expect(await three?.["y"]?.read()).toEqual(Float32Array.of(6, 9));
  });

  it("updates in place, and writes into outputs that are given", async () => {
    const { grow, mm } = rt.define(`${matmul}
      def grow(float(N) x) -> (x) { x(i) = x(i) * 2.0 }`);
    const x = rt.tensor("float32", [3], Float32Array.of(1, 2, 3));
    await grow?.({ x });
    expect(await x.read()).toEqual(Float32Array.of(2, 4, 6));
    const target = rt.tensor("float32", [2, 2]);
    const result = await mm?.({ A, B }, { outputs: { C: target } });
    expect(result?.["C"]).toBe(target);
    expect(await target.read()).toEqual(C);
  });

  it("is encoded into a pass of the caller after prepare, with the sizes of its tensors", async () => {
    const { mm } = rt.define(matmul);
    const io = {
      A: rt.tensor("float32", [2, 3], A.data),
      B: rt.tensor("float32", [3, 2], B.data),
      C: rt.tensor("float32", [2, 2]),
    };
    const encoder = rt.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    expect(() => mm?.encode(pass, io)).toThrow("call prepare({ M: 2, K: 3, N: 2 }) before encode");
    await mm?.prepare({ M: 2, N: 2, K: 3 });
    mm?.encode(pass, io);
    const buffers = { A: io.A.buffer, B: io.B.buffer, C: io.C.buffer };
    mm?.encode(pass, {
      A: { buffer: buffers.A },
      B: { buffer: buffers.B },
      C: { buffer: buffers.C },
    });
    pass.end();
    rt.device.queue.submit([encoder.finish()]);
    expect(await io.C.read()).toEqual(C);
  });

  it("is timed", async () => {
    const { mm } = rt.define(matmul);
    const timing = await mm?.time({ A, B }, { minMs: 1 });
    expect(timing?.us).toBeGreaterThan(0);
    expect(timing?.n).toBeGreaterThanOrEqual(10);
  });

  it("can be disposed and used again", async () => {
    const { mm } = rt.define(matmul);
    await mm?.({ A, B });
    mm?.dispose();
    const result = await mm?.({ A, B });
    expect(await result?.["C"]?.read()).toEqual(C);
  });

  it("does not run once its signal is aborted", async () => {
    const { mm } = rt.define(matmul);
    const reason = new Error("no longer needed");
    await expect(mm?.({ A, B }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("mistakes", () => {
  it("in the source are thrown by define, rendered", () => {
    const wrong = matmul.replace("* B", "* D");
    expect(() => rt.define(wrong, { file: "mm.tc" })).toThrow(TcError);
    expect(() => rt.define(wrong, { file: "mm.tc" })).toThrow(/^mm\.tc:3:\d+: error\[TC/);
  });

  it("in shapes are rejected before anything runs", async () => {
    const { mm } = rt.define(matmul);
    await expect(mm?.({ A, B: { ...B, shape: [2, 3] } })).rejects.toThrow("TC2014");
    // @ts-expect-error: the types see it too
    await expect(mm?.({ A })).rejects.toThrow('tensor "B": missing');
    // @ts-expect-error: the types see it too
    await expect(mm?.({ A, B, D: B })).rejects.toThrow('has no tensor "D"');
    // @ts-expect-error: the types see it too
    await expect(mm?.prepare({ M: 1, N: 1, K: 1, L: 1 })).rejects.toThrow("TC2011");
  });
});

describe("a runtime on a device of the caller", () => {
  it("defines too, and leaves the device alone", async () => {
    const other = createRuntime({ device: rt.device });
    const { mm } = other.define(matmul);
    const result = await mm?.({ A, B });
    expect(await result?.["C"]?.read()).toEqual(C);
    other.dispose();
    const again = await rt.define(matmul)["mm"]?.({ A, B });
    expect(await again?.["C"]?.read()).toEqual(C);
  });
});
