/**
 * Purpose: says in the kernel what a step index is below, so that Tint can prove what it moves to be
 * in range.
 *
 * Requires: `extents` by the names of steps; a step that is not there stays. Ensures: the kernel
 * computes the same in every step that there is.
 */
import { clampIndex } from "../build.ts";
import type { Kernel, KernelExpression } from "../kernel.ts";
import { mapKernelExpression, mapKernelStatements, mapOwnExpressions } from "../rewrite-kernel.ts";

/** Replaces step indices by their minimum with the last one. */
export function boundSteps(kernel: Kernel, extents: ReadonlyMap<string, number>): Kernel {
  if (!kernel.steps.some((name) => extents.has(name))) return kernel;
  const bounded = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) => {
      if (node.kind !== "step") return undefined;
      const extent = extents.get(kernel.steps[node.slot] ?? "");
      return extent === undefined ? undefined : clampIndex(node, extent - 1);
    });
  const body = mapKernelStatements(kernel.body, (s) => [mapOwnExpressions(s, bounded)]);
  return { ...kernel, body };
}
