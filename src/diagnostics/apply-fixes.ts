import type { Diagnostic, Fix } from "./diagnostic.ts";

/** A source text after fixes. */
export interface Fixed {
  readonly source: string;
  /** The diagnostics whose fix was made. */
  readonly applied: readonly Diagnostic[];
}

/**
 * Makes the first fix of each diagnostic, in one pass. Of fixes that touch the same text the one
 * that comes first in the text is made; after a pass the caller may check the new text and go on
 * until nothing is applied. Equal edits of several diagnostics count as one.
 */
export function applyFixes(source: string, diagnostics: readonly Diagnostic[]): Fixed {
  const applied: Diagnostic[] = [];
  const accepted: Edit[] = [];
  const made = new Set<string>();
  // The accepted edits that one still to come may meet.
  let near: readonly Edit[] = [];
  for (const { diagnostic, edits, start } of fixesInOrder(diagnostics)) {
    near = near.filter(({ span }) => span.end >= start);
    const fresh = edits.filter((edit) => !made.has(keyOf(edit)));
    const outside = edits.some(({ span }) => span.start < 0 || span.end > source.length);
    if (outside || fresh.some((edit) => near.some(meets(edit)))) continue;
    applied.push(diagnostic);
    for (const edit of fresh) accepted.push(edit);
    near = [...near, ...fresh];
    for (const edit of fresh) made.add(keyOf(edit));
  }
  return { source: edited(source, accepted), applied };
}

type Edit = Fix["edits"][number];

interface PlacedFix {
  readonly diagnostic: Diagnostic;
  readonly edits: readonly Edit[];
  /** Where the first edit begins. */
  readonly start: number;
}

function fixesInOrder(diagnostics: readonly Diagnostic[]): readonly PlacedFix[] {
  return diagnostics
    .flatMap((diagnostic): PlacedFix[] => {
      const edits = diagnostic.fixes?.[0]?.edits ?? [];
      if (edits.length === 0) return [];
      return [{ diagnostic, edits, start: startOf(edits) }];
    })
    .sort((a, b) => a.start - b.start || rank(a.diagnostic) - rank(b.diagnostic));
}

/** Spellings come before what they mean: other fixes may be wrong until they are mended. */
function rank({ code }: Diagnostic): number {
  return code.startsWith("TC1") ? 0 : 1;
}

/** Where the first of some edits begins; a fix may have very many. */
function startOf(edits: readonly Edit[]): number {
  return edits.reduce((least, { span }) => Math.min(least, span.start), Number.POSITIVE_INFINITY);
}

function keyOf({ span, text }: Edit): string {
  return `${span.start} ${span.end} ${text}`;
}

/** Whether two edits overlap; two insertions at one place do, for their order would be a guess. */
function meets(a: Edit): (b: Edit) => boolean {
  return ({ span }) =>
    (a.span.start < span.end && span.start < a.span.end) ||
    (a.span.start === span.start && (a.span.end === a.span.start || span.end === span.start));
}

function edited(source: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { span, text } of [...edits].sort((a, b) => a.span.start - b.span.start)) {
    parts.push(source.slice(done, span.start), text);
    done = span.end;
  }
  return `${parts.join("")}${source.slice(done)}`;
}
