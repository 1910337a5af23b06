/** What habits of other languages should have been, where the grammar cannot go on. */

import type { Fix } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../support/edit-distance.ts";
import { own } from "../../support/own.ts";
import { foreignType, reservedAdvice } from "./reserved-words.ts";
import type { Advice, SyntaxMistake } from "./syntax-mistake.ts";

const typeWords = ["float", "float32", "int", "int32", "uint32", "bool"];
const operatorOfWord: Readonly<Record<string, string>> = {
  sum: "+=!",
  add: "+=!",
  prod: "*=!",
  mul: "*=!",
};
const definitionWords: ReadonlySet<string> = new Set(["function", "func", "fn", "fun", "kernel"]);

/** The advice for a mistake; undefined where nothing is recognised. */
export function syntaxAdvice(mistake: SyntaxMistake): Advice | undefined {
  for (const rule of rules) {
    const advice = rule(mistake);
    if (advice !== undefined) return advice;
  }
  return undefined;
}

const rules: readonly ((mistake: SyntaxMistake) => Advice | undefined)[] = [
  reservedAdvice,
  atDefinition,
  atType,
  atShapeAfterName,
  atArrow,
  atResults,
  atLoop,
  atReversed,
  atComparison,
  atBody,
  atStatement,
  atOperator,
  atOperand,
];

/** A fix that replaces the token that was found. */
function instead({ start, found }: SyntaxMistake, text: string): Fix {
  return {
    title: `write \`${text}\``,
    edits: [{ span: { start, end: start + found.length }, text }],
  };
}

function meant(mistake: SyntaxMistake, candidates: readonly string[]): Advice | undefined {
  const suggestion = didYouMean(mistake.found, candidates);
  if (suggestion === undefined) return undefined;
  return { hint: `did you mean \`${suggestion}\`?`, fix: instead(mistake, suggestion) };
}

function atDefinition(mistake: SyntaxMistake): Advice | undefined {
  const { expected, found } = mistake;
  if (expected !== "`def`") return undefined;
  if (definitionWords.has(found)) {
    return { hint: "a definition begins with `def`", fix: instead(mistake, "def") };
  }
  if (found === "}") return { hint: "nothing opens this `}`" };
  return meant(mistake, ["def"]) ?? { hint: "a file is a list of definitions" };
}

function atType(mistake: SyntaxMistake): Advice | undefined {
  const { expected, found, before, start } = mistake;
  if (expected !== "a type") return undefined;
  const comma = /,\s*$/.exec(before);
  if (found === ")" && comma !== null) return trailingComma(start - comma[0].length);
  const type = foreignType(found);
  if (type !== undefined) {
    return { hint: `this type is called \`${type}\` here`, fix: instead(mistake, type) };
  }
  return meant(mistake, typeWords) ?? { hint: "a parameter has a type: `float(N) A`" };
}

function trailingComma(at: number): Advice {
  const edits = [{ span: { start: at, end: at + 1 }, text: "" }];
  return { hint: "leave out the comma", fix: { title: "leave out the comma", edits } };
}

/** `float A(N)`. */
function atShapeAfterName({
  expected,
  found,
  before,
  after,
  start,
  rules: within,
}: SyntaxMistake): Advice | undefined {
  const named = /\b(?:float|int|uint|bool|half|double)[0-9]*(\s+)(\w+)\s*$/.exec(before);
  const shape = /^\([^()]*\)/.exec(after)?.[0];
  if (within.at(-1) !== "definition" || found !== "(" || named === null) return undefined;
  if (expected !== "`)`" || shape === undefined) return undefined;
  const hint = "the shape belongs to the type: `float(N) A`";
  const type = start - named[0].length + named[0].search(/\s/);
  const edits = [
    { span: { start: type, end: type }, text: shape },
    { span: { start, end: start + shape.length }, text: "" },
  ];
  return { hint, fix: { title: `write \`${shape}\` after the type`, edits } };
}

function atArrow({ expected, found, start }: SyntaxMistake): Advice | undefined {
  if (expected !== "`->`") return undefined;
  if (found !== "(") return { hint: "name the results: `-> (A, B)`" };
  const edits = [{ span: { start, end: start }, text: "-> " }];
  return { hint: "results stand after an arrow: `-> (A, B)`", fix: { title: "write `->`", edits } };
}

function atResults({ before, after, start }: SyntaxMistake): Advice | undefined {
  if (!/->\s*$/.test(before)) return undefined;
  const hint = "results stand in parentheses: `-> (A, B)`";
  const names = /^[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*(?=\s*\{)/.exec(after)?.[0];
  if (names === undefined) return { hint };
  const edits = [{ span: { start, end: start + names.length }, text: `(${names})` }];
  return { hint, fix: { title: "write parentheses", edits } };
}

function atLoop(mistake: SyntaxMistake): Advice | undefined {
  const { expected, found, rules: within } = mistake;
  const hint = "loops are written `for t in 0:T { ... }`; most indices need none";
  if (within.at(-1) === "clause" && expected === "`:`") {
    return { hint: "a range is written `LOWER:UPPER`" };
  }
  if (within.at(-1) !== "forLoop") return undefined;
  if (expected === "`in`" && found === "=") return { hint, fix: instead(mistake, "in") };
  return expected === "a name" || expected === "`in`" ? { hint } : undefined;
}

/** `for t in reversed(T) {`. */
function atReversed({ expected, before, start, rules: within }: SyntaxMistake): Advice | undefined {
  if (within.at(-1) !== "reversedRange" || expected !== "`:`") return undefined;
  const upper = /reversed\s*\(\s*(\w+\s*)$/.exec(before)?.[1];
  if (upper === undefined) return { hint: "a range is written `LOWER:UPPER`" };
  const title = `write \`reversed(0:${upper.trimEnd()})\``;
  const at = start - upper.length;
  return { hint: title, fix: { title, edits: [{ span: { start: at, end: at }, text: "0:" }] } };
}

/** `if t = 0 {`, `A(i = 0 ? 1 : 2)`. */
function atComparison(mistake: SyntaxMistake): Advice | undefined {
  const { expected, found, rules: within } = mistake;
  if (found !== "=" || !["`{`", "`)`", "`}`"].includes(expected)) return undefined;
  if (within.at(-1) === "definition") return undefined;
  return { hint: "comparisons are written `==`", fix: instead(mistake, "==") };
}

const inBraces = "a body stands in braces: `{ ... }`";

/** `if t == 0:`, `for t in T do`, `for t in T:` and a new line. */
function atBody({ expected, found, before, rules: within }: SyntaxMistake): Advice | undefined {
  const colon = /:[^\S\r\n]*[\r\n]\s*$/.test(before);
  if (expected === "an expression" && colon && within.includes("forLoop"))
    return { hint: inBraces };
  if (expected !== "`{`") return undefined;
  return { hint: found === "else" ? "a value is chosen by `condition ? a : b`" : inBraces };
}

function atStatement({ expected, found }: SyntaxMistake): Advice | undefined {
  if (expected !== "`}`" && expected !== "a statement") return undefined;
  if (/^(?:float|int|uint|bool|half|double)\d*$/.test(found)) {
    return { hint: "temporaries are not declared; leave out the type" };
  }
  if (found === "else") return { hint: "`else` stands after the `}` of an `if`" };
  if (found === "def") return { hint: "the definition before has no `}`" };
  if (found === ":") return { hint: "a range is written after `where`: `where i in 0:N`" };
  return found === ")" ? { hint: "nothing opens this `)`" } : undefined;
}

const noLoop = "there is none; loops are written `for t in 0:T { ... }`";

/** Words that begin statements in other languages. */
const statementWords: Readonly<Record<string, string>> = {
  return: "results are those after `->`; leave it out",
  let: "tensors are not declared; leave it out",
  var: "tensors are not declared; leave it out",
  const: "tensors are not declared; leave it out",
  auto: "tensors are not declared; leave it out",
  while: noLoop,
  do: noLoop,
  forall: "indices need no loop; leave it out",
  end: inBraces,
};

/** Those of them that may be left out without a change of what follows. */
const superfluous: ReadonlySet<string> = new Set(["let", "var", "const", "auto"]);

function atOperator(mistake: SyntaxMistake): Advice | undefined {
  const { expected, found, after } = mistake;
  if (!expected.startsWith("`=`")) return undefined;
  const operator = own(operatorOfWord, found);
  if (operator !== undefined) return { hint: `the operator is written \`${operator}\`` };
  if (found === "==") return { hint: "to assign, write `=`", fix: instead(mistake, "=") };
  if (/^arg(?:min|max)=(?!!)/.test(after)) {
    const end = mistake.start + found.length;
    const edits = [{ span: { start: end, end: end + 1 }, text: "=!" }];
    const hint = `the operator is written \`${found}=!\``;
    return { hint, fix: { title: `write \`${found}=!\``, edits } };
  }
  if (found === ",") return { hint: "several targets stand in parentheses: `(a, b) = f(x)`" };
  if (/^(?:\+\+|--)/.test(after)) return { hint: `write \`${found}= 1\`` };
  return afterWord(mistake) ?? atFactor(mistake);
}

/** `let x = 1`, `return x`: the word was read as the target of a statement. */
function afterWord({ before, start }: SyntaxMistake): Advice | undefined {
  const [tail = "", word = ""] = /(\w+)\s*$/.exec(before) ?? [];
  const meaning = own(statementWords, word);
  if (meaning === undefined) return undefined;
  const at = start - tail.length;
  const span = { start: at, end: at + word.length };
  const hint = `\`${word}\`: ${meaning}`;
  if (!superfluous.has(word)) return { hint, span };
  const edits = [{ span: { start: at, end: start }, text: "" }];
  return { hint, span, fix: { title: `leave out \`${word}\``, edits } };
}

function atFactor({ before, start }: SyntaxMistake): Advice | undefined {
  // `a(i) b(i)` was read as `a(i)`, and `b(i)` as the target of the next statement.
  const [, factor, blank = ""] =
    /[\w)][^\S\r\n]*[^\S\r\n(]([A-Za-z_]\w*(?:\([^()]*\))?)(\s*)$/.exec(before) ?? [];
  const assigns = /=[^=\r\n]*$/.test(
    before
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1) ?? "",
  );
  if (factor === undefined || !assigns) return undefined;
  const at = start - blank.length - factor.length;
  const span = { start: at, end: at + factor.length };
  return { hint: `is an operator missing before \`${factor}\`, such as \`*\`?`, span };
}

function atOperand({ expected, found, before, start }: SyntaxMistake): Advice | undefined {
  if (expected !== "an expression") return undefined;
  if (found === "*" && before.endsWith("*")) return { hint: "powers are written `pow(x, y)`" };
  if (found === "=" && /[<>!=]$/.test(before)) return { hint: "comparisons are written `==`" };
  if ((found === "+" || found === "*" || found === "-") && before.endsWith("=")) {
    const edits = [{ span: { start: start - 1, end: start + 1 }, text: `${found}=` }];
    const fix = { title: `write \`${found}=\``, edits };
    return { hint: `the operator is written \`${found}=\``, fix };
  }
  const comma = /,\s*$/.exec(before);
  return found === ")" && comma !== null ? trailingComma(start - comma[0].length) : undefined;
}
