import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import { floorDiv, floorMod } from "../../support/integer.ts";
import {
  computedAs,
  type ElementType,
  integerRange,
  isFloat,
  isNarrowInteger,
  type ScalarType,
  toElement,
} from "../../support/scalar-type.ts";
import type { ScalarName } from "../syntax/ast.ts";
import type { Typed, TypedLiteral } from "./typed.ts";

/** What a scalar type that is written means, or why it means nothing. */
type ScalarMeaning =
  | { readonly kind: "type"; readonly type: ElementType }
  | { readonly kind: "refused"; readonly instead: string };

const meanings: Readonly<Record<ScalarName, ScalarMeaning>> = {
  float: { kind: "type", type: "float32" },
  float32: { kind: "type", type: "float32" },
  int: { kind: "type", type: "int32" },
  int32: { kind: "type", type: "int32" },
  uint32: { kind: "type", type: "uint32" },
  bool: { kind: "type", type: "bool" },
  half: { kind: "type", type: "float16" },
  float16: { kind: "type", type: "float16" },
  int8: { kind: "type", type: "int8" },
  int16: { kind: "type", type: "int16" },
  uint8: { kind: "type", type: "uint8" },
  uint16: { kind: "type", type: "uint16" },
  double: { kind: "refused", instead: "float" },
  float64: { kind: "refused", instead: "float" },
  int64: { kind: "refused", instead: "int" },
  uint64: { kind: "refused", instead: "uint32" },
};

/** The type of a name; reports those that do not exist and gives float32 or int32. */
export function scalarTypeOf(name: ScalarName, span: Span, report: Report): ElementType {
  const meaning = meanings[name];
  if (meaning.kind === "type") return meaning.type;
  const word = { start: span.start, end: span.start + name.length };
  report(diagnose("TC2009", { type: name, instead: meaning.instead }, word));
  return /int/.test(name) ? "int32" : "float32";
}

/** A constant that does not adapt. */
export function typedLiteral(value: number, type: ScalarType, span: Span): TypedLiteral {
  return { kind: "literal", value, type, adapts: false, span };
}

/** The poisoned expression. */
export function typedError(span: Span): Typed {
  return { kind: "error", type: "error", span };
}

/**
 * The common type of two operands: float beats int, float32 beats float16, int32 beats uint32,
 * everything beats bool; a literal adapts to the other operand. With `error` on one side it is the other's.
 */
export function promote(a: Typed, b: Typed): ScalarType | "error" {
  if (a.type === "error" || b.type === "error" || a.type === b.type) {
    return a.type === "error" ? b.type : a.type;
  }
  if (adaptsTo(a, b.type)) return b.type;
  if (adaptsTo(b, a.type)) return a.type;
  return promoteTypes(a.type, b.type);
}

/** {@link promote} for types of values that are no literals. */
export function promoteTypes(a: ScalarType, b: ScalarType): ScalarType {
  for (const type of ["float32", "float16", "int32", "uint32"] as const)
    if (a === type || b === type) return type;
  return "bool";
}

function adaptsTo(e: Typed, type: ScalarType): boolean {
  if (e.kind !== "literal" || !e.adapts) return false;
  if (e.type === "float32") return type === "float16";
  if (e.type !== "int32" || type === "bool") return false;
  return type !== "uint32" || e.value >= 0;
}

/** True for a constant that is written as such and takes the type of what it meets. */
export function adapts(e: Typed, type: ElementType): boolean {
  return adaptsTo(e, computedAs(type));
}

/**
 * The expression converted to a type. Constants are converted here (a written one that does not fit
 * is an error), floats to integers toward zero and saturating; narrow integers wrap after that. To and
 * from float16 values go by float32.
 */
export function convert(e: Typed, type: ElementType | "error", report: Report): Typed {
  if (e.type === "error" || type === "error") return e;
  if (e.kind === "literal") return convertLiteral(e, type, report);
  if (!isNarrowInteger(type)) return e.type === type ? e : castTo(e, computedAs(type));
  if (e.kind === "cast" && e.narrow === type) return e;
  const operand = e.type === "float16" ? castTo(e, "float32") : e;
  return { kind: "cast", operand, narrow: type, type: computedAs(type), span: e.span };
}

function castTo(e: Typed, type: ScalarType): Typed {
  const byFloat =
    (type === "float16" && e.type !== "float32") || (e.type === "float16" && type !== "float32");
  const operand: Typed = byFloat ? { kind: "cast", operand: e, type: "float32", span: e.span } : e;
  return { kind: "cast", operand, type, span: e.span };
}

function convertLiteral(e: TypedLiteral, type: ElementType, report: Report): Typed {
  const done = (value: number): Typed => ({ ...e, value, type: computedAs(type), adapts: false });
  const misfit = (): Typed => {
    // Those that fit into no type are told of by the tokens.
    if (e.value <= 0xffffffff) report(diagnose("TC1004", { text: String(e.value), type }, e.span));
    return done(0);
  };
  if (isFloat(type)) {
    const value = toElement(type)(e.value);
    return e.adapts && Number.isFinite(e.value) && !Number.isFinite(value) ? misfit() : done(value);
  }
  if (type === "bool") {
    return e.type === "bool" ? done(e.value) : { kind: "cast", operand: e, type, span: e.span };
  }
  const make = toElement(type);
  if (isFloat(e.type)) {
    const [lo, hi] = integerRange(computedAs(type) === "int32" ? "int32" : "uint32");
    return done(make(Math.min(hi, Math.max(lo, Math.trunc(e.value)))));
  }
  const [lo, hi] = integerRange(type);
  return e.adapts && (e.value < lo || e.value > hi) ? misfit() : done(make(e.value));
}

/** The value of `left operator right` for integer constants; undefined for other operators. */
export function foldInteger(operator: string, left: number, right: number): number | undefined {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "floorDiv":
      return right === 0 ? 0 : floorDiv(left, right);
    case "floorMod":
      return right === 0 ? 0 : floorMod(left, right);
    default:
      return undefined;
  }
}
