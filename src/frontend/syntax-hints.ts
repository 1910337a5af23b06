import { didYouMean } from "../support/edit-distance.ts";

/** Where the parser could not go on. */
export interface SyntaxMistake {
  /** What the parser would have taken, as it is told to people. */
  readonly expected: string;
  /** The token that it found; empty at the end of the file. */
  readonly found: string;
  /** The text before the token, and the text from it on. */
  readonly before: string;
  readonly after: string;
}

const typeWords = ["float", "float32", "int", "int32", "uint32", "bool"];
const operatorOfWord: Readonly<Record<string, string>> = {
  sum: "+=!",
  add: "+=!",
  prod: "*=!",
  mul: "*=!",
};
const signOfWord: Readonly<Record<string, string>> = { and: "&&", or: "||", not: "!" };

/** What habits of other languages should have been; undefined where nothing is recognised. */
export function syntaxHint(mistake: SyntaxMistake): string | undefined {
  const { expected, found, before, after } = mistake;
  if (after.startsWith("//")) return "comments start with `#`";
  if (expected === "`def`") return meant(found, ["def"]) ?? "a file is a list of definitions";
  if (expected === "a type") return meant(found, typeWords) ?? "a parameter is written `TYPE NAME`";
  if (/->\s*$/.test(before)) return "results stand in parentheses: `-> (A, B)`";
  if (expected === "an expression") return hintInExpression(found, before);
  return expected.startsWith("`=`") ? hintForOperator(found, before) : undefined;
}

function meant(word: string, candidates: readonly string[]): string | undefined {
  const suggestion = didYouMean(word, candidates);
  return suggestion === undefined ? undefined : `did you mean \`${suggestion}\`?`;
}

function hintInExpression(found: string, before: string): string | undefined {
  if (found === "*" && before.endsWith("*")) return "powers are written `pow(x, y)`";
  const reversed = found === "+" || found === "*";
  return reversed && before.endsWith("=") ? `the operator is written \`${found}=\`` : undefined;
}

function hintForOperator(found: string, before: string): string | undefined {
  const operator = Object.hasOwn(operatorOfWord, found) ? operatorOfWord[found] : undefined;
  if (operator !== undefined) return `the operator is written \`${operator}\``;
  // `a and b` was read as `a`, and `and` as the start of the next statement.
  const word = /(\w+)\s*$/.exec(before)?.[1] ?? "";
  const sign = Object.hasOwn(signOfWord, word) ? signOfWord[word] : undefined;
  return sign === undefined ? undefined : `\`${word}\` is written \`${sign}\``;
}
