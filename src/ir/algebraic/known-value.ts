import { toElement } from "../../support/scalar-type.ts";
import type { Expression } from "../expression.ts";
import { binaryFunction, conversion, wrapFunction } from "../scalar-operators.ts";

/** The value of a read, by number; undefined if nothing is known of it. */
export type ReadValue = (read: number) => number | undefined;

function knownUnary(
  e: Extract<Expression, { kind: "unary" }>,
  value: number | undefined,
): number | undefined {
  if (value === undefined) return undefined;
  if (e.operator === "not") return value === 0 ? 1 : 0;
  return wrapFunction(e.type)?.(-value) ?? -value;
}

/**
 * The value of an expression in float64, if it depends on nothing but literals and reads that are
 * known; undefined otherwise. Calls are left open, since a device may round them in its own way, and
 * so is what conditions choose.
 */
export function knownValue(e: Expression, read: ReadValue): number | undefined {
  switch (e.kind) {
    case "literal":
      return toElement(e.type)(e.value);
    case "read": {
      const value = read(e.read);
      return value === undefined ? undefined : toElement(e.type)(value);
    }
    case "unary":
      return knownUnary(e, knownValue(e.operand, read));
    case "binary": {
      const [left, right] = [knownValue(e.left, read), knownValue(e.right, read)];
      if (left === undefined || right === undefined) return undefined;
      return binaryFunction(e.operator, e.left.type)(left, right);
    }
    case "cast": {
      const value = knownValue(e.operand, read);
      return value === undefined ? undefined : (conversion(e)?.(value) ?? value);
    }
    case "coordinate":
    case "state":
    case "select":
    case "call":
      return undefined;
  }
}
