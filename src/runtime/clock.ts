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

/** What is used of a pass to write work into it. */
export type PassCommands = Pick<
  GPUComputePassEncoder,
  "setPipeline" | "setBindGroup" | "setImmediates" | "dispatchWorkgroups"
>;

/** Encodes the commands of one sample into a pass. */
export interface Sample {
  /** Commands before the pass, outside of the time that counts: copies that restore inputs. */
  before(encoder: GPUCommandEncoder): void;
  encode(pass: PassCommands): void;
}

/** When the device began and ended a pass, in nanoseconds of its own clock. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

export interface Clock {
  readonly kind: ClockKind;
  /** The step of the clock in nanoseconds, as observed. */
  readonly quantumNs: number;
  /** Runs the sample `count` times, at least once, and gives the nanoseconds of each. */
  measure(sample: Sample, count: number): Promise<readonly number[]>;
  /**
   * Runs passes, at most {@link mostSpans}, one after the other in one submission, and gives the span
   * of each, from the begin of the first on. Null where only submissions can be timed.
   */
  readonly spans: ((passes: readonly Sample[]) => Promise<readonly Span[]>) | null;
}

/** Which clock times are read from, and the steps that it goes in. */
export type Timer = Pick<Clock, "kind" | "quantumNs">;

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

/** Passes with spans of their own in one submission; a query set has at most 4096 timestamps. */
export const mostSpans = 1024;

async function timestampClock(context: DeviceContext, pool: BufferPool): Promise<Clock | null> {
  const quantum = await observeStep(() => timestamps(context, pool, repeat(nothing, 16)));
  if (quantum === null) return null;
  const spans = async (passes: readonly Sample[]): Promise<readonly Span[]> => {
    const stamps = await timestamps(context, pool, passes);
    const [first = 0n] = stamps;
    const at = (i: number): number => Number((stamps[i] ?? 0n) - first);
    return passes.map((_, i) => ({ begin: at(2 * i), end: at(2 * i + 1) }));
  };
  return {
    kind: "timestamp-query",
    quantumNs: Number(quantum),
    measure: async (sample, count) => {
      const found = await spans(repeat(sample, Math.min(count, mostSamples)));
      return found.map(({ begin, end }) => end - begin);
    },
    spans,
  };
}

const nothing: Sample = { before: () => undefined, encode: () => undefined };

function repeat(sample: Sample, count: number): readonly Sample[] {
  return Array.from({ length: count }, () => sample);
}

/** Readings after which a clock that has not moved is one that never does. */
const mostReadings = 32;
/** So many different timestamps have no greater common divisor than the step, as good as surely. */
const enoughStamps = 8;

/**
 * The step of a counter, as it is seen: what all readings are multiples of. Several readings, because
 * one may be over before a coarse clock has moved.
 * @returns null for a counter that runs backwards or not at all.
 */
export async function observeStep(read: () => Promise<readonly bigint[]>): Promise<bigint | null> {
  const seen = new Set<bigint>();
  let [quantum, last] = [0n, 0n];
  for (let n = 0; n < mostReadings && seen.size < enoughStamps; n++) {
    for (const stamp of await read()) {
      if (stamp < last) return null;
      last = stamp;
      quantum = gcd(quantum, stamp);
      seen.add(stamp);
    }
  }
  return seen.size < 2 ? null : quantum;
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** The begin and the end of each pass, in nanoseconds. */
async function timestamps(
  context: DeviceContext,
  pool: BufferPool,
  passes: readonly Sample[],
): Promise<readonly bigint[]> {
  const { device } = context;
  const count = passes.length;
  // Few always take as many bytes, so that the pool has the buffer to read them.
  const bytes = Math.max(stampBytes, 16 * count);
  const { queries, resolved } = await scoped(context, "measure with timestamps", () => {
    const queries = device.createQuerySet({ type: "timestamp", count: 2 * count });
    const usage = bufferUsage.queryResolve | bufferUsage.copySource;
    const resolved = device.createBuffer({ size: bytes, usage });
    const encoder = device.createCommandEncoder();
    for (const [i, sample] of passes.entries()) {
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
    const stamps = await readBuffer(context, pool, { buffer: resolved, offset: 0, bytes });
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
    spans: null,
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
