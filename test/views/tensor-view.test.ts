import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planData, readPlan } from "../../src/emit.ts";
import { compile } from "../../src/index.ts";
import { type GpuTensor, openRuntime, type Runtime } from "../../src/node.ts";
import { given } from "../support/given.ts";

let runtime: Runtime;
let x: GpuTensor;

beforeAll(async () => {
  runtime = await openRuntime();
  x = runtime.tensor(
    "float32",
    [2, 3, 4],
    Float32Array.from({ length: 24 }, (_, n) => n),
  );
});

afterAll(() => runtime.dispose());

describe("a view", () => {
  test("has the elements that its indices name", async () => {
    const elements = async (view: GpuTensor) => [view.shape, [...(await view.read())]];
    expect(await elements(x.slice(1, [0, 3, 2], 3))).toEqual([[2], [15, 23]]);
    expect(await elements(x.slice(null, 0, [3, 4]))).toEqual([
      [2, 1],
      [3, 15],
    ]);
    expect(await elements(x.slice(0, 1, [0, 4, -3]))).toEqual([[2], [7, 4]]);
    expect(await elements(x.slice(0, 1, [1, 1]))).toEqual([[0], []]);
    expect(await elements(x.slice(0, [0, 2], [0, 2]).transpose())).toEqual([
      [2, 2],
      [0, 4, 1, 5],
    ]);
    const order = x.transpose(1, 2, 0);
    expect(order).toMatchObject({ shape: [3, 4, 2], strides: [4, 1, 12], offset: 0 });
    expect(await elements(order.slice(2, 3))).toEqual([[2], [11, 23]]);
    expect(await elements(x.slice([1, 2], 1, [2, 3]).broadcastTo([2, 3, 1]))).toEqual([
      [2, 3, 1],
      Array(6).fill(18),
    ]);
    expect(await elements(x.view({ shape: [2, 2], strides: [-7, 5], offset: 8 }))).toEqual([
      [2, 2],
      [8, 13, 1, 6],
    ]);
    expect(await elements(x.view({ shape: [4, 6] }).slice(3, [4, 6]))).toEqual([[2], [22, 23]]);
  });

  test("of a view counts from its first element", async () => {
    const row = x.slice(1, 2);
    expect(row).toMatchObject({ shape: [4], strides: [1], offset: 4 * 20 });
    expect([...(await row.view({ shape: [2], strides: [2], offset: 1 }).read())]).toEqual([21, 23]);
    expect([...(await row.view({ offset: -20 }).read())]).toEqual([0, 1, 2, 3]);
  });

  test("does not leave the memory of its tensor", () => {
    const memory = "the memory of the tensor has the elements [0, 24)";
    expect(() => x.view({ offset: 1 })).toThrow(
      `view: [2, 3, 4] with strides [12, 4, 1] takes elements 1 to 24, ${memory}`,
    );
    expect(() => x.view({ shape: [3], strides: [-1], offset: 1 })).toThrow(/elements -1 to 1/);
    expect(() => x.slice(1, 2).view({ shape: [5] })).toThrow(/takes elements 20 to 24/);
    const bytes = runtime.tensor("int8", [5]);
    expect(() => bytes.view({ shape: [6] })).toThrow(/has the elements \[0, 5\)/);
  });

  test("is refused where it is none", () => {
    expect(() => x.view({ shape: [2, -1] })).toThrow("view: [2,-1] is no shape");
    expect(() => x.view({ shape: [2, 2], strides: [1] })).toThrow(
      "view: shape [2, 2] has no strides [1]",
    );
    expect(() => x.view({ offset: 0.5 })).toThrow("view: its offset is 0.5");
    expect(() => x.transpose().view({ shape: [24] })).toThrow(
      "view: the tensor has strides [1, 4, 12]: give strides for shape [24]",
    );
    expect(() => x.transpose(0, 0, 1)).toThrow("transpose: [0, 0, 1] is no order of 3 dimensions");
    expect(() => x.slice(2)).toThrow("slice: dimension 0 has the indices [0, 2), not 2");
    expect(() => x.slice(0, [1, 5])).toThrow(
      "slice: [1, 5) by 1 is no range of dimension 1, which has the indices [0, 3)",
    );
    expect(() => x.slice(0, [0, 3, 0])).toThrow(/by 0 is no range/);
    expect(() => x.slice(0, 0, 0, 0)).toThrow("slice: 4 ranges of a tensor of rank 3");
    expect(() => x.broadcastTo([2, 3, 5])).toThrow(
      "broadcastTo: a tensor of shape [2, 3, 4] does not repeat to [2, 3, 5]",
    );
    expect(() => x.broadcastTo([3, 4])).toThrow(/does not repeat to \[3, 4\]/);
  });

  test("is disposed with its tensor, and gives nothing back by itself", async () => {
    const used = (): number => runtime.memory().bytesInUse;
    const before = used();
    const tensor = runtime.tensor("float32", [100]);
    const view = tensor.slice([10, 20]);
    const held = used();
    view.dispose();
    expect([view.disposed, tensor.disposed, used()]).toEqual([true, false, held]);
    await expect(view.read()).rejects.toThrow("the tensor was disposed");
    const other = tensor.slice([10, 20]);
    tensor.dispose();
    expect([other.disposed, used()]).toEqual([true, before]);
    expect(() => other.transpose()).toThrow("the tensor was disposed");
  });
});

const scale = "def scale(float(M, N) x) -> (y) { y(m, n) = 2.0 * x(m, n) }";

describe("compilations", () => {
  test("are one for all places of a view, and one for each set of strides", async () => {
    const { scale: kernel } = runtime.define(scale);
    const matrix = runtime.tensor("float32", [16, 12]);
    for (let row = 0; row < 16; row += 4) {
      for (const column of [0, 4, 8])
        await kernel({ x: matrix.slice([row, row + 4], [column, column + 4]) });
    }
    expect(kernel.compilations().map(({ layouts }) => layouts)).toEqual([
      { x: { strides: [12, 1], offsetMultiple: 4 } },
    ]);
    await kernel({ x: matrix.slice([0, 4], [1, 5]) });
    await kernel({ x: runtime.tensor("float32", [4, 4]) });
    await kernel({ x: matrix.view({ shape: [4, 4] }) });
    expect(kernel.compilations().map(({ layouts }) => layouts)).toEqual([
      { x: { strides: [12, 1], offsetMultiple: 4 } },
      { x: { strides: [12, 1], offsetMultiple: 1 } },
      {},
    ]);
  });

  test("load vectors where strides and offsets allow it, and nowhere else", () => {
    const text = (strides: readonly number[], offsetMultiple: 1 | 4): string => {
      const options = given({ "kernels/$0/axes/1/points": 4, "kernels/$0/points": "vector" });
      const layouts = { x: { strides, offsetMultiple }, y: { strides, offsetMultiple } };
      const compiled = compile(scale, { sizes: { M: 8, N: 32 }, layouts, options });
      return compiled.ok ? (compiled.plan.kernels[0]?.wgsl ?? "") : "";
    };
    expect(text([64, 1], 4)).toContain("array<vec4<f32>>");
    expect(text([64, 1], 1)).toContain("array<f32>");
    expect(text([65, 1], 4)).toContain("array<f32>");
    expect(text([64, 2], 4)).toContain("array<f32>");
    expect(text([64, 1], 1)).not.toContain("array<vec4");
  });

  test("of plans that went through JSON run for the same views", async () => {
    const layouts = {
      x: { strides: [1, 3], offsetMultiple: 1 },
      y: { strides: [8, 1], offsetMultiple: 4 },
    } as const;
    const compiled = compile(scale, { sizes: { M: 3, N: 4 }, layouts, shared: [["x", "y"]] });
    if (!compiled.ok) throw new Error("refused");
    const read = readPlan(JSON.parse(JSON.stringify(planData(compiled.plan))));
    if (!read.ok) throw new Error(read.fault);
    expect(read.plan.buffers).toEqual(compiled.plan.buffers);
    expect(read.plan.shared).toEqual(compiled.plan.shared);
    using loaded = await runtime.load(read.plan);
    const whole = runtime.tensor(
      "float32",
      [60],
      Float32Array.from({ length: 60 }, (_, n) => n),
    );
    const from = whole.view({ shape: [3, 4], strides: [1, 3], offset: 5 });
    const y = whole.view({ shape: [3, 4], strides: [8, 1], offset: 32 });
    await loaded.run({ x: from }, { outputs: { y } });
    expect([...(await y.read())]).toEqual([...(await from.read())].map((value) => 2 * value));
    const data = JSON.parse(JSON.stringify(planData(compiled.plan)));
    data.buffers[0].layout.strides = ["1"];
    expect(readPlan(data)).toMatchObject({ ok: false });
    const lost = JSON.parse(JSON.stringify(planData(compiled.plan)));
    lost.shared[0].set.push("z");
    expect(readPlan(lost)).toEqual({ ok: false, fault: "plan.shared has z, which is no buffer" });
  });
});

test("encode takes views that prepare was shown", async () => {
  const { scale: kernel } = runtime.define(scale);
  const [from, to] = [runtime.tensor("float32", [4, 3]), runtime.tensor("float32", [6, 4])];
  const source = runtime.tensor(
    "float32",
    [4, 3],
    Float32Array.from({ length: 12 }, (_, n) => n),
  );
  const io = { x: from.transpose(), y: to.slice([0, 6, 2]) };
  await kernel.prepare({}, io);
  const encoder = runtime.device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  kernel.encode(pass, { x: source.transpose(), y: to.slice([1, 6, 2]) });
  pass.end();
  runtime.device.queue.submit([encoder.finish()]);
  expect([...(await to.slice(3).read())]).toEqual([2, 8, 14, 20]);
  expect([...(await to.slice(2).read())]).toEqual([0, 0, 0, 0]);
});
