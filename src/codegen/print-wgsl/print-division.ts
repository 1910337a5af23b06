/** WGSL text of division toward minus infinity, and of the remainders that go with it. */
import { flatMap } from "../../support/flat-map.ts";
import { binaryExponent } from "../../support/integer.ts";
import { literalValue } from "../fold-literals.ts";
import type { KernelExpression } from "../kernel.ts";
import type { Polyfill } from "./polyfills.ts";
import type { OperandText } from "./print-words.ts";
import { vectorLiteral } from "./wgsl-literals.ts";

/** With one of the operators `floorDiv` and `floorMod`. */
type Division = KernelExpression & { kind: "binary" };

function divisionPolyfill({ operator, type }: Division): Polyfill {
  const division = operator === "floorDiv";
  if (type.scalar === "float32") return "floatMod";
  if (type.scalar === "int32") return division ? "floorDiv" : "floorMod";
  return division ? "unsignedDiv" : "unsignedMod";
}

/**
 * The text of a division or a remainder by powers of two, of the precedence of a shift: a shift, which
 * of an `int32` keeps the sign and so rounds toward minus infinity, or the lowest bits, which are not
 * negative. Undefined for other divisors.
 */
export function printDivisionByBits(
  { operator, left, right, type }: Division,
  text: OperandText,
): string | undefined {
  const divisors = type.scalar === "float32" ? undefined : literalValue(right);
  if (divisors === undefined) return undefined;
  const exponents = flatMap(divisors, (d) => binaryExponent(d) ?? []);
  if (exponents.length < divisors.length) return undefined;
  if (operator === "floorDiv") {
    return `${text.unary(left)} >> ${vectorLiteral(exponents, { ...type, scalar: "uint32" })}`;
  }
  const masks = divisors.map((d) => d - 1);
  return `${text.unary(left)} & ${vectorLiteral(masks, type)}`;
}

/** The text of a division or a remainder by any divisor; it is primary. */
export function printDivision(e: Division, text: OperandText): string {
  const polyfill = text.usePolyfill(divisionPolyfill(e), e.type.width);
  return `${polyfill}(${text.any(e.left)}, ${text.any(e.right)})`;
}
