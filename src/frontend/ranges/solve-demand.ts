import { type Affine, coefficientOf, type Interval, subtract, variable } from "../../ir/affine.ts";
import { ceilDiv, floorDiv } from "../../support/integer.ts";
import { type AffineContext, baseVariables, findQuotient } from "./affine-of.ts";
import { hullOf } from "./hull-of.ts";

/**
 * The largest interval of `index` for which `range.lo <= affine <= range.hi` whatever the other
 * indices are in `known`. Undefined when the constraint does not bound it (the index occurs twice,
 * as in `i % 4`).
 */
export function solveDemand(
  affine: Affine,
  range: Interval,
  index: string,
  known: ReadonlyMap<string, Interval>,
  context: AffineContext,
): Interval | undefined {
  const holders = affine.terms.filter((t) => {
    const quotient = findQuotient(context, t.variable);
    if (quotient === undefined) return t.variable === index;
    return baseVariables(quotient.numerator, context).has(index);
  });
  const [holder] = holders;
  if (holder === undefined || holders.length > 1) return undefined;
  const coefficient = coefficientOf(affine, holder.variable);
  const rest = hullOf(subtract(affine, variable(holder.variable, coefficient)), known, context);
  const solved = divide(range, rest, coefficient);
  const quotient = findQuotient(context, holder.variable);
  if (quotient === undefined) return solved;
  const { numerator, divisor } = quotient;
  const inner = { lo: solved.lo * divisor, hi: solved.hi * divisor + divisor - 1 };
  return solveDemand(numerator, inner, index, known, context);
}

/** The largest interval of `v` with `lo <= coefficient * v + r <= hi` for all `r` in `rest`. */
function divide(range: Interval, rest: Interval, coefficient: number): Interval {
  const low = range.lo - rest.lo;
  const high = range.hi - rest.hi;
  if (coefficient > 0) return { lo: ceilDiv(low, coefficient), hi: floorDiv(high, coefficient) };
  return { lo: ceilDiv(high, coefficient), hi: floorDiv(low, coefficient) };
}
