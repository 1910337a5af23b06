import type { Diagnostic } from "./diagnostic.ts";
import { lineStarts } from "./position.ts";
import { frameOf, headerOf, type SourceText } from "./render/frame.ts";
import { escapeHtml, type Paint, paintAnsi, paintHtml, paintText } from "./render/paint.ts";
import { diagnosticRecords } from "./render/record.ts";
import { workflowCommand } from "./render/workflow-command.ts";

/**
 * How diagnostics are written:
 *
 * - `text`: the source with marks, for people; `ansi`: the same with the colours of terminals;
 * - `short`: a line each, `file:line:column: severity[code]: message`, as editors read it;
 * - `html`: as `text`, escaped, one `<pre class="tc-diagnostic">` each in one
 *   `<div class="tc-diagnostics">`, with `data-severity` and `data-code`. Inside are spans of the
 *   classes `tc-location`, `tc-error`, `tc-warning`, `tc-message`, `tc-frame` (line numbers and
 *   bars), `tc-source`, `tc-label` and `tc-help`. It brings no styles and no scripts;
 * - `github`: workflow commands of GitHub Actions;
 * - `json`: a record each, as NDJSON (see {@link DiagnosticRecord}).
 */
export type RenderFormat = "text" | "ansi" | "short" | "html" | "github" | "json";

/** How {@link renderDiagnostics} writes. */
export interface RenderOptions {
  readonly source: string;
  /** The name shown before the position; `input.tc` by default. */
  readonly file?: string;
  /** `text` by default. */
  readonly format?: RenderFormat;
}

/**
 * All diagnostics as text, in the given order. In `text` and `ansi` an empty line stands between
 * two. Ends with a newline; empty without diagnostics, in every format.
 * @throws RangeError for a format that there is not, TypeError without the source.
 */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  options: RenderOptions,
): string {
  const { source, file = "input.tc", format = "text" } = options ?? {};
  if (typeof source !== "string") {
    throw new TypeError("render: give the text as well: render(diagnostics, { source })");
  }
  if (!Object.hasOwn(writers, format)) {
    const known = Object.keys(writers).join(", ");
    throw new RangeError(`no format is called \`${format}\`; there are ${known}`);
  }
  return writers[format](diagnostics, { source, file, starts: lineStarts(source) });
}

type Write = (diagnostics: readonly Diagnostic[], text: SourceText) => string;

const writers: Readonly<Record<RenderFormat, Write>> = {
  text: (diagnostics, text) => framesOf(diagnostics, text, paintText).join("\n"),
  ansi: (diagnostics, text) => framesOf(diagnostics, text, paintAnsi).join("\n"),
  short: (diagnostics, text) => paintText(diagnostics.map((d) => headerOf(d, text))),
  html: (diagnostics, text) => htmlOf(diagnostics, framesOf(diagnostics, text, paintHtml)),
  github: (diagnostics, text) => diagnostics.map((d) => workflowCommand(d, text)).join(""),
  json: (diagnostics, text) =>
    diagnosticRecords(diagnostics, text)
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(""),
};

function framesOf(
  diagnostics: readonly Diagnostic[],
  text: SourceText,
  paint: Paint,
): readonly string[] {
  return diagnostics.map((d) => paint(frameOf(d, text)));
}

function htmlOf(diagnostics: readonly Diagnostic[], frames: readonly string[]): string {
  if (diagnostics.length === 0) return "";
  const items = diagnostics.map(({ severity, code }, n) => {
    const data = `data-severity="${severity}" data-code="${escapeHtml(code)}"`;
    return `<pre class="tc-diagnostic" ${data}>${frames[n]?.trimEnd()}</pre>\n`;
  });
  return `<div class="tc-diagnostics">\n${items.join("")}</div>\n`;
}
