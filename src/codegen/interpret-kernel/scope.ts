/** What the closures of one statement are compiled against. */
import type { KernelExpression } from "../kernel.ts";
import type { Machine } from "./machine.ts";

/** A value of the invocation whose registers begin at `base`. */
export type Evaluate = (base: number) => number;

/** Where variables live, and what the statement at hand needs. */
export interface Scope {
  readonly m: Machine;
  /** Takes that many new registers, all their lives; gives the first. */
  readonly allocate: (count: number) => number;
  /** The place of the statement, for messages. */
  readonly path: string;
  /** Closures that must run before those of the expressions. */
  readonly first: ((base: number) => void)[];
  /** The registers that the statement computes first, for the expressions that they stand for. */
  readonly registers: Map<KernelExpression, number>;
  /** Loads that the observer is told of already, by their keys. */
  readonly observed: Set<string>;
}
