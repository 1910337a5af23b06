import type { IToken } from "chevrotain";
import { type Diagnostic, sortDiagnostics } from "../../diagnostics/diagnostic.ts";
import { lineStarts, positionAt } from "../../diagnostics/position.ts";
import { mostDefinitions, volumeDiagnostics } from "../checks/check-volume.ts";
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
import { translateHabits } from "./translate-habits.ts";

/** What a source text parses to. */
export interface Parsed {
  /** What could be understood; with syntax errors it may hold `missing` expressions. */
  readonly module: Module;
  readonly diagnostics: readonly Diagnostic[];
  /** Those after which the tree does not say what was written. */
  readonly unreadable: readonly Diagnostic[];
}

/**
 * Text to syntax tree. Never throws on bad input: mistakes are diagnostics (TC1xxx), and recovery
 * goes on at the next statement or definition. After a mistake the rest of its line is taken to
 * suffer from the same cause, so that one mistake gives one message.
 */
export function parse(source: string): Parsed {
  const { tokens: written, groups, errors } = tokenize(source);
  const { comments = [] } = groups;
  const directives = readDirectives(comments);
  const { tokens, diagnostics: translated, unreadable: unclear } = translateHabits(source, written);
  const lexical = lexicalDiagnostics(source, errors);
  const numbers = tokenDiagnostics(tokens);
  const nesting = nestingDiagnostic(tokens);
  const parsed = nesting === undefined ? parseTokens(tokens) : { definitions: [], errors: [] };
  const unreadable = firstOfEachLine(source, tokens, [
    ...lexical,
    ...numbers.unreadable,
    ...unclear,
    ...(nesting === undefined ? syntaxDiagnostics(source, tokens, parsed.errors) : [nesting]),
    ...volumeDiagnostics(parsed.definitions),
  ]);
  // In a line that is broken, what is understood may be something else.
  const broken = linesOf(source, unreadable);
  const understood = [...translated, ...numbers.understood].filter((d) => !broken(d));
  return {
    module: {
      definitions: parsed.definitions.slice(0, mostDefinitions),
      directives: directives.directives,
    },
    diagnostics: sortDiagnostics([...directives.diagnostics, ...understood, ...unreadable]),
    unreadable,
  };
}

const strayBrace = "expected `def`, found `}`";

/**
 * Without errors that follow another on the same line, or at the beginning of the next one, where
 * the parser tried to go on.
 */
function firstOfEachLine(
  source: string,
  tokens: readonly IToken[],
  diagnostics: readonly Diagnostic[],
): readonly Diagnostic[] {
  const starts = lineStarts(source);
  const lineOf = (offset: number): number => positionAt(starts, offset).line;
  const offsets = tokens.map((token) => token.startOffset);
  const taken = new Set<number>();
  return sortDiagnostics(diagnostics).filter((d) => {
    const line = lineOf(d.span.start);
    const before = offsets[countBelow(offsets, d.span.start) - 1] ?? 0;
    const goesOn = d.code === "TC1001" && taken.has(lineOf(before));
    // A brace too many follows from a block that was not understood.
    const closes = taken.size > 0 && d.message === strayBrace;
    if (taken.has(line) || goesOn || closes) return false;
    taken.add(line);
    return true;
  });
}

/** Whether a diagnostic stands in a line behind one of some others. */
function linesOf(
  source: string,
  diagnostics: readonly Diagnostic[],
): (diagnostic: Diagnostic) => boolean {
  const starts = lineStarts(source);
  const first = new Map<number, number>();
  for (const { span } of diagnostics) {
    const { line } = positionAt(starts, span.start);
    first.set(line, Math.min(span.start, first.get(line) ?? span.start));
  }
  return ({ span }) => {
    const start = first.get(positionAt(starts, span.start).line);
    return start !== undefined && start < span.start;
  };
}

/** How many of ascending numbers are below a limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [lo, hi] = [0, numbers.length];
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if ((numbers[middle] ?? limit) < limit) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}
