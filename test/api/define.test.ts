import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TcError } from "../../src/api/tc-error.ts";
import { openRuntime, type Runtime } from "../../src/node.ts";
import { createRuntime, RuntimeFault } from "../../src/runtime.ts";

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
      "nested arrays",
      { A, B: [[1]] },
      'tensor "B": is `float(K, N)`: give { data, shape: [K, N] }, got an array',
    ],
    ["a number for a matrix", { A, B: 3 }, 'tensor "B": is `float(K, N)`, got the number 3'],
    [
      "an array without its shape",
      { A, B: { data: B.data } },
      'tensor "B": says no shape: give { data, shape: [K, N] }',
    ],
    [
      "a wrong rank",
      { A, B: { data: B.data, shape: [6] } },
      'tensor "B": has rank 2 ([K, N]), got rank 1 ([6])',
    ],
    [
      "a plain array",
      { A, B: { data: [...B.data], shape: B.shape } },
      'tensor "B": float32 needs a Float32Array, got a plain array',
    ],
  ])("refuses %s", async (_, inputs, message) => {
    expect(await refused(inputs)).toBe(message);
  });

  it("refuses options that are none, and types that are none", async () => {
    const wrong = "fast" as unknown as "naive";
    await expect(rt.define(matmul, { options: wrong })["mm"]?.({ A, B })).rejects.toThrow(
      'options are "default", "naive" or { version: 1',
    );
    expect(() => rt.tensor("float" as unknown as "float32", [2])).toThrow(
      "there is no type float; there are float32, int32, uint32, bool",
    );
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
    await expect(mm?.({ A: A.data, B })).rejects.toThrow("no value given for `M`");
    await expect(mm?.({ A })).rejects.toThrow('tensor "B": missing');
    await expect(mm?.({ A, B, D: B })).rejects.toThrow('has no tensor "D"');
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
