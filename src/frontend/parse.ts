import { type Diagnostic, sortDiagnostics } from "../diagnostics/diagnostic.ts";
import { lineStarts, positionAt } from "../diagnostics/position.ts";
import type { Module } from "./ast.ts";
import { readDirectives } from "./directives.ts";
import { parseTokens } from "./parser.ts";
import {
  lexicalDiagnostics,
  nestingDiagnostic,
  syntaxDiagnostics,
  tokenDiagnostics,
} from "./syntax-errors.ts";
import { tokenize } from "./tokens.ts";

/** What a source text parses to. */
export interface Parsed {
  /** What could be understood; with syntax errors it may hold `missing` expressions. */
  readonly module: Module;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Text to syntax tree. Never throws on bad input: mistakes are diagnostics (TC1xxx), and recovery
 * goes on at the next statement or definition. After a mistake the rest of its line is taken to
 * suffer from the same cause, so that one mistake gives one message.
 */
export function parse(source: string): Parsed {
  const { tokens, groups, errors } = tokenize(source);
  const { comments = [] } = groups;
  const directives = readDirectives(comments);
  const lexical = [...lexicalDiagnostics(source, errors), ...tokenDiagnostics(tokens)];
  const nesting = nestingDiagnostic(tokens);
  if (nesting !== undefined) {
    const diagnostics = sortDiagnostics([...lexical, ...directives.diagnostics, nesting]);
    return { module: { definitions: [], directives: directives.directives }, diagnostics };
  }
  const parsed = parseTokens(tokens);
  const syntax = syntaxDiagnostics(source, parsed.errors);
  const diagnostics = [
    ...firstOfEachLine(source, [...lexical, ...syntax]),
    ...directives.diagnostics,
  ];
  return {
    module: { definitions: parsed.definitions, directives: directives.directives },
    diagnostics: sortDiagnostics(diagnostics),
  };
}

/** Without errors that follow another on the same line; warnings stay. */
function firstOfEachLine(
  source: string,
  diagnostics: readonly Diagnostic[],
): readonly Diagnostic[] {
  const starts = lineStarts(source);
  const taken = new Set<number>();
  return sortDiagnostics(diagnostics).filter((d) => {
    if (d.severity === "warning") return true;
    const { line } = positionAt(starts, d.span.start);
    return !taken.has(line) && taken.add(line);
  });
}
