import type { Segment, Style, StyledLine } from "./frame.ts";

/** Styled lines as text, each ending with a newline. */
export type Paint = (lines: readonly StyledLine[]) => string;

/** Without any style. */
export function paintText(lines: readonly StyledLine[]): string {
  return join(lines, ({ text }) => text);
}

/** The parameters of ECMA-48's SGR. */
const colours: Readonly<Partial<Record<Style, string>>> = {
  error: "31",
  warning: "33",
  frame: "34",
  label: "36",
  message: "1",
};

/** With the colours of terminals. */
export function paintAnsi(lines: readonly StyledLine[]): string {
  return join(lines, ({ style, text }) => {
    const colour = colours[style];
    return colour === undefined ? text : `\u001b[${colour}m${text}\u001b[0m`;
  });
}

/** As spans of the classes `tc-location`, `tc-error`, ... (see {@link Style}). */
export function paintHtml(lines: readonly StyledLine[]): string {
  return join(lines, ({ style, text }) => `<span class="tc-${style}">${escapeHtml(text)}</span>`);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for the inside of an element or of an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

function join(lines: readonly StyledLine[], paint: (segment: Segment) => string): string {
  return lines.map((line) => `${line.map(paint).join("")}\n`).join("");
}
