/** Sums of index arithmetic, taken apart and put together again: it wraps, so any order is the same. */
import { addIndex, indexLiteral, scaleIndex, subtractIndex } from "../build.ts";
import type { KernelExpression } from "../kernel.ts";
import { divideIndex } from "../print-wgsl/split-index.ts";

/** The value is `constant` and all of `plus`, without all of `minus`, modulo 2³². */
export interface IndexSum {
  readonly plus: readonly KernelExpression[];
  readonly minus: readonly KernelExpression[];
  readonly constant: number;
}

/** True for a scalar `uint32` sum or difference. */
export function isIndexSum(e: KernelExpression): boolean {
  const isSum = e.kind === "binary" && (e.operator === "+" || e.operator === "-");
  return isSum && e.type.scalar === "uint32" && e.type.width === 1;
}

/** The terms of a sum that is multiplied by a literal. */
function scaledSum(e: KernelExpression): IndexSum | undefined {
  if (e.kind !== "binary" || e.operator !== "*" || !isIndexSum(e.left)) return undefined;
  if (e.right.kind !== "literal") return undefined;
  const factor = e.right.value;
  const { plus, minus, constant } = termsOf(e.left);
  const scaled = constant * factor;
  if (Math.abs(scaled) >= 2 ** 31) return undefined;
  const scale = (term: KernelExpression): KernelExpression => scaleIndex(term, factor);
  return { plus: plus.map(scale), minus: minus.map(scale), constant: scaled };
}

/** The terms of an expression, which are no sums themselves. */
export function termsOf(e: KernelExpression): IndexSum {
  if (e.kind === "literal") return { plus: [], minus: [], constant: e.value | 0 };
  const scaled = scaledSum(e);
  if (scaled !== undefined) return scaled;
  if (e.kind !== "binary" || !isIndexSum(e)) return { plus: [e], minus: [], constant: 0 };
  const [left, right] = [termsOf(e.left), termsOf(e.right)];
  if (e.operator === "+") {
    return {
      plus: [...left.plus, ...right.plus],
      minus: [...left.minus, ...right.minus],
      constant: left.constant + right.constant,
    };
  }
  return {
    plus: [...left.plus, ...right.minus],
    minus: [...left.minus, ...right.plus],
    constant: left.constant - right.constant,
  };
}

/** The sum as an expression: what is added first, then what is subtracted. */
export function sumOf({ plus, minus, constant }: IndexSum): KernelExpression {
  const all = [...plus, indexLiteral(Math.max(0, constant))].reduce(addIndex);
  return [...minus, indexLiteral(Math.max(0, -constant))].reduce(subtractIndex, all);
}

/**
 * A sum of terms, and what it has to be multiplied with: divided by the width of the
 * vectors that it addresses, where that is exact, so that the text needs no division.
 */
export function inVectors(
  terms: readonly KernelExpression[],
  width: number,
): { readonly value: KernelExpression; readonly factor: number } {
  const whole = sumOf({ plus: terms, minus: [], constant: 0 });
  const divided = width === 1 ? undefined : divideIndex(whole, width, new Map());
  return divided === undefined ? { value: whole, factor: 1 } : { value: divided, factor: width };
}

/** `factor * value + rest`. */
export function withBase(
  value: KernelExpression,
  factor: number,
  rest: IndexSum,
): KernelExpression {
  return sumOf({ ...rest, plus: [scaleIndex(value, factor), ...rest.plus] });
}
