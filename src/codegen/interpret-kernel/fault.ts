/** What the kernel interpreter finds wrong with an execution. */

/**
 * - `race`: two invocations touch one word, at least one writes it, and nothing orders them;
 * - `out-of-bounds`: an access outside an array; the load gives poison, the store is dropped;
 * - `misaligned`: a wide access at an index that is no multiple of the width;
 * - `uninitialised`: a stored value, a branch or an index depends on an element that nothing wrote;
 * - `divergence`: invocations of a workgroup disagree about a condition around a barrier.
 */
export type FaultKind = "race" | "out-of-bounds" | "misaligned" | "uninitialised" | "divergence";

export interface Fault {
  readonly kind: FaultKind;
  readonly kernel: string;
  /** The array or buffer that is concerned; null for conditions. */
  readonly array: string | null;
  /** Where in the kernel, as in `body[2].loop ko.body[0]`; empty for a whole buffer. */
  readonly path: string;
  /** The first occurrence, in words: array, index, length, invocation and workgroup. */
  readonly message: string;
  /** How often the same kind happened to the same array at the same path. */
  readonly count: number;
}

/** Collects faults: equal kind, array and path count as one. */
export interface FaultLog {
  /** `describe` is called for the first occurrence only. */
  add(fault: Omit<Fault, "count" | "message">, describe: () => string): void;
  /** In the order of their first occurrence. */
  list(): readonly Fault[];
}

/** A log that keeps at most `limit` different faults; it counts the others nowhere. */
export function faultLog(limit: number): FaultLog {
  const faults = new Map<string, { fault: Omit<Fault, "count">; count: number }>();
  return {
    add: (fault, describe) => {
      const key = [fault.kind, fault.kernel, fault.array, fault.path].join("|");
      const known = faults.get(key);
      if (known !== undefined) known.count += 1;
      else if (faults.size < limit) {
        faults.set(key, { fault: { ...fault, message: describe() }, count: 1 });
      }
    },
    list: () => [...faults.values()].map(({ fault, count }) => ({ ...fault, count })),
  };
}
