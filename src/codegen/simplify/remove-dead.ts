/**
 * Purpose: removes variables that nothing depends on, and loops and conditions without statements.
 *
 * Requires: names of variables are unique in the kernel. Ensures: the kernel leaves the same in
 * memory; barriers stay. An exchange orders nothing and is left out by all invocations alike.
 */
import { flatMap } from "../../support/flat-map.ts";
import type { Kernel, KernelStatement } from "../kernel.ts";
import { eachKernelStatement, visitOwnExpressions } from "../walk-kernel.ts";

type Body = readonly KernelStatement[];

/** The variables that memory or control flow depends on. */
function liveIn(body: Body): ReadonlySet<string> {
  const sources = new Map<string, string[]>();
  const open: string[] = [];
  for (const s of eachKernelStatement(body)) {
    const names = s.kind === "declare" || s.kind === "assign" || s.kind === "exchange";
    const used = names ? (sources.get(s.name) ?? []) : open;
    if (names) sources.set(s.name, used);
    visitOwnExpressions(s, (e) => {
      if (e.kind === "variable") used.push(e.name);
    });
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
  return flatMap(body, (s): Body => {
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
  let count = eachKernelStatement(body).length;
  // A condition is alive until what it guards is gone.
  for (;;) {
    body = keep(body, liveIn(body));
    const left = eachKernelStatement(body).length;
    if (left === count) return { ...kernel, body };
    count = left;
  }
}
