/** Closures for binary operators: the frequent ones written out, since a call costs as much. */
import type { ScalarType } from "../../support/scalar-type.ts";
import type { BinaryOperator } from "../kernel.ts";
import type { Binary } from "../scalar-semantics.ts";
import type { Evaluate } from "./scope.ts";

function compileFloat(operator: BinaryOperator, a: Evaluate, b: Evaluate): Evaluate | undefined {
  switch (operator) {
    case "+":
      return (base) => Math.fround(a(base) + b(base));
    case "-":
      return (base) => Math.fround(a(base) - b(base));
    case "*":
      return (base) => Math.fround(a(base) * b(base));
    default:
      return undefined;
  }
}

function compileUnsigned(operator: BinaryOperator, a: Evaluate, b: Evaluate): Evaluate | undefined {
  switch (operator) {
    case "+":
      return (base) => (a(base) + b(base)) >>> 0;
    case "*":
      return (base) => Math.imul(a(base), b(base)) >>> 0;
    case "<":
      return (base) => (a(base) < b(base) ? 1 : 0);
    default:
      return undefined;
  }
}

/** `a operator b` on operands of the type; `apply` is the operator's meaning. */
export function compileBinary(
  operator: BinaryOperator,
  type: ScalarType,
  apply: Binary,
  a: Evaluate,
  b: Evaluate,
): Evaluate {
  const written =
    type === "float32"
      ? compileFloat(operator, a, b)
      : type === "uint32"
        ? compileUnsigned(operator, a, b)
        : undefined;
  return written ?? ((base) => apply(a(base), b(base)));
}
