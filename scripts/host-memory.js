/**
 * What calls leave behind in memory: the heap and the resident set after 10 000 runs of one shape, and after each 100 of
 * 1 000 shapes through one definition. `scripts/host-memory` runs it.
 */
import { openRuntime } from "../dist/node.js";

const [runs = 10_000, shapes = 1_000] = process.argv.slice(2).map(Number);
const runtime = await openRuntime({ adapter: "swiftshader" });
const { add } = runtime.define(
  "def add(float(N) a, float(N) b) -> (c) { t(i) = a(i) + b(i)\n c(i) = t(i) * t(N - 1 - i) }",
);

/** @param {string} when */
async function report(when) {
  // Finalizers run between turns of the loop, and give more to collect.
  for (let n = 0; n < 3; n++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, rss } = process.memoryUsage();
  const [heap, all] = [heapUsed, rss].map((bytes) => (bytes / 2 ** 20).toFixed(1));
  const { bytesInUse, created } = runtime.memory();
  const { kept, compiled, dropped } = add.statistics();
  console.log(
    `${when}: heap ${heap} MiB, resident ${all} MiB; pool ${bytesInUse} bytes in use, ${created} buffers made; ` +
      `${kept} kept, ${compiled} compiled, ${dropped} dropped`,
  );
}

/** @param {number} n */
async function call(n) {
  const { c } = await add({ a: new Float32Array(n).fill(1), b: new Float32Array(n).fill(2) });
  if (n % 50 === 0 && (await c.read())[0] !== 9) throw new Error(`wrong at ${n}`);
  c.dispose();
}

for (let n = 0; n < 100; n++) await call(16);
await report("100 runs");
for (let n = 100; n < runs; n++) await call(16);
await report(`${runs} runs`);
for (let n = 1; n <= shapes; n++) {
  await call(n);
  if (n === 60 || n % 100 === 0) await report(`${n} shapes`);
}
runtime.dispose();
