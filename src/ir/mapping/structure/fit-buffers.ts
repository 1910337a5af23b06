import { materialise } from "../../algebraic/materialise.ts";
import { orderedStatements } from "../../algebraic/rewrite.ts";
import { type Expression, operands } from "../../expression.ts";
import type { Program, Statement } from "../../program.ts";
import { computedExpressions, eachPart } from "../../statement-parts.ts";
import { countBuffers, countTensors } from "../group/count-buffers.ts";

/** The tensors that expressions read, in their indices too, apart from what `cut` reads. */
function tensorsIn(
  s: Statement,
  expressions: readonly Expression[],
  cut: Expression | null,
): ReadonlySet<string> {
  const found = new Set<string>();
  const visited = new Set<number>();
  const visit = (e: Expression): void => {
    if (e === cut) return;
    for (const part of operands(e)) visit(part);
    const access = e.kind === "read" && !visited.has(e.read) ? s.reads[e.read] : undefined;
    if (e.kind !== "read" || access === undefined) return;
    visited.add(e.read);
    found.add(access.tensor);
    for (const index of access.index) if (index.kind === "opaque") visit(index.expression);
  };
  for (const e of expressions) visit(e);
  return found;
}

/** The part of a statement without which it binds fewest buffers; undefined if none helps. */
function bestPart(program: Program, s: Statement, limit: number): Expression | undefined {
  const roots = computedExpressions(s);
  let best: Expression | undefined;
  // The temporary counts, too: at least two buffers have to become one.
  let fewest = countBuffers(program, [s]);
  for (const part of eachPart(s, roots)) {
    const own = countTensors(program, tensorsIn(s, [part], null));
    if (own < 2 || own + 1 > limit) continue;
    const rest = new Set([...tensorsIn(s, roots, part), s.write.tensor]);
    const count = countTensors(program, rest) + 1;
    if (count < fewest) [best, fewest] = [part, count];
  }
  return best;
}

/**
 * Purpose: gives every statement few enough tensors for one kernel.
 *
 * Ensures: a statement that touches more tensors than `limit` has parts of it computed before, by
 * statements that do not, as often as it takes. One that cannot be taken apart stays: the limits of
 * the device are checked at the end.
 */
export function fitBuffers(program: Program, limit: number): Program {
  let current = program;
  const stuck = new Set<string>();
  for (;;) {
    const over = orderedStatements(current).find(
      (s) => !stuck.has(s.id) && countBuffers(current, [s]) > limit,
    );
    if (over === undefined) return current;
    const value = bestPart(current, over, limit);
    const result = value && materialise(current, { statement: over.id, value });
    if (result?.kind === "rewritten") current = result.program;
    else stuck.add(over.id);
  }
}
