// Memory over many runs: what the host keeps, and which buffers the device gets.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const runs = 10_000;
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
  const repeat = async (times) => {
    for (let n = 0; n < times; n++) {
      const { y } = await softmax({ x });
      y[Symbol.dispose]();
      if (n % 100 === 99) await runtime.device.queue.onSubmittedWorkDone();
    }
    await runtime.device.queue.onSubmittedWorkDone();
    collect();
    return process.memoryUsage().heapUsed;
  };
  await repeat(1);
  const created = runtime.memory().created;
  const before = await repeat(runs / 10);
  const after = await repeat(runs);
  const buffers = runtime.memory().created - created;
  x[Symbol.dispose]();
  softmax.dispose();
  const of = `softmax 16x64, ${runs} runs`;
  const perRun = (after - before) / runs;
  return [
    { figure: "buffers created after the first run", of, value: buffers, unit: "", target: 0 },
    { figure: "growth of the host's heap", of, value: perRun, unit: "B per run", target: noise },
  ];
}
