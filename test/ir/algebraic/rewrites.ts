/** What a rewrite gives, for tests that look at the text. */
import type { Rewrite } from "../../../src/ir/algebraic/rewrite.ts";
import { printStatement } from "../../../src/ir/print-program.ts";
import { eachStatementId, findStatement, type Program } from "../../../src/ir/program.ts";

/** The program; throws the reason when the rewrite was refused. */
export function applied(result: Rewrite): Program {
  if (result.kind === "refused") throw new Error(result.reason);
  return result.program;
}

/** The reason; empty when the rewrite applied. */
export function reason(result: Rewrite): string {
  return result.kind === "refused" ? result.reason : "";
}

/** The statements in program order, one line each. */
export function lines(program: Program): readonly string[] {
  return [...eachStatementId(program.tree)].map((id) => {
    const s = findStatement(program, id);
    return s === undefined ? id : printStatement(s);
  });
}
