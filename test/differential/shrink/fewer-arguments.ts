import type { Definition, Statement } from "../../../src/frontend/syntax/ast.ts";

/** Statements with their calls changed, wherever they stand. */
function mapCalls(
  body: readonly Statement[],
  change: (s: Statement) => Statement,
): readonly Statement[] {
  return body.map((s) => {
    switch (s.kind) {
      case "for":
        return { ...s, body: mapCalls(s.body, change) };
      case "if":
        return {
          ...s,
          branches: s.branches.map((b) => ({ ...b, body: mapCalls(b.body, change) })),
          otherwise: mapCalls(s.otherwise, change),
        };
      default:
        return change(s);
    }
  });
}

/** A call without its argument number `n`; one target without parentheses parses as an assignment. */
function withoutArgument(s: Statement, callee: string, n: number): Statement {
  if (s.kind === "call" && s.callee.name === callee) {
    return { ...s, arguments: s.arguments.toSpliced(n, 1) };
  }
  if (s.kind !== "assign" || s.value.kind !== "apply" || s.value.name.name !== callee) return s;
  return { ...s, value: { ...s.value, arguments: s.value.arguments.toSpliced(n, 1) } };
}

function withoutTarget(s: Statement, callee: string, n: number): Statement {
  if (s.kind !== "call" || s.callee.name !== callee) return s;
  return { ...s, targets: s.targets.toSpliced(n, 1) };
}

function mapBodies(
  definitions: readonly Definition[],
  change: (s: Statement) => Statement,
): readonly Definition[] {
  return definitions.map((d) => ({ ...d, body: mapCalls(d.body, change) }));
}

/** Definitions of which one has a parameter or a result less, and all calls of it too. */
export function* fewerArguments(
  definitions: readonly Definition[],
): Generator<readonly Definition[]> {
  for (const [at, d] of definitions.entries()) {
    const { name } = d.name;
    for (const [n] of d.parameters.entries()) {
      const after = mapBodies(definitions, (s) => withoutArgument(s, name, n));
      const { body } = after[at] ?? d;
      yield after.with(at, { ...d, body, parameters: d.parameters.toSpliced(n, 1) });
    }
    for (const [n] of d.results.entries()) {
      const after = mapBodies(definitions, (s) => withoutTarget(s, name, n));
      const { body } = after[at] ?? d;
      if (d.results.length > 1)
        yield after.with(at, { ...d, body, results: d.results.toSpliced(n, 1) });
    }
  }
}
