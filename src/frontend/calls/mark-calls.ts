import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import type { Assign, Call, Definition, Module, Statement } from "../syntax/ast.ts";
import { eachAstStatement } from "../syntax/walk-ast.ts";

/**
 * The module with every assignment that calls a definition, `target = f(arguments)`, as a call: the
 * grammar cannot tell them from reads of a tensor. A tensor hides a definition of its name.
 */
export const markCalls: (module: Module) => Module = remember((module) => {
  const names = new Set(module.definitions.map((d) => d.name.name));
  const definitions = module.definitions.map((definition) => {
    const visible = new Set(names);
    for (const hidden of tensorNames(definition)) visible.delete(hidden);
    return { ...definition, body: markBody(definition.body, visible) };
  });
  return { ...module, definitions };
});

/** The names of all tensors of a definition. */
function tensorNames(definition: Definition): readonly string[] {
  return [
    ...definition.parameters.map((p) => p.name.name),
    ...definition.results.map((r) => r.name.name),
    ...targetNames(definition.body),
  ];
}

function targetNames(body: readonly Statement[]): readonly string[] {
  return flatMap(eachAstStatement(body), (s): readonly string[] => {
    if (s.kind === "assign") return [s.target.name.name];
    return s.kind === "call" ? s.targets.map((target) => target.name.name) : [];
  });
}

function markBody(
  body: readonly Statement[],
  definitions: ReadonlySet<string>,
): readonly Statement[] {
  return body.map((s): Statement => {
    if (s.kind === "assign") return callOf(s, definitions) ?? s;
    if (s.kind === "for") return { ...s, body: markBody(s.body, definitions) };
    if (s.kind !== "if") return s;
    const branches = s.branches.map((b) => ({ ...b, body: markBody(b.body, definitions) }));
    return { ...s, branches, otherwise: markBody(s.otherwise, definitions) };
  });
}

/** The call that a plain assignment makes; undefined for other assignments. */
function callOf(s: Assign, definitions: ReadonlySet<string>): Call | undefined {
  const { value } = s;
  if (value.kind !== "apply" || !definitions.has(value.name.name)) return undefined;
  if (s.operator !== "=" || s.clauses.length > 0) return undefined;
  return {
    kind: "call",
    targets: [s.target],
    callee: value.name,
    arguments: value.arguments,
    span: s.span,
  };
}
