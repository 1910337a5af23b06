import type { Diagnostic, Label } from "./diagnostic.ts";
import { lineStarts, lineText, type Position, positionAt } from "./position.ts";
import type { Span } from "./span.ts";

/** How {@link renderDiagnostics} writes. */
export interface RenderOptions {
  readonly source: string;
  /** The name shown before the position; `input.tc` by default. */
  readonly file?: string;
  /** Plain text, text with terminal colours, or one line for each diagnostic. */
  readonly format?: "text" | "ansi" | "short";
}

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
}

/** Where a record points. */
interface RecordPlace extends Position {
  readonly offset: number;
  readonly length: number;
}

/** Lines are shown up to so many characters, from a little before the first mark on. */
const widestLine = 160;
const widthBefore = 40;

const colours = { error: "31", warning: "33", frame: "34", label: "36", bold: "1" } as const;

interface Context {
  readonly source: string;
  readonly file: string;
  readonly starts: readonly number[];
  readonly paint: (style: keyof typeof colours, text: string) => string;
}

/** All diagnostics as text, an empty line between two; ends with a newline unless empty. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  options: RenderOptions,
): string {
  const ansi = options.format === "ansi";
  const context: Context = {
    source: options.source,
    file: options.file ?? "input.tc",
    starts: lineStarts(options.source),
    paint: (style, text) => (ansi ? `\u001b[${colours[style]}m${text}\u001b[0m` : text),
  };
  if (options.format === "short") {
    return diagnostics.map((d) => `${header(d, context)}\n`).join("");
  }
  return diagnostics.map((d) => renderOne(d, context)).join("\n");
}

/** The diagnostic as data for `--json`. */
export function diagnosticRecord(diagnostic: Diagnostic, options: RenderOptions): DiagnosticRecord {
  const starts = lineStarts(options.source);
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
    file: options.file ?? "input.tc",
    ...place(diagnostic.span),
    labels: diagnostic.labels.map((l) => ({ ...place(l.span), text: l.text })),
    ...(diagnostic.hint === undefined ? {} : { hint: diagnostic.hint }),
  };
}

function header(d: Diagnostic, context: Context): string {
  const { line, column } = positionAt(context.starts, d.span.start);
  const severity = context.paint(d.severity, `${d.severity}[${d.code}]`);
  return `${context.file}:${line}:${column}: ${severity}: ${context.paint("bold", visible(d.message))}`;
}

/** The header, the lines of source with carets below, and the hint. */
function renderOne(d: Diagnostic, context: Context): string {
  const marks: Mark[] = [
    mark({ span: d.span, text: "" }, "^", d.severity, context),
    ...d.labels.map((l) => mark(l, "-", "label", context)),
  ];
  const lines = [...new Set(marks.map((m) => m.line))].sort((a, b) => a - b);
  const width = String(lines.at(-1) ?? 1).length;
  const bar = context.paint("frame", "|");
  const gutter = " ".repeat(width);
  const out = [header(d, context), `${gutter} ${bar}`];
  let previous = lines[0] ?? 1;
  for (const line of lines) {
    if (line > previous + 1) out.push(context.paint("frame", "..."));
    previous = line;
    const number = context.paint("frame", String(line).padStart(width));
    const here = marks.filter((m) => m.line === line).sort((a, b) => a.column - b.column);
    const part = excerpt(lineText(context.source, context.starts, line), here[0]?.column ?? 1);
    out.push(`${number} ${bar} ${part.text}`);
    for (const m of here) {
      const indent = Math.min(m.column - 1 - part.skipped, part.text.length);
      const length = Math.max(1, Math.min(m.length, part.text.length - indent));
      const carets = m.sign.repeat(length) + (m.text === "" ? "" : ` ${m.text}`);
      out.push(`${gutter} ${bar} ${" ".repeat(indent)}${context.paint(m.style, carets)}`);
    }
  }
  if (d.hint !== undefined) out.push(`${gutter} ${context.paint("frame", "=")} help: ${d.hint}`);
  return `${out.join("\n")}\n`;
}

interface Mark {
  readonly line: number;
  readonly column: number;
  readonly length: number;
  readonly text: string;
  readonly sign: string;
  readonly style: keyof typeof colours;
}

/** A label on the first line that it touches, at least one caret wide. */
function mark(label: Label, sign: string, style: Mark["style"], context: Context): Mark {
  const { line, column } = positionAt(context.starts, label.span.start);
  const rest = lineText(context.source, context.starts, line).length - column + 1;
  const length = Math.max(1, Math.min(label.span.end - label.span.start, rest));
  return { line, column, length, text: label.text, sign, style };
}

interface Excerpt {
  readonly text: string;
  /** How far the text's columns are from the line's. */
  readonly skipped: number;
}

/** The line, or what stands about its first mark, at `column`, with dots for what is left out. */
function excerpt(line: string, column: number): Excerpt {
  if (line.length <= widestLine) return { text: visible(line), skipped: 0 };
  const dots = "...";
  const end = Math.min(line.length, Math.max(0, column - 1 - widthBefore) + widestLine);
  const start = Math.max(0, end - widestLine);
  const head = start === 0 ? "" : dots;
  const text = `${head}${visible(line.slice(start, end))}${end === line.length ? "" : dots}`;
  return { text, skipped: start - head.length };
}

/**
 * Tabs as one space, so that carets stand below what they mark, and other control characters, which
 * could do anything to a terminal, as the sign for what cannot be shown.
 */
function visible(text: string): string {
  return text.replaceAll("\t", " ").replace(/\p{Cc}/gu, "\ufffd");
}
