import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  affineEquals,
  type Constraint,
  constant,
  intervalOf,
  lessOrEqual,
  lessThan,
  variable,
} from "../affine.ts";
import { programOrder, type StatementOrder } from "../dependences/program-order.ts";
import { writesWhole } from "../dependences/total-write.ts";
import { boundingBox, type Dim, type Domain } from "../domain.ts";
import { read, select } from "../expression.ts";
import {
  type Access,
  findStatement,
  type Program,
  type Statement,
  sameIndex,
  type Tensor,
  tensorOf,
} from "../program.ts";
import { copyState } from "./copy-state.ts";
import { conditionOf } from "./inline.ts";
import { type Rewrite, refused, replaceStatement, rewritten } from "./rewrite.ts";

/** The statement that is to write all of its tensor in each iteration of the loop around it. */
export interface WholeTarget {
  readonly statement: string;
}

/** The values of each dim with which a written coordinate goes through its whole dimension; null if none do. */
function wholeRanges(
  s: Statement,
  { shape }: Tensor,
): ReadonlyMap<string, { readonly lower: Affine; readonly upper: Affine }> | null {
  const found = new Map<string, { readonly lower: Affine; readonly upper: Affine }>();
  for (const [d, index] of s.write.index.entries()) {
    if (index.kind !== "affine") return null;
    const [term, more] = index.affine.terms;
    if (term === undefined || more !== undefined || term.coefficient !== 1) return null;
    const isDim = s.domain.dims.some((dim) => dim.name === term.variable);
    if (!isDim || s.loops.includes(term.variable) || found.has(term.variable)) return null;
    const at = -index.affine.constant;
    found.set(term.variable, { lower: constant(at), upper: constant(at + (shape[d] ?? 0)) });
  }
  const own = s.domain.dims.filter((d) => !s.loops.includes(d.name));
  return own.every((d) => found.has(d.name)) ? found : null;
}

/** What the bounds of a dim say beyond those of a wider range. */
function narrower({ name, lower, upper }: Dim, wide: Dim): readonly Constraint[] {
  return [
    ...(affineEquals(lower, wide.lower) ? [] : [lessOrEqual(lower, variable(name))]),
    ...(affineEquals(upper, wide.upper) ? [] : [lessThan(variable(name), upper)]),
  ];
}

/** Whether an access stays inside of its tensor wherever a domain has points. */
function isInside(program: Program, { tensor, index }: Access, domain: Domain): boolean {
  const { shape } = tensorOf(program, tensor);
  const box = boundingBox(domain);
  return index.every((i, d) => {
    if (i.kind !== "affine") return false;
    const { lo, hi } = intervalOf(i.affine, (name) => box.get(name) ?? { lo: 0, hi: 0 });
    return lo >= 0 && hi < (shape[d] ?? 0);
  });
}

/** The statement over all elements, which keep their value where it did not run; or why there is none. */
function widened(program: Program, s: Statement, at: StatementOrder): Statement | string {
  if (writesWhole(program, s, at)) return s;
  if (s.reduction !== null) return "a reduction writes a part of its tensor";
  const ranges = wholeRanges(s, tensorOf(program, s.write.tensor));
  if (ranges === null) return "the elements that it writes are no box";
  const dims = s.domain.dims.map((d): Dim => {
    const range = at.loops.find((l) => l.name === d.name) ?? ranges.get(d.name);
    return range === undefined ? d : { ...d, lower: range.lower, upper: range.upper };
  });
  const inside = [
    ...flatMap(s.domain.dims, (d, n) => narrower(d, dims[n] ?? d)),
    ...s.domain.guards,
  ];
  const domain: Domain = { ...s.domain, dims, guards: [] };
  const { tensor, index } = s.write;
  const own = s.reads.findIndex(
    (r) => r.tensor === tensor && r.guard.length === 0 && sameIndex(r.index, index),
  );
  const guarded = s.reads.map((r) =>
    isInside(program, r, domain) ? r : { ...r, guard: [...inside, ...r.guard] },
  );
  const reads = own < 0 ? [...guarded, { tensor, index, guard: [], fill: 0 }] : guarded;
  const kept = own < 0 ? s.reads.length : own;
  const runs = conditionOf(inside);
  const body = s.body.map((e, c) => select(runs, e, read(kept, e.type, c)));
  return { ...s, domain, reads, body };
}

/**
 * Purpose: makes what a loop updates in place a temporary that each iteration writes whole, in one statement: then
 * two buffers may take turns, and nobody waits for those who still read the old value.
 *
 * ```
 * for t in 0..T { { i in 1..N-1 } u(i) = f(u(i-1), u(i+1)) }
 *   -->  u_in(i) = u(i)
 *        for t in 0..T { { i in 0..N } u_in(i) = 1 <= i < N-1 ? f(u_in(i-1), u_in(i+1)) : u_in(i) }
 *        u(i) = u_in(i)
 * ```
 * Requires: a statement directly in a loop, which writes all of its tensor, or, without a reduction, a part of it with
 * a dim of its own for each coordinate.
 *
 * Ensures: the statement writes every element in every iteration, those that it left alone with what they were; its
 * tensor is a temporary.
 */
export function writeWhole(program: Program, { statement }: WholeTarget): Rewrite {
  const s = findStatement(program, statement);
  const at = programOrder(program).get(statement);
  if (s === undefined || at === undefined) return refused("no such statement");
  if (s.loops.length === 0) return refused("it is in no loop");
  const wide = widened(program, s, at);
  if (typeof wide === "string") return refused(wide);
  const whole = replaceStatement(program, s.id, [wide]);
  const isOwn = tensorOf(program, s.write.tensor).role === "temporary";
  return rewritten(isOwn ? whole : copyState(whole, wide));
}

/** The statements for which {@link writeWhole} does something. */
export function wholeCandidates(program: Program): readonly WholeTarget[] {
  return flatMap(program.statements, (s) => {
    const at = programOrder(program).get(s.id);
    const isOwn = tensorOf(program, s.write.tensor).role === "temporary";
    if (at === undefined || (isOwn && writesWhole(program, s, at))) return [];
    const target = { statement: s.id };
    return writeWhole(program, target).kind === "refused" ? [] : [target];
  });
}
