/**
 * Iteration domains: the integer points for which a statement runs.
 *
 * ```
 * domain   := dims (each lower <= dim < upper), guards, quotients
 * quotient := name = floor(numerator / divisor)
 * ```
 * A dim's bounds may use earlier dims (triangles). Quotients may use dims and earlier quotients;
 * guards and accesses may use both, which keeps `/` and `%` by constants affine.
 */

import { flatMap } from "../support/flat-map.ts";
import { floorDiv } from "../support/integer.ts";
import { remember } from "../support/remember.ts";
import {
  type Affine,
  addConstant,
  type Constraint,
  evaluate,
  type Interval,
  intervalOf,
  lessOrEqual,
  lessThan,
  nonnegative,
  printAffine,
  printConstraint,
  scale,
  subtract,
  variable,
} from "./affine.ts";

/** A named dimension with its half-open range `[lower, upper)`. */
export interface Dim {
  readonly name: string;
  readonly lower: Affine;
  readonly upper: Affine;
  /**
   * The indices of the source that it goes along, as they are written: none for a dim that a rewrite
   * made of no index. Left out: the one that has its name.
   */
  readonly indices?: readonly string[];
}

/** The indices of the source that a dim goes along, as they are written. */
export function indicesOf({ name, indices }: Dim): readonly string[] {
  return indices ?? [name];
}

/** `name = floor(numerator / divisor)`, the divisor positive. */
export interface Quotient {
  readonly name: string;
  readonly numerator: Affine;
  readonly divisor: number;
}

export interface Domain {
  /** Outermost first; the enclosing program loops come first. */
  readonly dims: readonly Dim[];
  readonly guards: readonly Constraint[];
  readonly quotients: readonly Quotient[];
}

/** The constraints that define a quotient: `0 <= numerator - divisor * name < divisor`. */
export function quotientConstraints(q: Quotient): readonly Constraint[] {
  const rest = subtract(q.numerator, scale(variable(q.name), q.divisor));
  return [nonnegative(rest), nonnegative(addConstant(scale(rest, -1), q.divisor - 1))];
}

/** All constraints of a domain, over its dims and quotients. */
export const domainConstraints: (domain: Domain) => readonly Constraint[] = remember((domain) => [
  ...flatMap(domain.dims, (d) => [
    lessOrEqual(d.lower, variable(d.name)),
    lessThan(variable(d.name), d.upper),
  ]),
  ...domain.guards,
  ...flatMap(domain.quotients, quotientConstraints),
]);

/**
 * The smallest box around the ranges of the dims, guards ignored, and the ranges of the quotients.
 * A dim that is empty for every value of the earlier ones has `lo > hi`.
 */
export const boundingBox: (domain: Domain) => ReadonlyMap<string, Interval> = remember((domain) => {
  const box = new Map<string, Interval>();
  const range = (name: string): Interval => box.get(name) ?? { lo: 0, hi: 0 };
  for (const d of domain.dims) {
    const lo = intervalOf(d.lower, range).lo;
    box.set(d.name, { lo, hi: intervalOf(d.upper, range).hi - 1 });
  }
  for (const q of domain.quotients) {
    const { lo, hi } = intervalOf(q.numerator, range);
    box.set(q.name, { lo: floorDiv(lo, q.divisor), hi: floorDiv(hi, q.divisor) });
  }
  return box;
});

/** How many points the dims have at most: guards, and ranges that depend on other dims, leave fewer. */
export function boxVolume(domain: Domain): number {
  const box = boundingBox(domain);
  return domain.dims.reduce((product, { name }) => {
    const { lo, hi } = box.get(name) ?? { lo: 0, hi: -1 };
    return product * Math.max(0, hi - lo + 1);
  }, 1);
}

/**
 * Adds the values of the quotients to an assignment of the dims.
 * @internal for tests
 */
export function evaluateQuotients(domain: Domain, values: Map<string, number>): void {
  for (const q of domain.quotients) {
    const numerator = evaluate(q.numerator, (name) => values.get(name) ?? 0);
    values.set(q.name, floorDiv(numerator, q.divisor));
  }
}

/** For example `{ i in 0..N, j in 0..i | i - 2*q >= 0; q = i / 2 }`. */
export function printDomain(domain: Domain): string {
  const dims = domain.dims.map(
    (d) => `${d.name} in ${printAffine(d.lower)}..${printAffine(d.upper)}`,
  );
  const guards = domain.guards.map(printConstraint);
  const quotients = domain.quotients.map(
    (q) => `${q.name} = (${printAffine(q.numerator)}) / ${q.divisor}`,
  );
  const parts = [dims.join(", ")];
  if (guards.length > 0) parts.push(`| ${guards.join(", ")}`);
  if (quotients.length > 0) parts.push(`; ${quotients.join(", ")}`);
  return `{ ${parts.join(" ")} }`;
}
