import type { Interval } from "../ir/affine.ts";
import { isConstant } from "../ir/affine.ts";
import { assertNever, defined, InternalCompilerError } from "../support/assert.ts";
import { isFloat, type NarrowInteger, type ScalarType, toElement } from "../support/scalar-type.ts";
import type { CheckedExpression, CheckedIndex } from "./checked.ts";
import type { CheckedBounds } from "./checks/check-access.ts";
import { type Typed, type TypedAccess, typedOperands } from "./names/typed.ts";
import { type AffineContext, affineOf, intervalIn } from "./ranges/affine-of.ts";

/** What the conversion of one statement's expressions needs. */
export interface ConversionScope {
  readonly context: AffineContext;
  readonly intervals: ReadonlyMap<string, Interval>;
  readonly bounds: (access: TypedAccess) => CheckedBounds | undefined;
}

/**
 * Makes a typed expression independent of names: integer parts that are affine become coordinates,
 * accesses get affine or opaque indices and their guards. Requires an expression without errors.
 */
export function toChecked(e: Typed, scope: ConversionScope): CheckedExpression {
  const affine = e.type === "int32" ? affineOf(e, scope.context) : undefined;
  if (affine !== undefined && neverWraps(e, scope)) {
    return isConstant(affine)
      ? { kind: "literal", value: affine.constant, type: "int32" }
      : { kind: "coordinate", affine, type: "int32" };
  }
  switch (e.kind) {
    case "literal":
      return { kind: "literal", value: e.value, type: e.type };
    case "access":
      return accessToChecked(e, scope);
    case "unary":
      return {
        kind: "unary",
        operator: e.operator,
        operand: toChecked(e.operand, scope),
        type: e.type,
      };
    case "binary":
      return {
        kind: "binary",
        operator: e.operator,
        left: toChecked(e.left, scope),
        right: toChecked(e.right, scope),
        type: e.type,
      };
    case "select":
      return {
        kind: "select",
        condition: toChecked(e.condition, scope),
        whenTrue: toChecked(e.whenTrue, scope),
        whenFalse: toChecked(e.whenFalse, scope),
        type: e.type,
      };
    case "call": {
      const parts = e.arguments.map((part) => toChecked(part, scope));
      return { kind: "call", function: e.function, arguments: parts, type: e.type };
    }
    case "cast":
      return castToChecked(toChecked(e.operand, scope), e.type, e.narrow);
    case "index":
    case "size":
    case "extent":
    case "error":
      throw new InternalCompilerError(`no value for ${e.kind}`);
    default:
      return assertNever(e);
  }
}

/** Casts of constants to float are done here; sizes are such constants. */
function castToChecked(
  operand: CheckedExpression,
  type: ScalarType,
  narrow: NarrowInteger | undefined,
): CheckedExpression {
  if (narrow !== undefined) return { kind: "cast", operand, narrow, type };
  const isConstant = operand.kind === "literal" && operand.type !== "bool";
  if (isConstant && operand.type !== "uint32" && isFloat(type)) {
    return { kind: "literal", value: toElement(type)(operand.value), type };
  }
  return { kind: "cast", operand, type };
}

function accessToChecked(e: TypedAccess, scope: ConversionScope): CheckedExpression {
  const index = e.indices.map((part): CheckedIndex => {
    const affine = affineOf(part, scope.context);
    return affine === undefined
      ? { kind: "opaque", expression: toChecked(part, scope) }
      : { kind: "affine", affine };
  });
  const { guard, context } = defined(scope.bounds(e), "the bounds of a read of", e.tensor);
  const access = { tensor: e.tensor, index, guard, context, fill: e.fill ?? 0, span: e.span };
  return { kind: "access", access, type: e.type };
}

/** True when the value of an affine expression and all values on the way to it fit into int32. */
function neverWraps(e: Typed, scope: ConversionScope): boolean {
  const affine = affineOf(e, scope.context);
  // An index has no value but its own; one that is too large is refused later.
  if (affine === undefined || e.kind === "index") return true;
  return (
    fitsInt32(intervalIn(affine, scope.intervals, scope.context)) &&
    typedOperands(e).every((part) => neverWraps(part, scope))
  );
}

function fitsInt32({ lo, hi }: Interval): boolean {
  return lo >= -2147483648 && hi <= 2147483647;
}
