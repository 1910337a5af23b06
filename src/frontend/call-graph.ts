import { diagnose, type Report } from "../diagnostics/diagnostic.ts";
import type { Call, Definition, Module } from "./ast.ts";
import { markCalls } from "./mark-calls.ts";
import { eachAstStatement } from "./walk-ast.ts";

/** The calls of a definition whose calls are marked, in the order of the text. */
export function callsOf(definition: Definition): readonly Call[] {
  return [...eachAstStatement(definition.body)].flatMap((s) => (s.kind === "call" ? [s] : []));
}

/** The definitions that no other one calls: what a file is about. */
export function uncalledDefinitions(module: Module): readonly Definition[] {
  const called = new Set(
    markCalls(module).definitions.flatMap((d) =>
      callsOf(d).flatMap(({ callee }) => (callee.name === d.name.name ? [] : [callee.name])),
    ),
  );
  return module.definitions.filter((d) => !called.has(d.name.name));
}

/** A definition that is called, and the first call of it. */
export interface Called {
  readonly definition: Definition;
  readonly call: Call;
}

/**
 * The definitions that `root` calls, directly or through others, each after those that it calls
 * itself. A call that closes a cycle is reported; the definitions of a cycle are all there, and one
 * of them comes before another that it calls.
 */
export function calleesFirst(root: Definition, module: Module, report: Report): readonly Called[] {
  const found = new Map<string, Called>();
  const visit = (definition: Definition, path: readonly string[]): void => {
    const own = [...path, definition.name.name];
    for (const call of callsOf(definition)) {
      const { name, span } = call.callee;
      const start = own.indexOf(name);
      if (start >= 0) {
        report(diagnose("TC2023", { cycle: [...own.slice(start), name] }, span));
        continue;
      }
      const callee = module.definitions.find((d) => d.name.name === name);
      if (callee === undefined || found.has(name)) continue;
      visit(callee, own);
      found.set(name, { definition: callee, call });
    }
  };
  visit(root, []);
  return [...found.values()];
}
