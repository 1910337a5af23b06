import { parse } from "../../../src/frontend/syntax/parse.ts";
import { eachAstStatement } from "../../../src/frontend/syntax/walk-ast.ts";

/** The names that stand on the left side of statements, in the lines of a body. */
export function writtenNames(lines: readonly string[]): ReadonlySet<string> {
  const { module } = parse(`def body() -> (y) {\n${lines.join("\n")}\n}`);
  const found = new Set<string>();
  for (const s of eachAstStatement(module.definitions[0]?.body ?? [])) {
    if (s.kind === "assign") found.add(s.target.name.name);
    if (s.kind === "call") for (const target of s.targets) found.add(target.name.name);
  }
  return found;
}
