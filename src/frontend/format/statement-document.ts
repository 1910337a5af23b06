import { assertNever } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Assign, Call, Clause, For, If, Statement, Target } from "../syntax/ast.ts";
import {
  type CommentText,
  concat,
  type Document,
  group,
  hoistComments,
  line,
  nest,
  newline,
  nothing,
  space,
} from "./document.ts";
import {
  continuation,
  expressionDocument,
  expressionListDocument,
  listDocument,
  lowerBoundDocument,
  touching,
  upperBoundDocument,
} from "./expression-document.ts";
import type { TokenCursor } from "./token-cursor.ts";

/** `{ statements }`, each on its own line; empty lines between them stay, at most one in a row. */
export function blockDocument(body: readonly Statement[], cursor: TokenCursor): Document {
  const open = cursor.token("{");
  const inner: Document[] = [];
  for (const statement of body) {
    const blank = cursor.blankBefore();
    inner.push(...onOwnLine(statementDocument(statement, cursor), inner.length > 0, blank));
  }
  const { comments, rest: close } = hoistComments(cursor.token("}"));
  inner.push(...commentLines(comments, inner.length > 0));
  if (inner.length === 0) return concat([open, close]);
  return concat([open, nest(2, concat(inner)), newline(), close]);
}

/**
 * A document on lines of its own, after its comments.
 * @param spaced whether an empty line may stand before it, as after the start of a block it may not.
 * @param blank whether one stands before its first token.
 */
export function onOwnLine(
  document: Document,
  spaced: boolean,
  blank: boolean,
): readonly Document[] {
  const { comments, rest } = hoistComments(document);
  const follows = spaced || comments.some((c) => c.ownLine);
  return [...commentLines(comments, spaced), newline(blank && follows), rest];
}

/** Comments between statements: on lines of their own unless they follow a token on its line. */
export function commentLines(
  comments: readonly CommentText[],
  spaced: boolean,
): readonly Document[] {
  const first = comments.findIndex((c) => c.ownLine);
  return flatMap(comments, (comment, n) =>
    comment.ownLine ? [newline(comment.blank && (spaced || n > first)), comment] : [comment],
  );
}

function statementDocument(statement: Statement, cursor: TokenCursor): Document {
  switch (statement.kind) {
    case "assign":
      return assignDocument(statement, cursor);
    case "for":
      return forDocument(statement, cursor);
    case "if":
      return ifDocument(statement, cursor);
    case "call":
      return callDocument(statement, cursor);
    default:
      return assertNever(statement);
  }
}

function assignDocument(assign: Assign, cursor: TokenCursor): Document {
  const target = targetDocument(assign.target, cursor);
  const operator = cursor.token(assign.operator);
  const value = hoistComments(expressionDocument(assign.value, cursor, continuation));
  const comments = nest(continuation, concat(value.comments));
  const head = [target, space, operator, space, comments, value.rest];
  const tail = [equivalenceDocument(cursor)];
  if (assign.clauses.length > 0) {
    const where = cursor.token("where");
    tail.push(line, where, space, group(nest("where ".length, clausesDocument(assign, cursor))));
  }
  tail.push(equivalenceDocument(cursor));
  return group(concat([...head, nest(continuation, concat(tail))]));
}

function clausesDocument({ clauses }: Assign, cursor: TokenCursor): Document {
  const parts: Document[] = [];
  for (const [n, clause] of clauses.entries()) {
    if (n > 0) parts.push(cursor.tokenBeforeComments(","));
    const { comments, rest } = hoistComments(clauseDocument(clause, cursor));
    parts.push(...(n === 0 ? [] : [line]), ...comments, rest);
  }
  return concat(parts);
}

function clauseDocument(clause: Clause, cursor: TokenCursor): Document {
  switch (clause.kind) {
    case "range": {
      const head = [cursor.token(clause.name.name), space, cursor.token("in"), space];
      return concat([...head, rangeDocument(clause, cursor)]);
    }
    case "let": {
      const head = [cursor.token(clause.name.name), space, cursor.token("="), space];
      return concat([...head, expressionDocument(clause.value, cursor, continuation)]);
    }
    case "exists": {
      const word = cursor.token("exists");
      return concat([word, space, expressionDocument(clause.access, cursor, continuation)]);
    }
    default:
      return assertNever(clause);
  }
}

/** `lower:upper`, or the upper bound alone. */
function rangeDocument(
  { lower, upper }: Pick<For, "lower" | "upper">,
  cursor: TokenCursor,
): Document {
  if (lower === undefined) return expressionDocument(upper, cursor);
  const parts = [lowerBoundDocument(lower, cursor), cursor.token(":")];
  return concat([...parts, upperBoundDocument(upper, cursor)]);
}

/** TC's `<=> f(...)`, which has no meaning and is not in the tree. */
function equivalenceDocument(cursor: TokenCursor): Document {
  if (cursor.next() !== "<=>") return nothing;
  const parts = [space, cursor.token("<=>"), space, cursor.token("")];
  const passed: string[] = [];
  let depth = 0;
  while (depth > 0 || (passed.length === 0 && cursor.next() === "(")) {
    const next = cursor.next() ?? ")";
    if (!isTight(passed, next)) parts.push(space);
    if (next === "(") depth++;
    if (next === ")") depth--;
    parts.push(cursor.token(next));
    passed.push(next);
  }
  return concat(parts);
}

/** Whether no space stands between the tokens of an argument list so far and the next one. */
function isTight(passed: readonly string[], next: string): boolean {
  const [sign, before] = [passed.at(-2) ?? "(", passed.at(-1) ?? "("];
  if (before === "(" || next === ")" || next === ",") return true;
  if (/^[-!]$/.test(before) && !/^[\w.)]/.test(sign)) return true;
  return /^\w/.test(before) && (next === "(" || /^\.\d+$/.test(next));
}

function targetDocument(target: Target, cursor: TokenCursor): Document {
  const name = cursor.token(target.name.name);
  if (target.indices.length === 0 && cursor.next() !== "(") return name;
  return touching(name, expressionListDocument(target.indices, cursor));
}

function callDocument(call: Call, cursor: TokenCursor): Document {
  const targets = listDocument(call.targets, (t) => targetDocument(t, cursor), cursor);
  const head = [targets, space, cursor.token("="), space];
  const callee = cursor.token(call.callee.name);
  const passed = touching(callee, expressionListDocument(call.arguments, cursor));
  return group(concat([...head, passed]));
}

function forDocument(loop: For, cursor: TokenCursor): Document {
  const head = [cursor.token("for"), space, cursor.token(loop.index.name), space];
  head.push(cursor.token("in"), space);
  if (loop.reversed) {
    head.push(touching(cursor.token("reversed"), cursor.token("(")));
    head.push(rangeDocument(loop, cursor), cursor.token(")"));
  } else head.push(rangeDocument(loop, cursor));
  const range = group(nest(continuation, concat(head)));
  return concat([range, space, blockDocument(loop.body, cursor)]);
}

function ifDocument({ branches, otherwise }: If, cursor: TokenCursor): Document {
  const parts: Document[] = [];
  for (const [n, { condition, body }] of branches.entries()) {
    if (n > 0) parts.push(space, cursor.token("else"), space);
    const word = cursor.token("if");
    const tested = expressionDocument(condition, cursor);
    parts.push(group(nest(continuation, concat([word, space, tested]))), space);
    parts.push(blockDocument(body, cursor));
  }
  if (otherwise.length > 0 || cursor.next() === "else") {
    parts.push(space, cursor.token("else"), space, blockDocument(otherwise, cursor));
  }
  return concat(parts);
}
