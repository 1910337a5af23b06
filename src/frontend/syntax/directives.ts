import type { IToken } from "chevrotain";
import { type Diagnostic, diagnose } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import { flatMap } from "../../support/flat-map.ts";
import { isGenerator, readGeneratorArguments } from "../../support/generators.ts";
import { suggestName } from "../names/suggest-name.ts";
import type { Directive, InputSource } from "./ast.ts";

/** A word of a directive and where it stands. */
interface Word {
  readonly text: string;
  readonly span: Span;
}

/** Reads the `#!` comments among a file's comments; other comments are skipped. */
export function readDirectives(comments: readonly IToken[]): {
  readonly directives: readonly Directive[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const directives: Directive[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const comment of comments) {
    if (!comment.image.startsWith("#!")) continue;
    const words = wordsOf(comment);
    const [keyword, ...rest] = words;
    const span = { start: comment.startOffset, end: comment.startOffset + comment.image.length };
    if (keyword?.text === "sizes") directives.push(readSizes(rest, span, diagnostics));
    else if (keyword?.text === "input") directives.push(...readInputs(rest, span, diagnostics));
    else if (keyword?.text === "alternative")
      directives.push(...readAlternative(rest, span, diagnostics));
    else {
      const name = keyword?.text ?? "";
      const data = suggestName(name, ["sizes", "input", "alternative"]);
      diagnostics.push(diagnose("TC1006", data, keyword?.span ?? span));
    }
  }
  return { directives, diagnostics };
}

const wordPattern = /(?:\([^()]*\)|[^\s(])+|\(/g;

/** Of one line: what follows is told by the first ones. */
const mostReported = 10;

/** Words are separated by spaces outside of parentheses. */
function wordsOf(comment: IToken): readonly Word[] {
  const words: Word[] = [];
  const start = comment.startOffset + 2;
  for (const match of comment.image.slice(2).matchAll(wordPattern)) {
    const at = start + match.index;
    words.push({ text: match[0], span: { start: at, end: at + match[0].length } });
  }
  return words;
}

/**
 * Tells that something else is expected; once for all the words where they would be right with
 * other space between them: `N=8, M=4`, `N = 8`.
 */
function reportMalformed(
  words: readonly Word[],
  wrong: readonly Word[],
  expected: string,
  isRight: (text: string) => boolean,
  diagnostics: Diagnostic[],
): void {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined || wrong.length === 0) return;
  const text = words.map((word) => word.text).join(" ");
  const spaced = text
    .split("=")
    .map((part) => part.trim())
    .join("=")
    .replaceAll(/\([^()]*\)|[,;]/g, (part) => (part.length === 1 ? " " : part));
  const entries = spaced.match(wordPattern) ?? [];
  if (entries.every(isRight)) {
    const span = { start: first.span.start, end: last.span.end };
    const instead = entries.join(" ");
    diagnostics.push(diagnose("TC1007", { text, expected, instead }, span));
    return;
  }
  for (const word of wrong.slice(0, mostReported)) {
    diagnostics.push(diagnose("TC1007", { text: word.text, expected }, word.span));
  }
}

const sizeEntry = /^([A-Za-z_][A-Za-z0-9_]*)=(-?\d+)$/;

function readSizes(words: readonly Word[], span: Span, diagnostics: Diagnostic[]): Directive {
  const wrong: Word[] = [];
  const sizes = flatMap(words, (word) => {
    const match = sizeEntry.exec(word.text);
    if (match === null) {
      wrong.push(word);
      return [];
    }
    const name = match[1] ?? "";
    const nameSpan = { start: word.span.start, end: word.span.start + name.length };
    return [{ name: { name, span: nameSpan }, value: Number(match[2]) }];
  });
  const isRight = (text: string): boolean => sizeEntry.test(text);
  reportMalformed(words, wrong, "NAME=INTEGER", isRight, diagnostics);
  return { kind: "sizes", sizes, span };
}

function readInputs(
  words: readonly Word[],
  span: Span,
  diagnostics: Diagnostic[],
): readonly Directive[] {
  const wrong: Word[] = [];
  const directives = flatMap(words, (word): readonly Directive[] => {
    const { name, source } = readInput(word.text);
    if (source === undefined) {
      wrong.push(word);
      return [];
    }
    const nameSpan = { start: word.span.start, end: word.span.start + name.length };
    return [{ kind: "input", tensor: { name, span: nameSpan }, source, span }];
  });
  const expected = "TENSOR=GENERATOR(SEED), a number or a path to `.npy`";
  const isRight = (text: string): boolean => readInput(text).source !== undefined;
  reportMalformed(words, wrong, expected, isRight, diagnostics);
  return directives;
}

/** `of NAME`, and `approximate` or nothing. */
function readAlternative(
  words: readonly Word[],
  span: Span,
  diagnostics: Diagnostic[],
): readonly Directive[] {
  const [of, name, approximate, ...rest] = words;
  const isName = name !== undefined && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name.text);
  const isMark = approximate === undefined || approximate.text === "approximate";
  if (of?.text === "of" && isName && isMark && rest.length === 0) {
    const identifier = { name: name.text, span: name.span };
    return [{ kind: "alternative", of: identifier, approximate: approximate !== undefined, span }];
  }
  const text = words.map((word) => word.text).join(" ");
  const at = { start: words[0]?.span.start ?? span.start, end: words.at(-1)?.span.end ?? span.end };
  const expected = "`of DEFINITION` or `of DEFINITION approximate`";
  diagnostics.push(diagnose("TC1007", { text, expected }, at));
  return [];
}

function readInput(text: string): { readonly name: string; readonly source?: InputSource } {
  const [, name = "", what = ""] = /^([A-Za-z_][A-Za-z0-9_]*)=(.+)$/.exec(text) ?? [];
  const source = inputSource(what);
  return source === undefined ? { name } : { name, source };
}

/** A generator's call, a number, `true`, `false`, or a path that ends in `.npy`. */
function inputSource(text: string): InputSource | undefined {
  if (text.endsWith(".npy")) return { kind: "file", path: text };
  if (text !== "" && Number.isFinite(Number(text))) return { kind: "number", value: Number(text) };
  if (text === "true" || text === "false")
    return { kind: "number", value: text === "true" ? 1 : 0 };
  const match = /^([a-z]+)(?:\(([^()]*)\))?$/.exec(text);
  const name = match?.[1] ?? "";
  if (!isGenerator(name)) return undefined;
  const read = readGeneratorArguments(name, match?.[2] ?? "");
  if (typeof read === "string") return undefined;
  return { kind: "generator", name, arguments: read.values.slice(0, read.given) };
}
