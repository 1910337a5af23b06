import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LoadedPlan } from "../../src/runtime/load-plan.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { RunOptions } from "../../src/runtime/run-plan.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { RuntimeFault } from "../../src/runtime/runtime-fault.ts";
import type { TensorInputs } from "../../src/runtime/tensor-input.ts";
import { addPlan, buffer, inPlacePlan, plan } from "./plans.ts";

let runtime: Runtime;
let add: LoadedPlan;

beforeAll(async () => {
  runtime = await openRuntime();
  add = await runtime.load(addPlan);
});

afterAll(() => runtime.dispose());

const good = (): TensorInputs => ({ A: new Float32Array(100), B: new Float32Array(100), s: 1 });

async function refusal(
  loaded: LoadedPlan,
  inputs: TensorInputs,
  options?: RunOptions,
): Promise<string> {
  const error: unknown = await loaded.run(inputs, options).then(
    () => "it ran",
    (reason: unknown) => reason,
  );
  if (!(error instanceof RuntimeFault)) throw new Error(`no fault: ${error}`);
  expect(error.kind).toBe("argument");
  return error.message;
}

describe("arguments", () => {
  it("names a missing tensor, its type and shape", async () => {
    const { A, s } = good();
    expect(await refusal(add, { A, s } as TensorInputs)).toBe(
      'tensor "B": missing; it is a float32 tensor of shape [10, 10]',
    );
  });

  it("suggests the name that an unknown one may have meant", async () => {
    const loaded = await runtime.load(
      plan("scale", [buffer("weights", "input", [2]), buffer("y", "output", [2])], []),
    );
    expect(await refusal(loaded, { wieghts: new Float32Array(2) })).toBe(
      '"scale" has no tensor "wieghts" here; did you mean "weights"?',
    );
    expect(await refusal(loaded, { quite: 1 })).toBe(
      '"scale" has no tensor "quite" here; it has weights',
    );
  });

  it("refuses an output among the inputs, and an input among the outputs", async () => {
    expect(await refusal(add, { ...good(), C: new Float32Array(100) })).toMatch(
      /tensor "C": it is an output/,
    );
    const A = runtime.tensor("float32", [10, 10]);
    expect(await refusal(add, good(), { outputs: { A } })).toMatch(/tensor "A": it is an input/);
  });

  it("names both types", async () => {
    expect(await refusal(add, { ...good(), A: new Int32Array(100) })).toBe(
      'tensor "A": float32 needs a Float32Array, got Int32Array',
    );
    const ints = runtime.tensor("int32", [10, 10]);
    expect(await refusal(add, { ...good(), A: ints })).toBe('tensor "A": is float32, got int32');
  });

  it("names both ranks", async () => {
    const data = new Float32Array(100);
    expect(await refusal(add, { ...good(), A: { data, shape: [100] } })).toBe(
      'tensor "A": has rank 2 ([10, 10]), got rank 1 ([100])',
    );
    expect(await refusal(add, { ...good(), A: 3 })).toMatch(/shape \[10, 10\], got the number 3/);
  });

  it("names the dimension and both sizes", async () => {
    const tensor = runtime.tensor("float32", [10, 12]);
    expect(await refusal(add, { ...good(), A: tensor })).toBe(
      'tensor "A": dimension 1 is 10, got 12',
    );
    expect(await refusal(add, { ...good(), A: new Float32Array(99) })).toBe(
      'tensor "A": shape [10, 10] has 100 elements, the array has 99',
    );
  });

  it("refuses words other than 0 and 1 in a bool, and fractions in an integer", async () => {
    const loaded = await runtime.load(
      plan(
        "types",
        [buffer("m", "input", [2], { type: "bool" }), buffer("n", "input", [], { type: "int32" })],
        [],
      ),
    );
    expect(await refusal(loaded, { m: new Uint32Array([1, 2]), n: 1 })).toBe(
      'tensor "m": bool is 0 or 1, element 1 is 2',
    );
    expect(await refusal(loaded, { m: new Uint32Array(2), n: 1.5 })).toBe(
      'tensor "n": 1.5 is no int32',
    );
  });

  it("refuses buffers that are too small, misaligned or not for storage", async () => {
    const { device } = runtime;
    const storage = device.createBuffer({ size: 512, usage: 0x80 });
    const copies = device.createBuffer({ size: 512, usage: 0x8 });
    const given = (A: TensorInputs[string]): TensorInputs => ({ ...good(), A });
    expect(await refusal(add, given({ buffer: storage, offset: 256 }))).toBe(
      'tensor "A": takes 400 bytes, the GPUBuffer has 256 from offset 256',
    );
    expect(await refusal(add, given({ buffer: storage, offset: 4 }))).toMatch(
      /offset 4 is no multiple of 256/,
    );
    expect(await refusal(add, given({ buffer: copies }))).toMatch(/without GPUBufferUsage.STORAGE/);
  });

  it("refuses ranges of buffers that are no tensors", async () => {
    const { device } = runtime;
    const storage = device.createBuffer({ size: 1024, usage: 0x80 });
    const given = (A: unknown): TensorInputs => ({ ...good(), A }) as TensorInputs;
    const at = (more: object): Promise<string> => refusal(add, given({ buffer: storage, ...more }));
    expect(await at({ size: 100 })).toBe('tensor "A": takes 400 bytes, its size is 100');
    expect(await at({ offset: 512, size: 800 })).toBe(
      'tensor "A": its size is 800 bytes, the GPUBuffer has 512 from 512 on',
    );
    expect(await at({ shape: [10, 11] })).toBe('tensor "A": dimension 1 is 10, got 11');
    expect(await at({ strides: [1, 10] })).toBe(
      'tensor "A": has to be dense, with strides [10, 1]; got [1, 10]: copy it first',
    );
    expect(await at({ offset: -256 })).toMatch(/its offset is -256, not a number of bytes/);
    expect(await refusal(add, given(storage))).toMatch(/give \{ buffer, shape \}, got a bare/);
    expect(await refusal(add, given({ buffer: new ArrayBuffer(400) }))).toMatch(/not a GPUBuffer/);
  });

  it("takes ranges of buffers as inputs and outputs, dense strides among them", async () => {
    const { device } = runtime;
    const usage = 0x80 | 0x4 | 0x8;
    const buffer = device.createBuffer({ size: 1024, usage });
    const target = device.createBuffer({ size: 1024, usage });
    device.queue.writeBuffer(buffer, 512, new Float32Array(100).fill(2));
    const A = { buffer, offset: 512, size: 400, shape: [10, 10], strides: [10, 1] };
    const C = { buffer: target, offset: 256 };
    const result = await add.run({ ...good(), A }, { outputs: { C } });
    expect(result["C"]).toMatchObject({ buffer: target, offset: 256, shape: [10, 10] });
    expect(await result["C"]?.read()).toEqual(new Float32Array(100).fill(2));
    result["C"]?.dispose();
    await expect(result["C"]?.read()).rejects.toThrow("was disposed");
    // What is the caller's stays: the next run writes there, too.
    expect((await add.run({ ...good(), A }, { outputs: { C } }))["C"]?.buffer).toBe(target);
    const again = await add.run({ ...good(), A: result["C"] ?? 0 }).catch((e: Error) => e.message);
    expect(again).toBe('tensor "A": the tensor was disposed');
  });

  it("says of what is only written that it cannot be read", async () => {
    const target = runtime.device.createBuffer({ size: 512, usage: 0x80 });
    const { C } = await add.run(good(), { outputs: { C: { buffer: target } } });
    await expect(C?.read()).rejects.toThrow("made without GPUBufferUsage.COPY_SRC");
  });

  it("takes tensors of onnxruntime, by what they look like", async () => {
    const { device } = runtime;
    const buffer = device.createBuffer({ size: 512, usage: 0x80 | 0x8 });
    device.queue.writeBuffer(buffer, 0, new Float32Array(100).fill(3));
    // As there, the getters of what is elsewhere throw.
    const onDevice = {
      dims: [10, 10],
      type: "float32",
      location: "gpu-buffer",
      gpuBuffer: buffer,
      get data(): Float32Array {
        throw new Error("the data is not on the host");
      },
    };
    const onHost = {
      dims: [10, 10],
      type: "float32",
      location: "cpu",
      data: new Float32Array(100).fill(4),
      get gpuBuffer(): GPUBuffer {
        throw new Error("the data is not on the device");
      },
    };
    const { C } = await add.run({ A: onDevice, B: onHost, s: 1 });
    expect((await C?.read())?.[99]).toBe(7);
    const wrong = { ...good(), A: { dims: [10, 10], type: "int32", gpuBuffer: buffer } };
    expect(await refusal(add, wrong)).toBe('tensor "A": is float32, got int32');
    const elsewhere = { dims: [10, 10], type: "float32", location: "texture" };
    expect(await refusal(add, { ...good(), A: elsewhere } as unknown as TensorInputs)).toMatch(
      /it is at "texture"/,
    );
  });

  it("refuses a tensor that was disposed, or that is on another device", async () => {
    const gone = runtime.tensor("float32", [10, 10]);
    gone.dispose();
    expect(await refusal(add, { ...good(), A: gone })).toMatch(/was disposed/);
    const other = await openRuntime();
    const foreign = other.tensor("float32", [10, 10]);
    expect(await refusal(add, { ...good(), A: foreign })).toMatch(/on another device/);
    other.dispose();
  });

  it("refuses to write what is also read, unless it is one tensor updated in place", async () => {
    const A = runtime.tensor("float32", [10, 10]);
    expect(await refusal(add, { ...good(), A }, { outputs: { C: A } })).toBe(
      'tensor "C": it is written, and shares its memory with tensor "A"',
    );
    const usage = 0x80;
    const buffer = runtime.device.createBuffer({ size: 1024, usage });
    expect(
      await refusal(add, { ...good(), A: { buffer } }, { outputs: { C: { buffer, offset: 512 } } }),
    ).toBe('tensor "C": it is written, and is in one GPUBuffer with tensor "A"');
    const inPlace = await runtime.load(inPlacePlan(4));
    const x = runtime.tensor("float32", [4]);
    await inPlace.run({ x });
    expect(await x.read()).toEqual(new Float32Array([1, 1, 1, 1]));
  });

  it("checks the elements and the shape of a new tensor", () => {
    expect(() => runtime.tensor("float32", [3], new Float32Array(4))).toThrow(/has 3 elements/);
    expect(() => runtime.tensor("float32", [3], new Int32Array(3))).toThrow(/got Int32Array/);
    expect(() => runtime.tensor("float32", [3, -1])).toThrow(/dimension 1 of shape \[3,-1\] is -1/);
    expect(() => runtime.tensor("float32", [1.5])).toThrow(/dimension 0/);
  });
});
