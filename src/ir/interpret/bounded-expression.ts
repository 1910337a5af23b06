/** Expressions with an error bound beside the value: see error-model.ts for what it means. */
import { assertNever, defined } from "../../support/assert.ts";
import { roundToHalf } from "../../support/half.ts";
import { scalarFunction } from "../../support/scalar-functions.ts";
import { isFloat, toElement } from "../../support/scalar-type.ts";
import type { Expression } from "../expression.ts";
import { binaryFunction, conversion, wrapFunction } from "../scalar-operators.ts";
import { compileRead } from "./compile-access.ts";
import type { ExpressionContext } from "./compile-expression.ts";
import { operationUnit, ownError, propagation, rounded, roundedToHalf } from "./error-model.ts";
import { compileAffine, type Evaluate } from "./frame.ts";
import { choiceError, functionError } from "./function-errors.ts";

/** Compiled closures return the value and leave its error in `error[0]`. */
export interface BoundedContext extends ExpressionContext {
  readonly error: Float64Array;
  /** The errors of the states. */
  readonly leftError: Float64Array;
  readonly rightError: Float64Array;
  /** False where the reduction accounts for the rounding of its operations as a whole. */
  readonly rounds: boolean;
  /** Set to 1 when an opaque coordinate is not known exactly. */
  readonly astray: Uint8Array;
}

type Of<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;

/** Compiles an opaque coordinate, which reports when rounding may change it. */
export function boundedCoordinate(context: BoundedContext): (e: Expression) => Evaluate {
  const { error, astray } = context;
  return (e) => {
    const value = boundedExpression(e, context);
    return () => {
      const at = value();
      if (error[0] !== 0) astray[0] = 1;
      return at;
    };
  };
}

function boundedRead(e: Of<"read">, context: BoundedContext): Evaluate {
  const { error, astray } = context;
  const access = defined(context.statement.reads[e.read], "read", e.read);
  const place = compileRead({ ...context, coordinate: boundedCoordinate(context) }, access);
  const data = defined(place.storage.data[e.component], "component", e.component);
  const bound = defined(place.storage.bounds[e.component], "component", e.component);
  const { offset } = place;
  if (place.affine !== null) {
    return () => {
      const at = offset();
      error[0] = bound[at] as number;
      return data[at] as number;
    };
  }
  const fill = toElement(e.type)(access.fill);
  return () => {
    const before = astray[0] as number;
    astray[0] = 0;
    const at = offset();
    const known = astray[0] === 0;
    astray[0] = before;
    if (!known) error[0] = Infinity;
    else error[0] = at < 0 ? 0 : (bound[at] as number);
    return at < 0 ? fill : (data[at] as number);
  };
}

function boundedBinary(e: Of<"binary">, context: BoundedContext): Evaluate {
  const { error } = context;
  const left = boundedExpression(e.left, context);
  const right = boundedExpression(e.right, context);
  const apply = binaryFunction(e.operator, e.left.type);
  const propagate = propagation(e.operator, e.left.type);
  const own = context.rounds ? ownError(e.operator, e.left.type) : null;
  if (own === null) {
    return () => {
      const a = left();
      const ea = error[0] as number;
      const b = right();
      const v = apply(a, b);
      error[0] = propagate(a, ea, b, error[0] as number, v);
      return v;
    };
  }
  return () => {
    const a = left();
    const ea = error[0] as number;
    const b = right();
    const v = apply(a, b);
    error[0] = own(propagate(a, ea, b, error[0] as number, v), v);
    return v;
  };
}

function boundedSelect(e: Of<"select">, context: BoundedContext): Evaluate {
  const { error } = context;
  const condition = boundedExpression(e.condition, context);
  const yes = boundedExpression(e.whenTrue, context);
  const no = boundedExpression(e.whenFalse, context);
  const float = isFloat(e.type);
  return () => {
    const taken = condition() !== 0 ? yes : no;
    const eTest = error[0] as number;
    const v = taken();
    if (eTest === 0) return v;
    const ev = error[0] as number;
    const other = (taken === yes ? no : yes)();
    const exact = choiceError(v, ev, other, error[0] as number, eTest);
    error[0] = float || exact === 0 ? exact : Infinity;
    return v;
  };
}

function boundedCall(e: Of<"call">, context: BoundedContext): Evaluate {
  const { error } = context;
  const { evaluate } = defined(scalarFunction(e.function), "function", e.function);
  const nothing = (): number => {
    error[0] = 0;
    return 0;
  };
  const [fa = nothing, fb = nothing, fc = nothing] = e.arguments.map((x) =>
    boundedExpression(x, context),
  );
  const float = e.arguments[0]?.type === "float32";
  const known = float ? functionError(e.function) : null;
  const wrap = wrapFunction(e.type);
  return () => {
    const a = fa();
    const ea = error[0] as number;
    const b = fb();
    const eb = error[0] as number;
    const c = fc();
    const ec = error[0] as number;
    const v = evaluate(a, b, c);
    if (known === null) error[0] = ea + eb + ec === 0 ? 0 : Infinity;
    else error[0] = known(v, a, ea, b, eb, c, ec);
    return wrap === null ? v : wrap(v);
  };
}

function boundedCast(e: Of<"cast">, context: BoundedContext): Evaluate {
  const { error } = context;
  const operand = boundedExpression(e.operand, context);
  const [from, to] = [e.operand.type, e.type];
  if (to === "float16" || e.narrow === "float16" || (!isFloat(from) && to === "float32")) {
    const half = to === "float16" || e.narrow === "float16";
    return () => {
      const v = operand();
      const before = error[0] as number;
      if (!half) {
        error[0] = rounded(before, v, operationUnit);
        return v;
      }
      const nearest = roundToHalf(v);
      // Without an error before, both round the same number; else perhaps to neighbours.
      const moved = before === 0 || !Number.isFinite(nearest) ? 0 : Math.abs(v - nearest);
      error[0] = roundedToHalf(before, v) + moved;
      return nearest;
    };
  }
  const convert = conversion(e);
  if (convert === null || !isFloat(from)) {
    return convert === null ? operand : () => convert(operand());
  }
  const same = (v: number, ev: number): boolean =>
    to === "bool" ? Math.abs(v) > ev : convert(v - ev) === convert(v + ev);
  return () => {
    const v = operand();
    const ev = error[0] as number;
    if (ev !== 0) error[0] = same(v, ev) ? 0 : Infinity;
    return convert(v);
  };
}

function boundedUnary(e: Of<"unary">, context: BoundedContext): Evaluate {
  const operand = boundedExpression(e.operand, context);
  if (e.operator === "not") return () => (operand() === 0 ? 1 : 0);
  const wrap = wrapFunction(e.type);
  return wrap === null ? () => -operand() : () => wrap(-operand());
}

function exactly(value: Evaluate, error: Float64Array): Evaluate {
  return () => {
    error[0] = 0;
    return value();
  };
}

/** Compiles an expression to a closure that computes its value and error. */
export function boundedExpression(e: Expression, context: BoundedContext): Evaluate {
  const { error } = context;
  switch (e.kind) {
    case "literal": {
      const value = toElement(e.type)(e.value);
      return exactly(() => value, error);
    }
    case "coordinate":
      return exactly(compileAffine(e.affine, context.frame), error);
    case "read":
      return boundedRead(e, context);
    case "state": {
      const values = context[e.side];
      const errors = e.side === "left" ? context.leftError : context.rightError;
      const c = e.component;
      return () => {
        error[0] = errors[c] as number;
        return values[c] as number;
      };
    }
    case "unary":
      return boundedUnary(e, context);
    case "binary":
      return boundedBinary(e, context);
    case "select":
      return boundedSelect(e, context);
    case "call":
      return boundedCall(e, context);
    case "cast":
      return boundedCast(e, context);
    default:
      return assertNever(e);
  }
}
