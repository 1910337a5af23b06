/**
 * Which instances of a statement touch which cells of a tensor, and when.
 *
 * ```
 * relation := statement, access, use, tensor, dims, constraints, index
 * use      := body   read by every instance of all dims
 *           | init   read once for every point of the dims that are not reduced
 *           | store  write, or read to find the written cell, once for every such point
 * ```
 * A coordinate of the index that is null may be any: it is computed at run time.
 */
import { flatMap } from "../../support/flat-map.ts";
import { remember, rememberWhile } from "../../support/remember.ts";
import {
  type Affine,
  type Constraint,
  constant,
  type Interval,
  intervalOf,
  lessOrEqual,
  lessThan,
  nonnegative,
  substitute,
  substituteConstraint,
  subtract,
  variable,
} from "../affine.ts";
import { boundingBox, type Dim, type Quotient, quotientConstraints } from "../domain.ts";
import {
  type Access,
  findTensor,
  type Index,
  isScatter,
  type Program,
  parallelDims,
  type Statement,
  type Tensor,
  tensorsOf,
} from "../program.ts";
import { readsIn, writtenCoordinates } from "../statement-parts.ts";

/** Which part of a statement performs an access; see the header of this file. */
export type Use = "body" | "init" | "store";

/** An access of a statement: its write, or the number of a read. */
export interface AccessRef {
  readonly statement: string;
  readonly access: "write" | number;
  readonly use: Use;
}

export interface AccessRelation extends AccessRef {
  readonly tensor: string;
  /** The dims that number the access's instances, in the order of the domain. */
  readonly dims: readonly string[];
  /** Over `dims` and the quotients of them. */
  readonly constraints: readonly Constraint[];
  /** One for each dimension of the tensor; null for any cell. */
  readonly index: readonly (Affine | null)[];
  /** Bounds of each coordinate, guards ignored. */
  readonly range: readonly Interval[];
  /** False when the true relation may be smaller. */
  readonly exact: boolean;
}

/** The part of a domain over some of its dims. */
interface Scope {
  readonly dims: readonly Dim[];
  readonly quotients: readonly Quotient[];
  readonly guards: readonly Constraint[];
  readonly names: ReadonlySet<string>;
  readonly exact: boolean;
}

function within(affine: Affine, names: ReadonlySet<string>): boolean {
  return affine.terms.every((t) => names.has(t.variable));
}

/** Leaves out every dim, quotient and guard that depends on a dim that is not in `dims`. */
function scopeOf(statement: Statement, dims: readonly string[]): Scope {
  const { domain } = statement;
  if (dims.length === domain.dims.length) {
    const names = new Set([...dims, ...domain.quotients.map((q) => q.name)]);
    return { ...domain, names, exact: true };
  }
  const kept = new Set(dims);
  const names = new Set(dims);
  const quotients: Quotient[] = [];
  for (const q of domain.quotients) {
    if (!within(q.numerator, names)) continue;
    quotients.push(q);
    names.add(q.name);
  }
  const inside = domain.dims.filter((d) => kept.has(d.name));
  return {
    dims: inside,
    quotients,
    guards: domain.guards.filter((g) => within(g.affine, names)),
    names,
    exact: inside.every((d) => within(d.lower, names) && within(d.upper, names)),
  };
}

function scopeConstraints(scope: Scope): readonly Constraint[] {
  const bounds = flatMap(scope.dims, (d) => [
    lessOrEqual(d.lower, variable(d.name)),
    lessThan(variable(d.name), d.upper),
  ]);
  const all = [...bounds, ...scope.guards, ...flatMap(scope.quotients, quotientConstraints)];
  return scope.exact ? all : all.filter((c) => within(c.affine, scope.names));
}

function coordinate(index: Index, scope: Scope): Affine | null {
  return index.kind === "affine" && within(index.affine, scope.names) ? index.affine : null;
}

/** Keeps the affine coordinates of a scattered write inside the tensor: the rest is dropped. */
function insideTensor(index: readonly (Affine | null)[], shape: readonly number[]): Constraint[] {
  return flatMap(index, (a, d) =>
    a === null ? [] : [nonnegative(a), lessThan(a, constant(shape[d] ?? 0))],
  );
}

function relation(
  tensors: readonly Tensor[],
  statement: Statement,
  ref: Pick<AccessRef, "access" | "use">,
  target: Pick<Access, "tensor" | "index" | "guard">,
): AccessRelation {
  const scatter = isScatter(statement);
  const all = ref.use === "body" || scatter;
  const dims = all ? statement.domain.dims.map((d) => d.name) : parallelDims(statement);
  const scope = scopeOf(statement, dims);
  const guard = target.guard.filter((g) => within(g.affine, scope.names));
  const index = target.index.map((i) => coordinate(i, scope));
  const shape = tensors.find((t) => t.name === target.tensor)?.shape ?? [];
  const clip = scatter && ref.access === "write" ? insideTensor(index, shape) : [];
  const box = boundingBox(statement.domain);
  const everything = { lo: -Infinity, hi: Infinity };
  return {
    statement: statement.id,
    access: ref.access,
    use: ref.use,
    tensor: target.tensor,
    dims,
    constraints: [...scopeConstraints(scope), ...guard, ...clip],
    index,
    range: index.map((a) =>
      a === null ? everything : intervalOf(a, (name) => box.get(name) ?? everything),
    ),
    exact: scope.exact && guard.length === target.guard.length && !index.includes(null),
  };
}

/** The uses of each read of a statement: one or more; reads that nothing uses count as body. */
function usesOfReads(statement: Statement): readonly (readonly Use[])[] {
  const { reduction } = statement;
  if (reduction === null || isScatter(statement)) return statement.reads.map(() => ["body"]);
  const body = readsIn(statement, statement.body);
  const init = readsIn(statement, reduction.init ?? []);
  const store = readsIn(statement, writtenCoordinates(statement));
  return statement.reads.map((_, n) => {
    const uses: Use[] = [];
    if (init.has(n)) uses.push("init");
    if (store.has(n)) uses.push("store");
    if (body.has(n) || uses.length === 0) uses.push("body");
    return uses;
  });
}

/** The tensors that a statement touches: all of a program that its relations depend on. */
function touchedBy(program: Program, statement: Statement): readonly Tensor[] {
  return flatMap(tensorsOf(statement), (name) => findTensor(program, name) ?? []);
}

const writeRelationOf: (statement: Statement, touched: readonly Tensor[]) => AccessRelation =
  rememberWhile((statement: Statement, touched: readonly Tensor[]) => {
    const target = { ...statement.write, guard: [] };
    return relation(touched, statement, { access: "write", use: "store" }, target);
  });

/** What a statement writes. A reduction writes for its parallel dims only, a scatter for all. */
export function writeRelation(program: Program, statement: Statement): AccessRelation {
  return writeRelationOf(statement, touchedBy(program, statement));
}

const readRelationsOf: (
  statement: Statement,
  touched: readonly Tensor[],
) => readonly AccessRelation[] = rememberWhile(
  (statement: Statement, touched: readonly Tensor[]) => {
    const uses = usesOfReads(statement);
    return flatMap(statement.reads, (read, access) =>
      (uses[access] ?? []).map((use) => relation(touched, statement, { access, use }, read)),
    );
  },
);

/**
 * What a statement reads, one relation for each use of each read. A read whose guard fails touches
 * nothing. What a scatter reads of the element that it combines into is part of its write.
 */
export function readRelations(program: Program, statement: Statement): readonly AccessRelation[] {
  return readRelationsOf(statement, touchedBy(program, statement));
}

const prefixedRelations: (relation: AccessRelation) => (prefix: string) => AccessRelation =
  remember((relation) => {
    const known = new Map<string, AccessRelation>();
    return (prefix) => {
      const found = known.get(prefix) ?? prefixed(relation, prefix);
      known.set(prefix, found);
      return found;
    };
  });

/** The relation with every name behind a prefix, so that two can be joined. */
export function prefixRelation(relation: AccessRelation, prefix: string): AccessRelation {
  return prefixedRelations(relation)(prefix);
}

function prefixed(relation: AccessRelation, prefix: string): AccessRelation {
  const renamed = new Map<string, Affine>();
  const by = (name: string): Affine => {
    const known = renamed.get(name);
    if (known !== undefined) return known;
    const fresh = variable(prefix + name);
    renamed.set(name, fresh);
    return fresh;
  };
  return {
    ...relation,
    constraints: relation.constraints.map((c) => substituteConstraint(c, by)),
    index: relation.index.map((a) => (a === null ? null : substitute(a, by))),
  };
}

/** True when the ranges of the coordinates prove that the two share no cell. */
export function apart(a: AccessRelation, b: AccessRelation): boolean {
  return a.range.some((r, d) => {
    const s = b.range[d];
    return s !== undefined && (r.hi < s.lo || s.hi < r.lo);
  });
}

/** The constraints under which two prefixed relations touch one cell. */
export function sameCell(a: AccessRelation, b: AccessRelation): readonly Constraint[] {
  const result: Constraint[] = [];
  for (const [d, left] of a.index.entries()) {
    const right = b.index[d] ?? null;
    if (left === null || right === null) continue;
    result.push({ kind: "zero", affine: subtract(left, right) });
  }
  return result;
}
