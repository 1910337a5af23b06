import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPool, sizeClass } from "../../src/runtime/pool.ts";
import { shareMemory } from "../../src/support/share-memory.ts";

/** Enough of a device for a pool: it counts buffers that are alive. */
function fakeDevice(): { device: GPUDevice; alive: Set<unknown> } {
  const alive = new Set<unknown>();
  const device = {
    limits: { maxBufferSize: 2 ** 30 },
    createBuffer: ({ size }: GPUBufferDescriptor) => {
      const buffer = { size, destroy: () => alive.delete(buffer) };
      alive.add(buffer);
      return buffer;
    },
  };
  return { device: device as unknown as GPUDevice, alive };
}

const mebibyte = 1024 * 1024;

describe("sizeClass", () => {
  it("wastes less than a quarter and keeps every alignment that bindings need", () => {
    fc.assert(
      fc.property(fc.integer({ min: 256, max: 2 ** 40 }), (bytes) => {
        const size = sizeClass(bytes);
        expect(size).toBeGreaterThanOrEqual(bytes);
        expect(size).toBeLessThan(bytes * 1.25);
        expect(size % 64).toBe(0);
        expect(sizeClass(size)).toBe(size);
      }),
      { seed: 1 },
    );
    expect(sizeClass(0)).toBe(256);
  });
});

describe("the pool", () => {
  it("gives a returned buffer of the same class and use again", () => {
    const pool = createPool(fakeDevice().device);
    const first = pool.acquire(1000, "storage");
    expect(pool.acquire(1000, "storage")).not.toBe(first);
    pool.release(first);
    expect(pool.acquire(1000, "staging")).not.toBe(first);
    expect(pool.acquire(1020, "storage")).toBe(first);
    expect(pool.statistics().created).toBe(3);
  });

  it("takes a buffer back once only", () => {
    const pool = createPool(fakeDevice().device);
    const buffer = pool.acquire(256, "storage");
    pool.release(buffer);
    pool.release(buffer);
    expect(pool.statistics()).toEqual({ created: 1, bytesInUse: 0, bytesFree: 256 });
    expect(pool.acquire(256, "storage")).not.toBe(pool.acquire(256, "storage"));
  });

  it("keeps no more free bytes than were ever in use at once", () => {
    const { device, alive } = fakeDevice();
    const pool = createPool(device);
    for (let i = 1; i <= 20; i++) pool.release(pool.acquire(i * 16 * mebibyte, "storage"));
    const { bytesFree } = pool.statistics();
    expect(bytesFree).toBeLessThanOrEqual(20 * 16 * mebibyte);
    expect(alive.size).toBeLessThan(20);
    pool.trim();
    expect(alive.size).toBe(0);
  });

  it("destroys all buffers at its end", () => {
    const { device, alive } = fakeDevice();
    const pool = createPool(device);
    const used = pool.acquire(256, "storage");
    pool.release(pool.acquire(512, "storage"));
    pool.destroy();
    pool.release(used);
    expect(alive.size).toBe(0);
    expect(pool.statistics()).toMatchObject({ bytesInUse: 0, bytesFree: 0 });
  });

  it("refuses what no buffer of the device can hold", () => {
    const pool = createPool(fakeDevice().device);
    expect(() => pool.acquire(2 ** 31, "storage")).toThrow(
      "a buffer of 2 GiB; this device allows 1 GiB (maxBufferSize)",
    );
    expect(pool.acquire(2 ** 30 - 8, "storage").size).toBe(2 ** 30);
  });
});

describe("shareMemory", () => {
  const lifetimes = fc.array(
    fc.record({
      bytes: fc.integer({ min: 4, max: 1000 }),
      start: fc.integer({ min: 0, max: 8 }),
      length: fc.integer({ min: 0, max: 4 }),
    }),
    { maxLength: 12 },
  );

  it("never puts two that are live together into one slot, and each into one", () => {
    fc.assert(
      fc.property(lifetimes, (drawn) => {
        const all = drawn.map(({ bytes, start, length }, i) => ({
          id: `t${i}`,
          bytes,
          live: [start, start + length] as const,
        }));
        const byId = new Map(all.map((one) => [one.id, one]));
        const slots = shareMemory(all);
        expect(slots.flatMap((slot) => slot.members).sort()).toEqual([...byId.keys()].sort());
        for (const { bytes, members } of slots) {
          const lives = members.map((id) => byId.get(id));
          expect(bytes).toBe(Math.max(...lives.map((one) => one?.bytes ?? 0)));
          const steps = lives.flatMap((one) => {
            const [first, last] = one?.live ?? [0, -1];
            return Array.from({ length: last - first + 1 }, (_, i) => first + i);
          });
          expect(new Set(steps).size).toBe(steps.length);
        }
      }),
      { seed: 2 },
    );
  });

  it("takes no more than the largest live set for a chain of equal temporaries", () => {
    const chain = Array.from({ length: 10 }, (_, i) => ({
      id: `t${i}`,
      bytes: 100,
      live: [i, i + 1] as const,
    }));
    expect(shareMemory(chain).map((slot) => slot.bytes)).toEqual([100, 100]);
  });
});
