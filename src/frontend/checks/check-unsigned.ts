import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import { type ElementType, isFloat } from "../../support/scalar-type.ts";
import { type Typed, typedOperands } from "../names/typed.ts";

type Binary = Extract<Typed, { kind: "binary" }>;

/** What is known of a tensor's elements. */
interface UnsignedScope {
  readonly typeOf: (tensor: string) => ElementType | undefined;
  readonly textOf: (span: { readonly start: number; readonly end: number }) => string;
  readonly report: Report;
}

/**
 * Warns of a difference of unsigned integers that becomes a float, `(w(i) - 128) * 0.1`: below 0 it
 * has wrapped to a number near 2^32 by then. Not where a condition on such integers stands around
 * it, nor where it cannot be below 0.
 */
export function checkUnsigned(e: Typed, scope: UnsignedScope): void {
  if (e.kind === "select" && comparesUnsigned(e.condition)) return;
  if (e.kind === "cast" && isFloat(e.type) && e.operand.type === "uint32") {
    const found = wrapping(e.operand, scope);
    if (found !== undefined) {
      const side = found.left.kind === "literal" ? found.right : found.left;
      const [difference, operand] = [scope.textOf(found.span), scope.textOf(side.span)];
      const type = elementType(found.left, scope) ?? elementType(found.right, scope) ?? "uint32";
      const { start, end } = side.span;
      const edits = [
        { span: { start, end: start }, text: "int32(" },
        { span: { start: end, end }, text: ")" },
      ];
      // Of 8 and 16 bits no value changes but those that have wrapped.
      const narrow = type !== "uint32";
      const fixes = narrow ? [{ title: `write \`int32(${operand})\``, edits }] : [];
      scope.report(diagnose("TC2034", { difference, operand }, found.span, { fixes }));
    }
  }
  for (const part of typedOperands(e)) checkUnsigned(part, scope);
}

/** The first difference that sums and products make the value of, and that may wrap. */
function wrapping(e: Typed, scope: UnsignedScope): Binary | undefined {
  if (e.kind !== "binary" || e.type !== "uint32") return undefined;
  if (e.operator === "-" && mayWrap(e, scope)) return e;
  if (!["+", "-", "*"].includes(e.operator)) return undefined;
  return wrapping(e.left, scope) ?? wrapping(e.right, scope);
}

function mayWrap({ left, right }: Binary, scope: UnsignedScope): boolean {
  if (right.kind === "literal" && right.value === 0) return false;
  const text = scope.textOf(right.span);
  // `max(a, b) - b` and `a - a % b` are not below 0, and neither is `a - min(a, b)`.
  const within = (whole: Typed, operator: string, part: string): boolean =>
    whole.kind === "binary" &&
    whole.operator === operator &&
    [whole.left, whole.right].some((side) => scope.textOf(side.span) === part);
  if (within(left, "max", text)) return false;
  const own = scope.textOf(left.span);
  if (["min", "floorMod", "floorDiv"].some((operator) => within(right, operator, own))) {
    return false;
  }
  const most = { uint8: 255, uint16: 65535 };
  const type = elementType(right, scope);
  const bounded = type === "uint8" || type === "uint16";
  return !(left.kind === "literal" && bounded && left.value >= most[type]);
}

function elementType(e: Typed, scope: UnsignedScope): "uint8" | "uint16" | undefined {
  const type = e.kind === "access" ? scope.typeOf(e.tensor) : undefined;
  return type === "uint8" || type === "uint16" ? type : undefined;
}

function comparesUnsigned(e: Typed): boolean {
  if (e.kind === "binary" && e.type === "bool" && e.left.type === "uint32") return true;
  return typedOperands(e).some(comparesUnsigned);
}
