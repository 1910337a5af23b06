import type { IToken } from "chevrotain";
import type { Span } from "../../diagnostics/span.ts";
import { invariant } from "../../support/assert.ts";
import { leftParen, rightParen, tokenize } from "../syntax/tokens.ts";
import { type CommentText, concat, type Document, nothing, text } from "./document.ts";

/**
 * Gives the tokens of a text one by one, as a walk over its tree asks for them, each after the
 * comments before it. Without a text there are no comments, and tokens are as the tree has them.
 */
export interface TokenCursor {
  /** The next token as it is written; `expected` where there is no text. */
  token(expected: string): Document;
  /** The next token; the comments before it come with the one after it. */
  tokenBeforeComments(expected: string): Document;
  /** The next token as it is written, to be looked at; undefined without a text, and at the end. */
  next(): string | undefined;
  /** Whether an empty line stands before the next token. */
  blankBefore(): boolean;
  /** How many parentheses that open next surround the expression at `span`. */
  wrapping(span: Span): number;
  /** Leaves so many tokens out, but not the comments before them. */
  pass(count: number): void;
  /** The comments at the end. */
  end(): Document;
}

/** A cursor for a tree without a text. */
export const noText: TokenCursor = {
  token: text,
  tokenBeforeComments: text,
  next: () => undefined,
  blankBefore: () => false,
  wrapping: () => 0,
  pass: () => undefined,
  end: () => nothing,
};

/** What stands before a token, or before the end. */
interface Gap {
  readonly comments: readonly CommentText[];
  readonly blank: boolean;
}

/** A cursor at the start of a text; the walk has to be over the tree that the text parses to. */
export function cursorOf(source: string): TokenCursor {
  const { tokens, groups } = tokenize(source);
  const gaps = gapsOf(source, tokens, groups["comments"] ?? []);
  const closing = matchParentheses(tokens);
  let waiting: readonly CommentText[] = [];
  let at = 0;
  const pass = (count: number): void => {
    for (let n = 0; n < count; n++) {
      waiting = [...waiting, ...(gaps[at]?.comments ?? [])];
      at++;
    }
  };
  const takeComments = (): readonly CommentText[] => {
    const taken = waiting;
    waiting = [];
    return taken;
  };
  const image = (expected: string): string => {
    const token = tokens[at];
    invariant(token !== undefined, `the text ends where the tree has \`${expected}\``);
    return token.image;
  };
  return {
    token: (expected) => {
      const written = text(image(expected));
      pass(1);
      return concat([...takeComments(), written]);
    },
    tokenBeforeComments: (expected) => {
      const written = text(image(expected));
      pass(1);
      return written;
    },
    next: () => tokens[at]?.image,
    blankBefore: () => gaps[at]?.blank ?? false,
    wrapping: (span) => {
      let count = 0;
      while (surrounds(tokens[at + count], closing.get(at + count), span)) count++;
      return count;
    },
    pass,
    end: () => {
      invariant(at === tokens.length, `the tree ends before \`${tokens[at]?.image}\``);
      pass(1);
      return concat(takeComments());
    },
  };
}

function surrounds(open: IToken | undefined, close: IToken | undefined, span: Span): boolean {
  if (open === undefined || close === undefined) return false;
  return open.startOffset < span.start && span.end <= close.startOffset;
}

/** The gaps before all tokens, and the one at the end. */
function gapsOf(
  source: string,
  tokens: readonly IToken[],
  comments: readonly IToken[],
): readonly Gap[] {
  const gaps: Gap[] = [];
  let next = 0;
  let last = 0;
  for (const token of [...tokens, undefined]) {
    const start = token?.startOffset ?? source.length;
    const found: CommentText[] = [];
    for (let c = comments[next]; c !== undefined && c.startOffset < start; c = comments[++next]) {
      const breaks = lineBreaks(source, last, c.startOffset);
      const ownLine = breaks > 0 || last === 0;
      found.push({ kind: "comment", text: c.image.trimEnd(), ownLine, blank: breaks > 1 });
      last = c.startOffset + c.image.length;
    }
    gaps.push({ comments: found, blank: lineBreaks(source, last, start) > 1 });
    if (token !== undefined) last = token.startOffset + token.image.length;
  }
  return gaps;
}

function lineBreaks(source: string, start: number, end: number): number {
  return source.slice(start, end).match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** The token that closes each opening parenthesis, by the index of the latter. */
function matchParentheses(tokens: readonly IToken[]): ReadonlyMap<number, IToken> {
  const closing = new Map<number, IToken>();
  const open: number[] = [];
  for (const [n, token] of tokens.entries()) {
    if (token.tokenType === leftParen) open.push(n);
    if (token.tokenType !== rightParen) continue;
    const opened = open.pop();
    if (opened !== undefined) closing.set(opened, token);
  }
  return closing;
}
