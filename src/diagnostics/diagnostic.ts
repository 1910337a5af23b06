import { shorten } from "../support/shorten.ts";
import type { Code, Fix, ProblemData } from "./codes.ts";
import { problemTexts } from "./codes.ts";
import type { Span } from "./span.ts";

export type { Fix } from "./codes.ts";

/** What the compiler has to say about a place in a source text. */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: Code;
  /** Lower case, expected and found, names in backticks, no full stop. */
  readonly message: string;
  readonly span: Span;
  /** The other places involved. */
  readonly labels: readonly Label[];
  /** One sentence that says what to write. */
  readonly hint?: string;
  /** Edits that an editor or `--fix` may apply. */
  readonly fixes?: readonly Fix[];
}

/** Warnings never stop a compilation, errors always do. */
export type Severity = "error" | "warning";

/** A remark on a second place. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/** Receives what a pass finds; passes get it as an argument and never read it back. */
export type Report = (diagnostic: Diagnostic) => void;

/**
 * Makes a diagnostic out of a problem's structured data; the text comes from the table in
 * codes.ts.
 */
export function diagnose<C extends Code>(
  code: C,
  data: ProblemData[C],
  span: Span,
  details: { readonly labels?: readonly Label[]; readonly fixes?: readonly Fix[] } = {},
): Diagnostic {
  const entry = problemTexts[code];
  const hint = entry.hint?.(data);
  const own = entry.fix?.(data, span);
  const fixes = details.fixes ?? (own === undefined ? undefined : [own]);
  return {
    severity: entry.severity ?? "error",
    code,
    message: shorten(entry.message(data)),
    span,
    labels: (details.labels ?? []).map((label) => ({ ...label, text: shorten(label.text) })),
    ...(hint === undefined ? {} : { hint: shorten(hint) }),
    ...(fixes === undefined ? {} : { fixes }),
  };
}

/** True when one of them is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === "error");
}

/** The first of each code at one place, in source order: a second one is the same mistake. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  const unique = diagnostics.filter((d) => {
    const key = `${d.code} ${d.span.start} ${d.span.end}`;
    return !seen.has(key) && seen.add(key);
  });
  return unique.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
}
