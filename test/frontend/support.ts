import { expect } from "vitest";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { type AnalyseOptions, analyse } from "../../src/frontend/analyse.ts";
import type {
  CheckedDefinition,
  CheckedNode,
  CheckedStatement,
} from "../../src/frontend/checked.ts";

/** The checked definition of a source that must have no error. */
export function checkedOf(source: string, options: AnalyseOptions = {}): CheckedDefinition {
  const { checked, diagnostics } = analyse(source, options);
  expect(
    renderDiagnostics(
      diagnostics.filter((d) => d.severity === "error"),
      { source },
    ),
  ).toBe("");
  if (checked === undefined) throw new Error("no definition and no error");
  return checked;
}

/** The statements of {@link checkedOf}, in order. */
export function statementsOf(
  source: string,
  options: AnalyseOptions = {},
): readonly CheckedStatement[] {
  return [...eachChecked(checkedOf(source, options).body)];
}

/** The codes of a source's diagnostics. */
export function codesOf(source: string, options: AnalyseOptions = {}): readonly string[] {
  return analyse(source, options).diagnostics.map((d) => d.code);
}

/** The statements of nodes, in program order. */
function* eachChecked(nodes: readonly CheckedNode[]): Generator<CheckedStatement> {
  for (const node of nodes) {
    if (node.kind === "statement") yield node;
    else yield* eachChecked(node.body);
  }
}
