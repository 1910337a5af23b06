/**
 * Purpose: removes variables that nothing depends on, and loops and conditions without statements.
 *
 * Requires: names of variables are unique in the kernel. Ensures: the kernel leaves the same in
 * memory; barriers stay. An exchange orders nothing and is left out by all invocations alike.
 */
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { eachKernelExpression, eachKernelStatement, statementExpressions } from "../walk-kernel.ts";

type Body = readonly KernelStatement[];

function variablesIn(expressions: readonly KernelExpression[]): readonly string[] {
  return expressions
    .flatMap((e) => [...eachKernelExpression(e)])
    .flatMap((node) => (node.kind === "variable" ? [node.name] : []));
}

/** The variables that memory or control flow depends on. */
function liveIn(body: Body): ReadonlySet<string> {
  const sources = new Map<string, string[]>();
  const open: string[] = [];
  for (const s of eachKernelStatement(body)) {
    const used = variablesIn(statementExpressions(s));
    const names = s.kind === "declare" || s.kind === "assign" || s.kind === "exchange";
    if (!names) open.push(...used);
    else sources.set(s.name, [...(sources.get(s.name) ?? []), ...used]);
  }
  const live = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (live.has(name)) continue;
    live.add(name);
    open.push(...(sources.get(name) ?? []));
  }
  return live;
}

function keep(body: Body, live: ReadonlySet<string>): Body {
  return body.flatMap((s): Body => {
    switch (s.kind) {
      case "declare":
      case "assign":
      case "exchange":
        return live.has(s.name) ? [s] : [];
      case "loop": {
        const inner = keep(s.body, live);
        return inner.length === 0 ? [] : [{ ...s, body: inner }];
      }
      case "if": {
        const then = keep(s.then, live);
        const otherwise = keep(s.else, live);
        return then.length + otherwise.length === 0 ? [] : [{ ...s, then, else: otherwise }];
      }
      default:
        return [s];
    }
  });
}

/** Removes what is computed for nothing. */
export function removeDead(kernel: Kernel): Kernel {
  let { body } = kernel;
  // A condition is alive until what it guards is gone.
  for (;;) {
    const count = [...eachKernelStatement(body)].length;
    body = keep(body, liveIn(body));
    if ([...eachKernelStatement(body)].length === count) return { ...kernel, body };
  }
}
