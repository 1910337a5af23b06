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
    else {
      const name = keyword?.text ?? "";
      const data = suggestName(name, ["sizes", "input"]);
      diagnostics.push(diagnose("TC1006", data, keyword?.span ?? span));
    }
  }
  return { directives, diagnostics };
}

/** Words are separated by spaces outside of parentheses. */
function wordsOf(comment: IToken): readonly Word[] {
  const words: Word[] = [];
  const start = comment.startOffset + 2;
  for (const match of comment.image.slice(2).matchAll(/(?:\([^)]*\)|[^\s(])+/g)) {
    const at = start + match.index;
    words.push({ text: match[0], span: { start: at, end: at + match[0].length } });
  }
  return words;
}

function readSizes(words: readonly Word[], span: Span, diagnostics: Diagnostic[]): Directive {
  const sizes = flatMap(words, (word) => {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=(-?\d+)$/.exec(word.text);
    if (match === null) {
      diagnostics.push(
        diagnose("TC1007", { text: word.text, expected: "NAME=INTEGER" }, word.span),
      );
      return [];
    }
    const name = match[1] ?? "";
    const nameSpan = { start: word.span.start, end: word.span.start + name.length };
    return [{ name: { name, span: nameSpan }, value: Number(match[2]) }];
  });
  return { kind: "sizes", sizes, span };
}

function readInputs(
  words: readonly Word[],
  span: Span,
  diagnostics: Diagnostic[],
): readonly Directive[] {
  return flatMap(words, (word): readonly Directive[] => {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.+)$/.exec(word.text);
    const name = match?.[1] ?? "";
    const source = inputSource(match?.[2] ?? "");
    if (match === null || source === undefined) {
      const expected = `TENSOR=GENERATOR(SEED), a number or a path to \`.npy\``;
      diagnostics.push(diagnose("TC1007", { text: word.text, expected }, word.span));
      return [];
    }
    const nameSpan = { start: word.span.start, end: word.span.start + name.length };
    return [{ kind: "input", tensor: { name, span: nameSpan }, source, span }];
  });
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
