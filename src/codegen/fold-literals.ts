/**
 * Values of expressions that hold nothing but literals.
 *
 * WGSL evaluates such expressions when it compiles and refuses overflow, division by zero and the
 * like, where kernel IR has a defined value; so the printer never leaves one in the text.
 */
import { defined } from "../support/assert.ts";
import { listOf } from "../support/list-of.ts";
import { packWord, unpackPart } from "../support/words.ts";
import type { KernelExpression } from "./kernel.ts";
import {
  binarySemantics,
  callSemantics,
  castSemantics,
  negation,
  toScalar,
} from "./scalar-semantics.ts";
import { kernelOperands } from "./walk-kernel.ts";

type Components = readonly number[];

function spread(components: Components, width: number): Components {
  const [first = 0] = components;
  return components.length === width ? components : listOf(width, () => first);
}

function scalarFold(e: KernelExpression): (a: number, b: number, c: number) => number {
  switch (e.kind) {
    case "unary":
      return e.operator === "not" ? (a) => 1 - a : negation(e.type.scalar);
    case "binary":
      return defined(binarySemantics(e.operator, e.left.type.scalar), "operator", e.operator);
    case "select":
      return (condition, whenTrue, whenFalse) => (condition !== 0 ? whenTrue : whenFalse);
    case "call":
      return callSemantics(e.function, e.type.scalar);
    case "cast":
      return castSemantics(e.operand.type.scalar, e.type.scalar, e.narrow);
    case "unpack":
      return (word, position) => unpackPart(e.element, word, position);
    default:
      return (a) => a;
  }
}

function foldOperation(e: KernelExpression, parts: readonly Components[]): Components {
  const { width } = e.type;
  if (e.kind === "vector") return spread(parts.flat(), width);
  if (e.kind === "component") return [parts[0]?.[e.index] ?? 0];
  if (e.kind === "pack") return [packWord(e.element, parts.flat())];
  const [a = [], b = [], c = []] = parts.map((part) => spread(part, width));
  const fold = scalarFold(e);
  return listOf(width, (i) => fold(a[i] ?? 0, b[i] ?? 0, c[i] ?? 0));
}

/** The components of the value, as many as its width, or undefined where it is not constant. */
export function literalValue(e: KernelExpression): readonly number[] | undefined {
  if (e.kind === "literal") return spread([toScalar(e.type.scalar)(e.value)], e.type.width);
  const operands = kernelOperands(e);
  if (operands.length === 0 || e.kind === "load") return undefined;
  const parts: Components[] = [];
  for (const operand of operands) {
    const part = literalValue(operand);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return foldOperation(e, parts);
}
