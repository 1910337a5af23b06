/** Indices that vectors begin at, and vectors whose components are given one by one. */
import { remember } from "../../support/remember.ts";
import type { Kernel, KernelExpression } from "../kernel.ts";
import { divideIndex, type KnownMultiples } from "../print-wgsl/split-index.ts";
import { statementsOf } from "../walk-kernel.ts";

/** Immutable indices that are multiples of 2 or 4; names that are declared twice are left out. */
export const multiplesOf: (kernel: Kernel) => KnownMultiples = remember((kernel) => {
  const known = new Map<string, number>();
  const seen = new Set<string>();
  for (const s of statementsOf(kernel)) {
    if (s.kind !== "declare") continue;
    const again = seen.has(s.name);
    seen.add(s.name);
    known.delete(s.name);
    const isIndex = s.type.scalar === "uint32" && s.type.width === 1;
    if (again || s.mutable || !isIndex) continue;
    const multiple = [4, 2].find((w) => divideIndex(s.value, w, known) !== undefined);
    if (multiple !== undefined) known.set(s.name, multiple);
  }
  return known;
});

/** The vector whose components, in order, these are. */
export function wholeVector(e: KernelExpression): KernelExpression | undefined {
  if (e.kind !== "vector") return undefined;
  const [first] = e.components;
  const vector = first?.kind === "component" ? first.vector : undefined;
  if (vector?.kind !== "variable" || vector.type.width !== e.components.length) return undefined;
  const inOrder = e.components.every(
    (c, n) =>
      c.kind === "component" &&
      c.index === n &&
      c.vector.kind === "variable" &&
      c.vector.name === vector.name,
  );
  return inOrder ? vector : undefined;
}
