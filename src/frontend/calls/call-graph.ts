import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import { markedAlternatives } from "../alternatives.ts";
import type { Call, Definition, Module } from "../syntax/ast.ts";
import { eachAstStatement } from "../syntax/walk-ast.ts";
import { markCalls } from "./mark-calls.ts";

/** The calls of a definition whose calls are marked, in the order of the text. */
export function callsOf(definition: Definition): readonly Call[] {
  return flatMap(eachAstStatement(definition.body), (s) => (s.kind === "call" ? [s] : []));
}

/** The definitions that no other one calls and that are no alternatives: what a file is about. */
export function uncalledDefinitions(module: Module): readonly Definition[] {
  const called = new Set(
    flatMap(markCalls(module).definitions, (d) =>
      flatMap(callsOf(d), ({ callee }) => (callee.name === d.name.name ? [] : [callee.name])),
    ),
  );
  const alternatives = new Set(markedAlternatives(module).map((a) => a.definition?.name.name));
  return module.definitions.filter(
    ({ name: { name } }) => !called.has(name) && !alternatives.has(name),
  );
}

/** A definition that is called, and the first call of it. */
export interface Called {
  readonly definition: Definition;
  readonly call: Call;
}

/** What inlining may bring: more is refused. */
const limits = { statements: 2000, depth: 100 };

/** Of several of one name the first. */
const definitionsByName: (module: Module) => ReadonlyMap<string, Definition> = remember(
  ({ definitions }) => new Map([...definitions].reverse().map((d) => [d.name.name, d])),
);

/**
 * The definitions that `root` calls, directly or through others, each after those that it calls
 * itself. Reports calls that close a cycle and calls that bring too much; a definition that makes
 * such a call is left out, and so are those that call it.
 */
export function calleesFirst(root: Definition, module: Module, report: Report): readonly Called[] {
  const definitions = definitionsByName(module);
  const found = new Map<string, Called>();
  /** How many statements each definition has, those of its calls counted. */
  const weights = new Map<string, number>();
  const open: string[] = [];
  /** Definitions with a call that closes a cycle. */
  const closing = new Set<string>();
  const visit = (definition: Definition): void => {
    const { name } = definition.name;
    open.push(name);
    let weight = eachAstStatement(definition.body).length;
    for (const call of callsOf(definition)) {
      const callee = definitions.get(call.callee.name);
      if (callee === undefined) continue;
      enter(callee, call);
      weight += weights.get(call.callee.name) ?? 0;
      // Not a number after a mistake, which has been reported.
      if (weight <= limits.statements) continue;
      if (weight > limits.statements) {
        report(diagnose("TC2032", { name: call.callee.name, ...limits }, call.callee.span));
      }
      weight = Number.NaN;
      break;
    }
    weights.set(name, closing.has(name) ? Number.NaN : weight);
    open.pop();
  };
  const enter = (callee: Definition, call: Call): void => {
    const { name, span } = call.callee;
    const start = open.indexOf(name);
    if (start >= 0) {
      report(diagnose("TC2023", { cycle: [...open.slice(start), name] }, span));
      closing.add(open.at(-1) ?? name);
    } else if (open.length > limits.depth) {
      report(diagnose("TC2032", { name, ...limits }, span));
    } else if (!weights.has(name)) {
      visit(callee);
      if (!Number.isNaN(weights.get(name))) found.set(name, { definition: callee, call });
    }
  };
  visit(root);
  return [...found.values()];
}
