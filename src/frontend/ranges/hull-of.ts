import { type Affine, constant, type Interval, lessOrEqual, variable } from "../../ir/affine.ts";
import { quotientConstraints } from "../../ir/domain.ts";
import { bounds } from "../../ir/integer-set/bounds.ts";
import { flatMap } from "../../support/flat-map.ts";
import {
  type AffineContext,
  baseVariables,
  findQuotient,
  intervalIn,
  usesQuotient,
} from "./affine-of.ts";

/**
 * The least interval around the values of an affine expression when each index runs over its own:
 * as `intervalIn`, but exact also where an index occurs in several quotients (`i % 2` is
 * `i - 2 * (i / 2)`). An empty range stands at its lower end.
 */
export function hullOf(
  a: Affine,
  known: ReadonlyMap<string, Interval>,
  context: AffineContext,
): Interval {
  const standing = new Map<string, Interval>();
  for (const name of baseVariables(a, context)) {
    const { lo, hi } = known.get(name) ?? { lo: -Infinity, hi: Infinity };
    standing.set(name, { lo, hi: Math.max(lo, hi) });
  }
  const coarse = intervalIn(a, standing, context);
  if (!usesQuotient(a, context)) return coarse;
  const box = flatMap([...standing], ([name, { lo, hi }]) => {
    if (!Number.isFinite(lo) || !Number.isFinite(hi)) return [];
    return [lessOrEqual(constant(lo), variable(name)), lessOrEqual(variable(name), constant(hi))];
  });
  const quotients = flatMap([...quotientNames(a, context)], (name) => {
    const quotient = findQuotient(context, name);
    return quotient === undefined ? [] : quotientConstraints(quotient);
  });
  const exact = bounds([...box, ...quotients], a);
  if (exact === "empty") return coarse;
  return { lo: Math.max(coarse.lo, exact.lo), hi: Math.min(coarse.hi, exact.hi) };
}

/** The quotients that an affine expression uses, and those that these use. */
function quotientNames(a: Affine, context: AffineContext): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { variable: name } of a.terms) {
    const quotient = findQuotient(context, name);
    if (quotient === undefined) continue;
    names.add(name);
    for (const inner of quotientNames(quotient.numerator, context)) names.add(inner);
  }
  return names;
}
