// What a call costs the host: small tensors, all on the device, one call after the other.
const target = 60;
/** Calls of a sample, and samples: the median of these counts. */
const [calls, samples] = [200, 31];

const cases = [
  {
    of: "add 16",
    source: "def add(float(N) a, float(N) b) -> (c) { c(i) = a(i) + b(i) }",
    shape: [16],
  },
  {
    of: "matmul 8",
    source: "def mm(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }",
    shape: [8, 8],
  },
];

/** @param {any} runtime */
export async function callTimes(runtime) {
  const found = [];
  for (const { of, source, shape } of cases) {
    const [kernel] = Object.values(runtime.define(source));
    const length = shape.reduce((product, extent) => product * extent);
    const a = runtime.tensor("float32", shape, new Float32Array(length).fill(1));
    const sample = async () => {
      const start = performance.now();
      for (let n = 0; n < calls; n++) (await kernel({ a, b: a })).c[Symbol.dispose]();
      const us = ((performance.now() - start) * 1000) / calls;
      await runtime.device.queue.onSubmittedWorkDone();
      return us;
    };
    // The engine makes fast what it has seen often.
    for (let n = 0; n < 5; n++) await sample();
    const times = [];
    for (let n = 0; n < samples; n++) times.push(await sample());
    const value = times.sort((x, y) => x - y)[Math.floor(samples / 2)];
    found.push({ figure: "host's time of a call", of, value, unit: "µs", target });
    a[Symbol.dispose]();
    kernel.dispose();
  }
  return found;
}
