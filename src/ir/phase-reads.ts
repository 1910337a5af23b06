import { flatMap } from "../support/flat-map.ts";
import { type Expression, eachExpression } from "./expression.ts";
import type { Statement } from "./program.ts";
import type { Phase } from "./schedule.ts";

/** The expressions that a phase of a statement computes, the written coordinates included. */
function phaseExpressions(s: Statement, phase: Phase): readonly Expression[] {
  const target = flatMap(s.write.index, (i) => (i.kind === "opaque" ? [i.expression] : []));
  const init = s.reduction?.init ?? [];
  switch (phase) {
    case "whole":
      return [...s.body, ...init, ...target];
    case "init":
      return init;
    case "update":
      return s.body;
    case "finish":
      return target;
  }
}

/** The tensors that a phase of a statement reads, those that indices are computed from included. */
export function phaseReads(s: Statement, phase: Phase): ReadonlySet<string> {
  const visited = new Set<number>();
  const open = [...phaseExpressions(s, phase)];
  for (let e = open.pop(); e !== undefined; e = open.pop()) {
    for (const node of eachExpression(e)) {
      if (node.kind !== "read" || visited.has(node.read)) continue;
      visited.add(node.read);
      for (const index of s.reads[node.read]?.index ?? []) {
        if (index.kind === "opaque") open.push(index.expression);
      }
    }
  }
  return new Set([...visited].map((n) => s.reads[n]?.tensor ?? ""));
}
