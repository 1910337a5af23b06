import { type Affine, isConstant, subtract } from "../../ir/affine.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { TypedStatement } from "../names/typed.ts";
import { type AffineContext, baseVariables } from "./affine-of.ts";
import type { StatementRanges } from "./infer-statement.ts";
import type { RangeBounds } from "./range-bounds.ts";

/**
 * The left indices of a reduction whose range depends on indices that are reduced over, in such a
 * way that the values they take are not the interval between the ends' extremes (`j in 2*k:2*k+1`).
 * `reduced` are the names of the indices that are reduced over.
 */
export function scatteredLeft(
  statement: TypedStatement,
  { ranges, context }: StatementRanges,
  reduced: readonly string[],
): readonly string[] {
  const over = new Set(reduced);
  const found = new Set<string>();
  const usedBy = (name: string): readonly string[] => {
    const range = ranges.get(name);
    const used = range === undefined ? [] : variablesOf(range, context);
    return used.filter((other) => over.has(other));
  };
  for (let changed = true; changed; ) {
    changed = false;
    const left = statement.indices.filter((i) => i.left && !over.has(i.name)).map((i) => i.name);
    for (const name of left) {
      const used = usedBy(name);
      const alone = left.every((n) => n === name || !usedBy(n).some((u) => used.includes(u)));
      if (used.length === 0 || (alone && isInterval(name, used, { ranges, context }))) continue;
      found.add(name);
      over.add(name);
      changed = true;
    }
  }
  return [...found];
}

/**
 * The indices that have a part in which elements a statement writes: those on the left, and those
 * that the ranges of such use.
 */
export function choosingIndices(
  statement: TypedStatement,
  { ranges, context }: StatementRanges,
): ReadonlySet<string> {
  const choosing = new Set(statement.indices.filter((i) => i.left).map((i) => i.name));
  // A set grows while it is walked.
  for (const name of choosing) {
    const range = ranges.get(name);
    if (range === undefined) continue;
    for (const used of variablesOf(range, context)) if (ranges.has(used)) choosing.add(used);
  }
  return choosing;
}

function variablesOf({ lower, upper, extra }: RangeBounds, context: AffineContext): string[] {
  return flatMap([lower, upper, ...extra.map((c) => c.affine)], (a) => [
    ...baseVariables(a, context),
  ]);
}

/** True when the ranges for all values of `used` make one interval without gaps. */
function isInterval(
  name: string,
  used: readonly string[],
  { ranges, context }: StatementRanges,
): boolean {
  const range = ranges.get(name);
  if (range === undefined) return false;
  const uses = (a: Affine): boolean => [...baseVariables(a, context)].some((n) => used.includes(n));
  if (range.extra.some((c) => uses(c.affine))) return false;
  const boxed = used.every((other) => {
    const bounds = ranges.get(other);
    if (bounds === undefined || bounds.extra.length > 0) return false;
    const { lower, upper, interval } = bounds;
    return isConstant(lower) && isConstant(upper) && interval.lo <= interval.hi;
  });
  // Intervals that share an end are nested.
  if (!boxed || !uses(range.lower) || !uses(range.upper)) return boxed;
  const width = subtract(range.upper, range.lower);
  const steps = range.lower.terms.filter((t) => used.includes(t.variable));
  const [step] = steps;
  const slides = steps.length === 1 && Math.abs(step?.coefficient ?? 0) === 1;
  return slides && isConstant(width) && width.constant >= 1;
}
