import {
  type Affine,
  type Constraint,
  constant,
  type Interval,
  isConstant,
  lessOrEqual,
  lessThan,
  variable,
} from "../../ir/affine.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Typed } from "../names/typed.ts";
import { type AffineContext, affineOf, baseVariables, usesQuotient } from "./affine-of.ts";
import { hullOf } from "./hull-of.ts";

/** The range of a loop or an index: `lower <= name < upper`, and the `extra` constraints. */
export interface RangeBounds {
  readonly lower: Affine;
  readonly upper: Affine;
  /** What lower and upper cannot say: further bounds, bounds with quotients. */
  readonly extra: readonly Constraint[];
  /** The hull over all values of the other indices; empty when `lo > hi`. */
  readonly interval: Interval;
}

/** The ends of a range as they are written: the largest lower and the smallest upper counts. */
export interface RangeEnds {
  readonly lower: readonly Affine[];
  readonly upper: readonly Affine[];
}

/** The ends of `lower:upper`, a `max` below and a `min` above taken apart; undefined: not affine. */
export function rangeEnds(
  lower: Typed,
  upper: Typed,
  context: AffineContext,
): RangeEnds | undefined {
  const low = endsOf(lower, "max", context);
  const high = endsOf(upper, "min", context);
  return low === undefined || high === undefined ? undefined : { lower: low, upper: high };
}

function endsOf(
  e: Typed,
  operator: "min" | "max",
  context: AffineContext,
): readonly Affine[] | undefined {
  if (e.kind === "binary" && e.operator === operator) {
    const [left, right] = [endsOf(e.left, operator, context), endsOf(e.right, operator, context)];
    return left === undefined || right === undefined ? undefined : [...left, ...right];
  }
  const affine = affineOf(e, context);
  return affine === undefined ? undefined : [affine];
}

/** The indices that the ends depend on. */
export function endVariables(ends: RangeEnds, context: AffineContext): readonly string[] {
  return flatMap([...ends.lower, ...ends.upper], (end) => [...baseVariables(end, context)]);
}

/** Chooses the bounds of `name` from its ends, given the intervals of all that they depend on. */
export function rangeBounds(
  name: string,
  ends: RangeEnds,
  known: ReadonlyMap<string, Interval>,
  context: AffineContext,
): RangeBounds {
  const hull = (a: Affine): Interval => hullOf(a, known, context);
  // Divisions may have given -0, which adding 0 turns into 0.
  const lo = Math.max(...ends.lower.map((a) => hull(a).lo)) + 0;
  const hi = Math.min(...ends.upper.map((a) => hull(a).hi)) - 1;
  const lower = ends.lower.find((a) => !isConstant(a) && !usesQuotient(a, context)) ?? constant(lo);
  const upper =
    ends.upper.find((a) => !isConstant(a) && !usesQuotient(a, context)) ?? constant(hi + 1);
  // Ends that the chosen bounds imply for every value of the other indices need no constraint, but
  // where one of these has no value there must be none of this index either.
  const isOpen = (a: Affine): boolean =>
    [...baseVariables(a, context)].some((used) => {
      const range = known.get(used);
      return range !== undefined && range.lo > range.hi;
    });
  const below = ends.lower.filter((a) => a !== lower && (hull(a).hi > hull(lower).lo || isOpen(a)));
  const above = ends.upper.filter((a) => a !== upper && (hull(a).lo < hull(upper).hi || isOpen(a)));
  const extra = [
    ...below.map((a) => lessOrEqual(a, variable(name))),
    ...above.map((a) => lessThan(variable(name), a)),
  ];
  return { lower, upper, extra, interval: { lo, hi } };
}
