import type { Diagnostic } from "../diagnostic.ts";
import { positionAt } from "../position.ts";
import type { SourceText } from "./frame.ts";
import { visibleText } from "./visible-text.ts";

/**
 * A diagnostic as a workflow command of GitHub Actions, one line: it becomes an annotation of the
 * file. `endColumn` is of the last character, as `col` is of the first, and is given within one
 * line only, as GitHub wants it.
 */
export function workflowCommand(d: Diagnostic, { file, starts }: SourceText): string {
  const from = positionAt(starts, d.span.start);
  const to = positionAt(starts, Math.max(d.span.start, d.span.end - 1));
  const properties = [
    `file=${escapeProperty(file)}`,
    `line=${from.line}`,
    `endLine=${to.line}`,
    `col=${from.column}`,
    ...(to.line === from.line ? [`endColumn=${to.column}`] : []),
    `title=${d.code}`,
  ];
  const help = d.hint === undefined ? [] : [`help: ${visibleText(d.hint)}`];
  const message = [visibleText(d.message), ...help].join("\n");
  return `::${d.severity} ${properties.join(",")}::${escapeData(message)}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
