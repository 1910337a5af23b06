/**
 * Float operations whose results are rounded at random (random-rounding.ts). Divisions and builtin
 * functions are first moved by as much as WGSL lets them be off (error-model.ts, function-accuracy.ts).
 */

import { defined } from "../../support/assert.ts";
import { own } from "../../support/own.ts";
import { scalarFunction } from "../../support/scalar-functions.ts";
import type { ScalarType } from "../../support/scalar-type.ts";
import type { BinaryOperator } from "../expression.ts";
import type { Binary } from "../scalar-operators.ts";
import { divisionUnit } from "./error-model.ts";
import type { Evaluate } from "./frame.ts";
import { functionAccuracies } from "./function-accuracy.ts";
import type { RandomRounding } from "./random-rounding.ts";

/** The function that rounds results of a type; null where nothing is rounded. */
function roundingOf(
  type: ScalarType,
  rounding: RandomRounding | null,
): ((x: number) => number) | null {
  return rounding !== null && (type === "float32" || type === "float16") ? rounding[type] : null;
}

/** A value of the type, rounded. */
export function roundedResult(
  type: ScalarType,
  rounding: RandomRounding | null,
  value: Evaluate,
): Evaluate {
  const round = roundingOf(type, rounding);
  return round === null ? value : () => round(value());
}

/** An operator whose results have the type, rounded. */
export function roundedBinary(
  type: ScalarType,
  rounding: RandomRounding | null,
  apply: Binary,
): Binary {
  const round = roundingOf(type, rounding);
  return round === null ? apply : (a, b) => round(apply(a, b));
}

/** Quotients, and the remainders that devices compute from them; null for other operators. */
export function roundedDivision(
  operator: BinaryOperator,
  left: Evaluate,
  right: Evaluate,
  { float32, moved }: RandomRounding,
): Evaluate | null {
  const quotient = (a: number, b: number): number => {
    const q = a / b;
    return float32(moved(q, divisionUnit * Math.abs(q)));
  };
  if (operator === "/") return () => quotient(left(), right());
  if (operator !== "floorMod") return null;
  return () => {
    const [a, b] = [left(), right()];
    return float32(a - float32(b * Math.floor(quotient(a, b))));
  };
}

/** A builtin function with a float result, within its accuracy. */
export function roundedCall(
  name: string,
  [first, second, third]: readonly [Evaluate, Evaluate, Evaluate],
  { float32, moved }: RandomRounding,
): Evaluate {
  // A device may round the product, too.
  if (name === "fma") return () => float32(float32(first() * second()) + third());
  const { evaluate } = defined(scalarFunction(name), "function", name);
  const accuracy = own(functionAccuracies, name);
  if (accuracy === undefined) return () => float32(evaluate(first(), second(), third()));
  return () => {
    const a = first();
    const v = evaluate(a, second(), third());
    return float32(moved(v, accuracy(a, v)));
  };
}
