/** What conditions say of index expressions: a literal that they are at least, or at most. */
import { flatMap } from "../../support/flat-map.ts";
import type { KernelExpression } from "../kernel.ts";
import { expressionKey } from "../walk-kernel.ts";

/** What a condition says of an expression: it is at least, or at most, a literal. */
export interface Bound {
  readonly key: string;
  readonly bounded: KernelExpression;
  readonly operator: "max" | "min";
  readonly limit: number;
}

/** `a op b` as `b op a`. */
const mirrored: ReadonlyMap<string, string> = new Map([
  ["<", ">"],
  ["<=", ">="],
  [">", "<"],
  [">=", "<="],
]);

/** What `a op literal` says of `a`: it is at least or at most the literal and an offset. */
const limits: ReadonlyMap<string, readonly (readonly ["max" | "min", number])[]> = new Map([
  [
    "==",
    [
      ["max", 0],
      ["min", 0],
    ],
  ],
  ["<", [["min", -1]]],
  ["<=", [["min", 0]]],
  [">", [["max", 1]]],
  [">=", [["max", 0]]],
]);

/** The bounds on indices that a condition implies. */
export function boundsOf(e: KernelExpression): readonly Bound[] {
  if (e.kind !== "binary") return [];
  const { left, right, operator } = e;
  if (operator === "and") return [...boundsOf(left), ...boundsOf(right)];
  const literal = right.kind === "literal" ? right : left;
  const bounded = literal === right ? left : right;
  if (literal.kind !== "literal" || bounded.kind === "literal") return [];
  if (bounded.type.scalar !== "uint32" || bounded.type.width !== 1) return [];
  // With the literal on the left, the comparison reads the other way round.
  const relation = literal === right ? operator : (mirrored.get(operator) ?? operator);
  const key = expressionKey(bounded);
  return flatMap(limits.get(relation) ?? [], ([limiter, offset]): readonly Bound[] => {
    const limit = literal.value + offset;
    return limit < 0 || limit >= 2 ** 32 ? [] : [{ key, bounded, operator: limiter, limit }];
  });
}
