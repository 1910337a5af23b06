import { eachStatementId, type Program, touches } from "../program.ts";
import { type Rewrite, refused, replaceStatement, rewritten } from "./rewrite.ts";

/**
 * The statements, in program order, that no tensor of the caller depends on: their tensors are
 * temporaries which only each other read.
 */
export function deadStatements(program: Program): readonly string[] {
  const needed = new Set(program.tensors.filter((t) => t.role !== "temporary").map((t) => t.name));
  for (let before = -1; before !== needed.size; ) {
    before = needed.size;
    for (const s of program.statements) {
      if (needed.has(s.write.tensor)) for (const a of s.reads) needed.add(a.tensor);
    }
  }
  const dead = new Set(
    program.statements.filter((s) => !needed.has(s.write.tensor)).map((s) => s.id),
  );
  return eachStatementId(program.tree).filter((id) => dead.has(id));
}

/**
 * Purpose: removes what other rewrites leave without a use.
 *
 * ```
 * T(i) = A(i);  U(i) = T(i);  C(i) = A(i)   -->  C(i) = A(i)
 * ```
 * Requires: a temporary that no statement touches, or that only statements read whose results
 * nothing needs either.
 *
 * Ensures: neither such statements, nor loops that become empty, nor temporaries without a
 * statement are left.
 */
export function removeDead(program: Program): Rewrite {
  const without = deadStatements(program).reduce((p, id) => replaceStatement(p, id, []), program);
  const tensors = without.tensors.filter(
    (t) => t.role !== "temporary" || without.statements.some((s) => touches(s, t.name)),
  );
  if (tensors.length === program.tensors.length) return refused("everything is used");
  return rewritten({ ...without, tensors });
}
