/** A number that drivers cannot know. */
import { builtinOf, divideIndex } from "../../build.ts";
import type { Builtin, Kernel, KernelExpression } from "../../kernel.ts";

const dims: readonly Builtin[] = ["workgroup-x", "workgroup-y", "workgroup-z"];

/** Something that is 0 in every workgroup, but that no driver knows to be. */
export function hiddenZero({ grid }: Kernel): KernelExpression {
  const dim = dims.find((_, d) => (grid[d] ?? 1) > 1) ?? "workgroup-x";
  return divideIndex(builtinOf(dim), 2 ** 31);
}
