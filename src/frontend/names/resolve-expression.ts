import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import type { BinaryOperator } from "../../ir/expression.ts";
import { flatMap } from "../../support/flat-map.ts";
import { computedAs, isFloat } from "../../support/scalar-type.ts";
import type { Apply, Binary, Conditional, Expression, Extent, Pad, Unary } from "../syntax/ast.ts";
import { printExpression } from "../syntax/print-ast.ts";
import { builtin } from "./builtins.ts";
import { resolveCall } from "./resolve-call.ts";
import { callableNames, type Place, resolveName, type Scope, visibleNames } from "./scope.ts";
import { suggestName } from "./suggest-name.ts";
import type { Typed, TypedLiteral } from "./typed.ts";
import { convert, foldInteger, promote, scalarTypeOf, typedError } from "./types.ts";

/**
 * Resolves the names of an expression and types it; conversions become casts. What is wrong is
 * reported and poisoned.
 */
export function resolveExpression(e: Expression, scope: Scope, place: Place): Typed {
  switch (e.kind) {
    case "integer":
      return { kind: "literal", value: e.value, type: "int32", adapts: true, span: e.span };
    case "float": {
      const value = Math.fround(e.value);
      return { kind: "literal", value, type: "float32", adapts: true, span: e.span };
    }
    case "infinity":
      return { kind: "literal", value: Infinity, type: "float32", adapts: true, span: e.span };
    case "boolean": {
      const value = e.value ? 1 : 0;
      return { kind: "literal", value, type: "bool", adapts: false, span: e.span };
    }
    case "name":
      return resolveName(e.name, e.span, scope, place, (value, at) =>
        resolveExpression(value, scope, at),
      );
    case "apply":
      return resolveApply(e, scope, place);
    case "cast": {
      const type = scalarTypeOf(e.type, e.span, scope.report);
      const operand = resolveExpression(e.operand, scope, place);
      if (operand.type === "error") return operand;
      const settled = settle(operand, scope);
      return { ...convert(settled, type, scope.report), span: e.span };
    }
    case "extent":
      return resolveExtent(e, scope);
    case "pad":
      return resolvePad(e, scope, place);
    case "unary":
      return resolveUnary(e, scope, place);
    case "binary":
      return resolveBinary(e, scope, place);
    case "conditional":
      return resolveConditional(e, scope, place);
    case "missing":
      return typedError(e.span);
  }
}

/** An index: an integer, converted to int32. */
export function resolveIndex(e: Expression, scope: Scope, onLeft: boolean): Typed {
  const index = resolveExpression(e, scope, { inIndex: true, onLeft });
  if (index.type !== "error" && (isFloat(index.type) || index.type === "bool")) {
    const data = { type: index.type };
    const named = e.kind === "name" && index.kind === "access" ? { ...data, named: e.name } : data;
    scope.report(diagnose("TC3013", named, e.span));
    return typedError(e.span);
  }
  return convert(index, "int32", scope.report);
}

/** A condition, which must be bool. */
export function resolveCondition(e: Expression, scope: Scope, place: Place, where: string): Typed {
  const condition = resolveExpression(e, scope, place);
  if (condition.type === "bool" || condition.type === "error") return condition;
  scope.report(diagnose("TC2008", { expected: "bool", found: condition.type, where }, e.span));
  return typedError(e.span);
}

/** A written constant that nothing asked to adapt has its own type. */
function settle(e: Typed, scope: Scope): Typed {
  return e.kind === "literal" && e.adapts && e.value <= 0x7fffffff
    ? convert(e, e.type, scope.report)
    : e;
}

function resolveApply(e: Apply, scope: Scope, place: Place): Typed {
  const { name } = e.name;
  const tensor = scope.symbols.tensors.get(name);
  if (tensor !== undefined) {
    const indices = e.arguments.map((a) => resolveIndex(a, scope, place.onLeft));
    if (tensor.rank === undefined) return typedError(e.span);
    if (indices.length !== tensor.rank) {
      const data = { name, rank: tensor.rank, found: indices.length };
      const labels = [{ span: tensor.span, text: `\`${name}\` is from here` }];
      scope.report(diagnose("TC2006", data, e.span, { labels }));
      return typedError(e.span);
    }
    const type = scope.types.get(name);
    if (type === undefined || indices.some((i) => i.type === "error")) return typedError(e.span);
    return {
      kind: "access",
      tensor: name,
      indices,
      fill: null,
      type: computedAs(type),
      span: e.span,
    };
  }
  if (scope.definitions.has(name)) {
    scope.report(diagnose("TC2024", { name }, e.name.span));
    return typedError(e.span);
  }
  if (builtin(name) === undefined) return unknownFunction(e, scope);
  const values = e.arguments.map((a) => resolveExpression(a, scope, place));
  return resolveCall(e, values, scope) ?? typedError(e.span);
}

/**
 * Reports a name that is neither a tensor nor a function. What stands in its parentheses may be
 * indices or arguments: only such names among it are looked at.
 */
function unknownFunction(e: Apply, scope: Scope): Typed {
  const { name } = e.name;
  const report: Report = (d) => {
    if (d.code === "TC2004" || d.code === "TC2022") scope.report(d);
  };
  const quiet = { ...scope, report };
  for (const a of e.arguments) resolveExpression(a, quiet, { inIndex: true, onLeft: false });
  if (visibleNames(scope).includes(name)) scope.report(diagnose("TC2022", { name }, e.name.span));
  else {
    scope.report(diagnose("TC2004", suggestName(name, callableNames(scope)), e.name.span));
  }
  return typedError(e.span);
}

function resolveExtent(e: Extent, scope: Scope): Typed {
  const { name, span } = e.tensor;
  const tensor = scope.symbols.tensors.get(name);
  if (tensor === undefined) {
    scope.report(diagnose("TC2001", suggestName(name, scope.symbols.tensors.keys()), span));
    return typedError(e.span);
  }
  if (tensor.rank === undefined) return typedError(e.span);
  if (e.dimension >= tensor.rank) {
    const data = { name, dimension: e.dimension, rank: tensor.rank };
    scope.report(diagnose("TC2020", data, e.span));
    return typedError(e.span);
  }
  const { dimension } = e;
  return { kind: "extent", tensor: name, dimension, type: "int32", span: e.span };
}

/**
 * `pad(T(e), v)`, of the common type of both: a constant `v` of the access's type is its fill;
 * another becomes a `select` on whether the indices are inside.
 */
function resolvePad(e: Pad, scope: Scope, place: Place): Typed {
  const access = resolveExpression(e.access, scope, place);
  const value = e.value === undefined ? undefined : resolveExpression(e.value, scope, place);
  if (access.type === "error" || value?.type === "error") return typedError(e.span);
  if (access.kind !== "access") {
    const where = "the first argument of `pad`";
    const data = { expected: "an access of a tensor", found: "an expression", where };
    scope.report(diagnose("TC2008", data, e.access.span));
    return typedError(e.span);
  }
  if (value === undefined) return { ...access, fill: 0, span: e.span };
  const type = promote(access, value);
  const outside = convert(value, type, scope.report);
  if (type === "error") return typedError(e.span);
  if (outside.kind === "literal" && type === access.type) {
    return { ...access, fill: outside.value, span: e.span };
  }
  const inside = flatMap(access.indices, (index, dimension): Typed[] => [
    compare("<=", zeroAt(e.span), index, e.span),
    compare("<", index, extentOf(access.tensor, dimension, e.span), e.span),
  ]);
  const condition = inside.reduce<Typed>(
    (left, right) => ({ kind: "binary", operator: "and", left, right, type: "bool", span: e.span }),
    { kind: "literal", value: 1, type: "bool", adapts: false, span: e.span },
  );
  const whenTrue = convert({ ...access, fill: 0 }, type, scope.report);
  const whenFalse = outside;
  return { kind: "select", condition, whenTrue, whenFalse, pads: true, type, span: e.span };
}

function zeroAt(span: Span): Typed {
  return { kind: "literal", value: 0, type: "int32", adapts: false, span };
}

function extentOf(tensor: string, dimension: number, span: Span): Typed {
  return { kind: "extent", tensor, dimension, type: "int32", span };
}

function compare(operator: "<" | "<=", left: Typed, right: Typed, span: Span): Typed {
  return { kind: "binary", operator, left, right, type: "bool", span };
}

function resolveUnary(e: Unary, scope: Scope, place: Place): Typed {
  if (e.operator === "!") {
    const operand = resolveCondition(e.operand, scope, place, "the operand of `!`");
    if (operand.type === "error") return operand;
    return { kind: "unary", operator: "not", operand, type: "bool", span: e.span };
  }
  const operand = resolveExpression(e.operand, scope, place);
  if (operand.type === "error") return operand;
  if (operand.kind === "literal" && operand.type !== "bool") {
    return { ...operand, value: 0 - operand.value, span: e.span };
  }
  const type = operand.type === "bool" ? "int32" : operand.type;
  const number = convert(operand, type, scope.report);
  return { kind: "unary", operator: "negate", operand: number, type, span: e.span };
}

const comparisons: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!="]);

function resolveBinary(e: Binary, scope: Scope, place: Place): Typed {
  if (e.operator === "&&" || e.operator === "||") {
    const where = `the operand of \`${e.operator}\``;
    const left = resolveCondition(e.left, scope, place, where);
    const right = resolveCondition(e.right, scope, place, where);
    if (left.type === "error" || right.type === "error") return typedError(e.span);
    const operator = e.operator === "&&" ? "and" : "or";
    return { kind: "binary", operator, left, right, type: "bool", span: e.span };
  }
  const left = resolveExpression(e.left, scope, place);
  const right = resolveExpression(e.right, scope, place);
  if (comparisons.has(e.operator)) {
    checkChain(e, right, scope.report);
    return combine(e.operator as BinaryOperator, left, right, e.span, scope);
  }
  const common = promote(left, right);
  const integer = common === "error" || !isFloat(common);
  const operator = (integer ? integerOperators[e.operator] : floatOperators[e.operator]) ?? "+";
  return combine(operator, left, right, e.span, scope);
}

/** Warns of `a < b < c` without parentheses, unless a truth value is what is compared with. */
function checkChain(e: Binary, right: Typed, report: Report): void {
  const { left } = e;
  const chained = left.kind === "binary" && comparisons.has(left.operator);
  // Parentheses stand between the two beginnings; of a longer chain the beginning is enough.
  if (!chained || left.span.start !== e.span.start || isChain(left)) return;
  if (right.type === "bool" || right.type === "error") return;
  const [first, middle] = [printExpression(left), printExpression(left.right)];
  const second = `${middle} ${e.operator} ${printExpression(e.right)}`;
  report(diagnose("TC2033", { chain: printExpression(e), first, second }, e.span));
}

function isChain({ left }: Binary): boolean {
  return left.kind === "binary" && comparisons.has(left.operator);
}

const integerOperators: Readonly<Record<string, BinaryOperator>> = {
  "+": "+",
  "-": "-",
  "*": "*",
  "/": "floorDiv",
  "%": "floorMod",
};
const floatOperators: Readonly<Record<string, BinaryOperator>> = { ...integerOperators, "/": "/" };

/**
 * `left operator right` for arithmetic and comparisons, both operands brought to their common type;
 * integer constants are folded, and stay adaptable when both were.
 */
export function combine(
  operator: BinaryOperator,
  left: Typed,
  right: Typed,
  span: Span,
  scope: Scope,
): Typed {
  if (left.type === "error" || right.type === "error") return typedError(span);
  const common = promote(left, right);
  if (common === "error") return typedError(span);
  if (common === "float16" && (operator === "/" || operator === "floorMod")) {
    return halfQuotient(operator, left, right, span, scope);
  }
  const test = comparisons.has(operator);
  const type = common === "bool" && !test ? "int32" : common;
  const folded = type === "int32" ? foldLiterals(operator, left, right, span) : undefined;
  if (folded !== undefined) return folded;
  return {
    kind: "binary",
    operator,
    left: convert(left, type, scope.report),
    right: convert(right, type, scope.report),
    type: test ? "bool" : type,
    span,
  };
}

/** The constant that two integer constants make; undefined for others, and where it fits no type. */
function foldLiterals(
  operator: BinaryOperator,
  left: Typed,
  right: Typed,
  span: Span,
): Typed | undefined {
  if (left.kind !== "literal" || right.kind !== "literal") return undefined;
  const value = foldInteger(operator, left.value, right.value);
  const adapts = left.adapts && right.adapts;
  if (value === undefined) return undefined;
  const fits = fitsInt32(value) || (adapts && fitsUint32Only(left, right, value));
  return fits ? { kind: "literal", value, type: "int32", adapts, span } : undefined;
}

/** Quotients of float16 are computed in float32: devices promise little about others. */
function halfQuotient(
  operator: "/" | "floorMod",
  left: Typed,
  right: Typed,
  span: Span,
  scope: Scope,
): Typed {
  const type = "float32";
  const [a, b] = [convert(left, type, scope.report), convert(right, type, scope.report)];
  const wide: Typed = { kind: "binary", operator, left: a, right: b, type, span };
  return convert(wide, "float16", scope.report);
}

function fitsInt32(value: number): boolean {
  return value >= -2147483648 && value <= 2147483647;
}

/** True when a constant is written that only uint32 can hold: then the result may be such too. */
function fitsUint32Only(left: TypedLiteral, right: TypedLiteral, value: number): boolean {
  return value <= 0xffffffff && !(fitsInt32(left.value) && fitsInt32(right.value));
}

function resolveConditional(e: Conditional, scope: Scope, place: Place): Typed {
  const condition = resolveCondition(e.condition, scope, place, "the condition of `?:`");
  const then = resolveExpression(e.then, scope, place);
  const otherwise = resolveExpression(e.otherwise, scope, place);
  const type = promote(then, otherwise);
  if ([condition, then, otherwise].some((part) => part.type === "error") || type === "error") {
    return typedError(e.span);
  }
  return {
    kind: "select",
    condition,
    whenTrue: convert(then, type, scope.report),
    whenFalse: convert(otherwise, type, scope.report),
    type,
    span: e.span,
  };
}
