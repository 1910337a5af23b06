/** Calls that repeat: nobody waits for WebGPU to check what it took before, and nothing goes unchecked. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRuntime, type Runtime } from "../../src/node.ts";

const source = "def add(float(N) a, float(N) b) -> (c) { c(i) = a(i) + b(i) }";

let rt: Runtime;

beforeAll(async () => {
  rt = await openRuntime({ adapter: "swiftshader" });
});

afterAll(() => rt.dispose());

function ones(): ReturnType<Runtime["tensor"]> {
  return rt.tensor("float32", [16], new Float32Array(16).fill(1));
}

/** How often the event loop turned while `act` ran. */
async function turnsDuring(act: () => Promise<void>): Promise<number> {
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await act();
  counting = false;
  return turns;
}

describe("calls that repeat", () => {
  it("do not wait, but for the event loop to turn now and then", async () => {
    const { add } = rt.define(source);
    const [a, b, c] = [ones(), ones(), ones()];
    await add({ a, b }, { outputs: { c } });
    await add({ a, b }, { outputs: { c } });
    const few = await turnsDuring(async () => {
      for (let n = 0; n < 8; n++) await add({ a, b }, { outputs: { c } });
    });
    expect(few).toBeLessThan(3);
    const turns = await turnsDuring(async () => {
      for (let n = 0; n < 200; n++) await add({ a, b }, { outputs: { c } });
    });
    expect(turns).toBeGreaterThan(5);
    expect(await c.read()).toEqual(new Float32Array(16).fill(2));
  });

  it("tell tensors apart by name and by tensor, and refuse one that was disposed since", async () => {
    const { take } = rt.define(
      "def take(float(N) a, float(M) b) -> (c) { c(i) = a(i) - 2 * b(0) }",
    );
    const [few, many] = [ones(), rt.tensor("float32", [20], new Float32Array(20).fill(3))];
    for (let n = 0; n < 3; n++) {
      expect(await (await take({ a: few, b: many })).c?.read()).toEqual(
        new Float32Array(16).fill(-5),
      );
      expect(await (await take({ a: many, b: few })).c?.read()).toEqual(
        new Float32Array(20).fill(1),
      );
      const turned = few.view({ shape: [8], strides: [2] });
      expect((await take({ a: turned, b: few })).c?.shape).toEqual([8]);
    }
    // Nobody takes a name for two.
    const odd = { "a 0 b": many } as never;
    await expect(take(odd)).rejects.toThrow('has no tensor "a 0 b"');
    many.dispose();
    await expect(take({ a: few, b: many })).rejects.toThrow('tensor "b": the tensor was disposed');
  });

  it("reject when a buffer of the caller was destroyed since", async () => {
    const { add } = rt.define(source);
    const usage = 0x80 | 0x4 | 0x8;
    const buffer = rt.device.createBuffer({ size: 64, usage });
    const [a, c] = [ones(), ones()];
    for (let n = 0; n < 3; n++) await add({ a, b: { buffer, shape: [16] } }, { outputs: { c } });
    buffer.destroy();
    const call = add({ a, b: { buffer, shape: [16] } }, { outputs: { c } });
    await expect(call).rejects.toMatchObject({ kind: "validation" });
  });

  it("tell the next call of a fault that nobody could expect", async () => {
    const { add } = rt.define(source);
    const [a, b, c] = [ones(), ones(), ones()];
    for (let n = 0; n < 3; n++) await add({ a, b }, { outputs: { c } });
    // What the documents forbid.
    b.buffer.destroy();
    await add({ a, b }, { outputs: { c } });
    await expect(c.read()).rejects.toMatchObject({ kind: "validation" });
    expect((await a.read())[0]).toBe(1);
  });
});
