import type { IToken, TokenType } from "chevrotain";
import { type Diagnostic, diagnose, type Fix } from "../../diagnostics/diagnostic.ts";
import { lineStarts, positionAt } from "../../diagnostics/position.ts";
import { noSpan, type Span } from "../../diagnostics/span.ts";
import { flatMap } from "../../support/flat-map.ts";
import { own } from "../../support/own.ts";
import { lineAround } from "./foreign-comments.ts";
import * as t from "./tokens.ts";

/** Tokens of this language only, and what was written in another. */
export interface Translated {
  readonly tokens: readonly IToken[];
  readonly diagnostics: readonly Diagnostic[];
  /** Those after which the tokens may not say what was written. */
  readonly unreadable: readonly Diagnostic[];
}

/** What stands for some tokens that begin at `tokens[at]`. */
interface Translation {
  /** How many tokens it stands for. */
  readonly length: number;
  readonly tokens: readonly IToken[];
  /** Equal kinds in one line are one mistake. */
  readonly kind: "TC1003" | "TC1009";
  readonly written: string;
  readonly meant: string;
  readonly edits: Fix["edits"];
  /** True when the tokens may group otherwise than what is written; then nothing is edited. */
  readonly unclear?: boolean;
}

/**
 * Purpose: understand what other languages write differently (`;`, `A[i][j]`, `and`, `2.0f`, `//`,
 * and the like), so that the rest of the text is checked as well.
 * Requires: the tokens of `source`.
 * Ensures: no `foreign` token is left. Every translation is reported with its fix, once for each
 * line and kind.
 */
export function translateHabits(source: string, written: readonly IToken[]): Translated {
  const tokens: IToken[] = [];
  const found: Translation[] = [];
  for (let at = 0; at < written.length; ) {
    const translation = translate(source, written, at, tokens.at(-1));
    if (translation === undefined) {
      const token = written[at];
      if (token !== undefined) tokens.push(token);
      at += 1;
    } else {
      tokens.push(...translation.tokens);
      found.push(translation);
      at += translation.length;
    }
  }
  return {
    tokens,
    diagnostics: report(
      source,
      found.filter((f) => !f.unclear),
    ),
    unreadable: report(
      source,
      found.filter((f) => f.unclear),
    ),
  };
}

/** One diagnostic for all equal habits of a line. */
function report(source: string, found: readonly Translation[]): readonly Diagnostic[] {
  const starts = lineStarts(source);
  const groups = new Map<string, Translation[]>();
  for (const translation of found) {
    const { line } = positionAt(starts, placeOf(translation).start);
    const key = `${line} ${translation.kind} ${translation.meant}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [translation]);
    else group.push(translation);
  }
  return flatMap([...groups.values()], (group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { kind, meant } = first;
    const edits = flatMap(group, (one) => one.edits);
    const fixes = first.unclear ? [] : [{ title: meant, edits }];
    const span = placeOf(first);
    if (kind === "TC1003") return diagnose(kind, { text: first.written }, span, { fixes });
    return diagnose(kind, { written: first.written, meant }, span, { fixes });
  });
}

function placeOf({ edits }: Translation): Span {
  return edits[0]?.span ?? noSpan;
}

function translate(
  source: string,
  tokens: readonly IToken[],
  at: number,
  before: IToken | undefined,
): Translation | undefined {
  const token = tokens[at];
  if (token?.tokenType === t.foreign || token?.tokenType === t.slashes) {
    return translateForeign(source, tokens, at, token);
  }
  if (token?.tokenType === t.badNumber) return translateNumber(token);
  if (token?.tokenType === t.combineOperator) return translateReset(token, tokens, at);
  if (token?.tokenType === t.identifier) return translateWord(source, before, tokens, at, token);
  return undefined;
}

interface Sign {
  readonly type: TokenType;
  readonly image: string;
}

const signs: Readonly<Record<string, Sign>> = {
  ":=": { type: t.equals, image: "=" },
  "\u2264": { type: t.comparison, image: "<=" },
  "\u2265": { type: t.comparison, image: ">=" },
  "\u2260": { type: t.comparison, image: "!=" },
  "\u00d7": { type: t.multiplicative, image: "*" },
  "\u22c5": { type: t.multiplicative, image: "*" },
  "\u00b7": { type: t.multiplicative, image: "*" },
  "\u00f7": { type: t.multiplicative, image: "/" },
  "\u2212": { type: t.additive, image: "-" },
  "\u2192": { type: t.arrow, image: "->" },
  "\u221e": { type: t.infWord, image: "inf" },
};

function translateForeign(
  source: string,
  tokens: readonly IToken[],
  at: number,
  token: IToken,
): Translation {
  const { image } = token;
  const next = tokens[at + 1];
  if (image === "//") {
    const meant = "integer `/` rounds down already";
    return replaced(token, { type: t.multiplicative, image: "/" }, meant);
  }
  if (image.startsWith("/")) return translateComment(source, token);
  if (image === "]" && next?.image === "[") {
    const edits = [{ span: { start: token.startOffset, end: next.startOffset + 1 }, text: ", " }];
    const comma = { ...token, ...typed(t.comma), image: "," };
    return { ...replaced(token, bracket, inParentheses), length: 2, tokens: [comma], edits };
  }
  if (image === "[" || image === "]") {
    const type = image === "[" ? t.leftParen : t.rightParen;
    return replaced(token, { type, image: image === "[" ? "(" : ")" }, inParentheses);
  }
  const sign = own(signs, image);
  if (sign !== undefined) return replaced(token, sign, `write \`${sign.image}\``);
  // Words that it separates stay apart.
  const separates = /^\w;\w$/.test(source.slice(token.startOffset - 1, token.startOffset + 2));
  const edits = [{ span: spanOf(token), text: separates ? " " : "" }];
  const meant = "statements need no terminator; leave it out";
  return { length: 1, tokens: [], kind: "TC1009", written: image, meant, edits };
}

const bracket: Sign = { type: t.comma, image: "," };
const inParentheses = "indices stand in parentheses: `A(i, j)`";

function replaced(token: IToken, { type, image }: Sign, meant: string): Translation {
  return {
    length: 1,
    tokens: [{ ...token, ...typed(type), image, ...ending(token) }],
    kind: "TC1009",
    written: token.image,
    meant,
    edits: [{ span: spanOf(token), text: image }],
  };
}

/** Where what is written ends, whatever stands for it. */
function ending(token: IToken): Pick<IToken, "endOffset"> {
  return { endOffset: token.startOffset + token.image.length - 1 };
}

function spanOf(token: IToken): Span {
  return { start: token.startOffset, end: token.startOffset + token.image.length };
}

/** A comment of C: to the end of the line, or to `*\/`. */
function translateComment(source: string, token: IToken): Translation {
  const { start, end } = spanOf(token);
  const block = token.image.startsWith("/*");
  const span = { start, end: block ? end : start + 2 };
  return {
    length: 1,
    tokens: [],
    kind: "TC1009",
    written: token.image.slice(0, 2),
    meant: "comments start with `#`",
    edits: [{ span, text: block ? lineComments(source, token, end) : "#" }],
  };
}

/** The text between `/*` and `*\/` with `#` before every line. */
function lineComments(source: string, token: IToken, end: number): string {
  const inside = token.image.slice(2).replace(/\*\/$/, "").trim();
  const lines = inside.split(/\r\n|[\r\n]/).map((line) => `# ${line.replace(/^\s*\*? ?/, "")}`);
  return `${lines.join("\n")}${lineAround(source, end).after.trim() === "" ? "" : "\n"}`;
}

/** `+= ! x`: the bang must touch; a blank behind it tells that it is no negation. */
function translateReset(
  token: IToken,
  tokens: readonly IToken[],
  at: number,
): Translation | undefined {
  const [bang, after] = [tokens[at + 1], tokens[at + 2]];
  if (bang?.tokenType !== t.bang || !/^(?:[+*]|min|max)=$/.test(token.image)) return undefined;
  const apart = bang.startOffset > t.tokenEnd(token);
  if (!apart || after === undefined || after.startOffset === t.tokenEnd(bang)) return undefined;
  const image = `${token.image}!`;
  const span = { start: token.startOffset, end: t.tokenEnd(bang) };
  return {
    ...replaced(token, { type: t.combineOperator, image }, `write \`${image}\` without a blank`),
    length: 2,
    tokens: [{ ...token, image, endOffset: span.end - 1 }],
    written: `${token.image} !`,
    edits: [{ span, text: image }],
  };
}

/** `2.0f`; a range `0..3` is two numbers and a colon. */
function translateNumber(token: IToken): Translation | undefined {
  const { image } = token;
  const base = { length: 1, kind: "TC1003", written: image } as const;
  if (/^(?:\d+\.\d*|\.\d+)[fF]$/.test(image)) {
    const number = image.slice(0, -1);
    return {
      ...base,
      tokens: [{ ...token, ...typed(t.floatLiteral), image: number, ...ending(token) }],
      meant: "leave out the suffix",
      edits: [{ span: spanOf(token), text: number }],
    };
  }
  const range = /^(\d+)\.\.(\d+|[A-Za-z_]\w*)$/.exec(image);
  const [, low = "", high = ""] = range ?? [];
  if (range === null) return undefined;
  const place = token.startOffset + low.length;
  const number = { ...token, ...typed(t.integerLiteral) };
  const upper = /^\d/.test(high) ? t.integerLiteral : t.identifier;
  return {
    ...base,
    tokens: [
      { ...number, image: low },
      { ...token, ...typed(t.colon), image: ":", startOffset: place },
      { ...token, ...typed(upper), image: high, startOffset: place + 2 },
    ],
    meant: "write `LOWER:UPPER`",
    edits: [{ span: spanOf(token), text: `${low}:${high}` }],
  };
}

function typed(tokenType: TokenType): Pick<IToken, "tokenType" | "tokenTypeIdx"> {
  return { tokenType, tokenTypeIdx: tokenType.tokenTypeIdx ?? 0 };
}

const words: Readonly<Record<string, Sign>> = {
  and: { type: t.andSign, image: "&&" },
  or: { type: t.orSign, image: "||" },
};

/**
 * `and`, `or` and `not` where no name can stand: between two operands, or before one. They are
 * good names elsewhere.
 */
function translateWord(
  source: string,
  before: IToken | undefined,
  tokens: readonly IToken[],
  at: number,
  token: IToken,
): Translation | undefined {
  const { image } = token;
  const after = tokens[at + 1];
  if (before === undefined || after === undefined) return undefined;
  const between = source.slice(t.tokenEnd(before), token.startOffset);
  const ends = endsOperand.includes(before.tokenType);
  const apart = after.startOffset > spanOf(token).end;
  if (!apart || !startsOperand(after)) return undefined;
  if (image === "elif" || image === "elseif") {
    return before.tokenType === t.rightBrace ? elseIf(token) : undefined;
  }
  if (/[\r\n]/.test(between)) return undefined;
  if (image === "not") return ends ? undefined : negation(tokens, at, token);
  const sign = own(words, image);
  if (sign === undefined || !ends || assigned(source, spanOf(token).end)) return undefined;
  return replaced(token, sign, `write \`${sign.image}\``);
}

/** `not x`; before parentheses it is a name that is called. */
function negation(tokens: readonly IToken[], at: number, token: IToken): Translation | undefined {
  if (tokens[at + 1]?.tokenType === t.leftParen) return undefined;
  const sign = { type: t.bang, image: "!" };
  if (!goesOn(tokens, at + 1)) return replaced(token, sign, "write `!`");
  return { ...replaced(token, sign, "write `!(...)` around what is negated"), unclear: true };
}

function elseIf(token: IToken): Translation {
  const tokens = [
    { ...token, ...typed(t.elseWord), image: "else", ...ending(token) },
    { ...token, ...typed(t.ifWord), image: "if", ...ending(token) },
  ];
  return { ...replaced(token, { type: t.ifWord, image: "else if" }, "write `else if`"), tokens };
}

/** Whether the operand at a place is part of a comparison or a sum: `not a(i) == b` negates all. */
function goesOn(tokens: readonly IToken[], at: number): boolean {
  let next = at + 1;
  let depth = 0;
  do {
    const type = tokens[next]?.tokenType;
    if (type !== t.leftParen && depth === 0) break;
    depth += Number(type === t.leftParen) - Number(type === t.rightParen);
    next += 1;
  } while (next < tokens.length && next < at + longestOperand);
  const type = tokens[next]?.tokenType;
  return type === t.comparison || type === t.additive || type === t.multiplicative;
}

const longestOperand = 100;

const endsOperand: readonly TokenType[] = [
  t.identifier,
  t.integerLiteral,
  t.floatLiteral,
  t.trueWord,
  t.falseWord,
  t.infWord,
  t.rightParen,
];

function startsOperand({ tokenType, image }: IToken): boolean {
  const starts: readonly TokenType[] = [t.leftParen, t.bang, t.padWord, t.minWord, t.maxWord];
  if (tokenType === t.scalarType || starts.includes(tokenType)) return true;
  return image === "-" || (tokenType !== t.rightParen && endsOperand.includes(tokenType));
}

/** Whether parentheses that an assignment follows begin there: `and (i) = 1`. */
function assigned(source: string, offset: number): boolean {
  const { after } = lineAround(source, offset);
  return /^\s*\([^()]*\)\s*(?:[-+*/]|min|max|&&|\|\||arg(?:min|max))?=(?!=)/.test(after);
}
