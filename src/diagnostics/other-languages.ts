/** What people who come from other languages write, and what it is called here. */
import { own } from "../support/own.ts";

/** What characters of other languages should have been. */
const characterHints: Readonly<Record<string, string>> = {
  "^": "powers are written `pow(x, y)`",
  "&": "the logical and is written `&&`",
  "|": "the logical or is written `||`",
  "~": "the logical not is written `!`",
  "@": "a product of matrices is a sum over an index: `C(i, j) +=! A(i, k) * B(k, j)`",
  ".": "the size of dimension 0 of `A` is written `A.0`",
  "'": "there are no strings and no characters",
  '"': "there are no strings and no characters",
  $: "names are made of the letters A to Z, digits and `_`",
  "\\": "a statement may go on in the next line without a sign",
};

/** What to write instead of what begins with an illegal character. */
export function characterHint(text: string, line: string): string | undefined {
  const [character = ""] = text;
  if (text.startsWith("..")) return "a range is written `LOWER:UPPER`";
  // The names of functions that take a text.
  const called = /([A-Za-z_]\w*)\(\s*$/.exec(line)?.[1];
  const hint = called === undefined ? undefined : functionHint(called);
  if (/["']/.test(character) && hint !== undefined) return hint;
  if (Object.hasOwn(characterHints, character)) return characterHints[character];
  if (/\p{L}/u.test(character)) return characterHints["$"];
  return undefined;
}

/** The text, with the code point of what cannot be told from others by its looks. */
export function characterText(text: string): string {
  const [character = ""] = text;
  const short = text.length > 20 ? `${text.slice(0, 20)}...` : text;
  if (/^[!-~]/.test(character)) return `\`${short}\``;
  const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character)
    ? `\`${short}\` (U+${point})`
    : `the character U+${point}`;
}

/** What words of other languages should have been. */
const otherNames: Readonly<Record<string, string>> = {
  range: "a range is written `LOWER:UPPER`",
  sum: "sums are made by the operator `+=!`: `s(i) +=! A(i, k)`",
  dot: "sums are made by the operator `+=!`: `s +=! a(k) * b(k)`",
  mean: "add up with `+=!`, then divide by the size",
  prod: "products are made by the operator `*=!`",
  matmul: "sums are made by the operator `+=!`: `C(i, j) +=! A(i, k) * B(k, j)`",
  einsum: "sums are made by the operator `+=!`: `C(i, j) +=! A(i, k) * B(k, j)`",
  argmax: "the place of the largest is found by the operator `argmax=!`",
  argmin: "the place of the smallest is found by the operator `argmin=!`",
  power: "powers are written `pow(x, y)`",
  square: "powers are written `pow(x, y)`, or `x * x`",
  ln: "the natural logarithm is written `log(x)`",
  not: "the logical not is written `!`",
  len: "the size of dimension 0 of `A` is written `A.0`",
  size: "the size of dimension 0 of `A` is written `A.0`",
  shape: "the size of dimension 0 of `A` is written `A.0`",
  where: "choose with `condition ? a : b`",
  print: "only results leave a definition",
};

/** What constants of other languages should have been. */
const otherConstants: Readonly<Record<string, string>> = {
  True: "write `true`",
  TRUE: "write `true`",
  False: "write `false`",
  FALSE: "write `false`",
  Inf: "write `inf`",
  INFINITY: "write `inf`",
  infinity: "write `inf`",
  None: "there is no such value",
  nan: "there is no literal for NaN",
  NaN: "there is no literal for NaN",
  pi: "write the number, `3.14159265`",
  PI: "write the number, `3.14159265`",
  M_PI: "write the number, `3.14159265`",
};

/** What to write instead of a function of another language. */
export function functionHint(name: string): string | undefined {
  return own(otherNames, name);
}

/** What to write instead of a constant of another language. */
export function constantHint(name: string): string | undefined {
  return own(otherConstants, name);
}

/** The constant of this language that a constant of another is. */
export function constantOf(name: string): string | undefined {
  return /^write (?:the number, )?`(.*)`$/.exec(constantHint(name) ?? "")?.[1];
}
