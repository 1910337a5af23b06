import type { Kernel } from "../kernel.ts";
import { eachKernelStatement } from "../walk-kernel.ts";

/** The names that a kernel uses, of arrays and variables. */
export function namesIn({ arrays, body }: Pick<Kernel, "arrays" | "body">): readonly string[] {
  const names = arrays.map((a) => a.id);
  for (const s of eachKernelStatement(body)) {
    if (s.kind === "declare" || s.kind === "exchange" || s.kind === "fragment") names.push(s.name);
    if (s.kind === "loop") names.push(s.variable);
  }
  return names;
}
