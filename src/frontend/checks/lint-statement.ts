import { diagnose } from "../../diagnostics/diagnostic.ts";
import type { ElementType } from "../../support/scalar-type.ts";
import type { TypedStatement } from "../names/typed.ts";
import { checkOwnReads, type OwnReadScope } from "./check-own-reads.ts";
import { checkSimilarIndices } from "./check-similar-indices.ts";
import { checkTerms } from "./check-terms.ts";
import { checkUnsigned } from "./check-unsigned.ts";

/** Where a statement that is looked at for what may not be meant stands. */
export interface LintScope extends OwnReadScope {
  readonly typeOf: (tensor: string) => ElementType | undefined;
  /** True inside of a loop. */
  readonly looped: boolean;
  /** True when no statement before it, and no parameter, has the target. */
  readonly introduces: boolean;
}

/** Warns of what a statement does although it was hardly meant. */
export function lintStatement(statement: TypedStatement, scope: LintScope): void {
  checkTerms(statement, scope);
  checkUnsigned(statement.value, scope);
  checkSimilarIndices(statement, scope.intervalOf, scope.report);
  if (!scope.looped) checkOwnReads(statement, scope);
  if (scope.introduces) checkIntroduction(statement, scope);
}

/** Warns of a sum into a result that is no parameter: a forgotten `!` makes an input of it. */
function checkIntroduction(
  { target, reset, operator, node, indices }: TypedStatement,
  { symbols, report }: LintScope,
): void {
  const reduces = indices.some((index) => !index.left);
  if (reset || operator === "=" || !reduces || symbols.tensors.get(target)?.role !== "inout")
    return;
  report(diagnose("TC4012", { tensor: target, operator: node.operator }, node.operatorSpan));
}
