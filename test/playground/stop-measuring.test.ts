/** Measuring costs, and stopping it at any moment: with workers that never say what they are asked for. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { checkSource, compileChecked } from "../../playground/src/compile/compile-source.ts";
import { costFault, measureCosts, measuring } from "../../playground/src/cost/cost-state.ts";
import { openDevice, phase, stopRun } from "../../playground/src/run/run-state.ts";
import { gpu, latestGood, openProgram, startCompiling } from "../../playground/src/state.ts";
import type {
  WorkerKind,
  WorkerMessage,
  WorkerReply,
} from "../../playground/src/worker-protocol.ts";
import { baselineProfile } from "../../src/index.ts";
import { matmul } from "./support/page.ts";

/** What no worker answers. */
let silent: WorkerKind | null = null;
/** What was asked last of workers that live. */
let waiting: string[] = [];

class SlowWorker {
  onmessage: ((event: { readonly data: WorkerReply }) => void) | null = null;
  isEnded = false;
  asked: string[] = [];

  postMessage({ id, request }: WorkerMessage): void {
    if (request.kind === silent) {
      this.asked = [request.kind];
      waiting.push(request.kind);
      return;
    }
    queueMicrotask(() => {
      const value = answerTo(request);
      if (!this.isEnded) this.onmessage?.({ data: { id, ok: true, value } });
    });
  }

  terminate(): void {
    this.isEnded = true;
    waiting = waiting.filter((kind) => !this.asked.includes(kind));
  }
}

function answerTo(request: WorkerMessage["request"]): Extract<WorkerReply, { ok: true }>["value"] {
  switch (request.kind) {
    case "compile":
      return compileChecked(request.job, checkSource(request.job), null).answer;
    case "open": {
      const state = { kind: "ready", adapter: "", software: true, features: [] } as const;
      return { ...state, timer: null, profile: baselineProfile, where: "worker" };
    }
    case "ceilings":
      return { gflops: 1, gigabytes: 1, clock: "wall", quantumNs: 1 };
    case "run":
      return { outputs: [], ms: 1, notes: [] };
    default:
      return null;
  }
}

beforeEach(() => vi.stubGlobal("Worker", SlowWorker));

afterEach(() => {
  vi.unstubAllGlobals();
  silent = null;
  waiting = [];
});

it.each(["ceilings", "run", "verify", "compile"] as const)(
  "measuring ends at once, though what it waits for (%s) never comes",
  async (kind) => {
    gpu.value = { kind: "unknown" };
    openProgram({ source: matmul, def: null, sizes: {}, inputs: {}, options: "" });
    const end = startCompiling();
    expect(await latestGood()).not.toBe(null);
    await openDevice();
    expect(await latestGood()).not.toBe(null);
    silent = kind;
    const measured = measureCosts();
    await vi.waitFor(() => expect(waiting).toEqual([kind]));
    expect([phase.value, measuring.value]).toEqual(["measuring", expect.any(String)]);
    stopRun();
    await measured;
    expect([phase.value, measuring.value, costFault.value]).toEqual(["idle", null, null]);
    // Nothing is left at work.
    expect(waiting).toEqual([]);
    end();
  },
);
