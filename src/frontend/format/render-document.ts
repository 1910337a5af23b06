import { assertNever } from "../../support/assert.ts";
import { type Document, isMultiline } from "./document.ts";

/** A document that is still to be printed, with the indentation of lines that begin in it. */
interface Item {
  readonly document: Document;
  readonly indent: number;
  /** On one line. */
  readonly flat: boolean;
}

/** What stands between the last text and the next one. */
type Separator =
  | { readonly kind: "none" }
  | { readonly kind: "space" }
  | { readonly kind: "newline"; readonly indent: number; readonly blank: boolean };

/** Columns that a line of a program has, where it can be broken. */
export const lineWidth = 100;

interface Output {
  text: string;
  column: number;
  separator: Separator;
  /** True after a comment, which nothing may follow on its line. */
  closed: boolean;
}

/**
 * The text of a document with lines of at most `width` columns where it has places to break them.
 * Separators wait until a text follows: a line never ends in spaces, and two requests for a new
 * line give one.
 */
export function renderDocument(document: Document, width: number): string {
  const output: Output = { text: "", column: 0, separator: { kind: "none" }, closed: false };
  const stack: Item[] = [{ document, indent: 0, flat: false }];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    step(item, stack, output, width);
  }
  return output.text === "" ? "" : `${output.text}\n`;
}

/** The text of a document on one line. */
export function renderFlat(document: Document): string {
  return renderDocument({ kind: "group", inner: document, multiline: false }, Infinity).trimEnd();
}

function step(
  { document, indent, flat }: Item,
  stack: Item[],
  output: Output,
  width: number,
): void {
  switch (document.kind) {
    case "text":
      write(document.text, output);
      break;
    case "space":
      addSpace(output);
      break;
    case "line":
      if (flat && document.flat === " ") addSpace(output);
      else if (flat) break;
      else addNewline(indent, false, output);
      break;
    case "newline":
      addNewline(indent, document.blank, output);
      break;
    case "comment":
      writeComment(document, indent, output);
      break;
    case "concat":
      pushParts(document.parts, { indent, flat }, stack);
      break;
    case "nest":
      stack.push({ document: document.inner, indent: indent + document.columns, flat });
      break;
    case "group": {
      const whole: Item = { document: document.inner, indent, flat: true };
      const fits = !document.multiline && (flat || fitsWidth(whole, stack, output, width));
      stack.push({ ...whole, flat: fits });
      break;
    }
    default:
      assertNever(document);
  }
}

function pushParts(parts: readonly Document[], mode: Omit<Item, "document">, stack: Item[]): void {
  for (let n = parts.length - 1; n >= 0; n--) {
    const document = parts[n];
    if (document !== undefined) stack.push({ document, ...mode });
  }
}

function write(content: string, output: Output): void {
  if (content === "") return;
  const { separator } = output;
  if (separator.kind === "newline" && output.text !== "") {
    output.text += `${separator.blank ? "\n\n" : "\n"}${" ".repeat(separator.indent)}`;
    output.column = separator.indent;
  } else if (separator.kind === "space") {
    output.text += " ";
    output.column++;
  }
  output.text += content;
  output.column += content.length;
  output.separator = { kind: "none" };
  output.closed = false;
}

function addSpace(output: Output): void {
  if (output.separator.kind === "none") output.separator = { kind: "space" };
}

function addNewline(indent: number, blank: boolean, output: Output): void {
  const before = output.separator.kind === "newline" && output.separator.blank;
  output.separator = { kind: "newline", indent, blank: blank || before };
}

function writeComment(
  comment: Extract<Document, { kind: "comment" }>,
  indent: number,
  output: Output,
): void {
  if (comment.ownLine || output.closed) addNewline(indent, false, output);
  else output.separator = { kind: "space" };
  if (output.text === "") output.separator = { kind: "none" };
  write(comment.text, output);
  output.closed = true;
  addNewline(indent, false, output);
}

/** Whether an item and what follows it reach a place for a new line before the width is used up. */
function fitsWidth(item: Item, after: readonly Item[], output: Output, width: number): boolean {
  let left = width - startColumn(output);
  let next = after.length - 1;
  const stack: Item[] = [item];
  while (left >= 0) {
    const top = stack.pop() ?? after[next--];
    if (top === undefined) return true;
    const { document, indent, flat } = top;
    switch (document.kind) {
      case "text":
        left -= document.text.length;
        break;
      case "space":
        left--;
        break;
      case "line":
        if (!flat) return true;
        left -= document.flat.length;
        break;
      case "newline":
      case "comment":
        return true;
      case "concat":
        pushParts(document.parts, { indent, flat }, stack);
        break;
      default:
        stack.push({ document: document.inner, indent, flat: flat && !isMultiline(document) });
    }
  }
  return false;
}

/** The column at which the next text begins. */
function startColumn({ separator, column }: Output): number {
  switch (separator.kind) {
    case "none":
      return column;
    case "space":
      return column + 1;
    case "newline":
      return separator.indent;
    default:
      return assertNever(separator);
  }
}
