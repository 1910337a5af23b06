/** Buffers of callers, with padding, without, and with something else where padding would be. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { planData } from "../../src/emit/plan-data.ts";
import { readPlan } from "../../src/emit/read-plan.ts";
import { compile } from "../../src/index.ts";
import { openRuntime, type Runtime } from "../../src/node.ts";
import { openFolder } from "../emit/emitted.ts";
import { given as mappingWith } from "../support/given.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

const source = "def f(float(N, M) x) -> (y) { y(i, j) = 2.0 * x(i, j) + 1.0 }";
const [N, M] = [13, 79];
const count = N * M;
const bytes = 4 * count;
const paddedBytes = 4112;
const x = Float32Array.from({ length: count }, (_, n) => n - 4);
const expected = [...x].map((v) => 2 * v + 1);
const usage = 128 | 4 | 8;
/** A mark that no kernel computes here. */
const mark = 12345;

function bufferOf(size: number, data: Float32Array): GPUBuffer {
  const buffer = runtime.device.createBuffer({ size, usage });
  const all = new Float32Array(size / 4).fill(Number.NaN);
  all.set(data);
  runtime.device.queue.writeBuffer(buffer, 0, all);
  return buffer;
}

function marked(size: number): GPUBuffer {
  return bufferOf(size, new Float32Array(size / 4).fill(mark));
}

async function contents(buffer: GPUBuffer): Promise<readonly number[]> {
  const staging = runtime.device.createBuffer({ size: buffer.size, usage: 1 | 8 });
  const encoder = runtime.device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
  runtime.device.queue.submit([encoder.finish()]);
  await staging.mapAsync(1);
  const data = [...new Float32Array(staging.getMappedRange())];
  staging.destroy();
  return data;
}

function paddings(kernel: {
  compilations(): readonly { readonly padded: boolean }[];
}): readonly boolean[] {
  return kernel.compilations().map(({ padded }) => padded);
}

describe("a kernel", () => {
  let f: ReturnType<typeof define>;

  function define() {
    return runtime.define(source).f;
  }

  beforeEach(() => {
    f = define();
  });

  it("takes whole vectors of buffers with padding that holds no numbers", async () => {
    const given = bufferOf(paddedBytes, x);
    const target = marked(paddedBytes);
    const outputs = { y: { buffer: target, size: paddedBytes, shape: [N, M] } };
    const { y } = await f({ x: { buffer: given, shape: [N, M] } }, { outputs });
    expect([...(await y.read())]).toEqual(expected);
    expect(paddings(f)).toEqual([true]);
    const [plan] = f.compilations().map((c) => c.plan);
    if (runtime.profile.class === "cpu") {
      expect(plan?.buffers.map((b) => b.bytes)).toEqual([paddedBytes, paddedBytes]);
      expect(plan?.kernels[0]?.wgsl).toContain("array<vec4<f32>, 257>");
    }
  });

  it("takes buffers that end with the last element", async () => {
    const given = bufferOf(bytes, x);
    const target = marked(bytes);
    const outputs = { y: { buffer: target, shape: [N, M] } };
    const { y } = await f({ x: { buffer: given, shape: [N, M] } }, { outputs });
    expect([...(await y.read())]).toEqual(expected);
    expect(await contents(target)).toEqual(expected);
  });

  it.each([paddedBytes, 8192])(
    "writes nothing after a result in a larger buffer: %d bytes",
    async (size) => {
      const target = marked(size);
      await f(
        { x: { data: x, shape: [N, M] } },
        { outputs: { y: { buffer: target, shape: [N, M] } } },
      );
      const after = Array.from({ length: size / 4 - count }, () => mark);
      expect(await contents(target)).toEqual([...expected, ...after]);
    },
  );

  it("may write after a result whose size says so", async () => {
    const target = marked(8192);
    const place = { buffer: target, size: paddedBytes, shape: [N, M] };
    await f({ x: { data: x, shape: [N, M] } }, { outputs: { y: place } });
    const found = await contents(target);
    expect(found.slice(0, count)).toEqual(expected);
    expect(found.slice(paddedBytes / 4)).toEqual(
      Array.from({ length: 2048 - paddedBytes / 4 }, () => mark),
    );
    expect(paddings(f)).toEqual([true]);
  });

  it("writes nothing after a result that is a part of a tensor", async () => {
    const whole = runtime.tensor("float32", [N + 2, M], new Float32Array((N + 2) * M).fill(mark));
    const part = whole.slice([0, N]);
    expect([whole.padded, part.padded]).toEqual([true, false]);
    await f({ x: { data: x, shape: [N, M] } }, { outputs: { y: part } });
    const after = Array.from({ length: 2 * M }, () => mark);
    expect([...(await whole.read())]).toEqual([...expected, ...after]);
  });

  it("gathers zeros after the last element, whatever is there", async () => {
    const two = "def g(float(N) x, int(N) i) -> (y, z) { y(n) = 2.0 * x(n)\n z(n) = x(i(n)) }";
    for (const N of [1021, 20_001]) {
      const choices = {
        "structure/statements/$0/vectors": true,
        "structure/statements/$1/vectors": true,
      };
      const { g } = runtime.define(two, { options: mappingWith(choices) });
      const given = bufferOf(16 * Math.ceil(N / 4) + 64, new Float32Array(N).fill(3));
      runtime.device.queue.writeBuffer(given, 4 * N, new Float32Array(16).fill(mark));
      const i = Int32Array.from({ length: N }, (_, n) => (n % 2 === 0 ? N + (n % 3) : n));
      const { z } = await g({ x: { buffer: given, shape: [N] }, i });
      const found = await z.read();
      expect([...found]).toEqual(Array.from(i, (at) => (at < N ? 3 : 0)));
      g.dispose();
    }
  });

  it("knows no padding after the other end of a result with negative strides", async () => {
    const { g } = runtime.define("def g(float(N) x) -> (y) { y(i) = 2.0 * x(i) }");
    const target = marked(512);
    const values = Float32Array.of(1, 2, 3, 4, 5);
    const place = { buffer: target, offset: 272, strides: [-1], shape: [5] };
    const { y } = await g({ x: values }, { outputs: { y: place } });
    const forward = y.view({ offset: -4, strides: [1] });
    expect(forward.padded).toBe(false);
    await g({ x: values }, { outputs: { y: forward } });
    const all = await contents(target);
    expect(all.slice(64, 69)).toEqual([2, 4, 6, 8, 10]);
    expect([...all.slice(0, 64), ...all.slice(69)].every((v) => v === mark)).toBe(true);
    g.dispose();
  });

  it("encodes for small buffers what was prepared for others, if it touches no padding", async () => {
    const { g } = runtime.define("def g(float(N, M) x) -> (y) { y(i) +=! x(i, j) }");
    const io = { x: runtime.tensor("float32", [5, 3]), y: runtime.tensor("float32", [5]) };
    await g.prepare({}, io);
    const target = marked(20);
    const small = {
      x: { buffer: bufferOf(60, new Float32Array(15).fill(2)), shape: [5, 3] },
      y: { buffer: target, shape: [5] },
    };
    const encoder = runtime.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    g.encode(pass, small);
    pass.end();
    runtime.device.queue.submit([encoder.finish()]);
    expect(await contents(target)).toEqual([6, 6, 6, 6, 6]);
    g.dispose();
  });

  it("takes another shape of a whole tensor in whole vectors", async () => {
    const whole = runtime.tensor("float32", [count]);
    const target = whole.view({ shape: [N, M] });
    expect(target.padded).toBe(true);
    await f({ x: { data: x, shape: [N, M] } }, { outputs: { y: target } });
    expect([...(await whole.read())]).toEqual(expected);
    expect(paddings(f)).toEqual([true]);
  });

  it("reads parts of tensors that are followed by others", async () => {
    const whole = runtime.tensor("float32", [N + 2, M], new Float32Array((N + 2) * M).fill(mark));
    runtime.device.queue.writeBuffer(whole.buffer, 0, x);
    const { y } = await f({ x: whole.slice([0, N]) });
    expect([...(await y.read())]).toEqual(expected);
    expect(paddings(f)).toEqual([true]);
  });

  it("encodes for buffers of both kinds after one prepare", async () => {
    await f.prepare({ N, M });
    for (const size of [bytes, paddedBytes]) {
      const target = marked(size);
      const io = {
        x: { buffer: bufferOf(size, x), shape: [N, M] },
        y: { buffer: target, size, shape: [N, M] },
      };
      const encoder = runtime.device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      f.encode(pass, io);
      pass.end();
      runtime.device.queue.submit([encoder.finish()]);
      expect((await contents(target)).slice(0, count)).toEqual(expected);
    }
  });

  it("is compiled once where no kernel touches padding", async () => {
    const { g } = runtime.define(
      "def g(float(N, M) x) -> (y) { y(i, j) = x(j, i) + 0.0 where i in 0:3, j in 0:3 }",
    );
    await g.prepare({ N: 3, M: 3 });
    expect(g.compilations()).toHaveLength(1);
    g.dispose();
  });

  it("compiles for each kind once", async () => {
    const exact = bufferOf(bytes, x);
    for (let n = 0; n < 2; n++) {
      await f({ x: { data: x, shape: [N, M] } });
      await f({ x: { buffer: exact, shape: [N, M] } });
    }
    const cpu = runtime.profile.class === "cpu";
    expect(paddings(f)).toEqual(cpu ? [true, false] : [true]);
  });
});

describe("a plan for memory with padding", () => {
  function plan() {
    const result = compile(source, { sizes: { N, M }, padded: true, profile: "swiftshader" });
    if (!result.ok) throw new Error("refused");
    return result.plan;
  }

  it("keeps its bytes on the way through data", () => {
    const read = readPlan(JSON.parse(JSON.stringify(planData(plan()))));
    expect(read.ok && read.plan.buffers.map((b) => b.bytes)).toEqual([paddedBytes, paddedBytes]);
  });

  it("refuses buffers that are too small, and says what to allocate", async () => {
    const loaded = await runtime.load(plan());
    const small = { buffer: bufferOf(bytes, x), shape: [N, M] };
    await expect(loaded.run({ x: small })).rejects.toThrow(
      'tensor "x": the plan takes it in whole vectors, 4112 bytes of which it has 4108: ' +
        "give a GPUBuffer with { size: 4112 }, or compile without padding",
    );
    const larger = { y: { buffer: marked(8192), shape: [N, M] } };
    await expect(loaded.run({ x }, { outputs: larger })).rejects.toThrow(
      "in whole vectors, 4112 bytes",
    );
    const { y } = await loaded.run({ x });
    expect([...((await y?.read()) ?? [])]).toEqual(expected);
    loaded.dispose();
  });

  it("is not what compile makes unless it is asked for", () => {
    for (const profile of ["baseline", "swiftshader", "llvmpipe"]) {
      const result = compile(source, { sizes: { N, M }, profile });
      expect(result.ok && result.plan.buffers.every((b) => b.bytes === undefined)).toBe(true);
    }
  });
});

describe("a module of a plan for memory with padding", () => {
  const folder = openFolder();

  afterAll(() => folder.remove());

  it("makes such memory, takes such buffers, and says what others lack", async () => {
    const result = compile(source, { sizes: { N, M }, padded: true, profile: "swiftshader" });
    if (!result.ok) throw new Error("refused");
    const kernel = await (await folder.load(result.plan)).load(runtime.device);
    expect([...((await kernel.run({ x }))["y"] ?? [])]).toEqual(expected);
    const given = bufferOf(paddedBytes, x);
    expect([...((await kernel.run({ x: given }))["y"] ?? [])]).toEqual(expected);
    await expect(kernel.run({ x: bufferOf(bytes, x) })).rejects.toThrow(
      "takes 4112 bytes, the GPUBuffer has 4108",
    );
    kernel.dispose();
  });
});
