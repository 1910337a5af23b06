import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type FaultKind, RuntimeFault } from "../../src/runtime/runtime-fault.ts";
import type { GpuTensor } from "../../src/runtime/tensor.ts";
import { addPlan, buffer, chainPlan, inPlacePlan, kernel, plan } from "./plans.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

async function faultOf(call: Promise<unknown>): Promise<RuntimeFault> {
  const error: unknown = await call.then(
    () => "it succeeded",
    (reason: unknown) => reason,
  );
  if (!(error instanceof RuntimeFault)) throw new Error(`no fault: ${error}`);
  return error;
}

/** The next call, one that makes nothing, has a fault: no device makes one where nothing is wrong. */
function failNext(device: GPUDevice): void {
  const pop = device.popErrorScope.bind(device);
  const Invalid = globalThis.GPUValidationError ?? Error;
  device.popErrorScope = async () => {
    device.popErrorScope = pop;
    await pop();
    // It stands in the scope of validation alone.
    return new Invalid("made up") as GPUError;
  };
}

async function expectFault(
  call: Promise<unknown>,
  kind: FaultKind,
  message: RegExp,
): Promise<void> {
  const fault = await faultOf(call);
  expect(fault.message).toMatch(message);
  expect(fault.kind).toBe(kind);
}

function onePlan(text: Partial<Parameters<typeof kernel>[0]>): Parameters<Runtime["load"]>[0] {
  const defaults = { name: "k", bindings: [["y", "read_write"]] as const, groups: 1, body: "" };
  return plan("one", [buffer("y", "output", [4])], [kernel({ ...defaults, ...text })]);
}

describe("faults of a plan", () => {
  it("reports WGSL that does not parse, with kernel, line and text", async () => {
    const broken = onePlan({ name: "broken", body: "b0[i] = 1.0 +;" });
    await expectFault(
      runtime.load(broken),
      "shader",
      /^kernel "broken": line 6:\d+: .*\n {2}b0\[i\] = 1\.0 \+;/,
    );
    await expectFault(runtime.load(broken), "shader", /kernel "broken"/);
  });

  it("reports the one bad kernel among good ones, and compiles the good ones later", async () => {
    const good = addPlan.kernels;
    const bad = onePlan({ name: "bad", body: "b0[i] = 1u;" }).kernels;
    const both = plan("both", [...addPlan.buffers, buffer("y", "output", [4])], [...good, ...bad]);
    await expectFault(runtime.load(both), "shader", /kernel "bad": line/);
    expect((await runtime.load(addPlan)).plan).toBe(addPlan);
  });

  it("reports a layout that does not fit the text", async () => {
    const one = onePlan({ body: "b0[i] = 1.0;" });
    const kernels = one.kernels.map((k) => ({
      ...k,
      bindings: k.bindings.map(({ buffer }) => ({ buffer, access: "read" as const })),
    }));
    await expectFault(
      runtime.load({ ...one, kernels }),
      "shader",
      /kernel "k": .*ReadOnlyStorage/s,
    );
  });

  it("names the limit that a plan exceeds", async () => {
    const most = runtime.device.limits.maxComputeWorkgroupsPerDimension;
    await expectFault(
      runtime.load(onePlan({ groups: most + 1 })),
      "unsupported",
      new RegExp(`needs ${most + 1} workgroups .* allows ${most} \\(maxComputeWorkgroups`),
    );
    const huge = plan("huge", [buffer("big", "input", [1 << 20, 1 << 20])], []);
    await expectFault(
      runtime.load(huge),
      "unsupported",
      /^tensor "big" \[1048576, 1048576\] takes 4 TiB; this device allows .*iB \(maxStorageBuffer/,
    );
    const steps = Array.from({ length: 40 }, () => "t");
    const one = onePlan({ steps });
    const repeat = { kind: "repeat", variable: "t", extent: 2, body: one.steps } as const;
    await expectFault(
      runtime.load({ ...one, steps: [repeat], stepIndices: "immediate" }),
      "unsupported",
      /160 bytes of immediates/,
    );
  });

  it("refuses to run after dispose", async () => {
    const loaded = await runtime.load(inPlacePlan(3));
    loaded.dispose();
    await expectFault(loaded.run({ x: new Float32Array(3) }), "misuse", /was disposed/);
    const tensor = runtime.tensor("float32", [3]);
    tensor.dispose();
    await expectFault(tensor.read(), "misuse", /was disposed/);
  });
});

describe("faults of the device", () => {
  it("rejects the call whose commands WebGPU refuses, and goes on", async () => {
    const loaded = await runtime.load(addPlan);
    const other = await openRuntime();
    const foreign = other.device.createBuffer({ size: 400, usage: 0x80 });
    const rest = { B: new Float32Array(100), s: 1 };
    await expectFault(
      loaded.run({ A: { buffer: foreign }, ...rest }),
      "validation",
      /^could not run plan "add": /,
    );
    other.dispose();
    const { C } = await loaded.run({ A: new Float32Array(100).fill(7), ...rest });
    expect((await C?.read())?.[99]).toBe(7);
  });

  it("tells memory that cannot be had where the tensor is read, and to nobody else", async () => {
    const own = await openRuntime();
    const { device } = own;
    // No machine refuses memory on command: the device is made to.
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => create({ ...descriptor, size: 2 ** 52 });
    const tensor = own.tensor("float32", [4]);
    device.createBuffer = create;
    expect(await own.tensor("float32", [2]).read()).toEqual(new Float32Array(2));
    const fault = await faultOf(tensor.read());
    expect(["out-of-memory", "validation"]).toContain(fault.kind);
    expect(fault.message).toMatch(/could not create a tensor of 16 bytes/);
    own.dispose();
  });

  it("tells the fault of a call that did not wait where its results are read", async () => {
    const own = await openRuntime();
    const loaded = await own.load(inPlacePlan(3));
    const [x, other] = [own.tensor("float32", [3]), own.tensor("float32", [3])];
    const run = async (tensor: GpuTensor): Promise<void> => {
      await loaded.run({ x: tensor });
    };
    // Known from the second one on: these do not wait.
    for (let n = 0; n < 3; n++) {
      await run(x);
      await run(other);
    }
    const right = await other.read();
    failNext(own.device);
    await run(x);
    await run(other);
    const cause = /^could not run plan "[^"]*": made up$/;
    await expectFault(x.read(), "validation", cause);
    await expectFault(x.view({ shape: [3] }).read(), "validation", cause);
    // What is computed from it is not right either, whether that call waits or not.
    await run(x).catch(() => null);
    await expectFault(x.read(), "validation", cause);
    const { C } = await (await own.load(addPlan)).run({
      A: new Float32Array(100),
      B: new Float32Array(100),
      s: 1,
    });
    expect(await C?.read()).toEqual(new Float32Array(100));
    expect((await other.read())[0]).not.toBe(right[0]);
    // Memory that goes back is like new.
    const { buffer } = x;
    x.dispose();
    const data = Float32Array.of(1, 2, 3);
    const next = Array.from({ length: 20 }, () => own.tensor("float32", [3], data));
    const reused = next.find((tensor) => tensor.buffer === buffer);
    expect(await reused?.read()).toEqual(data);
    own.dispose();
  });

  it("rejects a call that waits and takes what another did not compute", async () => {
    const own = await openRuntime();
    const loaded = await own.load(inPlacePlan(100));
    const x = own.tensor("float32", [100]);
    await loaded.run({ x });
    await loaded.run({ x });
    failNext(own.device);
    await loaded.run({ x });
    const add = await own.load(addPlan);
    const A = x.view({ shape: [10, 10] });
    await expectFault(add.run({ A, B: new Float32Array(100), s: 1 }), "validation", /made up/);
    own.dispose();
  });

  it("says how much memory a plan takes that cannot be had", async () => {
    const own = await openRuntime();
    const loaded = await own.load(addPlan);
    const { device } = own;
    // No machine refuses memory on command: the device is made to.
    const pop = device.popErrorScope.bind(device);
    const OutOfMemory = globalThis.GPUOutOfMemoryError ?? Error;
    let scopes = 0;
    device.popErrorScope = async () => {
      await pop();
      scopes += 1;
      // Scopes are popped in the order internal, out-of-memory, validation.
      return scopes % 3 === 2 ? (new OutOfMemory("no memory left") as GPUError) : null;
    };
    await expectFault(
      loaded.run({ A: new Float32Array(100), B: new Float32Array(100), s: 1 }),
      "out-of-memory",
      /^could not prepare plan "add": no memory left; its tensors take 1\.18 KiB, and 0 bytes are in use$/,
    );
    own.dispose();
  });

  it("reports an error outside all scopes to the next call", async () => {
    const own = await openRuntime();
    own.device.createBuffer({ size: 16, usage: 0x3 });
    await own.device.queue.onSubmittedWorkDone();
    await expectFault(own.load(addPlan), "validation", /an earlier command failed: .*MapRead/s);
    expect((await own.load(addPlan)).plan).toBe(addPlan);
    own.dispose();
  });

  it("reports the loss of the device in every call", async () => {
    const own = await openRuntime();
    const loaded = await own.load(chainPlan(10));
    const tensor = own.tensor("float32", [10]);
    const x = new Float32Array(10);
    const { y } = await loaded.run({ x });
    own.device.destroy();
    await expectFault(tensor.read(), "device-lost", /the WebGPU device is lost/);
    await expectFault(y?.read() ?? Promise.resolve(), "device-lost", /is lost/);
    await expectFault(loaded.run({ x }), "device-lost", /open a new runtime/);
    await expectFault(loaded.time({ x }), "device-lost", /is lost/);
    await expectFault(own.load(inPlacePlan(3)), "device-lost", /is lost/);
    expect(() => own.tensor("float32", [1])).toThrow(/is lost/);
  });
});
