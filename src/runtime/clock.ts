/**
 * Clocks for device work. Timestamps of the device come in steps (1 ns in Node with Dawn's
 * quantisation off, 65 536 ns in browsers, a device's own tick otherwise), the host's clock in
 * others; a sample must be many steps long to mean anything.
 */
import { type DeviceContext, scoped } from "./device-context.ts";
import { bufferUsage } from "./gpu-flags.ts";
import type { BufferPool } from "./pool.ts";
import { readBuffer } from "./tensor.ts";

export type ClockKind = "timestamp-query" | "wall";

/** Encodes the commands of one sample into a pass. */
export interface Sample {
  /** Commands before the pass, outside of the time that counts: copies that restore inputs. */
  before(encoder: GPUCommandEncoder): void;
  encode(pass: GPUComputePassEncoder): void;
}

export interface Clock {
  readonly kind: ClockKind;
  /** The step of the clock in nanoseconds, as observed. */
  readonly quantumNs: number;
  /** Runs the sample `count` times, at least once, and gives the nanoseconds of each. */
  measure(sample: Sample, count: number): Promise<readonly number[]>;
}

/**
 * The device's timestamps, if it has them and they run forward; else the host's clock around
 * submission and completion, which includes the way to the device and back.
 */
export async function createClock(context: DeviceContext, pool: BufferPool): Promise<Clock> {
  if (context.device.features.has("timestamp-query")) {
    const clock = await timestampClock(context, pool);
    if (clock !== null) return clock;
  }
  return wallClock(context);
}

/** Samples of one submission: two timestamps each, of 8 bytes. */
const mostSamples = 64;
const stampBytes = 16 * mostSamples;

async function timestampClock(context: DeviceContext, pool: BufferPool): Promise<Clock | null> {
  const empty: Sample = { before: () => undefined, encode: () => undefined };
  const probe = await timestamps(context, pool, empty, 16);
  const quantum = probe.reduce((step, stamp) => gcd(step, stamp), 0n);
  const forward = probe.every((stamp, i) => i === 0 || stamp >= (probe[i - 1] ?? 0n));
  // A counter that never moves measures nothing.
  if (!forward || quantum === 0n || probe[0] === probe[probe.length - 1]) return null;
  return {
    kind: "timestamp-query",
    quantumNs: Number(quantum),
    measure: async (sample, count) => {
      const stamps = await timestamps(context, pool, sample, Math.min(count, mostSamples));
      const pairs = Array.from({ length: stamps.length / 2 }, (_, i) => i);
      return pairs.map((i) => Number((stamps[2 * i + 1] ?? 0n) - (stamps[2 * i] ?? 0n)));
    },
  };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** The begin and the end of each of `count` passes, in nanoseconds. */
async function timestamps(
  context: DeviceContext,
  pool: BufferPool,
  sample: Sample,
  count: number,
): Promise<readonly bigint[]> {
  const { device } = context;
  const { queries, resolved } = await scoped(context, "measure with timestamps", () => {
    const queries = device.createQuerySet({ type: "timestamp", count: 2 * count });
    const usage = bufferUsage.queryResolve | bufferUsage.copySource;
    const resolved = device.createBuffer({ size: stampBytes, usage });
    const encoder = device.createCommandEncoder();
    for (let i = 0; i < count; i++) {
      sample.before(encoder);
      const pass = encoder.beginComputePass({
        timestampWrites: {
          querySet: queries,
          beginningOfPassWriteIndex: 2 * i,
          endOfPassWriteIndex: 2 * i + 1,
        },
      });
      sample.encode(pass);
      pass.end();
    }
    encoder.resolveQuerySet(queries, 0, 2 * count, resolved, 0);
    device.queue.submit([encoder.finish()]);
    return { queries, resolved };
  });
  try {
    // Always as many bytes, so that the pool has the buffer to read them.
    const stamps = await readBuffer(context, pool, {
      buffer: resolved,
      offset: 0,
      bytes: stampBytes,
    });
    return [...new BigUint64Array(stamps, 0, 2 * count)];
  } finally {
    queries.destroy();
    resolved.destroy();
  }
}

function wallClock(context: DeviceContext): Clock {
  const { device } = context;
  return {
    kind: "wall",
    quantumNs: hostQuantum(),
    measure: async (sample, count) => {
      const durations: number[] = [];
      for (let i = 0; i < count; i++) {
        await scoped(context, "prepare a measurement", () => submit(device, sample.before));
        await device.queue.onSubmittedWorkDone();
        const start = performance.now();
        const checked = scoped(context, "measure", () =>
          submit(device, (encoder) => {
            const pass = encoder.beginComputePass();
            sample.encode(pass);
            pass.end();
          }),
        );
        await device.queue.onSubmittedWorkDone();
        durations.push((performance.now() - start) * 1e6);
        await checked;
      }
      return durations;
    },
  };
}

function submit(device: GPUDevice, write: (encoder: GPUCommandEncoder) => void): void {
  const encoder = device.createCommandEncoder();
  write(encoder);
  device.queue.submit([encoder.finish()]);
}

/** The smallest step seen of the host's clock, in nanoseconds, at least 1. */
function hostQuantum(): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    let now = start;
    while (now === start) now = performance.now();
    smallest = Math.min(smallest, (now - start) * 1e6);
  }
  return Math.max(1, Math.round(smallest));
}
