/** Stopping while a device opens in the page: none is left open, and none is shown. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createExecutor } from "../../playground/src/run/executor.ts";
import { openDevice, phase, stopRun } from "../../playground/src/run/run-state.ts";
import { gpu } from "../../playground/src/state.ts";
import type { WorkerMessage, WorkerReply } from "../../playground/src/worker-protocol.ts";
import { openAdapter } from "../../src/runtime/node/open-adapter.ts";

/** Where a device that opens is. */
type Stage = "adapter" | "device" | "timer";

/** What was begun so far, and the device of it. */
let begun: Stage[] = [];
let device: GPUDevice | null = null;

/** WebGPU, which tells what is begun before that is done. */
function webgpu(onBegun: (stage: Stage) => void): GPU {
  const begin = (stage: Stage): void => {
    begun.push(stage);
    onBegun(stage);
  };
  const requestAdapter = async (): Promise<object> => {
    begin("adapter");
    const { adapter } = await openAdapter("software");
    const { limits, features, info } = adapter;
    const requestDevice = async (descriptor: GPUDeviceDescriptor): Promise<GPUDevice> => {
      begin("device");
      const made = await adapter.requestDevice(descriptor);
      device = made;
      const createQuerySet = made.createQuerySet.bind(made);
      made.createQuerySet = (what) => {
        begin("timer");
        return createQuerySet(what);
      };
      return made;
    };
    return { limits, features, info, requestDevice };
  };
  return { requestAdapter } as unknown as GPU;
}

/** Workers of a browser that gives them no WebGPU. */
class WorkerWithoutApi {
  onmessage: ((event: { readonly data: WorkerReply }) => void) | null = null;

  postMessage({ id }: WorkerMessage): void {
    queueMicrotask(() => this.onmessage?.({ data: { id, ok: true, value: { kind: "no-api" } } }));
  }

  terminate(): void {}
}

/** A device that was made is given up. */
async function expectNoDevice(): Promise<void> {
  if (device !== null) expect((await device.lost).reason).toBe("destroyed");
}

beforeEach(() => {
  begun = [];
  device = null;
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("Worker", WorkerWithoutApi);
});

afterEach(() => vi.unstubAllGlobals());

describe("what opens a device in the page", () => {
  const stages = ["adapter", "device", "timer"] as const;

  it.each(stages)("may be stopped before there is one: at its %s", async (stage) => {
    const states: unknown[] = [];
    vi.stubGlobal("navigator", { gpu: webgpu((at) => at === stage && executor.close()) });
    const executor = createExecutor("page", (state) => states.push(state));
    expect(await executor.open()).toEqual({ kind: "unknown" });
    expect(begun).toEqual(stages.slice(0, stages.indexOf(stage) + 1));
    await expectNoDevice();
    expect(states).toEqual([]);
  });

  it("is not asked for one where it was stopped before it was there", async () => {
    vi.stubGlobal("navigator", { gpu: webgpu(() => undefined) });
    vi.doMock("../../playground/src/run/in-page.ts", async (original) => {
      stopRun();
      return await original();
    });
    phase.value = "opening";
    await openDevice();
    expect([gpu.value, begun]).toEqual([{ kind: "unknown" }, []]);
    vi.doUnmock("../../playground/src/run/in-page.ts");
  });

  it.each(stages)("is not shown where it was stopped at its %s", async (stage) => {
    const stop = (): void => {
      stopRun();
      expect([gpu.value, phase.value]).toEqual([{ kind: "unknown" }, "idle"]);
      // As another one that is opened meanwhile.
      gpu.value = { kind: "opening" };
    };
    vi.stubGlobal("navigator", { gpu: webgpu((at) => at === stage && stop()) });
    phase.value = "opening";
    await openDevice();
    expect(begun.at(-1)).toBe(stage);
    expect(gpu.value).toEqual({ kind: "opening" });
    await expectNoDevice();
  });

  it("has another one after that", async () => {
    vi.stubGlobal("navigator", { gpu: webgpu(() => undefined) });
    expect((await openDevice()).kind).toBe("ready");
    expect(gpu.value).toMatchObject({ kind: "ready", where: "page", software: true });
    phase.value = "running";
    stopRun();
    await expectNoDevice();
  });
});
