/**
 * Magnitudes: the value that a monoid's state would have if nothing cancelled. For a sum this is
 * Σ|terms|, for a product |product|; rounding errors of a reduction are relative to it.
 */
import { assertNever } from "../../support/assert.ts";
import { type Expression, eachExpression, operands } from "../expression.ts";
import type { Monoid } from "../monoid.ts";
import { compileExpression, type ExpressionContext } from "./compile-expression.ts";
import type { Evaluate } from "./frame.ts";

/** The states' magnitudes. */
export interface MagnitudeContext extends ExpressionContext {
  readonly leftMagnitude: Float64Array;
  readonly rightMagnitude: Float64Array;
}

/** `|x|`; 0 for infinities, which do not round. */
export function magnitudeOf(x: number): number {
  return Math.abs(x) === Infinity ? 0 : Math.abs(x);
}

function binaryMagnitude(
  e: Extract<Expression, { kind: "binary" }>,
  context: MagnitudeContext,
): Evaluate {
  const a = compileMagnitude(e.left, context);
  const b = compileMagnitude(e.right, context);
  switch (e.operator) {
    case "+":
    case "-":
      return () => a() + b();
    case "*":
      return () => a() * b();
    case "/": {
      const divisor = compileExpression(e.right, context);
      return () => a() / Math.abs(divisor());
    }
    default:
      return () => Math.max(a(), b());
  }
}

/** Compiles the magnitude of an expression over states. */
export function compileMagnitude(e: Expression, context: MagnitudeContext): Evaluate {
  switch (e.kind) {
    case "state": {
      const from = e.side === "left" ? context.leftMagnitude : context.rightMagnitude;
      const c = e.component;
      return () => from[c] as number;
    }
    case "binary":
      return binaryMagnitude(e, context);
    case "unary":
    case "cast":
      return compileMagnitude(e.operand, context);
    case "select": {
      const yes = compileMagnitude(e.whenTrue, context);
      const no = compileMagnitude(e.whenFalse, context);
      return () => Math.max(yes(), no());
    }
    case "literal":
    case "coordinate":
    case "read":
    case "call": {
      const value = compileExpression(e, context);
      return () => magnitudeOf(value());
    }
    default:
      return assertNever(e);
  }
}

/** The number of operations on the longest way from the expression to a leaf. */
export function depthOf(e: Expression): number {
  const parts = operands(e);
  return parts.length === 0 ? 0 : 1 + Math.max(...parts.map(depthOf));
}

/**
 * True when combining integers gives integers by sums and products alone, so that states whose
 * magnitude is at most 2²⁴ never round, in whatever order they are combined.
 */
export function keepsIntegers(monoid: Monoid): boolean {
  const allowed = ["+", "-", "*", "min", "max"];
  return eachExpression(...monoid.combine).every(
    (x) => x.kind === "state" || (x.kind === "binary" && allowed.includes(x.operator)),
  );
}
