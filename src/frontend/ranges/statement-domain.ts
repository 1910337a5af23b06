import {
  type Affine,
  type Constraint,
  type Interval,
  lessOrEqual,
  lessThan,
  variable,
} from "../../ir/affine.ts";
import { quotientConstraints } from "../../ir/domain.ts";
import { bounds } from "../../ir/integer-set/bounds.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { TypedLoop } from "../names/typed.ts";
import { type AffineContext, findQuotient } from "./affine-of.ts";
import type { Conjunction } from "./condition.ts";
import type { StatementRanges } from "./infer-statement.ts";
import { type RangeBounds, rangeBounds, rangeEnds } from "./range-bounds.ts";

/** `lower <= name < upper` and the extra constraints. */
function rangeConstraints(name: string, range: RangeBounds): readonly Constraint[] {
  const index = variable(name);
  return [lessOrEqual(range.lower, index), lessThan(index, range.upper), ...range.extra];
}

/** The range of a loop in terms of the outer loops; undefined when it is not affine. */
export function loopRange(
  loop: TypedLoop,
  outer: ReadonlyMap<string, Interval>,
  context: AffineContext,
): RangeBounds | undefined {
  const ends = rangeEnds(loop.lower, loop.upper, context);
  return ends === undefined ? undefined : rangeBounds(loop.name, ends, outer, context);
}

/** The constraints of loops, outermost first, in the context of a statement inside of them. */
export function loopConstraints(
  loops: readonly TypedLoop[],
  context: AffineContext,
): readonly Constraint[] {
  const outer = new Map<string, Interval>();
  return flatMap(loops, (loop) => {
    const range = loopRange(loop, outer, context);
    if (range === undefined) return [];
    outer.set(loop.name, range.interval);
    return rangeConstraints(loop.name, range);
  });
}

/** The points for which a statement runs: loops, indices and one case of the enclosing `if`s. */
export function statementConstraints(
  loops: readonly TypedLoop[],
  { ranges, context }: StatementRanges,
  guard: Conjunction,
): readonly Constraint[] {
  return [
    ...loopConstraints(loops, context),
    ...flatMap([...ranges], ([name, range]) => rangeConstraints(name, range)),
    ...guard,
  ];
}

/** Adds the definitions of all quotients that the constraints and `extra` use. */
export function withQuotients(
  constraints: readonly Constraint[],
  extra: readonly Affine[],
  context: AffineContext,
): readonly Constraint[] {
  const needed = new Map<string, readonly Constraint[]>();
  const visit = (a: Affine): void => {
    for (const t of a.terms) {
      const quotient = findQuotient(context, t.variable);
      if (quotient === undefined || needed.has(quotient.name)) continue;
      needed.set(quotient.name, quotientConstraints(quotient));
      visit(quotient.numerator);
    }
  };
  for (const a of [...constraints.map((c) => c.affine), ...extra]) visit(a);
  return [...constraints, ...[...needed.values()].flat()];
}

/** The least and greatest value of `a` over the points of a set; "empty" without any. */
export function valueRange(
  constraints: readonly Constraint[],
  a: Affine,
  context: AffineContext,
): (Interval & { readonly exact: boolean }) | "empty" {
  const found = bounds(withQuotients(constraints, [a], context), a);
  if (found === "empty") return "empty";
  return { lo: found.lo, hi: found.hi, exact: found.exact };
}
