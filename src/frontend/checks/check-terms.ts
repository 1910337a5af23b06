import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import { eachTyped, type Typed, type TypedStatement } from "../names/typed.ts";

/**
 * Warns when a sum is taken over an index that one of several terms does not depend on: that term
 * is added once for each value of the index, which is rarely meant. Where no term depends on the
 * index, that is what was asked for.
 */
export function checkTerms(
  statement: TypedStatement,
  scope: {
    readonly textOf: (span: { readonly start: number; readonly end: number }) => string;
    readonly report: Report;
  },
): void {
  if (statement.operator !== "+") return;
  const { node, value } = statement;
  const terms = termsOf(value, 1);
  const reduced = statement.indices.filter((i) => !i.left);
  const counted = reduced.filter(({ name }) => terms.some(({ term }) => dependsOn(term, name)));
  for (const { term, sign } of terms) {
    const free = counted.filter(({ name }) => !dependsOn(term, name)).map((i) => i.source);
    // Numbers are left alone: `1.0 - p(i)` and counting are meant.
    const isNumber = eachTyped(term).every((e) => e.kind === "literal");
    if (free.length === 0 || isNumber || term.type === "error") continue;
    const text = scope.textOf(term.span);
    const data = { indices: free, term: text, target: scope.textOf(node.target.span), sign };
    const over = free.map((name) => `\`${name}\``).join(", ");
    const labels = [{ span: node.operatorSpan, text: `sums over ${over}` }];
    scope.report(diagnose("TC4010", data, term.span, { labels }));
  }
}

interface Term {
  readonly term: Typed;
  readonly sign: 1 | -1;
}

function termsOf(e: Typed, sign: Term["sign"]): readonly Term[] {
  const negated = sign === 1 ? -1 : 1;
  if (e.kind === "unary" && e.operator === "negate") return termsOf(e.operand, negated);
  if (e.kind !== "binary" || (e.operator !== "+" && e.operator !== "-")) {
    return [{ term: e, sign }];
  }
  return [...termsOf(e.left, sign), ...termsOf(e.right, e.operator === "-" ? negated : sign)];
}

function dependsOn(e: Typed, index: string): boolean {
  return eachTyped(e).some((node) => node.kind === "index" && node.name === index);
}
