import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  type Constraint,
  coefficientOf,
  constant,
  type Interval,
  intervalOf,
  lessOrEqual,
  lessThan,
  variable,
} from "../affine.ts";
import { boundingBox, type Dim, type Domain } from "../domain.ts";
import { read } from "../expression.ts";
import type { Monoid } from "../monoid.ts";
import {
  findStatement,
  isScatter,
  type Program,
  type Reduction,
  type Statement,
  tensorOf,
} from "../program.ts";
import { parallelBoundsUseReduced } from "./parallel-part.ts";
import {
  dimRole,
  freshStatementId,
  orderedStatements,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
} from "./rewrite.ts";
import { mayFlow, mayWriteSame, mayWriteTwice } from "./same-cell.ts";
import { dropUnused } from "./substitute-statement.ts";

/** Which dim of which statement to split, and the first value of the second half. */
export interface SplitTarget {
  readonly statement: string;
  readonly dim: string;
  readonly at: number;
}

/** A dim that can be split, at any of the values. */
export interface SplitCandidate {
  /** For example `y/split/p0`. */
  readonly path: string;
  readonly statement: string;
  readonly dim: string;
  /** Ascending: where a guard on the dim alone changes, after the first, before the last, and
   * after the last full tile of a power of two. */
  readonly at: readonly SplitPlace[];
}

/** True when an element is the state itself, so that it can be read back and continued from. */
export function storesItsState(monoid: Monoid, projected: boolean): boolean {
  const { project, state } = monoid;
  return !projected || (state.length === 1 && project.kind === "state" && project.component === 0);
}

/** The dims and guards of one half of a domain. */
function half(domain: Domain, dim: Dim, isLoop: boolean, side: "lo" | "hi", at: number): Domain {
  const here = variable(dim.name);
  const cut = side === "lo" ? lessThan(here, constant(at)) : lessOrEqual(constant(at), here);
  if (isLoop) return { ...domain, guards: [...domain.guards, cut] };
  const box = boundingBox(domain);
  const within = (bound: Affine): Interval =>
    intervalOf(bound, (name) => box.get(name) ?? { lo: 0, hi: 0 });
  const guards: Constraint[] = [];
  let replaced: Dim = { ...dim, lower: constant(at) };
  if (side === "lo") {
    replaced = { ...dim, upper: constant(at) };
    if (within(dim.upper).lo < at) guards.push(lessThan(here, dim.upper));
  } else if (within(dim.lower).hi > at) guards.push(lessOrEqual(dim.lower, here));
  return {
    ...domain,
    dims: domain.dims.map((d) => (d.name === dim.name ? replaced : d)),
    guards: [...domain.guards, ...guards],
  };
}

/** The second half of a reduction: it starts from what the first half stored. */
function continued(program: Program, hi: Statement, reduction: Reduction): Statement {
  const tensor = tensorOf(program, hi.write.tensor);
  const own = { tensor: tensor.name, index: hi.write.index, guard: [], fill: 0 };
  const init = tensor.components.map((type, c) => read(hi.reads.length, type, c));
  return dropUnused({
    ...hi,
    reads: [...hi.reads, own],
    reduction: { ...reduction, init },
  });
}

function splitReduced(
  program: Program,
  lo: Statement,
  hi: Statement,
  reduction: Reduction,
): Statement | string {
  if (!storesItsState(reduction.monoid, reduction.projected)) {
    return "the element is not the state of the reduction";
  }
  if (lo.write.index.some((i) => i.kind === "opaque")) return "the written index is opaque";
  if (parallelBoundsUseReduced(lo)) return "a parallel dim depends on a reduced one";
  if (mayWriteTwice(program, lo)) return "two points may write one element";
  const body = dropUnused({ ...hi, reduction: { ...reduction, init: null } });
  if (mayFlow(program, lo, body)) return "the second half may read what the first writes";
  return continued(program, hi, reduction);
}

/** The second half, or why the halves cannot run one after the other. */
function secondHalf(
  program: Program,
  lo: Statement,
  hi: Statement,
  dim: string,
): Statement | string {
  const { reduction } = lo;
  const scatter = isScatter(lo);
  if (reduction?.dims.includes(dim) && !scatter) return splitReduced(program, lo, hi, reduction);
  if (lo.loops.includes(dim)) return hi;
  if (scatter && reduction !== null && !storesItsState(reduction.monoid, reduction.projected)) {
    return "the element is not the state of the reduction";
  }
  if (mayFlow(program, lo, hi)) return "the second half may read what the first writes";
  if (!scatter && mayWriteSame(program, lo, hi)) {
    return "both halves may write one element";
  }
  return hi;
}

/**
 * Purpose: runs the part of a statement below a constant before the rest, so that either can be
 * treated apart (peeled first iterations, full tiles and their edge).
 *
 * ```
 * S: { i in 0..8 } C(i) = e              -->  S.lo: { i in 0..4 } C(i) = e
 *                                             S.hi: { i in 4..8 } C(i) = e
 * S: { i in 0..8, k in 0..9 } C(i) = sum[k] e
 *                                        -->  S.lo: { ..., k in 0..4 } C(i) = sum[k] e
 *                                             S.hi: { ..., k in 4..9 } C(i) = C(i) with sum[k] e
 * ```
 * Requires: `at` strictly inside the dim's range; the second half reads nothing that the first
 * writes; for a reduced dim, an element that is the reduction's state, written by one point only.
 *
 * Ensures: the same instances in another order. A dim that is a program loop keeps its bounds and
 * gets guards.
 */
export function splitDomain(program: Program, target: SplitTarget): Rewrite {
  const { statement: id, at } = target;
  const statement = findStatement(program, id);
  const dim = statement?.domain.dims.find((d) => d.name === target.dim);
  if (statement === undefined || dim === undefined) return refused("no such statement or dim");
  const range = boundingBox(statement.domain).get(dim.name) ?? { lo: 0, hi: -1 };
  if (!Number.isInteger(at) || at <= range.lo || at > range.hi) {
    return refused("one half would be empty");
  }
  const part = (side: "lo" | "hi"): Statement => ({
    ...statement,
    id: freshStatementId(program, `${id}.${side}`),
    domain: half(statement.domain, dim, statement.loops.includes(dim.name), side, at),
  });
  const lo = part("lo");
  const hi = secondHalf(program, lo, part("hi"), dim.name);
  if (typeof hi === "string") return refused(hi);
  return rewritten(replaceStatement(program, id, [lo, hi]));
}

/** Where a guard on `dim` alone begins or ceases to hold. */
function guardEdges(statement: Statement, dim: string, range: Interval): readonly number[] {
  const guards = [...statement.domain.guards, ...flatMap(statement.reads, (a) => a.guard)];
  return flatMap(guards, ({ kind, affine }) => {
    const factor = coefficientOf(affine, dim);
    if (factor === 0 || affine.terms.length !== 1) return [];
    const edge = -affine.constant / factor;
    const edges: number[] = [];
    if (kind === "zero" || factor > 0) edges.push(Math.ceil(edge));
    if (kind === "zero" || factor < 0) edges.push(Math.floor(edge) + 1);
    return edges.filter((v) => v > range.lo && v <= range.hi);
  });
}

/** A value at which a dim may be split, said without its size. */
export interface SplitPlace {
  /** `first`, `last`, `edge N` (where the N-th guard changes), or `tiles N` (after the last full tile of N). */
  readonly name: string;
  readonly at: number;
}

/** The values of a dim at which splitting is worth a thought, ascending; each once. */
function interestingPlaces(statement: Statement, dim: string): readonly SplitPlace[] {
  const range = boundingBox(statement.domain).get(dim) ?? { lo: 0, hi: -1 };
  const extent = range.hi - range.lo + 1;
  const edges = [...new Set(guardEdges(statement, dim, range))].sort((a, b) => a - b);
  const places: SplitPlace[] = [
    ...edges.map((at, n) => ({ name: `edge ${n}`, at })),
    { name: "first", at: range.lo + 1 },
    { name: "last", at: range.hi },
  ];
  for (let tile = 4; tile < extent; tile *= 2) {
    places.push({ name: `tiles ${tile}`, at: range.lo + extent - (extent % tile) });
  }
  return places
    .filter(
      ({ at }, n) => at > range.lo && at <= range.hi && places.findIndex((p) => p.at === at) === n,
    )
    .sort((a, b) => a.at - b.at);
}

/** Dims and values that are worth a thought; {@link splitDomain} may still refuse some. */
export function splitOffers(program: Program): readonly SplitCandidate[] {
  return flatMap(orderedStatements(program), (s) =>
    flatMap(s.domain.dims, (d) => {
      const at = interestingPlaces(s, d.name);
      if (at.length === 0) return [];
      const path = `${s.id}/split/${dimRole(s, d.name)}`;
      return [{ path, statement: s.id, dim: d.name, at }];
    }),
  );
}

/** The offers that {@link splitDomain} takes. */
export function splitCandidates(program: Program): readonly SplitCandidate[] {
  return flatMap(splitOffers(program), (offer) => {
    const { statement, dim } = offer;
    const at = offer.at.filter(
      (place) => splitDomain(program, { statement, dim, at: place.at }).kind === "rewritten",
    );
    return at.length === 0 ? [] : [{ ...offer, at }];
  });
}
