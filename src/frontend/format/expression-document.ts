import { assertNever } from "../../support/assert.ts";
import type { Binary, Conditional, Expression } from "../syntax/ast.ts";
import {
  concat,
  type Document,
  group,
  hoistComments,
  line,
  nest,
  nothing,
  softline,
  space,
} from "./document.ts";
import type { TokenCursor } from "./token-cursor.ts";

/** The binding strength of what an expression is made of. */
const levels = {
  conditional: 0,
  or: 1,
  and: 2,
  comparison: 3,
  sum: 4,
  product: 5,
  prefix: 6,
  primary: 7,
};

const binaryLevels: Readonly<Record<string, number>> = {
  "||": levels.or,
  "&&": levels.and,
  "+": levels.sum,
  "-": levels.sum,
  "*": levels.product,
  "/": levels.product,
  "%": levels.product,
};

function levelOf(e: Expression): number {
  if (e.kind === "binary") return binaryLevels[e.operator] ?? levels.comparison;
  if (e.kind === "unary") return levels.prefix;
  return e.kind === "conditional" ? levels.conditional : levels.primary;
}

/** Columns by which the lines of a broken expression are indented. */
export const continuation = 4;

/**
 * An expression that nothing binds to. Parentheses around all of it are left out.
 * @param columns by which its lines after the first are indented.
 */
export function expressionDocument(e: Expression, cursor: TokenCursor, columns = 0): Document {
  return wrapped(e, levels.conditional, false, columns, cursor);
}

/** The lower bound of a range: the colon after it must not be taken for that of a `?:`. */
export function lowerBoundDocument(e: Expression, cursor: TokenCursor): Document {
  return wrapped(e, levels.or, false, 0, cursor);
}

/** The upper bound of a range: parentheses around a `?:` are kept, since they help its readers. */
export function upperBoundDocument(e: Expression, cursor: TokenCursor): Document {
  return wrapped(e, levels.conditional, e.kind === "conditional", 0, cursor);
}

/** `(e, ...)`, possibly empty. */
export function expressionListDocument(
  items: readonly Expression[],
  cursor: TokenCursor,
): Document {
  return listDocument(items, (item) => expressionDocument(item, cursor, continuation), cursor);
}

/** Items in parentheses, on one line or each on its own. */
export function listDocument<T>(
  items: readonly T[],
  documentOf: (item: T) => Document,
  cursor: TokenCursor,
): Document {
  const open = cursor.token("(");
  const inner: Document[] = [];
  for (const [n, item] of items.entries()) {
    if (n > 0) inner.push(cursor.tokenBeforeComments(","));
    const { comments, rest } = hoistComments(documentOf(item));
    inner.push(...(n === 0 ? [] : [line]), ...comments, rest);
  }
  return bracketed(open, concat(inner), cursor.token(")"));
}

function bracketed(open: Document, inner: Document, closing: Document): Document {
  const { comments, rest: close } = hoistComments(closing);
  return group(concat([open, nest(2, concat([softline, inner, ...comments])), softline, close]));
}

/** A name and what touches it: the comments between them go before the name. */
export function touching(name: Document, what: Document): Document {
  const [before, after] = [hoistComments(name), hoistComments(what)];
  return concat([...before.comments, ...after.comments, before.rest, after.rest]);
}

/**
 * An expression, in parentheses if it binds weaker than `level`. Others are kept where they are
 * around an operator's operand that has operators itself, since they help its readers.
 */
function wrapped(
  e: Expression,
  level: number,
  operand: boolean,
  columns: number,
  cursor: TokenCursor,
): Document {
  const count = cursor.wrapping(e.span);
  const own = levelOf(e);
  const helpful = count > 0 && operand && own < levels.primary;
  if (!helpful && own >= level) {
    cursor.pass(count);
    const plain = bare(e, columns, cursor);
    cursor.pass(count);
    return plain;
  }
  cursor.pass(Math.max(count - 1, 0));
  const open = cursor.token("(");
  const inner = bare(e, 0, cursor);
  const closing = cursor.token(")");
  cursor.pass(Math.max(count - 1, 0));
  const { comments, rest } = hoistComments(inner);
  return bracketed(open, concat([...comments, rest]), closing);
}

function bare(e: Expression, columns: number, cursor: TokenCursor): Document {
  switch (e.kind) {
    case "integer":
    case "boolean":
      return cursor.token(String(e.value));
    case "float":
      return cursor.token(printFloat(e.value));
    case "infinity":
      return cursor.token("inf");
    case "name":
      return cursor.token(e.name);
    case "apply":
      return touching(cursor.token(e.name.name), expressionListDocument(e.arguments, cursor));
    case "cast":
      return touching(cursor.token(e.type), expressionListDocument([e.operand], cursor));
    case "extent":
      return touching(cursor.token(e.tensor.name), cursor.token(`.${e.dimension}`));
    case "pad": {
      const passed = e.value === undefined ? [e.access] : [e.access, e.value];
      return touching(cursor.token("pad"), expressionListDocument(passed, cursor));
    }
    case "unary": {
      const sign = cursor.token(e.operator);
      return touching(sign, wrapped(e.operand, levels.prefix, true, continuation, cursor));
    }
    case "binary":
      return chainDocument(e, columns, cursor);
    case "conditional":
      return conditionalDocument(e, columns, cursor);
    case "missing":
      return nothing;
    default:
      return assertNever(e);
  }
}

/** The shortest decimal that reads as this float, with a point or an exponent. */
function printFloat(value: number): string {
  const digits = String(value);
  return /[.e]/.test(digits) ? digits : `${digits}.0`;
}

/** `a + b - c`: operators of one level, broken before each of them or nowhere. */
function chainDocument(e: Binary, columns: number, cursor: TokenCursor): Document {
  const own = levelOf(e);
  const links: Binary[] = [];
  let first: Expression = e;
  while (first.kind === "binary" && levelOf(first) === own) {
    if (links.length > 0 && cursor.wrapping(first.span) > 0) break;
    links.unshift(first);
    first = first.left;
  }
  const start = wrapped(first, own, true, continuation, cursor);
  const parts: Document[] = [];
  for (const { operator, right } of links) {
    const sign = cursor.token(operator);
    parts.push(...link(line, sign, wrapped(right, own + 1, true, continuation, cursor)));
  }
  return group(concat([start, nest(columns, concat(parts))]));
}

/** An operator and its right operand, after the comments around the operator. */
function link(separator: Document, sign: Document, operand: Document): readonly Document[] {
  const before = hoistComments(sign);
  const after = hoistComments(operand);
  const comments = [...before.comments, ...after.comments];
  return [...comments, separator, before.rest, space, after.rest];
}

/** `a ? b : c ? d : e`: broken before the colons, so that each line is a case. */
function conditionalDocument(e: Conditional, columns: number, cursor: TokenCursor): Document {
  const operandOf = (inner: Expression, level: number): Document =>
    wrapped(inner, level, true, continuation, cursor);
  const parts: Document[] = [];
  let colon = nothing;
  let rest: Expression = e;
  while (rest.kind === "conditional" && (rest === e || cursor.wrapping(rest.span) === 0)) {
    const condition = operandOf(rest.condition, levels.or);
    parts.push(...(rest === e ? [condition] : link(line, colon, condition)));
    const question = cursor.token("?");
    parts.push(...link(space, question, operandOf(rest.then, levels.conditional)));
    colon = cursor.token(":");
    rest = rest.otherwise;
  }
  parts.push(...link(line, colon, operandOf(rest, levels.conditional)));
  return group(nest(columns, concat(parts)));
}
