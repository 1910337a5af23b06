/** Renames the dims of one statement to those of another with the same points. */
import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  addConstant,
  affineEquals,
  printAffine,
  printConstraint,
  substitute,
  subtract,
  variable,
} from "../affine.ts";
import {
  type Dim,
  type Domain,
  domainConstraints,
  indicesOf,
  type Quotient,
  quotientConstraints,
} from "../domain.ts";
import { implies } from "../integer-set/implies.ts";
import { type Index, parallelDims, reducedDims, type Statement, sameIndex } from "../program.ts";
import { parallelBoundsUseReduced, parallelPart } from "./parallel-part.ts";
import { freshName, variableNames } from "./rewrite.ts";
import { replacementOf, substituteVariables } from "./substitute-statement.ts";

/** Gives the dims but the loops, and the quotients, names that are not taken. */
export function renameApart(s: Statement, taken: Iterable<string>): Statement {
  const names = new Set([...taken, ...s.loops]);
  const map = new Map<string, Affine>();
  for (const name of variableNames(s)) {
    if (s.loops.includes(name) || !names.has(name)) continue;
    const fresh = freshName([...names, ...variableNames(s)], `${name}_`);
    names.add(fresh);
    map.set(name, variable(fresh));
  }
  return renameAll(s, map);
}

/** Renames variables wherever they occur, dims and quotients included. */
function renameAll(s: Statement, map: ReadonlyMap<string, Affine>): Statement {
  const nameOf = (old: string): string => map.get(old)?.terms[0]?.variable ?? old;
  const by = replacementOf(map);
  const moved = substituteVariables(s, by);
  const dims = moved.domain.dims.map((d) =>
    nameOf(d.name) === d.name ? d : { ...d, name: nameOf(d.name), indices: indicesOf(d) },
  );
  const quotients = moved.domain.quotients.map((q) => ({ ...q, name: nameOf(q.name) }));
  const reduction =
    moved.reduction === null
      ? null
      : { ...moved.reduction, dims: moved.reduction.dims.map(nameOf) };
  return { ...moved, domain: { ...moved.domain, dims, quotients }, reduction };
}

/** Renames dims and program loops of a statement, wherever it uses them. */
export function renameDims(s: Statement, names: ReadonlyMap<string, string>): Statement {
  const map = new Map([...names].map(([from, to]) => [from, variable(to)]));
  return { ...renameAll(s, map), loops: s.loops.map((name) => names.get(name) ?? name) };
}

/** Gives quotients of equal meaning the names that `like` has for them. */
function unifyQuotients(s: Statement, like: readonly Quotient[]): Statement {
  let current = s;
  for (let n = 0; n < s.domain.quotients.length; n++) {
    const q = current.domain.quotients[n];
    const twin = like.find(
      (p) => q !== undefined && p.divisor === q.divisor && affineEquals(p.numerator, q.numerator),
    );
    const clash = current.domain.quotients.some((p) => p.name === twin?.name);
    if (q === undefined || twin === undefined || clash) continue;
    current = renameAll(current, new Map([[q.name, variable(twin.name)]]));
  }
  return current;
}

/** The dims of `a` that those of `b` must be, read off the written index position by position. */
function unifyIndex(a: Index, b: Index, open: Set<string>, map: Map<string, Affine>): void {
  if (a.kind !== "affine" || b.kind !== "affine") return;
  const bound = substitute(b.affine, replacementOf(map));
  const [mine, theirs] = [
    subtract(a.affine, bound).terms.filter((t) => !open.has(t.variable)),
    bound.terms.filter((t) => open.has(t.variable)),
  ];
  const [x, y] = [mine[0], theirs[0]];
  if (mine.length !== 1 || theirs.length !== 1 || x === undefined || y === undefined) return;
  map.set(y.variable, variable(x.variable));
  open.delete(y.variable);
}

/** The guards of `a` hold wherever those of `b` do, given the ranges of the dims. */
function guardsImplied(a: Domain, b: Domain): boolean {
  const given = [...domainConstraints(b), ...flatMap(a.quotients, quotientConstraints)];
  const known = new Set(b.guards.map(printConstraint));
  return a.guards.every((c) => known.has(printConstraint(c)) || implies(given, c));
}

/** True when both have the same dims with the same ranges and the same points. */
function sameDomain(a: Domain, b: Domain): boolean {
  const range = (d: Dim): string => `${d.name} ${printAffine(d.lower)} ${printAffine(d.upper)}`;
  const ranges = (d: Domain): string => d.dims.map(range).sort().join();
  return ranges(a) === ranges(b) && guardsImplied(a, b) && guardsImplied(b, a);
}

/**
 * `second` over the parallel dims of `first`, its reduced dims and other quotients named apart.
 * Undefined unless both write the same elements for the same parallel points of the same loops.
 */
export function alignParallel(first: Statement, second: Statement): Statement | undefined {
  if (first.loops.join() !== second.loops.join()) return undefined;
  if (parallelBoundsUseReduced(first) || parallelBoundsUseReduced(second)) return undefined;
  const apart = renameApart(second, variableNames(first));
  const open = new Set(parallelDims(apart).filter((d) => !apart.loops.includes(d)));
  const map = new Map<string, Affine>();
  for (const [d, i] of first.write.index.entries()) {
    const j = apart.write.index[d];
    if (j !== undefined) unifyIndex(i, j, open, map);
  }
  const images = new Set([...map.values()].map((a) => a.terms[0]?.variable));
  if (open.size > 0 || images.size !== map.size) return undefined;
  const aligned = unifyQuotients(renameAll(apart, map), first.domain.quotients);
  const same =
    sameIndex(first.write.index, aligned.write.index) &&
    sameDomain(parallelPart(first), parallelPart(aligned));
  return same ? aligned : undefined;
}

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) yield [];
  for (const [n, item] of items.entries()) {
    for (const rest of permutations(items.filter((_, m) => m !== n))) yield [item, ...rest];
  }
}

/** `second` with its reduced dims, in the order of `dims`, replaced by shifted ones of `first`. */
function withReduced(
  first: Statement,
  second: Statement,
  dims: readonly string[],
): Statement | undefined {
  const map = new Map<string, Affine>();
  const ranges = new Map(first.domain.dims.map((d) => [d.name, d]));
  const own = new Map(second.domain.dims.map((d) => [d.name, d]));
  for (const [n, name] of reducedDims(first).entries()) {
    const [mine, theirs] = [ranges.get(name), own.get(dims[n] ?? "")];
    if (mine === undefined || theirs === undefined) return undefined;
    const by = replacementOf(map);
    const shift = subtract(substitute(theirs.lower, by), mine.lower);
    if (shift.terms.length > 0) return undefined;
    const upper = addConstant(substitute(theirs.upper, by), -shift.constant);
    if (!affineEquals(upper, mine.upper)) return undefined;
    map.set(theirs.name, addConstant(variable(name), shift.constant));
  }
  const moved = substituteVariables(
    { ...second, domain: { ...second.domain, dims: first.domain.dims } },
    replacementOf(map),
  );
  return unifyQuotients(moved, first.domain.quotients);
}

/**
 * `second`, which {@link alignParallel} has aligned, over the reduced dims of `first`; its domain is
 * that of `first` with the further quotients. Undefined unless the reduced points are the same.
 */
export function alignReduced(first: Statement, second: Statement): Statement | undefined {
  const dims = reducedDims(second);
  if (dims.length !== reducedDims(first).length || dims.length > 4) return undefined;
  for (const order of permutations(dims)) {
    const aligned = withReduced(first, second, order);
    if (aligned === undefined || !sameDomain(first.domain, aligned.domain)) continue;
    return { ...aligned, domain: withQuotients(first.domain, aligned.domain) };
  }
  return undefined;
}

/** The domain with the quotients of an aligned one that it lacks; equal names mean the same. */
export function withQuotients(domain: Domain, other: Domain): Domain {
  const known = new Set(domain.quotients.map((q) => q.name));
  const more = other.quotients.filter((q) => !known.has(q.name));
  return { ...domain, quotients: [...domain.quotients, ...more] };
}
