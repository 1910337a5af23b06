/** Memory, devices and calls under way: what lives how long. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRuntime, type Runtime } from "../../src/node.ts";
import { createRuntime, type FaultKind, type Kernel, RuntimeFault } from "../../src/runtime.ts";
import { given } from "../support/given.ts";

/** Two kernels with a temporary between them, and a host loop: all that a plan can allocate. */
const source: string = `
def mix(float(N, N) A, float(N, N) B) -> (C) {
  t(i, j) +=! A(i, k) * B(k, j)
  C(i, j) +=! t(i, k) * t(k, j)
}
def steps(float(N) x, int T) -> (h) {
  h(0, n) = x(n)
  for t in 1:T { h(t, n) +=! h(t - 1, k) where n in 0:N, k in 0:N }
}`;

let rt: Runtime;

beforeAll(async () => {
  rt = await openRuntime();
});

afterAll(() => rt.dispose());

function defined(runtime: Runtime, name: string): Kernel {
  const kernel = runtime.define(source as string)[name];
  if (kernel === undefined) throw new Error(`no ${name}`);
  return kernel;
}

function matrix(n: number, seed: number): { data: Float32Array; shape: number[] } {
  return { data: Float32Array.from({ length: n * n }, (_, i) => (i * seed) % 3), shape: [n, n] };
}

/** `(A B)(A B)` in plain JavaScript. */
function mixed(n: number, A: Float32Array, B: Float32Array): Float32Array {
  const product = (X: Float32Array, Y: Float32Array): Float32Array =>
    Float32Array.from({ length: n * n }, (_, at) => {
      const [i, j] = [Math.floor(at / n), at % n];
      let sum = 0;
      for (let k = 0; k < n; k++) sum += (X[i * n + k] ?? 0) * (Y[k * n + j] ?? 0);
      return sum;
    });
  const t = product(A, B);
  return product(t, t);
}

async function faultOf(call: Promise<unknown>): Promise<readonly [FaultKind, string]> {
  const error: unknown = await call.then(
    () => "it succeeded",
    (reason: unknown) => reason,
  );
  if (!(error instanceof RuntimeFault)) throw new Error(`no fault: ${error}`);
  return [error.kind, error.message];
}

/** Counts the calls that make objects on a device. */
function countMade(device: GPUDevice): () => Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  const methods = [
    "createBuffer",
    "createBindGroup",
    "createShaderModule",
    "createComputePipelineAsync",
  ] as const;
  for (const name of methods) {
    counts[name] = 0;
    const make = device[name].bind(device) as (...values: unknown[]) => unknown;
    Object.assign(device, {
      [name]: (...values: unknown[]) => {
        counts[name] = (counts[name] ?? 0) + 1;
        return make(...values);
      },
    });
  }
  return () => ({ ...counts });
}

describe("a run that repeats", () => {
  it("makes nothing on the device after the first, however often", async () => {
    const own = await openRuntime();
    const made = countMade(own.device);
    const [mix, steps] = [defined(own, "mix"), defined(own, "steps")];
    const [A, B, x] = [matrix(24, 1), matrix(24, 2), Float32Array.of(1, 2, 3)];
    const expected = mixed(24, A.data, B.data);
    const once = async (): Promise<void> => {
      const { C } = await mix({ A, B });
      const { h } = await steps({ x, T: 4 });
      expect(await C?.read()).toEqual(expected);
      expect((await h?.read())?.slice(-3)).toEqual(Float32Array.of(54, 54, 54));
      C?.dispose();
      h?.dispose();
    };
    // Buffers rotate for a while: results take the memory of what was read before.
    for (let i = 0; i < 3; i++) await once();
    const [after, pool] = [made(), own.memory()];
    for (let i = 0; i < 300; i++) await once();
    expect(made()).toEqual(after);
    expect(own.memory()).toEqual(pool);
    expect(after["createComputePipelineAsync"]).toBeGreaterThan(0);
    own.dispose();
  });

  it("makes nothing when tensors and outputs on the device are given", async () => {
    const own = await openRuntime();
    const made = countMade(own.device);
    const mix = defined(own, "mix");
    const [A, B] = [matrix(16, 1), matrix(16, 2)];
    const inputs = {
      A: own.tensor("float32", [16, 16], A.data),
      B: own.tensor("float32", [16, 16], B.data),
    };
    const C = own.tensor("float32", [16, 16]);
    await mix(inputs, { outputs: { C } });
    const after = made();
    for (let i = 0; i < 100; i++) await mix(inputs, { outputs: { C } });
    expect(made()).toEqual(after);
    expect(await C.read()).toEqual(mixed(16, A.data, B.data));
    own.dispose();
  });
});

describe("calls at the same time", () => {
  it("of one kernel do not disturb each other", async () => {
    const mix = defined(rt, "mix");
    const inputs = Array.from({ length: 12 }, (_, i) => [matrix(20, i + 1), matrix(20, i + 5)]);
    const results = await Promise.all(
      inputs.map(async ([A, B]) => {
        const { C } = await mix({ A: A ?? 0, B: B ?? 0 });
        return await C?.read();
      }),
    );
    const x = new Float32Array();
    for (const [i, [A, B]] of inputs.entries()) {
      expect(results[i]).toEqual(mixed(20, A?.data ?? x, B?.data ?? x));
    }
  });

  it("of different shapes compile side by side, each shape once", async () => {
    const own = await openRuntime();
    const made = countMade(own.device);
    const mix = defined(own, "mix");
    const shapes = [1, 2, 7, 16, 7, 1, 23, 16];
    const results = await Promise.all(
      shapes.map(async (n) => {
        const { C } = await mix({ A: matrix(n, 1), B: matrix(n, 2) });
        return await C?.read();
      }),
    );
    for (const [i, n] of shapes.entries()) {
      expect(results[i]).toEqual(mixed(n, matrix(n, 1).data, matrix(n, 2).data));
    }
    const found = mix.compilations().map((c) => c.sizes["N"]);
    expect(new Set(found)).toEqual(new Set([1, 2, 7, 16, 23]));
    const modules = made()["createShaderModule"] ?? 0;
    const kernels = mix.compilations().reduce((sum, c) => sum + c.plan.kernels.length, 0);
    expect(modules).toBeLessThanOrEqual(kernels);
    own.dispose();
  });
});

describe("after dispose", () => {
  it("of a runtime, all that it made says so, and the caller's device works on", async () => {
    const own = createRuntime({ device: rt.device });
    const steps = defined(own, "steps");
    const x = Float32Array.of(1, 2);
    const tensor = own.tensor("float32", [2], x);
    const { h } = await steps({ x: tensor, T: 2 });
    const reading = h?.read().then(
      () => "misuse",
      (fault: RuntimeFault) => fault.kind,
    );
    own.dispose();
    own.dispose();
    expect(await reading).toBe("misuse");
    const disposed = ["misuse", "the runtime was disposed"];
    expect(await faultOf(steps({ x, T: 2 }))).toEqual(disposed);
    expect(await faultOf(steps({ x, T: 3 }))).toEqual(disposed);
    expect(await faultOf(steps.prepare({ N: 2, T: 2 }))).toEqual(disposed);
    expect(await faultOf(steps.time({ x, T: 2 }))).toEqual(disposed);
    expect(await faultOf(h?.read() ?? Promise.resolve())).toEqual(disposed);
    expect(() => own.tensor("float32", [1])).toThrow("the runtime was disposed");
    const pass = rt.device.createCommandEncoder().beginComputePass();
    expect(() => steps.encode(pass, { x: tensor, T: 2, h: tensor })).toThrow("was disposed");
    pass.end();
    tensor.dispose();
    const again = await defined(rt, "steps")({ x, T: 2 });
    expect(await again["h"]?.read()).toEqual(Float32Array.of(1, 2, 3, 3));
  });

  it("of a runtime of its own, its device is gone without an alarm", async () => {
    const losses: unknown[] = [];
    const own = await openRuntime({ onLost: (fault) => losses.push(fault) });
    own.dispose();
    expect((await own.device.lost).reason).toBe("destroyed");
    expect(() => own.tensor("float32", [1])).toThrow("the runtime was disposed");
    expect(losses).toEqual([]);
  });
});

describe("when the device is lost", () => {
  it("onLost is told once, and every call says so", async () => {
    const losses: RuntimeFault[] = [];
    const own = await openRuntime();
    let lose: (info: GPUDeviceLostInfo) => void = () => undefined;
    const lost = new Promise<GPUDeviceLostInfo>((resolve) => {
      lose = resolve;
    });
    // No driver crashes on command: the promise of the device is ours.
    Object.defineProperty(own.device, "lost", { value: lost, configurable: true });
    const other = createRuntime({ device: own.device, onLost: (fault) => losses.push(fault) });
    const steps = defined(other, "steps");
    const x = Float32Array.of(1, 2);
    const { h } = await steps({ x, T: 2 });
    lose({ reason: "unknown", message: "the driver crashed", __brand: "GPUDeviceLostInfo" });
    await lost;
    expect(losses.map((fault) => fault.message)).toEqual([
      "the WebGPU device is lost (the driver crashed); its tensors are gone, open a new runtime to go on",
    ]);
    for (const call of [
      steps({ x, T: 2 }),
      steps({ x, T: 3 }),
      h?.read(),
      steps.time({ x, T: 2 }),
    ]) {
      expect((await faultOf(call ?? Promise.resolve()))[0]).toBe("device-lost");
    }
    expect(() => other.tensor("float32", [1])).toThrow("the driver crashed");
    expect(losses).toHaveLength(1);
    other.dispose();
    own.dispose();
  });
});

describe("a signal", () => {
  const x = Float32Array.of(1, 2, 3);

  it("that is aborted before the call keeps it from compiling", async () => {
    const steps = defined(rt, "steps");
    const reason = new Error("no longer needed");
    const call = steps({ x, T: 5 }, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect(steps.compilations()).toEqual([]);
  });

  it("that is aborted while it compiles rejects at once, and the compilation is kept", async () => {
    // Results that nobody disposes of may be freed at any time: none of other tests are in its memory.
    const own = await openRuntime();
    const steps = defined(own, "steps");
    const controller = new AbortController();
    const call = steps({ x, T: 6 }, { signal: controller.signal });
    const reason = new Error("changed my mind");
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    const { h } = await steps({ x, T: 6 });
    expect((await h?.read())?.slice(0, 3)).toEqual(x);
    expect(steps.compilations()).toHaveLength(1);
    h?.dispose();
    steps.dispose();
    expect(own.memory().bytesInUse).toBe(0);
    own.dispose();
  });

  it("that is aborted after the submission changes nothing", async () => {
    const steps = defined(rt, "steps");
    await steps.prepare({ N: 3, T: 4 });
    const controller = new AbortController();
    const { queue } = rt.device;
    const submit = queue.submit.bind(queue);
    queue.submit = (commands) => {
      submit(commands);
      controller.abort();
    };
    const { h } = await steps({ x, T: 4 }, { signal: controller.signal });
    queue.submit = submit;
    expect(controller.signal.aborted).toBe(true);
    expect((await h?.read())?.slice(-3)).toEqual(Float32Array.of(54, 54, 54));
  });
});

describe("options of a definition", () => {
  const A = matrix(12, 1);

  it("are given back with what was not legal and what was not asked", async () => {
    const choices = { "kernels/$0/axes/0/workgroup": 7, "kernels/other/axes/0/workgroup": 8 };
    const { mix } = rt.define(source, { options: given(choices) });
    const { C } = (await mix?.({ A, B: A })) ?? {};
    expect(await C?.read()).toEqual(mixed(12, A.data, A.data));
    const [compilation] = mix?.compilations() ?? [];
    expect(compilation?.unusedChoices).toEqual(["kernels/other/axes/0/workgroup"]);
    expect(compilation?.repairs).toEqual([
      { path: "kernels/t/axes/0/workgroup", asked: 7, used: 8 },
    ]);
    expect(compilation?.sizes).toEqual({ N: 12 });
  });

  it("are taken where a path is of a decision that other sizes have", async () => {
    const { mix } = rt.define(source, {
      options: given({ "kernels/none/align": true }),
    });
    const { C } = (await mix?.({ A, B: A })) ?? {};
    expect(await C?.read()).toEqual(mixed(12, A.data, A.data));
    expect(mix?.compilations()[0]?.unusedChoices).toEqual(["kernels/none/align"]);
  });

  it("are refused when a path is misspelt", async () => {
    const choices = { "kernels/C/axes/0/workgruop": 8 };
    const { mix } = rt.define(source, { options: given(choices) });
    expect(await faultOf(mix?.({ A, B: A }) ?? Promise.resolve())).toEqual([
      "argument",
      'options: there is no "workgruop" in "kernels/C/axes/0/workgruop"; did you mean "workgroup"?',
    ]);
  });
});
