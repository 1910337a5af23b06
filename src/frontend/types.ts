import { diagnose, type Report } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/span.ts";
import { floorDiv, floorMod } from "../support/integer.ts";
import { isFloat, type ScalarType, toElement } from "../support/scalar-type.ts";
import type { ScalarName } from "./ast.ts";
import type { Typed, TypedLiteral } from "./typed.ts";

/** What a scalar type that is written means, or why it means nothing. */
type ScalarMeaning =
  | { readonly kind: "type"; readonly type: ScalarType }
  | { readonly kind: "unsupported" }
  | { readonly kind: "refused"; readonly instead: string };

const meanings: Readonly<Record<ScalarName, ScalarMeaning>> = {
  float: { kind: "type", type: "float32" },
  float32: { kind: "type", type: "float32" },
  int: { kind: "type", type: "int32" },
  int32: { kind: "type", type: "int32" },
  uint32: { kind: "type", type: "uint32" },
  bool: { kind: "type", type: "bool" },
  half: { kind: "unsupported" },
  float16: { kind: "unsupported" },
  int8: { kind: "unsupported" },
  int16: { kind: "unsupported" },
  uint8: { kind: "unsupported" },
  uint16: { kind: "unsupported" },
  double: { kind: "refused", instead: "float" },
  float64: { kind: "refused", instead: "float" },
  int64: { kind: "refused", instead: "int" },
  uint64: { kind: "refused", instead: "uint32" },
};

/** The scalar type of a name; reports those that do not exist and gives float32 or int32. */
export function scalarTypeOf(name: ScalarName, span: Span, report: Report): ScalarType {
  const meaning = meanings[name];
  if (meaning.kind === "type") return meaning.type;
  if (meaning.kind === "refused") {
    report(diagnose("TC2009", { type: name, instead: meaning.instead }, span));
  } else report(diagnose("TC2010", { feature: `the type ${name}` }, span));
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
 * The common type of two operands: float beats int, int32 beats uint32, everything beats bool; a
 * literal adapts to the other operand. With `error` on one side it is the other's.
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
  for (const type of ["float32", "int32", "uint32"] as const)
    if (a === type || b === type) return type;
  return "bool";
}

function adaptsTo(e: Typed, type: ScalarType): boolean {
  if (e.kind !== "literal" || !e.adapts || e.type !== "int32") return false;
  return type === "float32" || type === "int32" || (type === "uint32" && e.value >= 0);
}

const ranges: Readonly<Record<"int32" | "uint32", readonly [number, number]>> = {
  int32: [-2147483648, 2147483647],
  uint32: [0, 4294967295],
};

/**
 * The expression converted to a type. Constants are converted here (a written one that does not fit
 * is an error), floats to integers toward zero and saturating.
 */
export function convert(e: Typed, type: ScalarType | "error", report: Report): Typed {
  if (e.type === "error" || type === "error") return e;
  if (e.kind === "literal") return convertLiteral(e, type, report);
  return e.type === type ? e : { kind: "cast", operand: e, type, span: e.span };
}

function convertLiteral(e: TypedLiteral, type: ScalarType, report: Report): Typed {
  const done = (value: number): Typed => ({ ...e, value, type, adapts: false });
  if (isFloat(type)) return done(toElement(type)(e.value));
  if (type === "bool")
    return e.type === "bool" ? done(e.value) : { kind: "cast", operand: e, type, span: e.span };
  const [lo, hi] = ranges[type];
  if (isFloat(e.type)) return done(Math.min(hi, Math.max(lo, Math.trunc(e.value))));
  if (e.value >= lo && e.value <= hi) return done(e.value);
  if (e.adapts) {
    // Larger ones fit into no type; the tokens have told already.
    if (e.value <= 0xffffffff) report(diagnose("TC1004", { text: String(e.value), type }, e.span));
    return done(0);
  }
  return done(type === "int32" ? e.value | 0 : e.value >>> 0);
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
