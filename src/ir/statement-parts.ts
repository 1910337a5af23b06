/** What the expressions of a statement are made of, those inside the indices of its reads included. */
import { flatMap } from "../support/flat-map.ts";
import { type Expression, eachExpression } from "./expression.ts";
import type { Statement } from "./program.ts";

/** The nodes of expressions, those of the opaque indices of their reads included. */
export function* eachPart(s: Statement, roots: readonly Expression[]): Generator<Expression> {
  const visited = new Set<number>();
  const open = [...roots];
  for (let e = open.shift(); e !== undefined; e = open.shift()) {
    for (const node of eachExpression(e)) {
      yield node;
      if (node.kind !== "read" || visited.has(node.read)) continue;
      visited.add(node.read);
      for (const index of s.reads[node.read]?.index ?? []) {
        if (index.kind === "opaque") open.push(index.expression);
      }
    }
  }
}

/** The numbers of the reads in expressions, those that only opaque indices of others use included. */
export function readsIn(s: Statement, roots: readonly Expression[]): ReadonlySet<number> {
  return new Set(flatMap([...eachPart(s, roots)], (e) => (e.kind === "read" ? [e.read] : [])));
}

/** The expressions that a statement computes, without those that are only indices of what it reads. */
export function computedExpressions(s: Statement): readonly Expression[] {
  return [...s.body, ...(s.reduction?.init ?? []), ...writtenCoordinates(s)];
}

/** The coordinates that a statement computes of what it writes, where they are no functions of dims. */
export function writtenCoordinates({ write }: Statement): readonly Expression[] {
  return flatMap(write.index, (i) => (i.kind === "opaque" ? [i.expression] : []));
}
