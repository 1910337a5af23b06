/**
 * Expressions in float32, every operation rounded to its type, with a probe that sees where a NaN or an
 * infinity is made: by an operation that gives NaN of operands that are none, or an infinity of
 * finite ones. Operations on infinities that give infinities make nothing.
 */
import { assertNever, defined } from "../../support/assert.ts";
import { scalarFunction } from "../../support/scalar-functions.ts";
import { isFloat, toElement } from "../../support/scalar-type.ts";
import { type Expression, operands } from "../expression.ts";
import { binaryFunction, conversion, wrapFunction } from "../scalar-operators.ts";
import { compileExpression, type ExpressionContext } from "./compile-expression.ts";
import type { Evaluate } from "./frame.ts";

/** What an operation made, and of what; one number for each of its operands. */
export type Probe = (operation: Expression, made: number, of: readonly number[]) => void;

/** Compiles an expression to a closure that computes it, and calls `probe` where it makes one. */
export function compileProbed(e: Expression, context: ExpressionContext, probe: Probe): Evaluate {
  switch (e.kind) {
    case "literal":
    case "coordinate":
    case "read":
    case "state":
      return compileExpression(e, context);
    case "select": {
      const [test, yes, no] = [e.condition, e.whenTrue, e.whenFalse].map((part) =>
        compileProbed(part, context, probe),
      );
      const [condition, whenTrue, whenFalse] = [
        defined(test, "condition"),
        defined(yes, "operand"),
        defined(no, "operand"),
      ];
      return () => (condition() !== 0 ? whenTrue() : whenFalse());
    }
    case "unary":
    case "binary":
    case "call":
    case "cast": {
      const parts = operands(e).map((part) => compileProbed(part, context, probe));
      return probed(e, parts, operationOf(e), probe);
    }
    default:
      return assertNever(e);
  }
}

type Operation = Extract<Expression, { kind: "unary" | "binary" | "call" | "cast" }>;

/** What an operation does to the values of its operands, in float64. */
function operationOf(e: Operation): (a: number, b: number, c: number) => number {
  switch (e.kind) {
    case "binary":
      return binaryFunction(e.operator, e.left.type);
    case "cast":
      return conversion(e) ?? ((a) => a);
    case "call": {
      const { evaluate } = defined(scalarFunction(e.function), "function", e.function);
      const wrap = wrapFunction(e.type);
      return wrap === null ? evaluate : (a, b, c) => wrap(evaluate(a, b, c));
    }
    case "unary": {
      if (e.operator === "not") return (a) => (a === 0 ? 1 : 0);
      const wrap = wrapFunction(e.type);
      return wrap === null ? (a) => -a : (a) => wrap(-a);
    }
  }
}

function probed(
  e: Operation,
  parts: readonly Evaluate[],
  apply: (a: number, b: number, c: number) => number,
  probe: Probe,
): Evaluate {
  const zero = (): number => 0;
  const [first = zero, second = zero, third = zero] = parts;
  const type = e.kind === "cast" ? (e.narrow ?? e.type) : e.type;
  if (!isFloat(type)) return () => apply(first(), second(), third());
  const round = toElement(type);
  return () => {
    const [a, b, c] = [first(), second(), third()];
    const value = round(apply(a, b, c));
    if (!Number.isFinite(value) && makes(value, a, b, c)) {
      probe(e, value, [a, b, c].slice(0, parts.length));
    }
    return value;
  };
}

/** Whether a value that is not finite is made here, and did not come from an operand. */
function makes(value: number, a: number, b: number, c: number): boolean {
  if (Number.isNaN(value)) return !(Number.isNaN(a) || Number.isNaN(b) || Number.isNaN(c));
  return Number.isFinite(a) && Number.isFinite(b) && Number.isFinite(c);
}
