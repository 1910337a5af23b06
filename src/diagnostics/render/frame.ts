/**
 * A diagnostic as lines of styled text:
 *
 * ```
 * frame   := header bar (line marks*)+ help?
 * header  := file:line:column: severity[code]: message
 * ```
 * How styles look is for paint.ts.
 */
import type { Diagnostic, Label, Severity } from "../diagnostic.ts";
import { lineEnd, positionAt } from "../position.ts";
import { excerptsOf, type PlacedMark } from "./excerpt.ts";
import { visibleText } from "./visible-text.ts";

/** What a piece of text is. */
export type Style =
  | "location"
  | "error"
  | "warning"
  | "message"
  | "frame"
  | "source"
  | "label"
  | "help";

/** A piece of a line. */
export interface Segment {
  readonly style: Style;
  readonly text: string;
}

export type StyledLine = readonly Segment[];

/** The text that diagnostics are about. */
export interface SourceText {
  readonly source: string;
  /** The name shown before positions. */
  readonly file: string;
  /** Where its lines begin. */
  readonly starts: readonly number[];
}

/** `file:line:column: severity[code]: message`. */
export function headerOf(d: Diagnostic, text: SourceText): StyledLine {
  const { line, column } = positionAt(text.starts, d.span.start);
  return [
    { style: "location", text: `${visibleText(text.file)}:${line}:${column}: ` },
    { style: d.severity, text: `${d.severity}[${d.code}]` },
    { style: "location", text: ": " },
    { style: "message", text: visibleText(d.message) },
  ];
}

/** A range within one line, to be marked below it. */
interface Mark {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly sign: "^" | "-";
  readonly style: Severity | "label";
}

/** The header, the lines of source with marks below, and the hint. */
export function frameOf(d: Diagnostic, text: SourceText): readonly StyledLine[] {
  const marks = [
    ...marksOf({ span: d.span, text: "" }, "^", d.severity, text),
    ...d.labels.flatMap((l) => marksOf(l, "-", "label", text)),
  ];
  const lines = [...new Set(marks.map((m) => m.line))].sort((a, b) => a - b);
  const width = String(lines.at(-1) ?? 1).length;
  const edge = (number = ""): Segment => ({
    style: "frame",
    text: `${number.padStart(width)} |`,
  });
  const out: StyledLine[] = [headerOf(d, text), [edge()]];
  let previous = lines[0] ?? 1;
  for (const line of lines) {
    if (line > previous + 1) out.push([{ style: "frame", text: dotsFor(width) }]);
    previous = line;
    const start = text.starts[line - 1] ?? 0;
    const here = marks.filter((m) => m.line === line).sort((a, b) => a.start - b.start);
    for (const part of excerptsOf(
      text.source,
      start,
      lineEnd(text.source, text.starts, line),
      here,
    )) {
      out.push([edge(String(line)), { style: "source", text: spaced(part.text) }]);
      for (const placed of part.marks) out.push([edge(), ...markSegments(placed)]);
    }
  }
  if (d.hint !== undefined) {
    out.push([
      { style: "frame", text: `${" ".repeat(width)} =` },
      { style: "help", text: ` help: ${visibleText(d.hint)}` },
    ]);
  }
  return out;
}

function dotsFor(width: number): string {
  return ".".repeat(Math.max(3, width));
}

/** Lines without text end at the frame. */
function spaced(text: string): string {
  return text === "" ? "" : ` ${text}`;
}

function markSegments({ mark, column, width }: PlacedMark<Mark>): StyledLine {
  const remark = mark.text === "" ? "" : ` ${visibleText(mark.text)}`;
  return [
    { style: "source", text: " ".repeat(column + 1) },
    { style: mark.style, text: `${mark.sign.repeat(width)}${remark}` },
  ];
}

/** One mark, or for what goes over several lines one in the first line and one in the last. */
function marksOf(
  { span, text: remark }: Label,
  sign: Mark["sign"],
  style: Mark["style"],
  text: SourceText,
): readonly Mark[] {
  const { source, starts } = text;
  const clamp = (offset: number): number => Math.max(0, Math.min(offset, source.length));
  const [start, end] = [clamp(span.start), Math.max(clamp(span.start), clamp(span.end))];
  const first = positionAt(starts, start).line;
  const last = end > start ? positionAt(starts, end - 1).line : first;
  const until = Math.max(start, lineEnd(source, starts, first));
  if (first === last) {
    return [{ line: first, start, end: Math.min(end, until), text: remark, sign, style }];
  }
  const begin = starts[last - 1] ?? 0;
  const ending = source.slice(begin, end);
  const indent = Math.min(ending.length - ending.trimStart().length, ending.length - 1);
  return [
    { line: first, start, end: until, text: "", sign, style },
    { line: last, start: begin + indent, end, text: remark, sign, style },
  ];
}
