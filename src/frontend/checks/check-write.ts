import {
  type Affine,
  type Constraint,
  equal,
  type Interval,
  lessThan,
  rename,
  substituteConstraint,
  variable,
} from "../../ir/affine.ts";
import { isEmpty } from "../../ir/integer-set/is-empty.ts";
import { type AffineContext, findQuotient } from "../ranges/affine-of.ts";
import { withQuotients } from "../ranges/statement-domain.ts";

/** How the instances of a statement share elements of its target. */
export interface Collisions {
  /** The left indices of which several values may write one element. */
  readonly shared: readonly string[];
  /** True when it is proved that two instances write one element. */
  readonly proved: boolean;
}

/**
 * Finds the left indices that the written element does not determine: those that occur only in
 * opaque indices, or in affine ones that two instances have in common (`i / 2`, `i + j`).
 * `left` has undefined for opaque indices; `domain` covers loops, dims and guards.
 */
export function findCollisions(
  left: readonly (Affine | undefined)[],
  indices: readonly string[],
  intervals: ReadonlyMap<string, Interval>,
  domain: readonly Constraint[],
  context: AffineContext,
): Collisions {
  const affine = left.filter((a) => a !== undefined);
  const open = undetermined(affine, indices, intervals);
  if (open.length === 0) return { shared: [], proved: false };
  const answers = open.map((name) => twoInstances(name, affine, open, domain, context));
  if (answers.every((a) => a === "empty")) return { shared: [], proved: false };
  const opaque = affine.length < left.length;
  return { shared: open, proved: !opaque && answers.includes("nonempty") };
}

/** The indices that are not the only unknown of some left index, one after the other. */
function undetermined(
  left: readonly Affine[],
  indices: readonly string[],
  intervals: ReadonlyMap<string, Interval>,
): readonly string[] {
  const open = new Set(
    indices.filter((name) => {
      const range = intervals.get(name);
      return range === undefined || range.hi > range.lo;
    }),
  );
  const loops = new Set([...intervals.keys()].filter((name) => !indices.includes(name)));
  const fixed = (name: string): boolean =>
    loops.has(name) || (indices.includes(name) && !open.has(name));
  for (let changed = true; changed; ) {
    changed = false;
    for (const { terms } of left) {
      const unknown = terms.filter((t) => !fixed(t.variable));
      const [only] = unknown;
      if (unknown.length !== 1 || only === undefined) continue;
      changed = open.delete(only.variable) || changed;
    }
  }
  return [...open];
}

/** Whether two instances that differ in `name` write one element. */
function twoInstances(
  name: string,
  left: readonly Affine[],
  open: readonly string[],
  domain: readonly Constraint[],
  context: AffineContext,
): ReturnType<typeof isEmpty> {
  const first = withQuotients(domain, left, context);
  const second = (old: string): string | undefined =>
    open.includes(old) || dependsOn(old, open, context) ? `${old}'` : undefined;
  const other = first.map((c) =>
    substituteConstraint(c, (old) => {
      const fresh = second(old);
      return fresh === undefined ? undefined : variable(fresh);
    }),
  );
  return isEmpty([
    ...first,
    ...other,
    ...left.map((a) => equal(a, rename(a, second))),
    lessThan(variable(name), variable(`${name}'`)),
  ]);
}

/** True for a quotient whose value changes with one of the indices. */
function dependsOn(name: string, indices: readonly string[], context: AffineContext): boolean {
  const quotient = findQuotient(context, name);
  return (quotient?.numerator.terms ?? []).some(
    (t) => indices.includes(t.variable) || dependsOn(t.variable, indices, context),
  );
}
