/** What is known of mappings, from workers that do one thing after the other, slowly. */
import { effect } from "@preact/signals";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { CallFailure } from "../../playground/src/call-failure.ts";
import { checkSource, compileChecked } from "../../playground/src/compile/compile-source.ts";
import {
  compared,
  defaultsFor,
  followKnobs,
  followMapping,
  knobs,
  other,
} from "../../playground/src/output/mapping-state.ts";
import {
  compiling,
  lastGood,
  naiveChoices,
  openProgram,
  source,
  startCompiling,
  stopCompiling,
} from "../../playground/src/state.ts";
import { tookTooLong } from "../../playground/src/worker-client.ts";
import type { WorkerMessage, WorkerReply } from "../../playground/src/worker-protocol.ts";
import { matmul } from "./support/page.ts";

type Request = WorkerMessage["request"];

/** How long a request keeps a worker, in milliseconds. */
let takes: (request: Request) => number = () => 1;
/** Why there are no choices; null where there are. */
let fault: string | null = null;
/** Kinds of requests, in order. */
let asked: string[] = [];
let opened = 0;
let ends: (() => void)[] = [];

class SerialWorker {
  onmessage: ((event: { readonly data: WorkerReply }) => void) | null = null;
  isEnded = false;
  freeAt = 0;

  postMessage({ id, request }: WorkerMessage): void {
    asked.push(request.kind);
    this.freeAt = Math.max(this.freeAt, Date.now()) + takes(request);
    setTimeout(() => {
      if (!this.isEnded) this.onmessage?.({ data: replyTo(id, request) });
    }, this.freeAt - Date.now());
  }

  terminate(): void {
    this.isEnded = true;
  }
}

function replyTo(id: number, request: Request): WorkerReply {
  if (request.kind !== "compile" && request.kind !== "knobs") return { id, ok: true, value: null };
  if (request.kind === "knobs" && fault !== null) {
    return { id, ok: false, message: fault, next: "Try less of it." };
  }
  const { job } = request;
  const { answer, whole } = compileChecked(job, checkSource(job), null);
  const value = request.kind === "compile" ? answer : (whole?.decisions ?? null);
  return { id, ok: true, value };
}

/** Opens a program that nobody asked about before, and lets it compile. */
async function open(options: string): Promise<void> {
  opened += 1;
  openProgram({ source: `# ${opened}\n${matmul}`, def: null, sizes: {}, inputs: {}, options });
  ends.push(startCompiling());
  await vi.advanceTimersByTimeAsync(200);
  expect(lastGood.value).not.toBe(null);
}

// Workers live on from test to test, and so does their time; but not from file to file.
beforeAll(() => {
  stopCompiling();
  vi.useFakeTimers();
  vi.stubGlobal("Worker", SerialWorker);
});

afterAll(() => {
  stopCompiling();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

beforeEach(() => {
  takes = () => 1;
  fault = null;
  knobs.value = null;
  compared.value = null;
  other.value = "default";
});

afterEach(() => {
  for (const end of ends) end();
  ends = [];
});

it("of two questions that take nearly the longest time each, both are answered", async () => {
  await open(naiveChoices);
  takes = () => 9000;
  ends.push(effect(followMapping));
  await vi.advanceTimersByTimeAsync(18_000);
  expect(compared.value).toMatchObject({
    wgsl: expect.stringContaining("@compute"),
    byDefault: expect.arrayContaining([
      expect.objectContaining({ path: "kernels/C/axes/0/workgroup" }),
    ]),
  });
});

it("what the default chooses is asked for again after it took too long", async () => {
  await open(naiveChoices);
  takes = ({ kind }) => (kind === "knobs" ? 10_001 : 1);
  const end = effect(followMapping);
  await vi.advanceTimersByTimeAsync(10_002);
  const { job = null } = lastGood.value ?? {};
  if (job === null) throw new Error("it does not compile");
  expect(defaultsFor(job)).toEqual(tookTooLong());
  end();
  takes = () => 1;
  // As when the panel is opened again.
  ends.push(effect(followMapping));
  await vi.advanceTimersByTimeAsync(100);
  expect(defaultsFor(job)).toBeInstanceOf(Map);
});

it("choices are asked for again where a text that does not compile has ended the worker", async () => {
  await open("");
  const job = lastGood.value?.job;
  takes = ({ kind }) => (kind === "knobs" ? 5000 : 1);
  asked = [];
  ends.push(effect(followKnobs));
  await vi.advanceTimersByTimeAsync(10);
  source.value = `${matmul}!`;
  source.value = `${matmul}!!`;
  takes = () => 1;
  await vi.advanceTimersByTimeAsync(1000);
  expect([compiling.value, lastGood.value?.job]).toEqual([false, job]);
  expect(asked.filter((kind) => kind === "knobs").length).toBe(2);
  expect(knobs.value?.job).toBe(job);
  expect(knobs.value?.all).toEqual(expect.any(Array));
});

it("says that choices took too long", async () => {
  await open("");
  takes = ({ kind }) => (kind === "knobs" ? 10_001 : 1);
  ends.push(effect(followKnobs));
  await vi.advanceTimersByTimeAsync(10_002);
  expect(knobs.value).toEqual({ job: lastGood.value?.job, all: tookTooLong() });
});

it("says why choices are not known, once for each program", async () => {
  fault = "out of memory";
  await open("");
  asked = [];
  ends.push(effect(followKnobs));
  await vi.advanceTimersByTimeAsync(100);
  expect(knobs.value?.all).toEqual(new CallFailure(fault, "Try less of it."));
  source.value = `${matmul}!`;
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked.filter((kind) => kind === "knobs").length).toBe(1);
  fault = null;
  source.value = `${matmul}\n`;
  await vi.advanceTimersByTimeAsync(1000);
  expect(knobs.value?.job).toBe(lastGood.value?.job);
  expect(knobs.value?.all).toEqual(expect.any(Array));
});
