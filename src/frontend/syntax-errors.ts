import type { ILexingError, IParserErrorMessageProvider, IToken, TokenType } from "chevrotain";
import { type Diagnostic, diagnose } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/span.ts";
import { syntaxHint } from "./syntax-hints.ts";
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

/** Turns the parser's exceptions into diagnostics, one for each line of the source. */
export function syntaxDiagnostics(
  source: string,
  exceptions: readonly SyntaxException[],
): readonly Diagnostic[] {
  return exceptions.map(({ message, token, context }) => {
    const atEnd = !Number.isFinite(token.startOffset) || token.image === "";
    const start = atEnd ? source.trimEnd().length : token.startOffset;
    const span: Span = { start, end: start + (atEnd ? 0 : token.image.length) };
    const before = source.slice(Math.max(0, start - 40), start);
    const after = source.slice(start, start + 2);
    const inHead = context.ruleStack.at(-1) === "definition" && /[(,]\s*$/.test(before);
    const expected = inHead && !atEnd && message === "`)`" ? "a type" : message;
    const hint = syntaxHint({ expected, found: token.image, before, after });
    const found = atEnd ? "the end of the file" : `\`${token.image}\``;
    return diagnose("TC1001", { expected, found, ...(hint === undefined ? {} : { hint }) }, span);
  });
}

/** Turns characters that no token starts with into diagnostics. */
export function lexicalDiagnostics(
  source: string,
  errors: readonly ILexingError[],
): readonly Diagnostic[] {
  return errors.map(({ offset, length }) => {
    const span = { start: offset, end: offset + length };
    return diagnose("TC1002", { text: source.slice(span.start, span.end) }, span);
  });
}

const largestFloat32 = 3.4028234663852886e38;

/** Malformed and out-of-range numbers, and TC's `<=>`, which is read and ignored. */
export function tokenDiagnostics(tokens: readonly IToken[]): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const token of tokens) {
    const span = { start: token.startOffset, end: token.startOffset + token.image.length };
    const text = token.image;
    const tooLarge =
      (token.tokenType === t.integerLiteral && Number(text) > 0xffffffff) ||
      (token.tokenType === t.floatLiteral && Number(text) > largestFloat32);
    if (tooLarge) {
      const type = token.tokenType === t.integerLiteral ? "uint32" : "float32";
      found.push(diagnose("TC1004", { text, type }, span));
    }
    if (token.tokenType === t.badNumber) found.push(diagnose("TC1003", { text }, span));
    if (token.tokenType === t.equivalent) found.push(diagnose("TC1008", {}, span));
  }
  return found;
}

/** Deeper nesting than this is refused: the parser recurses (Chevrotain ends near 800 levels). */
const nestingLimit = 1000;
const bracketWeight = 5;

/**
 * The first place where expressions or blocks nest deeper than the passes can recurse. A bracket
 * or a `?:` counts five, any other operator one, because chains of operators give deep trees too.
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
      const span = { start: token.startOffset, end: token.startOffset + token.image.length };
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
