import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createHelper, limitMs } from "../../playground/src/worker-client.ts";
import type { WorkerMessage, WorkerReply } from "../../playground/src/worker-protocol.ts";

/** Workers that were started, and whether they were ended. */
let workers: { isEnded: boolean }[] = [];

/** Answers formulas with themselves, and never the one that is slow. */
class FakeWorker {
  isEnded = false;
  onmessage: ((event: { readonly data: WorkerReply }) => void) | null = null;

  constructor() {
    workers.push(this);
  }

  postMessage({ id, request }: WorkerMessage): void {
    if (request.kind !== "einsum" || request.formula === "slow") return;
    queueMicrotask(() => this.onmessage?.({ data: { id, ok: true, value: request.formula } }));
  }

  terminate(): void {
    this.isEnded = true;
  }
}

beforeEach(() => {
  workers = [];
  vi.useFakeTimers();
  vi.stubGlobal("Worker", FakeWorker);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("a worker that takes too long is ended, says so, and another one answers what comes next", async () => {
  const helper = createHelper();
  expect(await helper.call({ kind: "einsum", formula: "a" })).toBe("a");
  const late = helper.call({ kind: "einsum", formula: "slow" });
  const said = expect(late).rejects.toThrow("stopped after 10 s");
  vi.advanceTimersByTime(limitMs - 1);
  expect(workers.map(({ isEnded }) => isEnded)).toEqual([false]);
  vi.advanceTimersByTime(1);
  await said;
  expect(await helper.call({ kind: "einsum", formula: "b" })).toBe("b");
  expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  // What is done in time ends nothing later.
  vi.advanceTimersByTime(limitMs);
  expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false]);
});
