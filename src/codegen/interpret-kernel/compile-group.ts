/**
 * Statement lists to closures that execute them for all invocations of a workgroup.
 *
 * Runs of statements without barriers, exchanges and fragments are executed invocation by invocation: nothing
 * orders invocations between them, so any order is legal, and the race detector does not depend on it.
 * Loops and branches that contain one are walked by all invocations together. An exchange orders no
 * accesses to memory.
 */
import { defined } from "../../support/assert.ts";
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import { containsCollective } from "../walk-kernel.ts";
import { compileExchange } from "./compile-exchange.ts";
import { compileFragment } from "./compile-fragment.ts";
import { compileBlock, compileCondition } from "./compile-statement.ts";
import { beginEpoch, type Machine, report } from "./machine.ts";
import { observeAll } from "./observer.ts";
import type { Scope } from "./scope.ts";

/** Executes for the whole present workgroup. */
export type ExecuteGroup = () => void;

function forEachInvocation(m: Machine, execute: (base: number) => void): ExecuteGroup {
  const { workgroupSize } = m.kernel;
  const { stride } = m;
  return () => {
    for (let n = 0; n < workgroupSize; n++) {
      m.invocation = n;
      execute(n * stride);
    }
  };
}

/** Evaluates for all what decides where to go; that they disagree is a fault, and the first one decides. */
function uniformValue(
  e: KernelExpression,
  what: "a condition" | "the end of a loop",
  path: string,
  m: Machine,
  scopeAt: (path: string) => Scope,
): () => number {
  const value = compileCondition(e, scopeAt(path));
  const diverge = (): void =>
    report(
      m,
      "divergence",
      null,
      path,
      () => `${what} around a barrier or an exchange is not uniform`,
    );
  return () => {
    m.invocation = 0;
    const decision = value(0);
    for (let n = 1; n < m.kernel.workgroupSize; n++) {
      m.invocation = n;
      if (value(n * m.stride) !== decision) diverge();
    }
    return decision;
  };
}

/** Executes for all after the observer was told. */
function observed(m: Machine, path: string, execute: ExecuteGroup): ExecuteGroup {
  if (m.observer === null) return execute;
  return () => {
    observeAll(m, path);
    execute();
  };
}

function compileTogether(
  s: KernelStatement,
  path: string,
  m: Machine,
  scopeAt: (path: string) => Scope,
): ExecuteGroup {
  switch (s.kind) {
    case "barrier":
      return observed(m, path, () => beginEpoch(m, s.memory));
    case "exchange":
      return observed(m, path, compileExchange(s, scopeAt(path)));
    case "fragment":
    case "multiply":
    case "store-fragment":
      return observed(m, path, compileFragment(s, scopeAt(path)));
    case "loop": {
      const body = compileGroup(s.body, `${path}.${s.variable}`, m, scopeAt);
      const slot = defined(m.variables.get(s.variable), "variable", s.variable);
      const { registers, stride } = m;
      const { extent } = s;
      const end =
        s.end === undefined
          ? () => extent
          : uniformValue(s.end, "the end of a loop", path, m, scopeAt);
      return () => {
        const trips = Math.min(extent, end());
        for (let k = 0; k < trips; k++) {
          for (let at = slot; at < registers.length; at += stride) registers[at] = k;
          observeAll(m, path);
          body();
        }
      };
    }
    case "if": {
      const condition = uniformValue(s.condition, "a condition", path, m, scopeAt);
      const yes = compileGroup(s.then, `${path}.then`, m, scopeAt);
      const no = compileGroup(s.else, `${path}.else`, m, scopeAt);
      return observed(m, path, () => (condition() !== 0 ? yes() : no()));
    }
    default:
      return forEachInvocation(m, compileBlock([s], path, m, scopeAt));
  }
}

/** The statements of one list, for all invocations. */
export function compileGroup(
  body: readonly KernelStatement[],
  path: string,
  m: Machine,
  scopeAt: (path: string) => Scope,
): ExecuteGroup {
  const parts: ExecuteGroup[] = [];
  for (let n = 0; n < body.length; ) {
    const rest = body.slice(n);
    const next = rest.findIndex(containsCollective);
    const run = next < 0 ? rest : rest.slice(0, next);
    if (run.length > 0) parts.push(forEachInvocation(m, compileBlock(run, path, m, scopeAt, n)));
    const together = rest[run.length];
    if (together !== undefined) {
      parts.push(compileTogether(together, `${path}[${n + run.length}]`, m, scopeAt));
    }
    n += run.length + 1;
  }
  return () => {
    for (const part of parts) part();
  };
}
