/**
 * Text with places where it may be broken, for a pretty printer in the manner of Wadler ("A prettier
 * printer", 2003): a group stands on one line if it fits, else all of its own lines are broken.
 *
 * ```
 * document := text | space | line | newline | comment
 *           | concat(document*) | nest(document) | group(document)
 * ```
 */

/** A text with places where it may be broken. */
export type Document = Text | Space | Line | Newline | CommentText | Concat | Nest | Group;

/** A text without line breaks. */
interface Text {
  readonly kind: "text";
  readonly text: string;
}

/** A space that is never broken; nothing at the start or the end of a line. */
interface Space {
  readonly kind: "space";
}

/** A new line if the group around it is broken, else `flat`. */
interface Line {
  readonly kind: "line";
  readonly flat: "" | " ";
}

/** A new line in any case, `blank`: with an empty one before it. Groups around it are broken. */
interface Newline {
  readonly kind: "newline";
  readonly blank: boolean;
}

/** A text that reaches to the end of its line: after what stands there, or with a line to itself. */
export interface CommentText {
  readonly kind: "comment";
  readonly text: string;
  readonly ownLine: boolean;
  /** True if an empty line stood before it; between statements it is kept. */
  readonly blank: boolean;
}

interface Concat {
  readonly kind: "concat";
  readonly parts: readonly Document[];
  readonly multiline: boolean;
}

/** Lines that begin inside are indented by so many more columns. */
interface Nest {
  readonly kind: "nest";
  readonly columns: number;
  readonly inner: Document;
  readonly multiline: boolean;
}

interface Group {
  readonly kind: "group";
  readonly inner: Document;
  readonly multiline: boolean;
}

/** True if the document cannot stand on one line. */
export function isMultiline(d: Document): boolean {
  switch (d.kind) {
    case "text":
    case "space":
    case "line":
      return false;
    case "newline":
    case "comment":
      return true;
    default:
      return d.multiline;
  }
}

export const nothing: Document = { kind: "concat", parts: [], multiline: false };
export const space: Document = { kind: "space" };
/** A line that is a space where its group fits. */
export const line: Document = { kind: "line", flat: " " };
/** A line that is nothing where its group fits. */
export const softline: Document = { kind: "line", flat: "" };

export function text(content: string): Document {
  return { kind: "text", text: content };
}

export function newline(blank = false): Document {
  return { kind: "newline", blank };
}

export function concat(parts: readonly Document[]): Document {
  return { kind: "concat", parts, multiline: parts.some(isMultiline) };
}

export function nest(columns: number, inner: Document): Document {
  return { kind: "nest", columns, inner, multiline: isMultiline(inner) };
}

export function group(inner: Document): Document {
  return { kind: "group", inner, multiline: isMultiline(inner) };
}

/** A document in two parts. */
export interface Hoisted {
  /** The comments that it began with. */
  readonly comments: readonly CommentText[];
  readonly rest: Document;
}

/** Takes the comments off that a document begins with, so that they do not break its groups. */
export function hoistComments(document: Document): Hoisted {
  if (!isMultiline(document)) return { comments: [], rest: document };
  switch (document.kind) {
    case "comment":
      return { comments: [document], rest: nothing };
    case "concat":
      return hoistFromParts(document.parts);
    case "nest": {
      const { comments, rest } = hoistComments(document.inner);
      return { comments, rest: nest(document.columns, rest) };
    }
    case "group": {
      const { comments, rest } = hoistComments(document.inner);
      return { comments, rest: group(rest) };
    }
    default:
      return { comments: [], rest: document };
  }
}

function hoistFromParts(parts: readonly Document[]): Hoisted {
  const comments: CommentText[] = [];
  for (const [n, part] of parts.entries()) {
    const found = hoistComments(part);
    comments.push(...found.comments);
    if (isEmpty(found.rest)) continue;
    return { comments, rest: concat([found.rest, ...parts.slice(n + 1)]) };
  }
  return { comments, rest: nothing };
}

function isEmpty(d: Document): boolean {
  return d.kind === "concat" && d.parts.length === 0;
}
