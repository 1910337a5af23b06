import { createToken, type ILexingResult, type IToken, Lexer, type TokenType } from "chevrotain";
import { endOfBlockComment, endOfSlashes } from "./foreign-comments.ts";

const identifierPattern = /[A-Za-z_][A-Za-z0-9_]*/;
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const spaces =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";
const wordEnd = "(?![A-Za-z0-9_])";

/** A token with all characters that it may start with, so that Chevrotain need not analyse it. */
function token(name: string, pattern: RegExp, starts: string): TokenType {
  return createToken({ name, pattern, start_chars_hint: [...starts] });
}

const whitespace: TokenType = createToken({
  name: "whitespace",
  pattern: /\s+/,
  start_chars_hint: [...spaces],
  group: Lexer.SKIPPED,
  line_breaks: true,
});
const comment: TokenType = createToken({
  name: "comment",
  pattern: /#[^\r\n]*/,
  start_chars_hint: ["#"],
  group: "comments",
});

/** Any name, WGSL's reserved words included. */
export const identifier: TokenType = token("identifier", identifierPattern, letters);

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
export const scalarType: TokenType = token(
  "a scalar type",
  new RegExp(`(?:float(?:16|32|64)?|half|double|u?int(?:8|16|32|64)|int|bool)${wordEnd}`),
  "bdfhiu",
);

/** Operators that combine into the target; the bang must touch. */
export const combineOperator: TokenType = token(
  "an assignment operator",
  /arg(?:min|max)=!|(?:\+|\*|min|max|&&|\|\|)=!?(?!=)|[-/]=(?!=)/,
  "&*+-/am|",
);
export const equals: TokenType = token("`=`", /=(?!=)/, "=");

export const floatLiteral: TokenType = token(
  "a number",
  /(?:\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?![A-Za-z0-9_.])/,
  `.${digits}`,
);
export const integerLiteral: TokenType = token(
  "an integer",
  /(?:0[xX][0-9a-fA-F]+|\d+)(?![A-Za-z0-9_.])/,
  digits,
);
/** What starts like a number and is none: `3.0f`, `0x`, `1.2.3`. */
export const badNumber: TokenType = token(
  "a malformed number",
  /\.?\d[A-Za-z0-9_.]*/,
  `.${digits}`,
);

export const arrow: TokenType = symbol("->");
export const equivalent: TokenType = symbol("<=>");
export const comparison: TokenType = token("a comparison", /<=|>=|==|!=|<|>/, "!<=>");
export const orSign: TokenType = symbol("||");
export const andSign: TokenType = symbol("&&");
export const additive: TokenType = token("`+` or `-`", /[+-]/, "+-");
export const multiplicative: TokenType = token("`*`, `/` or `%`", /[*/%]/, "%*/");
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
export const foreign: TokenType = token(
  "foreign",
  /;|\[|\]|:=|[\u2264\u2265\u2260\u00d7\u22c5\u00b7\u00f7\u2212\u2192\u221e]/,
  ":;[]\u00b7\u00d7\u00f7\u2192\u2212\u221e\u2260\u2264\u2265\u22c5",
);

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
  ensureOptimizations: true,
  // A test does this.
  skipValidations: true,
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
