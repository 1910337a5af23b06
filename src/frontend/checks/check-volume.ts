import { type Diagnostic, diagnose } from "../../diagnostics/diagnostic.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Assign, Definition, Expression, LetClause } from "../syntax/ast.ts";
import { eachAssign, eachExpressionNode } from "../syntax/walk-ast.ts";

/** Definitions beyond are not looked at. */
export const mostDefinitions = 1000;
const mostStatements = 5000;
/** Operations of one statement, names of its `where` replaced by what they stand for. */
const mostOperations = 10_000;
const deepestLets = 100;

/**
 * What is too much to be compiled in reasonable time: definitions of a file, statements of a
 * definition, operations of a statement. The text is not analysed there.
 */
export function volumeDiagnostics(definitions: readonly Definition[]): readonly Diagnostic[] {
  const excess = definitions.at(mostDefinitions);
  if (excess !== undefined) {
    const data = { what: "definitions of a file", found: definitions.length };
    const span = { start: 0, end: excess.name.span.end };
    return [diagnose("TC1010", { ...data, limit: mostDefinitions }, span)];
  }
  return flatMap(definitions, (definition) => {
    const statements = eachAssign(definition.body);
    if (statements.length > mostStatements) {
      const data = { what: "statements of a definition", found: statements.length };
      return [diagnose("TC1010", { ...data, limit: mostStatements }, definition.name.span)];
    }
    return flatMap(statements, letDiagnostics);
  });
}

/** How large a name of a `where` is, in operations, and how many names it goes through. */
interface Volume {
  readonly operations: number;
  readonly depth: number;
}

function letDiagnostics(statement: Assign): readonly Diagnostic[] {
  const lets = new Map<string, LetClause>();
  for (const c of statement.clauses) if (c.kind === "let") lets.set(c.name.name, c);
  if (lets.size === 0) return [];
  for (const [name, volume] of letVolumes(lets)) {
    const clause = lets.get(name);
    const many = volume.operations > mostOperations;
    if (clause === undefined || !(many || volume.depth > deepestLets)) continue;
    const what = many
      ? `operations that \`${name}\` stands for`
      : "names that stand for each other";
    const found = many ? volume.operations : volume.depth;
    const limit = many ? mostOperations : deepestLets;
    return [diagnose("TC1010", { what, found, limit }, clause.span)];
  }
  return [];
}

/** Each name after those that it uses; names that use themselves count as one operation. */
function letVolumes(lets: ReadonlyMap<string, LetClause>): ReadonlyMap<string, Volume> {
  const done = new Map<string, Volume>();
  const open = new Set<string>();
  const nodes = new Map([...lets].map(([name, c]) => [name, eachExpressionNode(c.value)]));
  const stack = [...lets.keys()];
  while (stack.length > 0) {
    const name = stack.at(-1) ?? "";
    const own = nodes.get(name) ?? [];
    const next = open.has(name)
      ? undefined
      : flatMap(own, nameOf).filter((used) => lets.has(used) && !done.has(used) && !open.has(used));
    open.add(name);
    if (next !== undefined && next.length > 0) {
      stack.push(...new Set(next));
      continue;
    }
    stack.pop();
    if (!done.has(name)) done.set(name, volumeOf(own, done));
  }
  return done;
}

function nameOf(node: Expression): readonly string[] {
  return node.kind === "name" ? [node.name] : [];
}

function volumeOf(nodes: readonly Expression[], known: ReadonlyMap<string, Volume>): Volume {
  let [operations, depth] = [nodes.length, 0];
  for (const used of flatMap(nodes, nameOf)) {
    const volume = known.get(used);
    operations += volume?.operations ?? 0;
    depth = Math.max(depth, volume?.depth ?? 0);
  }
  return { operations, depth: depth + 1 };
}
