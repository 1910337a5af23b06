/** Declared types, as messages show them. */
import type { TypeNode } from "../frontend/syntax/ast.ts";
import { printExpression } from "../frontend/syntax/print-ast.ts";
import { remember } from "../support/remember.ts";

/** `float(M, K)`; `float` for a scalar. */
export function typeText({ scalar, dimensions }: TypeNode): string {
  if (dimensions === undefined) return scalar;
  return `${scalar}(${dimensions.map((d) => printExpression(d)).join(", ")})`;
}

/** `[M, K]`. */
export function shapeText({ dimensions = [] }: TypeNode): string {
  return `[${dimensions.map((d) => printExpression(d)).join(", ")}]`;
}

/** What to give for a tensor: "is `float(M, K)`: give { data, shape: [M, K] }". Every call asks, in case it is at fault. */
export const adviceText: (type: TypeNode) => string = remember((type: TypeNode) => {
  const example =
    type.dimensions === undefined ? "a number" : `{ data, shape: ${shapeText(type)} }`;
  return `is \`${typeText(type)}\`: give ${example}`;
});
