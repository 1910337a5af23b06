import { hasErrors } from "../../diagnostics/diagnostic.ts";
import { parse } from "../syntax/parse.ts";
import { moduleDocument } from "./module-document.ts";
import { lineWidth, renderDocument } from "./render-document.ts";
import { cursorOf } from "./token-cursor.ts";

/**
 * A source text in the one style of the language: a statement a line, indented by two spaces; lines
 * of at most 100 columns where they can be broken; an empty line between definitions; elsewhere no
 * two in a row. Comments and directives stay, in their order, and so do the spellings of numbers.
 * Of parentheses, those stay that are needed, and those around an operand that has operators itself.
 *
 * The result means the same, and formatting it again changes nothing. A text with syntax errors
 * comes back as it is: `check` says what is wrong with it.
 */
export function format(source: string): string {
  const { module, diagnostics } = parse(source);
  if (hasErrors(diagnostics)) return source;
  return renderDocument(moduleDocument(module, cursorOf(source)), lineWidth);
}
