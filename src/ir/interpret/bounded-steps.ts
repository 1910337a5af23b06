/**
 * Recurrences with error bounds: `h = a·h + b` over `n` steps rounds in each by `4·2⁻²⁴ · n · (|a·h| + |b|)`, so that
 * the bound holds however steps are composed (scan-chain.ts).
 *
 * Each term `b` of a value is multiplied by all later factors, and each of at most `2n + 2` operations on the way
 * rounds it by `2⁻²⁴`. The terms are no more than the values: `|b| <= |h| + |a·h|`; so the sum of these errors over
 * all terms is at most that of the steps' errors, which later steps multiply by their factors, too.
 */
import type { RoundedSteps } from "../algebraic/own-loop.ts";
import type { BoundedContext } from "./bounded-expression.ts";
import { boundedExpression } from "./bounded-expression.ts";
import { operationUnit, unlessUnknown } from "./error-model.ts";
import { compileMagnitude } from "./magnitude.ts";
import { leastNormal } from "./storage.ts";

/** Integers up to here stay exact when two of them are added. */
const exactIntegers = 2 ** 23;

/** Adds what several steps as one may round to the error of a value: `row` has the value, then its error. */
export function boundedSteps(
  { chain, count }: RoundedSteps,
  context: BoundedContext,
  row: Float64Array,
): () => void {
  const none = new Float64Array(1);
  const { step, s } = chain;
  const states = { leftMagnitude: none, rightMagnitude: none };
  const magnitudes = s.body.map((e) => compileMagnitude(e, { ...context, ...states }));
  const { factor } = step;
  const factorOf = factor === null ? null : boundedExpression(factor, context);
  const keepsIntegers = (): boolean => {
    const a = factorOf === null ? 1 : factorOf();
    return Number.isInteger(a) && (factorOf === null || context.error[0] === 0);
  };
  return () => {
    const [value = 0, error = 0] = row;
    const size = magnitudes[0]?.() ?? 0;
    if (error === 0 && Number.isInteger(value) && size <= exactIntegers && keepsIntegers()) return;
    const own = count * (operationUnit * size + leastNormal);
    row[1] = unlessUnknown(error + own, Math.abs(value) === Infinity ? value : size);
  };
}
