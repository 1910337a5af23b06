import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { checkSource, compileChecked } from "../../playground/src/compile/compile-source.ts";
import { findings, phase, run } from "../../playground/src/run/run-state.ts";
import { gpu, latestGood, openProgram, startCompiling } from "../../playground/src/state.ts";
import type {
  WorkerEvent,
  WorkerMessage,
  WorkerReply,
} from "../../playground/src/worker-protocol.ts";
import { baselineProfile } from "../../src/index.ts";
import { matmul } from "./support/page.ts";

/** Devices that were opened. */
let opened = 0;

/** Compiles, opens devices, and loses each of them in its first run. */
class LosingWorker {
  onmessage: ((event: { readonly data: WorkerReply }) => void) | null = null;

  postMessage({ id, request }: WorkerMessage): void {
    const say = (data: WorkerReply): void => this.onmessage?.({ data });
    queueMicrotask(() => {
      if (request.kind === "compile") {
        const { answer } = compileChecked(request.job, checkSource(request.job), null);
        say({ id, ok: true, value: answer });
      }
      if (request.kind === "open") {
        opened += 1;
        const state = { kind: "ready", adapter: "", software: true, features: [] } as const;
        const more = { profile: baselineProfile, timer: null, where: "worker" } as const;
        say({ id, ok: true, value: { ...state, ...more } });
      }
      if (request.kind === "run") {
        const lost: WorkerEvent = { event: "gpu", state: { kind: "lost", message: "gone" } };
        say(lost);
        say({ id, ok: false, message: "the device was lost", next: "" });
      }
    });
  }

  terminate(): void {}
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.stubGlobal("Worker", LosingWorker);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  gpu.value = { kind: "unknown" };
});

it("after three losses in 30 s no device is opened, until some time has gone by", async () => {
  const nothing = { def: null, sizes: {}, inputs: {}, options: "" };
  openProgram({ source: matmul, ...nothing });
  const stop = startCompiling();
  expect(await latestGood()).not.toBe(null);
  const runOnce = async (): Promise<string | undefined> => {
    await run();
    expect(phase.value).toBe("idle");
    return findings.value.faults.map(({ message }) => message).join();
  };
  for (const count of [1, 2, 3]) {
    expect(await runOnce()).toBe("the device was lost");
    expect([opened, gpu.value.kind]).toEqual([count, "lost"]);
    vi.advanceTimersByTime(9_000);
  }
  expect(await runOnce()).toBe("the device was lost 3 times in 30 s");
  expect(opened).toBe(3);
  // The first loss is long ago now.
  vi.advanceTimersByTime(4_000);
  expect(await runOnce()).toBe("the device was lost");
  expect(opened).toBe(4);
  stop();
});
