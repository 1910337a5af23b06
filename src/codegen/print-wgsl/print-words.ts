/** WGSL text of narrow values: in words, and as values of a wider type. */
import type { NarrowInteger, NarrowType } from "../../support/scalar-type.ts";
import { elementsPerWord } from "../../support/words.ts";
import { literalValue } from "../fold-literals.ts";
import type { KernelExpression } from "../kernel.ts";

/** Texts of operands: of any precedence, and such that they can be operands of a shift. */
export interface OperandText {
  any(e: KernelExpression): string;
  unary(e: KernelExpression): string;
}

function isSigned(element: NarrowInteger): boolean {
  return element === "int8" || element === "int16";
}

function bitsOf(element: NarrowType): number {
  return 32 / elementsPerWord(element);
}

/** The text of a value, of any precedence, made one of a narrow type; the text is primary. */
export function printNarrowed(value: string, element: NarrowType): string {
  if (element === "float16") return `quantizeToF16(${value})`;
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

/** The word of values; the text has the precedence of `|`. */
export function printPack(e: KernelExpression & { kind: "pack" }, text: OperandText): string {
  const { element, parts } = e;
  if (element === "float16") {
    return `pack2x16float(vec2<f32>(${parts.map((part) => text.any(part)).join(", ")}))`;
  }
  const bits = bitsOf(element);
  const mask = `${2 ** bits - 1}u`;
  const last = parts.length - 1;
  const pieces = parts.map((part, n) => {
    // WGSL refuses shifts of constants that lose bits.
    const constant = literalValue(part)?.[0];
    if (constant !== undefined) return `${((constant & (2 ** bits - 1)) << (n * bits)) >>> 0}u`;
    const value = isSigned(element) ? `bitcast<u32>(${text.any(part)})` : text.unary(part);
    if (n === last) return `(${value} << ${n * bits}u)`;
    return n === 0 ? `(${value} & ${mask})` : `((${value} & ${mask}) << ${n * bits}u)`;
  });
  return pieces.join(" | ");
}
