import { remember } from "../../support/remember.ts";
import type { Kernel, KernelStatement } from "../kernel.ts";
import { eachKernelStatement, statementsOf } from "../walk-kernel.ts";

/** The names that statements declare. */
export function declaredIn(body: readonly KernelStatement[]): readonly string[] {
  return declaredBy(eachKernelStatement(body), []);
}

function declaredBy(statements: readonly KernelStatement[], names: string[]): readonly string[] {
  for (const s of statements) {
    if (s.kind === "declare" || s.kind === "exchange" || s.kind === "fragment") names.push(s.name);
    if (s.kind === "loop") names.push(s.variable);
  }
  return names;
}

/** The names that have another value in each iteration of a loop: what it declares or assigns. */
export function changedIn(loop: Extract<KernelStatement, { kind: "loop" }>): Set<string> {
  const names = new Set([loop.variable, ...declaredIn(loop.body)]);
  for (const s of eachKernelStatement(loop.body)) if (s.kind === "assign") names.add(s.name);
  return names;
}

/** The names that a kernel uses, of arrays and variables. */
export const namesIn: (kernel: Kernel) => ReadonlySet<string> = remember((kernel) => {
  const arrays = kernel.arrays.map((a) => a.id);
  return new Set(declaredBy(statementsOf(kernel), arrays));
});
