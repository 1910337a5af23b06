import { createToken, type ILexingResult, type IToken, Lexer, type TokenType } from "chevrotain";
import { endOfBlockComment, endOfSlashes } from "./foreign-comments.ts";

const identifierPattern = /[A-Za-z_][A-Za-z0-9_]*/;
const wordEnd = "(?![A-Za-z0-9_])";

const whitespace: TokenType = createToken({
  name: "whitespace",
  pattern: /\s+/,
  group: Lexer.SKIPPED,
  line_breaks: true,
});
const comment: TokenType = createToken({
  name: "comment",
  pattern: /#[^\r\n]*/,
  group: "comments",
});

/** Any name, WGSL's reserved words included. */
export const identifier: TokenType = createToken({
  name: "identifier",
  pattern: identifierPattern,
});

function keyword(word: string): TokenType {
  return createToken({ name: `\`${word}\``, pattern: word, longer_alt: identifier });
}

function symbol(text: string): TokenType {
  return createToken({ name: `\`${text}\``, pattern: text });
}

export const defWord: TokenType = keyword("def");
export const whereWord: TokenType = keyword("where");
export const inWord: TokenType = keyword("in");
export const existsWord: TokenType = keyword("exists");
export const forWord: TokenType = keyword("for");
export const ifWord: TokenType = keyword("if");
export const elseWord: TokenType = keyword("else");
export const reversedWord: TokenType = keyword("reversed");
export const padWord: TokenType = keyword("pad");
export const minWord: TokenType = keyword("min");
export const maxWord: TokenType = keyword("max");
export const trueWord: TokenType = keyword("true");
export const falseWord: TokenType = keyword("false");
export const infWord: TokenType = keyword("inf");

/** The scalar types, those that are refused later included. */
export const scalarType: TokenType = createToken({
  name: "a scalar type",
  pattern: new RegExp(`(?:float(?:16|32|64)?|half|double|u?int(?:8|16|32|64)|int|bool)${wordEnd}`),
});

/** Operators that combine into the target; the bang must touch. */
export const combineOperator: TokenType = createToken({
  name: "an assignment operator",
  pattern: /arg(?:min|max)=!|(?:\+|\*|min|max|&&|\|\|)=!?(?!=)|[-/]=(?!=)/,
});
export const equals: TokenType = createToken({ name: "`=`", pattern: /=(?!=)/ });

export const floatLiteral: TokenType = createToken({
  name: "a number",
  pattern: /(?:\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?![A-Za-z0-9_.])/,
});
export const integerLiteral: TokenType = createToken({
  name: "an integer",
  pattern: /(?:0[xX][0-9a-fA-F]+|\d+)(?![A-Za-z0-9_.])/,
});
/** What starts like a number and is none: `3.0f`, `0x`, `1.2.3`. */
export const badNumber: TokenType = createToken({
  name: "a malformed number",
  pattern: /\.?\d[A-Za-z0-9_.]*/,
});

export const arrow: TokenType = symbol("->");
export const equivalent: TokenType = symbol("<=>");
export const comparison: TokenType = createToken({
  name: "a comparison",
  pattern: /<=|>=|==|!=|<|>/,
});
export const orSign: TokenType = symbol("||");
export const andSign: TokenType = symbol("&&");
export const additive: TokenType = createToken({ name: "`+` or `-`", pattern: /[+-]/ });
export const multiplicative: TokenType = createToken({ name: "`*`, `/` or `%`", pattern: /[*/%]/ });
export const bang: TokenType = symbol("!");
export const question: TokenType = symbol("?");
export const colon: TokenType = symbol(":");
export const comma: TokenType = symbol(",");
export const leftParen: TokenType = symbol("(");
export const rightParen: TokenType = symbol(")");
export const leftBrace: TokenType = symbol("{");
export const rightBrace: TokenType = symbol("}");

/**
 * Spellings of other languages that can mean only one thing here; translate-habits.ts puts the
 * tokens of this language in their place.
 */
export const foreign: TokenType = createToken({
  name: "foreign",
  pattern: /;|\[|\]|:=|[\u2264\u2265\u2260\u00d7\u22c5\u00b7\u00f7\u2212\u2192\u221e]/,
});

/** `//` as a division, or with the comment that it begins; a comment of C. */
export const slashes: TokenType = createToken({
  name: "slashes",
  pattern: (text, offset) => {
    const end = endOfSlashes(text, offset) ?? endOfBlockComment(text, offset);
    return end === undefined ? null : [text.slice(offset, end)];
  },
  line_breaks: true,
  start_chars_hint: ["/"],
});

/** Every token, those first that would otherwise be read as a shorter one. */
export const allTokens: readonly TokenType[] = [
  whitespace,
  comment,
  foreign,
  slashes,
  combineOperator,
  scalarType,
  defWord,
  whereWord,
  // Before `in`, which would otherwise give its place to the longer identifier.
  infWord,
  inWord,
  existsWord,
  forWord,
  ifWord,
  elseWord,
  reversedWord,
  padWord,
  minWord,
  maxWord,
  trueWord,
  falseWord,
  identifier,
  floatLiteral,
  integerLiteral,
  badNumber,
  arrow,
  equivalent,
  comparison,
  equals,
  orSign,
  andSign,
  additive,
  multiplicative,
  bang,
  question,
  colon,
  comma,
  leftParen,
  rightParen,
  leftBrace,
  rightBrace,
];

const lexer = new Lexer([...allTokens], {
  positionTracking: "onlyOffset",
  ensureOptimizations: false,
});

/** Splits a text into tokens; comments are in `groups.comments`, illegal characters in `errors`. */
export function tokenize(source: string): ILexingResult {
  return lexer.tokenize(source);
}

/** Where a token ends; one that stands for another spelling says so itself. */
export function tokenEnd(token: IToken): number {
  return token.endOffset === undefined
    ? token.startOffset + token.image.length
    : token.endOffset + 1;
}
