import { own } from "../../support/own.ts";
import type { Advice, SyntaxMistake } from "./syntax-mistake.ts";

const typeWord = /^(?:float(?:16|32|64)?|half|double|u?int(?:8|16|32|64)|int|bool)$/;

/** What the words mean that no tensor, size or index can be called. */
const keywords: Readonly<Record<string, string>> = {
  def: "begins a definition",
  where: "begins ranges",
  in: "stands before a range",
  exists: "begins a clause",
  for: "begins a loop",
  if: "begins a condition",
  else: "begins the other branch of an `if`",
  reversed: "turns a loop around",
  pad: "is a function",
  min: "is a function",
  max: "is a function",
  true: "is a value",
  false: "is a value",
  inf: "is a value",
};

/** Types of other languages, and what they are called here. */
const foreignTypes: Readonly<Record<string, string>> = {
  f16: "half",
  f32: "float",
  f64: "float",
  i8: "int8",
  i16: "int16",
  i32: "int",
  i64: "int",
  u8: "uint8",
  u16: "uint16",
  u32: "uint32",
  u64: "uint32",
  uint: "uint32",
  unsigned: "uint32",
  size_t: "int",
  signed: "int",
  integer: "int",
  long: "int",
  short: "int16",
  char: "int8",
  byte: "uint8",
  boolean: "bool",
  real: "float",
  single: "float",
  number: "float",
  bfloat16: "half",
  bf16: "half",
};

/** The type of this language that a type of another is; undefined for other words. */
export function foreignType(word: string): string | undefined {
  return own(foreignTypes, word);
}

/** The advice where a word of the language stands for a name, or a type for a value. */
export function reservedAdvice(mistake: SyntaxMistake): Advice | undefined {
  const { expected, found, before, after, start, rules } = mistake;
  const at = (word: string, from: number): Advice | undefined => {
    const meaning = meaningOf(word);
    if (meaning === undefined) return undefined;
    const span = { start: from, end: from + word.length };
    return { hint: `\`${word}\` ${meaning}; take another name, such as \`${word}_\``, span };
  };
  if (expected === "a name") {
    // `-> (half)`: the word was read as the type of what follows.
    const [tail = "", word = ""] = /[(,]\s*((\w+)\s*)$/.exec(before)?.slice(1) ?? [];
    return at(found, start) ?? (/^[),]$/.test(found) ? at(word, start - tail.length) : undefined);
  }
  const begins = expected === "`}`" || expected === "a statement";
  const assigns = /^\w+\s*(?:\([^()]*\)\s*)?(?:[-+*/]|min|max|&&|\|\||arg(?:min|max))?=(?!=)/;
  if (begins && assigns.test(after)) return at(found, start);
  if (/\bwhere\s+$/.test(before) && /^\w+\s*(?:in\b|=(?!=))/.test(after)) return at(found, start);
  const cast = /(\w+)\s*$/.exec(before)?.[1] ?? "";
  if (
    expected === "`(`" &&
    rules.at(-1) !== "definition" &&
    typeWord.test(cast) &&
    !/64|double/.test(cast)
  ) {
    return { hint: `\`${cast}\` is a type; a conversion is written \`${cast}(x)\`` };
  }
  return undefined;
}

function meaningOf(word: string): string | undefined {
  if (typeWord.test(word)) return "is a type";
  return own(keywords, word);
}
