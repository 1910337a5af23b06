import { assertNever, defined } from "../../support/assert.ts";
import { roundToHalf } from "../../support/half.ts";
import { scalarFunction } from "../../support/scalar-functions.ts";
import { isFloat, toElement } from "../../support/scalar-type.ts";
import type { Affine } from "../affine.ts";
import type { BinaryOperator, Expression } from "../expression.ts";
import type { Statement } from "../program.ts";
import { binaryFunction, conversion, wrapFunction } from "../scalar-operators.ts";
import { compileRead } from "./compile-access.ts";
import { compileAffine, type Evaluate, type Frame, slotOf } from "./frame.ts";
import type { RandomRounding } from "./random-rounding.ts";
import { roundedCall, roundedDivision, roundedResult } from "./rounded-expression.ts";
import type { Storage } from "./storage.ts";

/** What the expressions of one statement are compiled against. */
export interface ExpressionContext {
  readonly frame: Frame;
  readonly storage: Storage;
  readonly statement: Statement;
  /** The states that a monoid's expressions are over, one number for each component. */
  readonly left: Float64Array;
  readonly right: Float64Array;
  /** What float operations do to their results; null to keep all of float64. */
  readonly rounding: RandomRounding | null;
}

/** A load from a place that needs no test. */
function compileLoad(data: Float64Array, affine: Affine, frame: Frame): Evaluate {
  const { values } = frame;
  const c = affine.constant;
  const [t, u, v] = affine.terms;
  if (t === undefined) return () => data[c] as number;
  const [s, m] = [slotOf(frame, t.variable), t.coefficient];
  if (u === undefined) return () => data[(values[s] as number) * m + c] as number;
  const [s2, m2] = [slotOf(frame, u.variable), u.coefficient];
  if (v === undefined) {
    return () => data[(values[s] as number) * m + (values[s2] as number) * m2 + c] as number;
  }
  const offset = compileAffine(affine, frame);
  return () => data[offset()] as number;
}

function compileReadValue(context: ExpressionContext, n: number, component: number): Evaluate {
  const access = defined(context.statement.reads[n], "read", n);
  const coordinate = (e: Expression): Evaluate => compileExpression(e, context);
  const place = compileRead({ ...context, coordinate }, access);
  const data = defined(place.storage.data[component], "component", component);
  if (place.affine !== null) return compileLoad(data, place.affine, context.frame);
  const { offset } = place;
  const type = defined(place.storage.tensor.components[component], "component", component);
  const fill = toElement(type)(access.fill);
  return () => {
    const at = offset();
    return at < 0 ? fill : (data[at] as number);
  };
}

/** The operators that inner loops are made of, without a call for the operator. */
function compileFloat(operator: BinaryOperator, a: Evaluate, b: Evaluate): Evaluate | null {
  switch (operator) {
    case "+":
      return () => a() + b();
    case "-":
      return () => a() - b();
    case "*":
      return () => a() * b();
    case "/":
      return () => a() / b();
    default:
      return null;
  }
}

function compileBinary(
  e: Extract<Expression, { kind: "binary" }>,
  context: ExpressionContext,
): Evaluate {
  const a = compileExpression(e.left, context);
  const b = compileExpression(e.right, context);
  const type = e.left.type;
  const { rounding } = context;
  if (rounding !== null && isFloat(type)) {
    const divided = roundedDivision(e.operator, a, b, rounding);
    if (divided !== null) return divided;
  }
  const quick = isFloat(type) ? compileFloat(e.operator, a, b) : null;
  if (quick !== null) return roundedResult(type, rounding, quick);
  const apply = binaryFunction(e.operator, type);
  return () => apply(a(), b());
}

function compileCall(
  e: Extract<Expression, { kind: "call" }>,
  context: ExpressionContext,
): Evaluate {
  const { evaluate } = defined(scalarFunction(e.function), "function", e.function);
  const zero = (): number => 0;
  const [a = zero, b = zero, c = zero] = e.arguments.map((x) => compileExpression(x, context));
  const wrap = wrapFunction(e.type);
  if (wrap !== null) return () => wrap(evaluate(a(), b(), c()));
  if (context.rounding !== null && isFloat(e.type)) {
    return roundedCall(e.function, [a, b, c], context.rounding);
  }
  if (e.arguments.length === 1) return () => evaluate(a(), 0, 0);
  return () => evaluate(a(), b(), c());
}

function compileUnary(
  e: Extract<Expression, { kind: "unary" }>,
  context: ExpressionContext,
): Evaluate {
  const a = compileExpression(e.operand, context);
  if (e.operator === "not") return () => (a() === 0 ? 1 : 0);
  const wrap = wrapFunction(e.type);
  return wrap === null ? () => -a() : () => wrap(-a());
}

/**
 * Compiles an expression to a closure that computes it in float64, or as the context rounds; integers
 * wrap at 32 bits. A float literal has its float32 value, since that is what it denotes.
 */
export function compileExpression(e: Expression, context: ExpressionContext): Evaluate {
  switch (e.kind) {
    case "literal": {
      const value = toElement(e.type)(e.value);
      return () => value;
    }
    case "coordinate":
      return compileAffine(e.affine, context.frame);
    case "read":
      return compileReadValue(context, e.read, e.component);
    case "state": {
      const [side, component] = [context[e.side], e.component];
      return () => side[component] as number;
    }
    case "unary":
      return compileUnary(e, context);
    case "binary":
      return compileBinary(e, context);
    case "select": {
      const test = compileExpression(e.condition, context);
      const yes = compileExpression(e.whenTrue, context);
      const no = compileExpression(e.whenFalse, context);
      return () => (test() !== 0 ? yes() : no());
    }
    case "call":
      return compileCall(e, context);
    case "cast": {
      const a = compileExpression(e.operand, context);
      const type = e.narrow === "float16" ? "float16" : e.type;
      // A cast to float16 rounds always, arithmetic of float16 where that is asked for.
      if (type === "float16" && context.rounding === null) return () => roundToHalf(a());
      const convert = conversion(e);
      const converted = convert === null ? a : (): number => convert(a());
      return roundedResult(type, context.rounding, converted);
    }
    default:
      return assertNever(e);
  }
}
