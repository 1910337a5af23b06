/**
 * Buffers for reuse, in size classes. A buffer goes back as soon as the commands that use it are
 * submitted: later commands come later on the queue. Reused buffers hold old data.
 */
import { bytesText } from "../support/bytes-text.ts";
import { bufferUsage } from "./gpu-flags.ts";
import { RuntimeFault } from "./runtime-fault.ts";

/** `storage`: tensors, also copied from and to. `staging`: read by the host. */
export type PoolUse = "storage" | "staging";

export interface PoolStatistics {
  /** Buffers created since the start; a run that repeats leaves it as it is. */
  readonly created: number;
  readonly bytesInUse: number;
  readonly bytesFree: number;
}

export interface BufferPool {
  /**
   * A buffer of at least `bytes`; stand in an error scope when you call it.
   * @throws RuntimeFault `unsupported` when no buffer of this device can be as large.
   */
  acquire(bytes: number, use: PoolUse): GPUBuffer;
  /** Whether it has free buffers for all of these tensors, so that it would make none. */
  hasFree(bytes: readonly number[]): boolean;
  /** Whether a buffer is one that the pool gave and has not back: then it is alive. */
  isInUse(buffer: GPUBuffer): boolean;
  /** Gives a buffer back; ignored if the pool has destroyed it or has it back already. */
  release(buffer: GPUBuffer): void;
  /** Destroys a buffer in use that proved to be unusable. */
  discard(buffer: GPUBuffer): void;
  /** Destroys all free buffers. */
  trim(): void;
  statistics(): PoolStatistics;
  /** Destroys all buffers, those in use too. */
  destroy(): void;
}

interface Entry {
  readonly bytes: number;
  readonly use: PoolUse;
}

/** Free buffers are kept up to the most that was ever in use at once, and at least this. */
const keptBytes = 64 * 1024 * 1024;

/** The smallest size class. */
const smallestBytes = 256;

/**
 * The size class of a request: the next of 4, 5, 6 and 7 times a power of two, so that at most a
 * quarter is wasted; a multiple of 64.
 */
export function sizeClass(bytes: number): number {
  let octave = smallestBytes;
  while (octave * 2 <= bytes) octave *= 2;
  const step = octave / 4;
  return Math.max(smallestBytes, Math.ceil(bytes / step) * step);
}

/** An empty pool on the device. */
export function createPool(device: GPUDevice): BufferPool {
  const inUse = new Map<GPUBuffer, Entry>();
  /** In order of their return, the oldest first. */
  const free = new Map<GPUBuffer, Entry>();
  let created = 0;
  let bytesInUse = 0;
  let bytesFree = 0;
  let peak = 0;

  const takeFree = (bytes: number, use: PoolUse): GPUBuffer | null => {
    for (const [buffer, entry] of free) {
      if (!isLike(entry, bytes, use)) continue;
      free.delete(buffer);
      bytesFree -= bytes;
      return buffer;
    }
    return null;
  };
  const evict = (limit: number): void => {
    for (const [buffer, entry] of free) {
      if (bytesFree <= limit) return;
      free.delete(buffer);
      bytesFree -= entry.bytes;
      buffer.destroy();
    }
  };
  const removeInUse = (buffer: GPUBuffer): Entry | undefined => {
    const entry = inUse.get(buffer);
    if (entry === undefined) return undefined;
    inUse.delete(buffer);
    bytesInUse -= entry.bytes;
    return entry;
  };
  return {
    acquire: (wanted, use) => {
      const bytes = allowedBytes(device, wanted);
      let buffer = takeFree(bytes, use);
      if (buffer === null) {
        buffer = device.createBuffer({ size: bytes, usage: usageOf(use) });
        created += 1;
      }
      inUse.set(buffer, { bytes, use });
      bytesInUse += bytes;
      peak = Math.max(peak, bytesInUse);
      return buffer;
    },
    hasFree: (wanted) => isServed(device, [...free.values()], wanted),
    isInUse: (buffer) => inUse.has(buffer),
    release: (buffer) => {
      const entry = removeInUse(buffer);
      if (entry === undefined) return;
      free.set(buffer, entry);
      bytesFree += entry.bytes;
      evict(Math.max(peak, keptBytes));
    },
    discard: (buffer) => {
      removeInUse(buffer);
      buffer.destroy();
    },
    trim: () => evict(0),
    statistics: () => ({ created, bytesInUse, bytesFree }),
    destroy: () => {
      evict(0);
      for (const buffer of inUse.keys()) buffer.destroy();
      inUse.clear();
      bytesInUse = 0;
    },
  };
}

/** Whether there are entries for all of some requests, one for each. */
function isServed(device: GPUDevice, entries: Entry[], wanted: readonly number[]): boolean {
  return wanted.every((bytes) => {
    const size = allowedBytes(device, bytes);
    const at = entries.findIndex((entry) => isLike(entry, size, "storage"));
    return at >= 0 && entries.splice(at, 1).length > 0;
  });
}

function isLike(entry: Entry, bytes: number, use: PoolUse): boolean {
  return entry.bytes === bytes && entry.use === use;
}

function usageOf(use: PoolUse): number {
  if (use === "staging") return bufferUsage.mapRead | bufferUsage.copyDestination;
  return bufferUsage.storage | bufferUsage.copySource | bufferUsage.copyDestination;
}

function allowedBytes(device: GPUDevice, bytes: number): number {
  const most = device.limits.maxBufferSize;
  if (bytes > most) {
    throw new RuntimeFault(
      "unsupported",
      `a buffer of ${bytesText(bytes)}; this device allows ${bytesText(most)} (maxBufferSize)`,
    );
  }
  return Math.min(sizeClass(bytes), most - (most % 4));
}
