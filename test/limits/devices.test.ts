/** Devices with no more than WebGPU's guaranteed limits. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { TcError } from "../../src/api/tc-error.ts";
import { openAdapter } from "../../src/runtime/node/open-adapter.ts";
import { createRuntime, type Runtime, RuntimeFault } from "../../src/runtime.ts";

let device: GPUDevice;
let rt: Runtime;

beforeAll(async () => {
  device = await (await openAdapter()).adapter.requestDevice();
  rt = createRuntime({ device });
});

afterAll(() => device.destroy());

it("have the limits that the profile says", () => {
  expect(rt.profile.limits).toMatchObject({ maxStorageBuffers: 8, maxBindingBytes: 2 ** 27 });
});

it("run statements of more tensors than a kernel binds there", async () => {
  const names = Array.from({ length: 12 }, (_, n) => `a${n}`);
  const parameters = names.map((name) => `float(N) ${name}`).join(", ");
  const source: string = `def sum(${parameters}) -> (y) { y(i) = ${names.map((n) => `${n}(i)`).join(" + ")} }`;
  const inputs = names.map((name, n) => [name, Float32Array.of(n, 1, 2 * n)] as const);
  const result = await rt.define(source)["sum"]?.(Object.fromEntries(inputs));
  expect(await result?.["y"]?.read()).toEqual(Float32Array.of(66, 12, 132));
});

it("refuse a tensor that is too large for a binding before anything is allocated", async () => {
  const before = rt.memory();
  const { twice } = rt.define("def twice(float(N) x) -> (y) { y(i) = 2.0 * x(i) }");
  const error: unknown = await twice.prepare({ N: 33554433 }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TcError);
  expect((error as TcError).diagnostics.map((d) => d.code)).toEqual(["TC5002", "TC5002"]);
  expect((error as TcError).message).toContain("134217732 bytes");
  expect((error as TcError).message).toContain("(maxStorageBufferBindingSize)");
  expect(rt.memory()).toEqual(before);
});

it("refuse a tensor that is too large for a buffer", () => {
  expect(() => rt.tensor("float32", [2 ** 30])).toThrow(
    new RuntimeFault(
      "unsupported",
      "a buffer of 4 GiB; this device allows 256 MiB (maxBufferSize)",
    ),
  );
});

it("live on when the runtime is disposed of", async () => {
  const other = createRuntime({ device });
  other.dispose();
  const { twice } = rt.define("def twice(float(N) x) -> (y) { y(i) = 2.0 * x(i) }");
  const { y } = await twice({ x: Float32Array.of(1, 2) });
  expect(await y.read()).toEqual(Float32Array.of(2, 4));
});
