/**
 * Purpose: decides conditions on a loop's variable where it is known as a linear function: at the edges
 * of a triangle, the first rows may be without a trip that the others have.
 *
 * Requires: names of variables are unique. Ensures: the statements do the same at these trips.
 */
import { literalOf } from "../build.ts";
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import { type IndexFacts, rangeOfLoop, withRange } from "./index-range.ts";
import { addLinear, type LinearIndex, rangeOfLinear } from "./linear-index.ts";
import { linearParts } from "./loop-conditions.ts";

/** What a variable is. */
export interface KnownTrip {
  readonly variable: string;
  readonly value: LinearIndex;
}

function withValue(part: LinearIndex, { variable, value }: KnownTrip): LinearIndex {
  let sum = part;
  for (const [key, { expression, factor }] of part.terms) {
    if (expression.kind !== "variable" || expression.name !== variable) continue;
    const self = { terms: new Map([[key, { expression, factor: 1 }]]), constant: 0 };
    sum = addLinear(addLinear(sum, self, -factor), value, factor);
  }
  return sum;
}

/** Whether a comparison holds; undefined if that is not known. */
function truthAt(e: KernelExpression, trip: KnownTrip, facts: IndexFacts): boolean | undefined {
  const parts = linearParts(e, facts).map((p) => rangeOfLinear(withValue(p, trip), facts));
  if (parts.length === 0) return undefined;
  if (parts.some((range) => range.hi < 0)) return false;
  return parts.every((range) => range.lo >= 0) ? true : undefined;
}

/** Statements with the comparisons decided that a trip decides, left in place as literals. */
export function decideTrips(
  body: readonly KernelStatement[],
  trip: KnownTrip,
  facts: IndexFacts,
): readonly KernelStatement[] {
  const decide = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) => {
      if (node.type.scalar !== "bool" || node.type.width !== 1) return undefined;
      const truth = truthAt(node, trip, facts);
      return truth === undefined ? undefined : literalOf(truth ? 1 : 0, node.type);
    });
  return body.map((s): KernelStatement => {
    const own = mapOwnExpressions(s, decide);
    if (own.kind === "loop") {
      const inside = withRange(facts, own.variable, rangeOfLoop(own, facts));
      return { ...own, body: decideTrips(own.body, trip, inside) };
    }
    if (own.kind !== "if") return own;
    const then = decideTrips(own.then, trip, facts);
    return { ...own, then, else: decideTrips(own.else, trip, facts) };
  });
}
