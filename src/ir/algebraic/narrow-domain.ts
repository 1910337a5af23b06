/** Guards on one dim alone as its bounds. */
import { type Constraint, coefficientOf, constant, isConstant } from "../affine.ts";
import type { Dim, Domain } from "../domain.ts";

/** The bounds that a guard gives a dim; undefined where it is about other variables, too. */
function boundsOf({ kind, affine }: Constraint, dim: string): Partial<Dim> | undefined {
  const factor = coefficientOf(affine, dim);
  if (affine.terms.length !== 1 || Math.abs(factor) !== 1) return undefined;
  const at = -factor * affine.constant;
  if (kind === "zero") return { lower: constant(at), upper: constant(at + 1) };
  return factor > 0 ? { lower: constant(at) } : { upper: constant(at + 1) };
}

/** A dim within further bounds; undefined where its own are no constants. */
function within(dim: Dim, { lower, upper }: Partial<Dim>): Dim | undefined {
  if (!isConstant(dim.lower) || !isConstant(dim.upper)) return undefined;
  const lo = Math.max(dim.lower.constant, lower?.constant ?? -Infinity);
  const hi = Math.min(dim.upper.constant, upper?.constant ?? Infinity);
  return { ...dim, lower: constant(lo), upper: constant(Math.max(lo, hi)) };
}

/** The same points, with a dim over those values alone that guards on it leave. */
export function narrowedDomain(domain: Domain, name: string): Domain {
  let dim = domain.dims.find((d) => d.name === name);
  const guards: Constraint[] = [];
  for (const guard of domain.guards) {
    const found = boundsOf(guard, name);
    const next = dim && found && within(dim, found);
    if (next === undefined) guards.push(guard);
    else dim = next;
  }
  const dims = domain.dims.map((d) => (d.name === name ? (dim ?? d) : d));
  return { ...domain, dims, guards };
}
