import { flatMap } from "../../support/flat-map.ts";
import { type Expression, readNumbers } from "../expression.ts";
import type { Monoid } from "../monoid.ts";
import {
  type Access,
  eachStatementId,
  findStatement,
  isScatter,
  type Program,
  type Statement,
  sameIndex,
  statementOf,
} from "../program.ts";
import { alignParallel, alignReduced, withQuotients } from "./align-domains.ts";
import { combineStates, matchUpdate, sameMonoid } from "./match-update.ts";
import {
  orderedStatements,
  positionOf,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
  takenWith,
} from "./rewrite.ts";
import { mayConflict, readsOf } from "./same-cell.ts";
import { storesItsState } from "./split-domain.ts";
import {
  dropUnused,
  mapAccessExpressions,
  replaceReads,
  shiftReads,
} from "./substitute-statement.ts";

/** Two statements that update the same elements, the second after the first. */
export interface MergeTarget {
  readonly first: string;
  readonly second: string;
}

/** A pair that can be merged. */
export interface MergeCandidate extends MergeTarget {
  /** For example `norm#1/merge`, named after the second statement. */
  readonly path: string;
}

/** The second statement over the first one's dims, and which of its reads are of the own element. */
interface Aligned {
  readonly first: Statement;
  readonly second: Statement;
  readonly own: ReadonlySet<number>;
}

function isOwn(access: Access, statement: Statement): boolean {
  const { tensor, index } = statement.write;
  return access.tensor === tensor && access.guard.length === 0 && sameIndex(access.index, index);
}

/** True when nothing between the two, which share a list of nodes, keeps them from being neighbours. */
function canMeet(program: Program, first: Statement, second: Statement): boolean {
  const position = positionOf(program, first.id);
  if (position === undefined) return false;
  const { nodes, index } = position;
  for (const node of nodes.slice(index + 1)) {
    if (node.kind === "statement" && node.statement === second.id) return true;
    for (const id of eachStatementId([node])) {
      if (mayConflict(program, first, statementOf(program, id))) return false;
    }
  }
  return false;
}

/** The reads of both, those of the second with numbers after those of the first. */
function joinedReads({ first, second }: Aligned): readonly Access[] {
  const offset = first.reads.length;
  const moved = second.reads.map((a) => mapAccessExpressions(a, (e) => shiftReads(e, offset)));
  return [...first.reads, ...moved];
}

function usesOwn(own: ReadonlySet<number>, parts: readonly Expression[]): boolean {
  return readNumbers(...parts).some((n) => own.has(n));
}

/** The second statement's expressions with what the first stores in place of the own element. */
function withStored(pair: Aligned, stored: readonly Expression[]): (e: Expression) => Expression {
  const { first, own } = pair;
  return (e) => {
    const shifted = shiftReads(e, first.reads.length);
    return replaceReads(shifted, (n, c) =>
      own.has(n - first.reads.length) ? stored[c] : undefined,
    );
  };
}

/** `x = a; x = f(x)`, or `x = a; x = x with sum b`: the first one's value is substituted. */
function intoSecond(pair: Aligned): Statement | string {
  const { first, second, own } = pair;
  if (second.reduction !== null && usesOwn(own, second.body)) {
    return "the second statement would compute the first one's value for each reduced point";
  }
  const change = withStored(pair, first.body);
  const { reduction } = second;
  return {
    ...second,
    domain: withQuotients(second.domain, first.domain),
    reads: joinedReads(pair),
    reduction:
      reduction === null ? null : { ...reduction, init: reduction.init?.map(change) ?? null },
    body: second.body.map(change),
  };
}

/** `x = sum a; x = x + e`: `e` joins what the reduction starts from. */
function intoInit(pair: Aligned): Statement | string {
  const { first, second, own } = pair;
  const { reduction } = first;
  if (reduction === null || !storesItsState(reduction.monoid, reduction.projected)) {
    return "the element is not the state of the first reduction";
  }
  const { monoid, init } = reduction;
  const added = matchUpdate(monoid, second.body, own);
  if (added === undefined || usesOwn(own, added)) {
    return "the second statement does not combine with the first one's monoid";
  }
  const moved = added.map((e) => shiftReads(e, first.reads.length));
  return {
    ...first,
    domain: withQuotients(first.domain, second.domain),
    reads: joinedReads(pair),
    reduction: { ...reduction, init: startFrom(monoid, init, moved) },
  };
}

/** What an init combines with the own element: null for nothing, undefined if it is nothing such. */
function addedToOwn(
  monoid: Monoid,
  init: readonly Expression[],
  own: ReadonlySet<number>,
): readonly Expression[] | null | undefined {
  const plain = (e: Expression, c: number): boolean =>
    e.kind === "read" && own.has(e.read) && e.component === c;
  if (init.length > 0 && init.every(plain)) return null;
  const added = matchUpdate(monoid, init, own);
  return added === undefined || usesOwn(own, added) ? undefined : added;
}

/** `init` combined with more, either of which may be missing. */
function startFrom(
  monoid: Monoid,
  init: readonly Expression[] | null,
  more: readonly Expression[] | null,
): readonly Expression[] | null {
  if (init === null || more === null) return init ?? more;
  return combineStates(monoid, init, more);
}

/** `x = sum a; x = x with sum b` over equal ranges: one reduction of both bodies. */
function intoOneReduction(pair: Aligned): Statement | string {
  const { first, own } = pair;
  const { reduction } = first;
  const aligned = alignReduced(first, pair.second);
  const other = aligned?.reduction;
  if (reduction === null || aligned === undefined || !other) {
    return "the reduced dims have other ranges";
  }
  const { monoid, projected, init } = reduction;
  if (!sameMonoid(monoid, other.monoid) || projected !== other.projected) {
    return "the reductions have different monoids";
  }
  if (!storesItsState(monoid, projected)) return "the element is not the state of the reduction";
  if (usesOwn(own, aligned.body)) return "the second body reads the element";
  const added = addedToOwn(monoid, other.init ?? [], own);
  if (added === undefined) return "the second reduction does not start from the element";
  const moved = aligned.body.map((e) => shiftReads(e, first.reads.length));
  const more = added === null ? null : added.map((e) => shiftReads(e, first.reads.length));
  return {
    ...first,
    domain: aligned.domain,
    reads: joinedReads({ ...pair, second: aligned }),
    reduction: { ...reduction, init: startFrom(monoid, init, more) },
    body: combineStates(monoid, first.body, moved),
  };
}

/** True when an opaque coordinate of a read uses one of the reads. */
function indexUses(statement: Statement, reads: ReadonlySet<number>): boolean {
  return statement.reads.some((a) =>
    a.index.some((i) => i.kind === "opaque" && usesOwn(reads, [i.expression])),
  );
}

function mergeAligned(pair: Aligned): Statement | string {
  const { first, second, own } = pair;
  if (own.size === 0) return second;
  if (first.reduction === null) return intoSecond(pair);
  return second.reduction === null ? intoInit(pair) : intoOneReduction(pair);
}

/**
 * Purpose: makes one statement of two that update the same elements, so that the intermediate
 * values never reach memory and one loop nest does the work of both.
 *
 * ```
 * C(i) = b(i);            C(i) = C(i) with sum[k] e   -->  C(i) = b(i) with sum[k] e
 * C(i) = sum[k] e;        C(i) = C(i) + b(i)          -->  C(i) = b(i) with sum[k] e
 * h(i) = sum[k] a;        h(i) = h(i) with sum[m] b   -->  h(i) = sum[k] (a + b)
 * x(i) = a;               x(i) = f(x(i))              -->  x(i) = f(a)
 * x(i) = a;               x(i) = b                    -->  x(i) = b
 * ```
 * Requires: both directly in one list of nodes, the first exchangeable with all that lies between;
 * the same written index and parallel points after renaming of dims; the second reads the tensor
 * at its own element only. Two reductions need equal monoids and reduced ranges.
 *
 * Ensures: one statement, where the second was and with its id; float sums are reassociated.
 */
export function mergeUpdates(program: Program, target: MergeTarget): Rewrite {
  const first = findStatement(program, target.first);
  const other = findStatement(program, target.second);
  if (first === undefined || other === undefined) return refused("no such statement");
  if (first.write.tensor !== other.write.tensor) return refused("they write different tensors");
  if (isScatter(first) || isScatter(other)) return refused("a scatter cannot be merged");
  const second = alignParallel(first, other);
  if (second === undefined) return refused("they write different elements");
  const own = new Set([...second.reads.keys()].filter((n) => isOwnRead(second, n)));
  if (readsOf(second, second.write.tensor).length !== own.size) {
    return refused("the second statement reads other elements of the tensor");
  }
  if (indexUses(second, own)) return refused("the second statement's index reads the element");
  if (!canMeet(program, first, other)) return refused("they cannot be made neighbours");
  const merged = mergeAligned({ first, second, own });
  if (typeof merged === "string") return refused(merged);
  const statement = dropUnused({
    ...merged,
    id: other.id,
    span: other.span,
    ...takenWith(other, first),
  });
  const without = replaceStatement(program, first.id, []);
  return rewritten(replaceStatement(without, other.id, [statement]));
}

function isOwnRead(statement: Statement, n: number): boolean {
  const access = statement.reads[n];
  return access !== undefined && isOwn(access, statement);
}

/** The pairs that {@link mergeUpdates} can merge: each second statement with the nearest first. */
export function mergeCandidates(program: Program): readonly MergeCandidate[] {
  const ordered = orderedStatements(program);
  return flatMap(ordered, (second, n) => {
    const first = ordered
      .slice(0, n)
      .reverse()
      .find((s) => mergeUpdates(program, { first: s.id, second: second.id }).kind === "rewritten");
    if (first === undefined) return [];
    const path = `${second.id}/merge`;
    return [{ path, first: first.id, second: second.id }];
  });
}
