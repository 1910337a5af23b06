/** Looks on while kernels are executed: for counts of what happens, which change nothing of it. */

import type { KernelExpression } from "../kernel.ts";
import { expressionKey } from "../walk-kernel.ts";
import type { Machine } from "./machine.ts";
import type { Evaluate, Scope } from "./scope.ts";

/** An access of an array in storage or workgroup memory by one invocation. */
export interface ObservedAccess {
  readonly kind: "load" | "store" | "atomic";
  readonly array: string;
  /** The first element, and how many. */
  readonly index: number;
  readonly width: number;
  /** Tells the loads of one statement apart. */
  readonly key: string;
}

/** Is told what the running invocation does, which is `invocation` of the machine. */
export interface KernelObserver {
  /** It executes the statement at the path; of a loop, it begins an iteration. */
  execute(m: Machine, path: string): void;
  /** Each load of a statement is told once, however often its text repeats it. */
  access(m: Machine, path: string, access: ObservedAccess): void;
}

/** Tells the observer, if there is one, that all invocations of the workgroup execute a statement. */
export function observeAll(m: Machine, path: string): void {
  if (m.observer === null) return;
  for (let n = 0; n < m.kernel.workgroupSize; n++) {
    m.invocation = n;
    m.observer.execute(m, path);
  }
}

/** Has a statement tell of a load before it is executed; `index` computes where. */
export function observeLoad(
  e: KernelExpression & { kind: "load" },
  scope: Scope,
  compileIndex: () => Evaluate,
): void {
  const { m, path } = scope;
  const { observer } = m;
  if (observer === null || m.arrays.get(e.array)?.array.space === "private") return;
  const key = expressionKey(e);
  if (scope.observed.has(key)) return;
  scope.observed.add(key);
  const index = compileIndex();
  const { array } = e;
  const { width } = e.type;
  scope.first.push((base) => {
    observer.access(m, path, { kind: "load", array, index: index(base), width, key });
  });
}
