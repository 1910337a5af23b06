/** WGSL text of narrow values: in words, and as values of a wider type. */
import type { NarrowType } from "../../support/scalar-type.ts";
import { elementsPerWord, packWord } from "../../support/words.ts";
import { literalValue } from "../fold-literals.ts";
import type { KernelExpression, Width } from "../kernel.ts";
import type { Polyfill } from "./polyfills.ts";

/** Texts of operands: of any precedence, and such that they can be operands of a shift. */
export interface OperandText {
  any(e: KernelExpression): string;
  unary(e: KernelExpression): string;
  usePolyfill(polyfill: Polyfill, width: Width): string;
}

function isSigned(element: NarrowType): boolean {
  return element === "int8" || element === "int16";
}

function bitsOf(element: NarrowType): number {
  return 32 / elementsPerWord(element);
}

/** The text of a value, of any precedence, made one of a narrow type; the text is primary. */
export function printNarrowed(
  value: string,
  element: NarrowType,
  width: Width,
  { usePolyfill }: OperandText,
): string {
  if (element === "float16") return `${usePolyfill("roundToHalf", width)}(${value})`;
  return `extractBits(${value}, 0u, ${bitsOf(element)}u)`;
}

/** The first bit of a position in a word. */
function printOffset(element: NarrowType, position: KernelExpression, text: OperandText): string {
  const bits = bitsOf(element);
  if (position.kind === "literal") return `${position.value * bits}u`;
  return `${text.unary(position)} * ${bits}u`;
}

/** A value from a word; the text is primary. */
export function printUnpack(e: KernelExpression & { kind: "unpack" }, text: OperandText): string {
  const { element, word, position } = e;
  const bits = bitsOf(element);
  if (element === "float16") {
    if (position.kind === "literal") {
      return `unpack2x16float(${text.any(word)}).${position.value === 0 ? "x" : "y"}`;
    }
    const shifted = `${text.unary(word)} >> (${printOffset(element, position, text)})`;
    return `unpack2x16float(${shifted}).x`;
  }
  const value = isSigned(element) ? `bitcast<i32>(${text.any(word)})` : text.any(word);
  return `extractBits(${value}, ${printOffset(element, position, text)}, ${bits}u)`;
}

/** The bits of a value, the lowest of a word whose others may be anything; float16: are 0. */
function printBits(element: NarrowType, part: KernelExpression, text: OperandText): string {
  if (element !== "float16") {
    return isSigned(element) ? `bitcast<u32>(${text.any(part)})` : text.unary(part);
  }
  // Rounded once is enough.
  const isRounded = part.kind === "cast" && part.narrow === element;
  const value = isRounded && part.operand.type.scalar === "float32" ? part.operand : part;
  return `${text.usePolyfill("halfBits", 1)}(${text.any(value)})`;
}

/** The word of values; the text has the precedence of `|`. */
export function printPack(e: KernelExpression & { kind: "pack" }, text: OperandText): string {
  const { element, parts } = e;
  const bits = bitsOf(element);
  const mask = `${2 ** bits - 1}u`;
  const last = parts.length - 1;
  const pieces = parts.map((part, n) => {
    // WGSL refuses shifts of constants that lose bits.
    const constant = literalValue(part)?.[0];
    if (constant !== undefined) return `${(packWord(element, [constant]) << (n * bits)) >>> 0}u`;
    const value = printBits(element, part, text);
    if (n === last) return `(${value} << ${n * bits}u)`;
    if (element === "float16") return value;
    return n === 0 ? `(${value} & ${mask})` : `((${value} & ${mask}) << ${n * bits}u)`;
  });
  return pieces.join(" | ");
}
