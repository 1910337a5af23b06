import { afterAll, beforeAll, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { bufferUsage } from "../../src/runtime/gpu-flags.ts";
import type { LoadedPlan } from "../../src/runtime/load-plan.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { RuntimeFault } from "../../src/runtime/runtime-fault.ts";
import { allocate, type ElementType } from "../../src/support/scalar-type.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

async function load(source: string): Promise<LoadedPlan> {
  const result = compile(source, { profile: runtime.profile });
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return await runtime.load(result.plan);
}

async function refusal(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    if (error instanceof RuntimeFault) return `${error.kind}: ${error.message}`;
    throw error;
  }
  return "it worked";
}

const narrow: readonly ElementType[] = ["int8", "uint8", "int16", "uint16", "float16"];

test.each(narrow)(
  "tensors of %s of any number of elements come back as they went",
  async (type) => {
    for (const length of [0, 1, 2, 3, 5, 7, 13, 64]) {
      const data = allocate(type, length);
      for (let n = 0; n < length; n++) data[n] = 3 * n + 1;
      using tensor = runtime.tensor(type, [length], data);
      expect(tensor.dtype).toBe(type);
      expect(await tensor.read()).toEqual(data);
      using zeros = runtime.tensor(type, [length]);
      expect(await zeros.read()).toEqual(allocate(type, length));
    }
  },
);

test("a view of part of an array is sent as that part", async () => {
  const all = Int8Array.of(9, 9, 9, 1, 2, 3, 4, 5);
  using tensor = runtime.tensor("int8", [5], all.subarray(3));
  expect(await tensor.read()).toEqual(Int8Array.of(1, 2, 3, 4, 5));
});

test("float16 is taken as numbers, which are rounded, or as bits", async () => {
  const bits = Uint16Array.of(0x3c00, 0xc000, 0x7bff);
  const values = Float32Array.of(1, -2, 65504);
  using fromBits = runtime.tensor("float16", [3], bits);
  expect(await fromBits.read()).toEqual(values);
  using fromNumbers = runtime.tensor("float16", [2], Float32Array.of(0.1, 2049));
  expect(await fromNumbers.read()).toEqual(Float32Array.of(0.0999755859375, 2048));
  // What Float16Array looks like to those that do not have it.
  class Halves extends Uint16Array {
    override get [Symbol.toStringTag](): "Uint16Array" {
      return "Float16Array" as "Uint16Array";
    }
  }
  using fromHalves = runtime.tensor("float16", [3], new Halves(bits));
  expect(await fromHalves.read()).toEqual(values);
});

test("arguments of another type are refused with the array that is needed", async () => {
  expect(await refusal(() => runtime.tensor("int8", [2], Uint8Array.of(1, 2)))).toBe(
    "argument: tensor(int8, [2]): int8 needs an Int8Array, got Uint8Array",
  );
  expect(await refusal(() => runtime.tensor("float16", [2], Int16Array.of(1, 2)))).toBe(
    "argument: tensor(float16, [2]): float16 needs a Float32Array, or a Uint16Array of bits, " +
      "got Int16Array",
  );
  const loaded = await load("def f(uint8(3) x) -> (uint8(3) y) { y(i) = x(i) }");
  expect(await refusal(() => loaded.run({ x: Float32Array.of(1, 2, 3) }))).toBe(
    'argument: tensor "x": uint8 needs a Uint8Array, got Float32Array',
  );
  expect(await refusal(() => loaded.run({ x: { data: [1, 2, 256], shape: [3] } }))).toBe(
    'argument: tensor "x": element 2 is 256, which is no uint8',
  );
  using other = runtime.tensor("int8", [3]);
  expect(await refusal(() => loaded.run({ x: other }))).toBe(
    'argument: tensor "x": is uint8, got int8',
  );
});

test("results stay on the device, feed other calls, and are updated in place there", async () => {
  const twice = await load("def f(int8(5) x) -> (int8(5) y) { y(i) = 2 * x(i) }");
  const next = await load("def g(int8(5) y) -> (y) { y(i) += 1 }");
  const { y } = await twice.run({ x: Int8Array.of(1, 2, 3, 64, -1) });
  if (y === undefined) throw new Error("no result");
  const { y: same } = await next.run({ y });
  expect(same).toBe(y);
  expect(await y.read()).toEqual(Int8Array.of(3, 5, 7, -127, -1));
});

test("a buffer of the caller has to have whole words", async () => {
  const loaded = await load("def f(int8(5) x) -> (y) { y(i) = x(i) }");
  const usage = bufferUsage.storage | bufferUsage.copyDestination;
  const buffer = runtime.device.createBuffer({ size: 8, usage });
  runtime.device.queue.writeBuffer(buffer, 0, Int8Array.of(-1, -2, -3, -4, -5, 0, 0, 0));
  const { y } = await loaded.run({ x: { buffer } });
  expect(await y?.read()).toEqual(Int32Array.of(-1, -2, -3, -4, -5));
  const short = runtime.device.createBuffer({ size: 4, usage });
  expect(await refusal(() => loaded.run({ x: { buffer: short } }))).toBe(
    'argument: tensor "x": takes 8 bytes, the GPUBuffer has 4 from offset 0',
  );
});
