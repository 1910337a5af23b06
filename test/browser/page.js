/** What the browser's test calls: this package as a page uses it, by its public names. */
import { check, compile, interpret, render } from "tc-wgsl";
import { createRuntime as createLoader, readPlan } from "tc-wgsl/load";
import { createRuntime, requestComputeDevice, TcError } from "tc-wgsl/runtime";
import { idbStore } from "tc-wgsl/store";
import { createWorkerBench, tune } from "tc-wgsl/tune";
import { createWorker } from "tc-wgsl/worker";

const matmul = `
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n)
}`;

/** Two statements per step that have to be different dispatches: step indices reach the device. */
const recurrence = `
def steps(float(N) x, int T) -> (h) {
  h(0, n) = x(n)
  for t in 1:T { h(t, n) +=! h(t - 1, k) * 0.5 where n in 0:N, k in 0:N }
}`;

async function openRuntime() {
  const adapter = await navigator.gpu.requestAdapter();
  return createRuntime({ device: await requestComputeDevice(adapter) });
}

function float32({ data, shape }) {
  return { data: Float32Array.from(data), shape };
}

/** Runs `C = A B` on the browser's device; the elements of C. */
async function multiply(A, B) {
  const runtime = await openRuntime();
  const { mm } = runtime.define(matmul);
  const { C } = await mm({ A: float32(A), B: float32(B) });
  const result = { adapter: runtime.adapter.kind, shape: C.shape, data: [...(await C.read())] };
  runtime.dispose();
  return result;
}

/** Runs a loop over dispatches. */
async function recur(x, T) {
  const runtime = await openRuntime();
  const { steps } = runtime.define(recurrence);
  const { h } = await steps({ x: Float32Array.from(x), T });
  const result = { shape: h.shape, data: [...(await h.read())] };
  runtime.dispose();
  return result;
}

/** Measures `C = A B` with the browser's clock. */
async function time(A, B) {
  const runtime = await openRuntime();
  const { mm } = runtime.define(matmul);
  const timing = await mm.time({ A: float32(A), B: float32(B) }, { minMs: 1 });
  runtime.dispose();
  return timing;
}

/** Shows what is wrong with a source; the code of the first mistake. */
async function showMistakes(source) {
  const { diagnostics } = check(source);
  document.querySelector("pre").textContent = render(diagnostics, { source, file: "mm.tc" });
  const runtime = await openRuntime();
  try {
    runtime.define(source);
  } catch (error) {
    if (!(error instanceof TcError)) return String(error);
    return error.diagnostics.find((d) => d.severity === "error").code;
  }
  return "no mistake";
}

/** The compiler alone: the text of the kernel, and what the reference computes. */
function compileOnly(A, B) {
  const compiled = compile(matmul, { sizes: { M: 2, K: 3, N: 2 } });
  const { C } = interpret(matmul, { A: float32(A), B: float32(B) });
  return {
    gpu: "gpu" in navigator,
    wgsl: compiled.ok ? compiled.plan.kernels[0].wgsl : "",
    data: [...C.data],
  };
}

/** The same in a thread: whether the plans agree, what is cancelled, and the product that it runs. */
async function multiplyApart(A, B) {
  const worker = createWorker();
  const request = { sizes: { M: 2, K: 3, N: 2 } };
  const stale = worker.compile(matmul, request).catch((error) => error.name);
  worker.cancel();
  const compiled = await worker.compile(matmul, request);
  const same = JSON.stringify(compiled) === JSON.stringify(compile(matmul, request));
  const runtime = await openRuntime();
  const { mm } = runtime.define(matmul, { worker });
  const { C } = await mm({ A: float32(A), B: float32(B) });
  const result = { same, stale: await stale, data: [...(await C.read())] };
  runtime.dispose();
  worker.dispose();
  return result;
}

/** Runs a plan, given as data, without the compiler. */
async function runPlan(data, x) {
  const adapter = await navigator.gpu.requestAdapter();
  const runtime = createLoader({ device: await requestComputeDevice(adapter) });
  const plan = await runtime.load(readPlan(data).plan);
  const { y } = await plan.run({ x: Float32Array.from(x) });
  const result = [...(await y.read())];
  runtime.dispose();
  return result;
}

/** Tunes `C = A B` in a worker with a device of its own; the result. */
async function tuneApart(sizes) {
  const start = () => new Worker(import.meta.resolve("tc-wgsl/tune/thread"), { type: "module" });
  const bench = await createWorkerBench({ source: matmul, sizes }, { start });
  let result = null;
  for await (const event of tune(bench, matmul, { sizes, effort: "refine", bench })) {
    if (event.type === "done") result = event.result;
  }
  await bench.close();
  return { adapter: bench.adapter.kind, counts: result.counts, options: result.options };
}

/**
 * Tunes `f`, which updates tensors in place, in a worker, and calls it once: what they are after the one and the other,
 * and what the worker found.
 */
async function tuneInPlace(source, sizes, inputs, updated) {
  const runtime = await openRuntime();
  const tensors = {};
  for (const [name, { type, shape, data }] of Object.entries(inputs)) {
    const typed = type === "int32" ? Int32Array.from(data) : Float32Array.from(data);
    tensors[name] = runtime.tensor(type, shape, typed);
  }
  const start = () => new Worker(import.meta.resolve("tc-wgsl/tune/thread"), { type: "module" });
  const bench = await createWorkerBench({ source, sizes }, { start });
  let counts = null;
  for await (const event of tune(bench, source, { sizes, effort: "refine", bench })) {
    if (event.type === "done") ({ counts } = event.result);
  }
  await bench.close();
  const tuned = {};
  for (const [name, tensor] of Object.entries(tensors)) tuned[name] = [...(await tensor.read())];
  const { f } = runtime.define(source);
  await f(tensors);
  const once = [...(await tensors[updated].read())];
  runtime.dispose();
  return { counts, tuned, once };
}

/** Appends lines to the browser's store, a call for each; all that it holds. */
async function keepLines(lines) {
  const store = idbStore();
  await Promise.all(lines.map((line) => store.append([line])));
  return await store.read();
}

/** Keeps the lines that begin so, then tries to lose them. */
async function rewriteLines(beginning) {
  const store = idbStore();
  const kept = await store.rewrite((lines) => lines.filter((line) => line.startsWith(beginning)));
  const failed = await store
    .rewrite(() => {
      throw new Error("no");
    })
    .catch((error) => error.message);
  return { kept, failed, then: await store.read() };
}

globalThis.page = {
  multiply,
  tuneInPlace,
  runPlan,
  multiplyApart,
  recur,
  time,
  showMistakes,
  tuneApart,
  compileOnly,
  keepLines,
  rewriteLines,
};
