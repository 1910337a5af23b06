import { diagnose, type Report } from "../diagnostics/diagnostic.ts";
import { eachTyped, type Typed, type TypedStatement } from "./typed.ts";

/**
 * Warns when a sum is taken over an index that one of several terms does not depend on: that term
 * is added once for each value of the index, which is rarely meant.
 */
export function checkTerms(
  statement: TypedStatement,
  scope: {
    readonly textOf: (span: { readonly start: number; readonly end: number }) => string;
    readonly report: Report;
  },
): void {
  if (statement.operator !== "+") return;
  const terms = termsOf(statement.value);
  for (const index of statement.indices.filter((i) => !i.left)) {
    const free = terms.filter((term) => !dependsOn(term, index.name));
    const [first] = free;
    if (first === undefined || free.length === terms.length) continue;
    const data = { index: index.source, term: scope.textOf(first.span) };
    scope.report(diagnose("TC4010", data, first.span));
  }
}

function termsOf(e: Typed): readonly Typed[] {
  if (e.kind === "unary" && e.operator === "negate") return termsOf(e.operand);
  if (e.kind !== "binary" || (e.operator !== "+" && e.operator !== "-")) return [e];
  return [...termsOf(e.left), ...termsOf(e.right)];
}

function dependsOn(e: Typed, index: string): boolean {
  return [...eachTyped(e)].some((node) => node.kind === "index" && node.name === index);
}
