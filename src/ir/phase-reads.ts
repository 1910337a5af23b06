import { rememberTexts } from "../support/remember.ts";
import type { Expression } from "./expression.ts";
import type { Statement } from "./program.ts";
import type { Phase } from "./schedule.ts";
import { computedExpressions, readsIn, writtenCoordinates } from "./statement-parts.ts";

/** The expressions that a phase of a statement computes, the written coordinates included. */
function phaseExpressions(s: Statement, phase: Phase): readonly Expression[] {
  switch (phase) {
    case "whole":
      return computedExpressions(s);
    case "init":
      return s.reduction?.init ?? [];
    case "update":
      return s.body;
    case "finish":
      return writtenCoordinates(s);
  }
}

const known = rememberTexts<Statement, ReadonlySet<string>>();

/** The tensors that a phase of a statement reads, those that indices are computed from included. */
export function phaseReads(s: Statement, phase: Phase): ReadonlySet<string> {
  return known(s, phase, () => {
    const used = readsIn(s, phaseExpressions(s, phase));
    return new Set([...used].map((n) => s.reads[n]?.tensor ?? ""));
  });
}
