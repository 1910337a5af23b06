/** The points for which a statement stores an element, apart from those that it reduces over. */
import { type Constraint, variablesOf } from "../affine.ts";
import type { Domain } from "../domain.ts";
import { reducedDims, type Statement } from "../program.ts";

/** The dims that are reduced and the quotients that depend on them. */
function reducedVariables(statement: Statement): ReadonlySet<string> {
  const reduced = new Set(reducedDims(statement));
  for (const q of statement.domain.quotients) {
    if (variablesOf(q.numerator).some((v) => reduced.has(v))) reduced.add(q.name);
  }
  return reduced;
}

/** True when a constraint mentions one of the variables. */
function mentions(c: Constraint, variables: ReadonlySet<string>): boolean {
  return variablesOf(c.affine).some((v) => variables.has(v));
}

/**
 * The domain without the reduced dims and whatever mentions them: an element is stored for each of
 * its points, also where the reduction over the others is empty. Requires bounds of parallel dims
 * that use no reduced dim: see {@link parallelBoundsUseReduced}.
 */
export function parallelPart(statement: Statement): Domain {
  const reduced = reducedVariables(statement);
  if (reduced.size === 0) return statement.domain;
  const { dims, guards, quotients } = statement.domain;
  return {
    dims: dims.filter((d) => !reduced.has(d.name)),
    guards: guards.filter((c) => !mentions(c, reduced)),
    quotients: quotients.filter((q) => !reduced.has(q.name)),
  };
}

/** True when the range of a parallel dim depends on a reduced one: few rewrites handle that. */
export function parallelBoundsUseReduced(statement: Statement): boolean {
  const reduced = reducedVariables(statement);
  return statement.domain.dims.some(
    (d) =>
      !reduced.has(d.name) &&
      [...variablesOf(d.lower), ...variablesOf(d.upper)].some((v) => reduced.has(v)),
  );
}
