/** Smart constructors of kernel expressions: they fold what is already known. */
import type { ScalarType } from "../support/scalar-type.ts";
import type { BinaryOperator, Builtin, KernelExpression, KernelType, Width } from "./kernel.ts";

/** The type of index arithmetic. */
export const indexType: KernelType = { scalar: "uint32", width: 1 };

/** The type of conditions. */
const boolType: KernelType = { scalar: "bool", width: 1 };

/** A scalar or vector type. */
export function kernelType(scalar: ScalarType, width: Width = 1): KernelType {
  return { scalar, width };
}

/** A constant; a wide one has all components alike. */
export function literalOf(value: number, type: KernelType): KernelExpression {
  return { kind: "literal", value, type };
}

/** A builtin value. */
export function builtinOf(builtin: Builtin): KernelExpression {
  return { kind: "builtin", builtin, type: indexType };
}

/** A `uint32` constant. */
export function indexLiteral(value: number): KernelExpression {
  return literalOf(value, indexType);
}

/** A named value. */
export function variableOf(name: string, type: KernelType): KernelExpression {
  return { kind: "variable", name, type };
}

function isLiteral(e: KernelExpression, value: number): boolean {
  return e.kind === "literal" && e.value === value;
}

/** `a + b` in index arithmetic. */
export function addIndex(a: KernelExpression, b: KernelExpression): KernelExpression {
  if (isLiteral(a, 0)) return b;
  if (isLiteral(b, 0)) return a;
  if (a.kind === "literal" && b.kind === "literal") return indexLiteral(a.value + b.value);
  return { kind: "binary", operator: "+", left: a, right: b, type: indexType };
}

/** `a - b` in index arithmetic. */
export function subtractIndex(a: KernelExpression, b: KernelExpression): KernelExpression {
  if (isLiteral(b, 0)) return a;
  return { kind: "binary", operator: "-", left: a, right: b, type: indexType };
}

/** `factor * a` in index arithmetic; the factor is positive. */
export function scaleIndex(a: KernelExpression, factor: number): KernelExpression {
  if (factor === 1) return a;
  if (a.kind === "literal") return indexLiteral(a.value * factor);
  return { kind: "binary", operator: "*", left: a, right: indexLiteral(factor), type: indexType };
}

/** `floor(a / divisor)` in index arithmetic. */
export function divideIndex(a: KernelExpression, divisor: number): KernelExpression {
  if (divisor === 1) return a;
  if (a.kind === "literal") return indexLiteral(Math.floor(a.value / divisor));
  return { kind: "binary", operator: "/", left: a, right: indexLiteral(divisor), type: indexType };
}

/** `a mod divisor` in index arithmetic. */
export function moduloIndex(a: KernelExpression, divisor: number): KernelExpression {
  if (divisor === 1) return indexLiteral(0);
  if (a.kind === "literal") return indexLiteral(a.value % divisor);
  return { kind: "binary", operator: "%", left: a, right: indexLiteral(divisor), type: indexType };
}

/** `min(a, limit)` in index arithmetic; a value that wrapped below 0 becomes `limit`. */
export function clampIndex(a: KernelExpression, limit: number): KernelExpression {
  if (a.kind === "literal") return indexLiteral(Math.min(a.value >>> 0, limit));
  if (limit === 0) return indexLiteral(0);
  return { kind: "binary", operator: "min", left: a, right: indexLiteral(limit), type: indexType };
}

/** A comparison of scalars. */
export function compare(
  operator: BinaryOperator,
  left: KernelExpression,
  right: KernelExpression,
): KernelExpression {
  return { kind: "binary", operator, left, right, type: boolType };
}

/** The conjunction; undefined for none. */
export function allOf(conditions: readonly KernelExpression[]): KernelExpression | undefined {
  return conditions.reduce<KernelExpression | undefined>(
    (all, c) => (all === undefined ? c : compare("and", all, c)),
    undefined,
  );
}

/** Reinterprets or converts to another scalar type. */
export function castTo(e: KernelExpression, scalar: ScalarType): KernelExpression {
  if (e.type.scalar === scalar) return e;
  return { kind: "cast", operand: e, type: kernelType(scalar, e.type.width) };
}

/** Component `n` of a vector; a scalar is itself. */
export function componentOf(e: KernelExpression, n: number): KernelExpression {
  if (e.type.width === 1) return e;
  if (e.kind === "vector") {
    const part = e.components.length === 1 ? e.components[0] : e.components[n];
    if (part !== undefined) return part;
  }
  return { kind: "component", vector: e, index: n, type: kernelType(e.type.scalar) };
}

/** A scalar repeated over a width; a value of that width is itself. */
export function widen(e: KernelExpression, width: Width): KernelExpression {
  if (e.type.width === width) return e;
  if (e.kind === "literal") return literalOf(e.value, kernelType(e.type.scalar, width));
  return { kind: "vector", components: [e], type: kernelType(e.type.scalar, width) };
}
