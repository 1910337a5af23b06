/** A bench that says what it is told to, without a device. */
import type { Bench } from "../../../../src/tuner/bench.ts";

/** Every candidate is right; the default takes longest, and the others less the later they come. */
export function steadyBench(): Bench & { readonly admitted: () => number } {
  const times = new Map<string, number>();
  return {
    clock: { kind: "replay", quantumNs: 1 },
    admit: async ({ id }) => {
      times.set(id, times.get(id) ?? 1000 / (1 + times.size));
      return { kind: "ok", firstMs: 1, roughUs: times.get(id) ?? 0 };
    },
    time: async (ids) => ids.map((id) => ({ us: times.get(id) ?? 0, kernels: {} })),
    release: () => undefined,
    close: async () => undefined,
    admitted: () => times.size,
  };
}
