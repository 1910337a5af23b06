import { markedAlternatives } from "../frontend/alternatives.ts";
import type { ReadSource } from "../frontend/analyse.ts";
import { directiveSizes, sizeSymbols } from "../frontend/sizes.ts";
import type { Definition, Module } from "../frontend/syntax/ast.ts";
import { parse } from "../frontend/syntax/parse.ts";
import { printInputSource } from "../frontend/syntax/print-ast.ts";
import {
  eachAstStatement,
  eachExpressionNode,
  statementExpressions,
} from "../frontend/syntax/walk-ast.ts";

/** What a source text says at first sight, right or wrong. */
export interface Outline {
  readonly definitions: readonly DefinitionOutline[];
  /** What `#! input` lines say, by tensor: `randn(1)`. */
  readonly inputs: Readonly<Record<string, string>>;
  /** What `#! sizes` lines say. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** A definition at first sight. */
export interface DefinitionOutline {
  readonly name: string;
  /** Its sizes, in the order in which they occur. */
  readonly sizes: readonly string[];
  /** The scalar parameters whose values have to be known to compile it. */
  readonly parameters: readonly string[];
  /** The definitions of the text that it calls. */
  readonly calls: readonly string[];
  /**
   * What it is another way to compute (`#! alternative of NAME`), and whether its results may differ by more than
   * the order of sums explains; null for most.
   */
  readonly alternativeOf: { readonly name: string; readonly approximate: boolean } | null;
}

/** Reads definitions and directives of a text. Never throws on bad source. */
export function outline(source: string | ReadSource): Outline {
  const { module } = typeof source === "string" ? parse(source) : source;
  return {
    definitions: module.definitions.map((d) => definitionOutline(d, module)),
    inputs: directiveInputs(module),
    sizes: directiveSizes(module),
  };
}

function definitionOutline(definition: Definition, module: Module): DefinitionOutline {
  const names = new Set(module.definitions.map((d) => d.name.name));
  const symbols = sizeSymbols(definition, module);
  const called = eachAstStatement(definition.body).flatMap((statement) => [
    ...(statement.kind === "call" ? [statement.callee.name] : []),
    ...statementExpressions(statement)
      .flatMap((e) => eachExpressionNode(e))
      .flatMap((node) => (node.kind === "apply" ? [node.name.name] : [])),
  ]);
  return {
    name: definition.name.name,
    sizes: symbols.filter((s) => s.kind === "size").map((s) => s.name),
    parameters: symbols.filter((s) => s.kind === "parameter").map((s) => s.name),
    calls: [...new Set(called)].filter((name) => names.has(name)),
    alternativeOf: alternativeOf(definition, module),
  };
}

function alternativeOf({ name }: Definition, module: Module): DefinitionOutline["alternativeOf"] {
  const found = markedAlternatives(module).find((a) => a.definition?.name.name === name.name);
  if (found === undefined) return null;
  const { of, approximate } = found.directive;
  return { name: of.name, approximate };
}

function directiveInputs(module: Module): Readonly<Record<string, string>> {
  const entries = module.directives.flatMap((d) =>
    d.kind === "input" ? [[d.tensor.name, printInputSource(d.source)] as const] : [],
  );
  return Object.fromEntries(entries);
}
