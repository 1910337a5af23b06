import type { Definition, Module, Parameter, Result, TypeNode } from "../syntax/ast.ts";
import {
  concat,
  type Document,
  group,
  hoistComments,
  isMultiline,
  line,
  nest,
  newline,
  nothing,
  space,
} from "./document.ts";
import {
  continuation,
  expressionListDocument,
  listDocument,
  touching,
} from "./expression-document.ts";
import { lineWidth, renderFlat } from "./render-document.ts";
import { blockDocument, commentLines, onOwnLine } from "./statement-document.ts";
import type { TokenCursor } from "./token-cursor.ts";

/**
 * The definitions of a module with one empty line between them. Directives are comments: they come
 * from the cursor.
 */
export function moduleDocument(module: Module, cursor: TokenCursor): Document {
  const parts: Document[] = [];
  for (const [n, definition] of module.definitions.entries()) {
    const blank = cursor.blankBefore();
    const document = definitionDocument(definition, cursor);
    parts.push(...(n === 0 ? onOwnLine(document, false, blank) : apart(document, blank)));
  }
  const { comments } = hoistComments(cursor.end());
  return concat([...parts, ...commentLines(comments, true)]);
}

/** A definition after another one: an empty line stands before it and the comments on it. */
function apart(document: Document, blank: boolean): readonly Document[] {
  const { comments, rest } = hoistComments(document);
  const first = comments.findIndex((c) => c.ownLine);
  const spaced = comments.map((c, n) => (n === first ? { ...c, blank: true } : c));
  return [...commentLines(spaced, true), newline(blank || first < 0), rest];
}

function definitionDocument(definition: Definition, cursor: TokenCursor): Document {
  const word = cursor.token("def");
  const name = cursor.token(definition.name.name);
  const parameters = listDocument(definition.parameters, (p) => typed(p, cursor), cursor);
  const head = concat([word, space, touching(name, parameters)]);
  const arrow = concat([cursor.token("->"), space]);
  const results = listDocument(definition.results, (r) => typed(r, cursor), cursor);
  // The results move to a line of their own before any list is broken, but not after one that is.
  const { rest } = hoistComments(head);
  const fits = !isMultiline(rest) && renderFlat(rest).length <= lineWidth;
  const tail = nest(continuation, concat([fits ? line : space, arrow, results]));
  return concat([group(concat([head, tail])), space, blockDocument(definition.body, cursor)]);
}

/** `type name`, the type being optional for results. */
function typed({ type, name }: Parameter | Result, cursor: TokenCursor): Document {
  const written = type === undefined ? nothing : concat([typeDocument(type, cursor), space]);
  return concat([written, cursor.token(name.name)]);
}

function typeDocument({ scalar, dimensions }: TypeNode, cursor: TokenCursor): Document {
  const word = cursor.token(scalar);
  if (dimensions === undefined) return word;
  return touching(word, expressionListDocument(dimensions, cursor));
}
