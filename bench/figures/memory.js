// Memory over many runs: what the host keeps, and which buffers the device gets.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const runs = 10_000;
/**
 * So often over: what is kept of every run shows each time, what the engine notes of the code while it
 * makes it fast only at first. The median counts.
 */
const times = 5;
/** Heaps are never quite still: so many bytes per run are noise. */
const noise = 16;

const source = `def softmax(float(R,D) x) -> (y) {
  top(r) max=! x(r, d)
  e(r, d) = exp(x(r, d) - top(r))
  sum(r) +=! e(r, d)
  y(r, d) = e(r, d) / sum(r)
}`;

/** @param {any} runtime */
export async function memory(runtime) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  // Naive options leave the temporaries in buffers.
  const { softmax } = runtime.define(source, { options: "naive" });
  const x = runtime.tensor("float32", [16, 64], new Float32Array(1024).fill(1));
  const heapAfter = async (count) => {
    for (let n = 0; n < count; n++) {
      const { y } = await softmax({ x });
      y[Symbol.dispose]();
      if (n % 100 === 99) await runtime.device.queue.onSubmittedWorkDone();
    }
    await runtime.device.queue.onSubmittedWorkDone();
    collect();
    return process.memoryUsage().heapUsed;
  };
  await heapAfter(1);
  const created = runtime.memory().created;
  const heaps = [await heapAfter(runs / 10)];
  for (let n = 0; n < times; n++) heaps.push(await heapAfter(runs));
  const buffers = runtime.memory().created - created;
  x[Symbol.dispose]();
  softmax.dispose();
  const of = `softmax 16x64, ${runs} runs`;
  const growths = heaps.slice(1).map((heap, n) => (heap - heaps[n]) / runs);
  const perRun = growths.sort((a, b) => a - b)[Math.floor(times / 2)];
  return [
    { figure: "buffers created after the first run", of, value: buffers, unit: "", target: 0 },
    { figure: "growth of the host's heap", of, value: perRun, unit: "B per run", target: noise },
  ];
}
