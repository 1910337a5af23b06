import type { ILexingError, IParserErrorMessageProvider, IToken, TokenType } from "chevrotain";
import { type Diagnostic, diagnose, type Fix } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import { lineAround } from "./foreign-comments.ts";
import { syntaxAdvice } from "./syntax-hints.ts";
import * as t from "./tokens.ts";

/** What a rule's failure should be called; the others say which token is missing. */
const ruleTitles: Readonly<Record<string, string>> = {
  statement: "a statement",
  assign: "`=` or another assignment operator",
  clause: "`INDEX in LOWER:UPPER` or `NAME = EXPRESSION`",
  forLoop: "a range",
  primary: "an expression",
  prefixed: "an expression",
  definition: "a result",
  program: "`def`",
};

/** What tokens are called where their own name says nothing to a reader. */
const tokenTitles: Readonly<Record<string, string>> = { identifier: "a name", EOF: "`def`" };

/** Makes Chevrotain's exceptions say only what was expected; the text is put together later. */
export const expectationMessages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }: { expected: TokenType }): string =>
    tokenTitles[expected.name] ?? expected.name,
  buildNotAllInputParsedMessage: (): string => "`def`",
  buildNoViableAltMessage: ({ ruleName }: { ruleName: string }): string =>
    ruleTitles[ruleName] ?? "an expression",
  buildEarlyExitMessage: ({ ruleName }: { ruleName: string }): string =>
    ruleTitles[ruleName] ?? "an expression",
};

/** The least that this file needs to know of Chevrotain's recognition exceptions. */
interface SyntaxException {
  readonly message: string;
  readonly token: IToken;
  readonly context: { readonly ruleStack: readonly string[] };
}

/** How much of the text around a mistake is looked at. */
const surroundings = 200;

/** Turns the parser's exceptions into diagnostics. */
export function syntaxDiagnostics(
  source: string,
  tokens: readonly IToken[],
  exceptions: readonly SyntaxException[],
): readonly Diagnostic[] {
  const open = openBrackets(tokens, exceptions);
  return exceptions.map((e) => syntaxDiagnostic(source, e, open.get(e.token) ?? {}));
}

/** `open` are the innermost brackets that are open at the token, by what would close them. */
function syntaxDiagnostic(
  source: string,
  { message, token, context: { ruleStack: rules } }: SyntaxException,
  open: Readonly<Record<string, Span | undefined>>,
): Diagnostic {
  const atEnd = !Number.isFinite(token.startOffset) || token.image === "";
  const start = atEnd ? source.trimEnd().length : token.startOffset;
  const span: Span = { start, end: atEnd ? start : t.tokenEnd(token) };
  const before = source.slice(Math.max(0, start - surroundings), start);
  const after = source.slice(start, start + surroundings);
  const inHead = rules.at(-1) === "definition" && /[(,]\s*$/.test(before);
  const expected = inHead && !atEnd && message === "`)`" ? "a type" : message;
  const found = atEnd ? "the end of the file" : `\`${source.slice(span.start, span.end)}\``;
  const advice = syntaxAdvice({ expected, found: token.image, before, after, start, rules });
  const wanted = expected === "`}`" ? "a statement or `}`" : expected;
  const data = { expected: wanted, found, ...(advice === undefined ? {} : { hint: advice.hint }) };
  // A `}` may be missing far from where that shows.
  const ends = expected !== "`}`" || atEnd || token.tokenType === t.defWord;
  const opening = ends ? open[expected] : undefined;
  return diagnose("TC1001", data, advice?.span ?? span, {
    labels: opening === undefined ? [] : [{ span: opening, text: "this is not closed" }],
    ...(advice?.fix === undefined ? {} : { fixes: [advice.fix] }),
  });
}

/** The innermost `(` and `{` that are open where something went wrong, by what would close them. */
function openBrackets(
  tokens: readonly IToken[],
  exceptions: readonly SyntaxException[],
): ReadonlyMap<IToken, Readonly<Record<string, Span | undefined>>> {
  const wanted = new Set(exceptions.map((e) => e.token));
  const found = new Map<IToken, Readonly<Record<string, Span | undefined>>>();
  const stack: IToken[] = [];
  const note = (token: IToken): void => {
    const innermost = stack.at(-1);
    if (innermost === undefined || !wanted.has(token)) return;
    const closes = innermost.tokenType === t.leftParen ? "`)`" : "`}`";
    const span = { start: innermost.startOffset, end: innermost.startOffset + 1 };
    found.set(token, { [closes]: span });
  };
  for (const token of tokens) {
    note(token);
    if (opening.includes(token.tokenType)) stack.push(token);
    else if (closing.includes(token.tokenType)) stack.pop();
  }
  for (const { token } of exceptions) if (token.tokenType.name === "EOF") note(token);
  return found;
}

/** Turns characters that no token starts with into diagnostics. */
export function lexicalDiagnostics(
  source: string,
  errors: readonly ILexingError[],
): readonly Diagnostic[] {
  return errors.map(({ offset, length }) => {
    const span = { start: offset, end: offset + length };
    const { before } = lineAround(source, offset);
    return diagnose("TC1002", { text: source.slice(span.start, span.end), before }, span);
  });
}

const largestFloat32 = 3.4028234663852886e38;

/**
 * Malformed and out-of-range numbers, and TC's `<=>`, which is read and ignored. Malformed numbers
 * make the tree unreadable.
 */
export function tokenDiagnostics(tokens: readonly IToken[]): {
  readonly understood: readonly Diagnostic[];
  readonly unreadable: readonly Diagnostic[];
} {
  const understood: Diagnostic[] = [];
  const unreadable: Diagnostic[] = [];
  for (const [at, token] of tokens.entries()) {
    const span = { start: token.startOffset, end: t.tokenEnd(token) };
    const text = token.image;
    const tooLarge =
      (token.tokenType === t.integerLiteral && Number(text) > 0xffffffff) ||
      (token.tokenType === t.floatLiteral && Number(text) > largestFloat32);
    if (tooLarge) {
      const type = token.tokenType === t.integerLiteral ? "uint32" : "float32";
      understood.push(diagnose("TC1004", { text, type }, span));
    }
    if (token.tokenType === t.badNumber) unreadable.push(diagnose("TC1003", { text }, span));
    if (token.tokenType === t.equivalent) {
      understood.push(diagnose("TC1008", {}, span, { fixes: [withoutEquivalence(tokens, at)] }));
    }
  }
  return { understood, unreadable };
}

/** Leaves `<=> name(...)` out; words that it separates stay apart. */
function withoutEquivalence(tokens: readonly IToken[], at: number): Fix {
  const last = endOfEquivalence(tokens, at);
  const [first, end, next] = [tokens[at], tokens[last], tokens[last + 1]];
  const span = { start: first?.startOffset ?? 0, end: end === undefined ? 0 : t.tokenEnd(end) };
  const edits = [{ span, text: next?.startOffset === span.end ? " " : "" }];
  return { title: "leave it out", edits };
}

/** The last token of `<=> name(...)`. */
function endOfEquivalence(tokens: readonly IToken[], at: number): number {
  const named = at + (tokens[at + 1]?.tokenType === t.identifier ? 1 : 0);
  if (named === at || tokens[named + 1]?.tokenType !== t.leftParen) return named;
  let [last, depth] = [named, 0];
  do {
    last += 1;
    const type = tokens[last]?.tokenType;
    depth += Number(type === t.leftParen) - Number(type === t.rightParen);
  } while (depth > 0 && last + 1 < tokens.length);
  return last;
}

/**
 * Deeper nesting than this is refused: the parser recurses. Chevrotain's stack ends near 800 levels,
 * and near 200 where it recovers from an error.
 */
const nestingLimit = 1000;
const bracketWeight = 10;

/**
 * The first place where expressions or blocks nest deeper than the passes can recurse. A bracket
 * or a `?:` counts ten, any other operator one, because chains of operators give deep trees too.
 */
export function nestingDiagnostic(tokens: readonly IToken[]): Diagnostic | undefined {
  const enclosing: number[] = [];
  let depth = 0;
  let here = 0;
  for (const token of tokens) {
    const type = token.tokenType;
    if (opening.includes(type)) {
      enclosing.push(here);
      depth += bracketWeight;
      here = 0;
    } else if (closing.includes(type)) {
      depth -= enclosing.length === 0 ? here : here + bracketWeight;
      here = enclosing.pop() ?? 0;
    } else {
      const next = startsAfresh.includes(type) ? 0 : here + weightOf(type);
      depth += next - here;
      here = next;
    }
    if (depth > nestingLimit) {
      const span = { start: token.startOffset, end: t.tokenEnd(token) };
      return diagnose("TC1005", { limit: nestingLimit / bracketWeight }, span);
    }
  }
  return undefined;
}

const opening: readonly TokenType[] = [t.leftParen, t.leftBrace];
const closing: readonly TokenType[] = [t.rightParen, t.rightBrace];
const startsAfresh: readonly TokenType[] = [t.comma, t.equals, t.combineOperator];
const operators: readonly TokenType[] = [
  t.orSign,
  t.andSign,
  t.comparison,
  t.additive,
  t.multiplicative,
  t.bang,
];

/** How many levels a token adds to the tree that it occurs in. */
function weightOf(type: TokenType): number {
  if (type === t.question) return bracketWeight;
  return operators.includes(type) ? 1 : 0;
}
