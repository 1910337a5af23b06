import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import {
  type Affine,
  addConstant,
  type Constraint,
  constant,
  type Interval,
  lessOrEqual,
  nonnegative,
  scale,
} from "../../ir/affine.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Typed, TypedAccess } from "../names/typed.ts";
import type { GuardedAccess } from "../ranges/accesses.ts";
import { type AffineContext, affineOf, intervalIn } from "../ranges/affine-of.ts";
import { both, type Condition, type Conjunction, conditionOf } from "../ranges/condition.ts";
import { valueRange } from "../ranges/statement-domain.ts";

/** Where a statement's reads take place. */
export interface ReadScope {
  /** The statement's domain, one case of the enclosing `if`s included. */
  readonly domain: readonly Constraint[];
  /** Hulls of loops and dims. */
  readonly intervals: ReadonlyMap<string, Interval>;
  readonly context: AffineContext;
  /** Per tensor and dimension what the writes cover at most; absent where everything counts. */
  readonly written: (tensor: string) => readonly (Interval | null)[] | undefined;
  /** The text of an index, and the name of the size that it is, if it is one. */
  readonly describe: (index: Typed) => { readonly text: string; readonly named?: string };
  readonly report: Report;
}

/** What an access needs at run time. */
export interface CheckedBounds {
  readonly guard: readonly Constraint[];
  readonly context: readonly Constraint[];
}

/** One way to compute an index, and when it is the one. */
interface Variant {
  readonly when: Conjunction;
  readonly affine: Affine;
}

/**
 * Proves that a read stays inside of its tensor wherever its guards let it through, or reports the
 * first value that does not; returns the constraints that keep the rest inside.
 */
export function checkAccess({ access, guards }: GuardedAccess, scope: ReadScope): CheckedBounds {
  const known = guards
    .map((g) => conditionOf(g.condition, g.holds, scope.context))
    .reduce<Condition>((a, b) => both(a, b), { cases: [[]], exact: true });
  const shape = scope.context.shapeOf(access.tensor) ?? [];
  const guard = flatMap(access.indices, (index, dimension) =>
    checkDimension(access, index, dimension, shape[dimension] ?? 0, known, scope),
  );
  const [only] = known.cases;
  return { guard, context: known.cases.length === 1 && only !== undefined ? only : [] };
}

function checkDimension(
  access: TypedAccess,
  index: Typed,
  dimension: number,
  size: number,
  known: Condition,
  scope: ReadScope,
): readonly Constraint[] {
  const affine = affineOf(index, scope.context);
  const variants = affine === undefined ? variantsOf(index, scope.context) : [{ when: [], affine }];
  const padded = access.fill !== null;
  for (const variant of padded ? [] : (variants ?? [])) {
    for (const guards of known.cases) {
      const set = [...scope.domain, ...guards, ...variant.when];
      if (!checkVariant(access, index, dimension, size, variant.affine, set, scope)) return [];
    }
  }
  return affine === undefined ? [] : missingBounds(affine, size, scope);
}

/** The constraints among `0 <= affine < size` that the domain does not imply. */
function missingBounds(affine: Affine, size: number, scope: ReadScope): readonly Constraint[] {
  const hull = intervalIn(affine, scope.intervals, scope.context);
  if (hull.lo >= 0 && hull.hi < size) return [];
  const range = valueRange(scope.domain, affine, scope.context);
  if (range === "empty") return [];
  const below = range.lo < 0 ? [nonnegative(affine)] : [];
  const above = range.hi >= size ? [lessOrEqual(affine, constant(size - 1))] : [];
  return [...below, ...above];
}

/** Reports a read that leaves the tensor, or that reaches elements that nothing writes. */
function checkVariant(
  access: TypedAccess,
  index: Typed,
  dimension: number,
  size: number,
  affine: Affine,
  set: readonly Constraint[],
  scope: ReadScope,
): boolean {
  const hull = intervalIn(affine, scope.intervals, scope.context);
  const covered = scope.written(access.tensor)?.[dimension] ?? { lo: 0, hi: size - 1 };
  if (hull.lo >= Math.max(0, covered.lo) && hull.hi <= Math.min(size - 1, covered.hi)) return true;
  const range = valueRange(set, affine, scope.context);
  if (range === "empty" || !range.exact) return true;
  if (range.lo < 0 || range.hi >= size) {
    const value = firstOutside(affine, size, range.lo < 0, set, scope.context);
    const { text, named } = scope.describe(index);
    const data = { tensor: access.tensor, dimension, size, index: text, value };
    const full = named === undefined ? data : { ...data, named };
    scope.report(diagnose("TC3003", full, index.span));
    return false;
  }
  if (range.lo >= covered.lo && range.hi <= covered.hi) return true;
  const value = range.lo < covered.lo ? range.lo : range.hi;
  const data = {
    tensor: access.tensor,
    dimension,
    value,
    range: `${covered.lo}:${covered.hi + 1}`,
  };
  scope.report(diagnose("TC3014", data, index.span));
  return false;
}

/** The value outside of `[0, size)` that is nearest to it, on the side that is asked for. */
function firstOutside(
  affine: Affine,
  size: number,
  below: boolean,
  set: readonly Constraint[],
  context: AffineContext,
): number {
  const outside = below
    ? nonnegative(addConstant(scale(affine, -1), -1))
    : nonnegative(addConstant(affine, -size));
  const range = valueRange([...set, outside], affine, context);
  if (range === "empty") return below ? -1 : size;
  return below ? range.hi : range.lo;
}

/** The ways that `min`, `max` and `clamp` of affine arguments go; undefined for other indices. */
function variantsOf(e: Typed, context: AffineContext): readonly Variant[] | undefined {
  const affine = affineOf(e, context);
  if (affine !== undefined) return [{ when: [], affine }];
  if (e.kind === "binary" && (e.operator === "min" || e.operator === "max")) {
    return choose(e.operator, variantsOf(e.left, context), variantsOf(e.right, context));
  }
  if (e.kind !== "call" || e.function !== "clamp") return undefined;
  const [value, low, high] = e.arguments.map((part) => variantsOf(part, context));
  return choose("min", choose("max", value, low), high);
}

function choose(
  operator: "min" | "max",
  left: readonly Variant[] | undefined,
  right: readonly Variant[] | undefined,
): readonly Variant[] | undefined {
  if (left === undefined || right === undefined) return undefined;
  return flatMap(left, (a) =>
    flatMap(right, (b) => {
      const [small, large] = operator === "min" ? [a, b] : [b, a];
      const when = [...a.when, ...b.when];
      return [
        { when: [...when, lessOrEqual(small.affine, large.affine)], affine: a.affine },
        { when: [...when, lessOrEqual(large.affine, small.affine)], affine: b.affine },
      ];
    }),
  );
}
