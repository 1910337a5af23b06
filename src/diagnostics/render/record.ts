import type { Diagnostic } from "../diagnostic.ts";
import { lineStarts, type Position, positionAt } from "../position.ts";
import type { Span } from "../span.ts";

/** A diagnostic as one line of NDJSON: lines and columns from 1, offsets in UTF-16 units. */
export interface DiagnosticRecord extends RecordPlace {
  readonly schema: 1;
  readonly type: "diagnostic";
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly labels: readonly (RecordPlace & { readonly text: string })[];
  readonly hint?: string;
  /** Alternatives; each is a set of replacements that are made together. */
  readonly fixes: readonly {
    readonly title: string;
    readonly edits: readonly (RecordPlace & { readonly text: string })[];
  }[];
}

/** Where a record points. */
interface RecordPlace extends Position {
  readonly offset: number;
  readonly length: number;
}

/** What diagnostics are about. */
interface RecordOptions {
  readonly source: string;
  /** `input.tc` by default. */
  readonly file?: string;
}

/** The diagnostic as data for `--json`. */
export function diagnosticRecord(diagnostic: Diagnostic, options: RecordOptions): DiagnosticRecord {
  return recordOf(diagnostic, options.file ?? "input.tc", lineStarts(options.source));
}

/** {@link diagnosticRecord} of each: finds the lines of the source only once. */
export function diagnosticRecords(
  diagnostics: readonly Diagnostic[],
  options: RecordOptions,
): readonly DiagnosticRecord[] {
  const starts = lineStarts(options.source);
  return diagnostics.map((d) => recordOf(d, options.file ?? "input.tc", starts));
}

function recordOf(
  diagnostic: Diagnostic,
  file: string,
  starts: readonly number[],
): DiagnosticRecord {
  const place = (span: Span): RecordPlace => ({
    ...positionAt(starts, span.start),
    offset: span.start,
    length: span.end - span.start,
  });
  return {
    schema: 1,
    type: "diagnostic",
    severity: diagnostic.severity,
    code: diagnostic.code,
    message: diagnostic.message,
    file,
    ...place(diagnostic.span),
    labels: diagnostic.labels.map((l) => ({ ...place(l.span), text: l.text })),
    ...(diagnostic.hint === undefined ? {} : { hint: diagnostic.hint }),
    fixes: (diagnostic.fixes ?? []).map(({ title, edits }) => ({
      title,
      edits: edits.map(({ span, text }) => ({ ...place(span), text })),
    })),
  };
}
