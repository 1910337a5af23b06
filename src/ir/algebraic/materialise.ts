import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { elementCount } from "../../support/scalar-type.ts";
import { type Affine, add, constant, variable, variablesOf } from "../affine.ts";
import { boundingBox, type Dim, type Domain } from "../domain.ts";
import { type Expression, mapExpression, read } from "../expression.ts";
import {
  type Access,
  affineIndex,
  findStatement,
  findTensor,
  indexVariables,
  type Program,
  type Statement,
  type Tensor,
} from "../program.ts";
import { eachPart, readsIn, writtenCoordinates } from "../statement-parts.ts";
import { parallelBoundsUseReduced, parallelPart } from "./parallel-part.ts";
import {
  addTensor,
  freshStatementId,
  freshTensorName,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
  temporary,
} from "./rewrite.ts";
import { dropUnused, mapStatementExpressions } from "./substitute-statement.ts";

/** A part of a statement that is to be computed by a statement of its own. */
export interface MaterialiseTarget {
  readonly statement: string;
  /** A node of the body, of the reduction's `init` or of an opaque index; the same object. */
  readonly value: Expression;
}

/** The expressions that have a value for every point of the domain. */
function bodyAndTarget(s: Statement): readonly Expression[] {
  return [...s.body, ...writtenCoordinates(s)];
}

/** The domain over which a part of a statement has a value; null if it is no part of it, or of two. */
function domainOf(s: Statement, value: Expression): Domain | null {
  const isPart = (roots: readonly Expression[]): boolean => {
    for (const part of eachPart(s, roots)) if (part === value) return true;
    return false;
  };
  const [inBody, inInit] = [isPart(bodyAndTarget(s)), isPart(s.reduction?.init ?? [])];
  if (inBody) return inInit ? null : s.domain;
  return inInit && !parallelBoundsUseReduced(s) ? parallelPart(s) : null;
}

/** The variables that a value depends on, through its reads and their guards. */
export function variablesOfValue(s: Statement, value: Expression): ReadonlySet<string> {
  const guards = flatMap([...readsIn(s, [value])], (n) => s.reads[n]?.guard ?? []);
  return new Set([
    ...indexVariables(s, { kind: "opaque", expression: value }),
    ...flatMap(guards, (c) => variablesOf(c.affine)),
  ]);
}

/** True when a dim has the same range everywhere, which is not empty. */
function isFree(dim: Dim): boolean {
  const { lower, upper } = dim;
  return lower.terms.length + upper.terms.length === 0 && lower.constant < upper.constant;
}

/**
 * The domain without the dims that neither the value nor what restricts the others depends on. Its
 * points are those of the whole domain without these dims, so that every access stays in bounds.
 */
function projected(domain: Domain, loops: readonly string[], wanted: ReadonlySet<string>): Domain {
  const kept = new Set([...wanted, ...loops]);
  const keep = (...affines: readonly Affine[]): void => {
    for (const affine of affines) for (const v of variablesOf(affine)) kept.add(v);
  };
  for (const d of domain.dims) if (!isFree(d)) kept.add(d.name);
  for (const c of domain.guards) keep(c.affine);
  // Quotients use earlier quotients, bounds earlier dims.
  for (const q of [...domain.quotients].reverse()) if (kept.has(q.name)) keep(q.numerator);
  for (const d of [...domain.dims].reverse()) if (kept.has(d.name)) keep(d.lower, d.upper);
  return {
    ...domain,
    dims: domain.dims.filter((d) => kept.has(d.name)),
    quotients: domain.quotients.filter((q) => kept.has(q.name)),
  };
}

/**
 * Purpose: computes a part of a statement beforehand, into a temporary: the inverse of inlining. The
 * statement reads fewer tensors afterwards.
 *
 * ```
 * S: y(i) = ((a(i) + b(i)) + c(i)) + d(i)  -->  S.part: y_part(i) = a(i) + b(i)
 *                                               S:      y(i) = (y_part(i) + c(i)) + d(i)
 * ```
 * Requires: `value` is part of the body, or of `init` where the parallel ranges use no reduced dim,
 * and not of both.
 *
 * Ensures: no operation changes, nor the order of any two, so that results are equal bit for bit. The
 * temporary has a dimension for each dim that the value depends on, program loops apart.
 */
export function materialise(program: Program, { statement, value }: MaterialiseTarget): Rewrite {
  const s = findStatement(program, statement);
  if (s === undefined) return refused("no such statement");
  const whole = domainOf(s, value);
  if (whole === null) return refused("the value is no part of the statement");
  const domain = projected(whole, s.loops, variablesOfValue(s, value));
  const box = boundingBox(domain);
  const dims = domain.dims
    .filter((d) => !s.loops.includes(d.name))
    .map((d) => ({ name: d.name, ...defined(box.get(d.name), d.name) }));
  const shape = dims.map(({ lo, hi }) => Math.max(0, hi - lo + 1));
  const name = freshTensorName(program, `${s.write.tensor}_part`);
  const tensor = temporary(name, {
    components: [value.type],
    shape,
    span: s.span,
    ...paddingLike(program, s, dims),
  });
  const index = dims.map(({ name: dim, lo }) => affineIndex(add(variable(dim), constant(-lo))));
  const part: Statement = dropUnused({
    ...s,
    id: freshStatementId(program, `${s.id}.part`),
    domain,
    write: { tensor: name, index },
    reduction: null,
    body: [value],
  });
  const from: Access = { tensor: name, index, guard: [], fill: 0 };
  const at = s.reads.length;
  const rest = mapStatementExpressions({ ...s, reads: [...s.reads, from] }, (e) =>
    replaceNode(e, value, read(at, value.type)),
  );
  return rewritten(replaceStatement(addTensor(program, tensor), s.id, [part, dropUnused(rest)]));
}

/** Values for the elements of a row with padding, or of a part of it, have some as well. */
function paddingLike(
  program: Program,
  s: Statement,
  [dim, more]: readonly { readonly lo: number; readonly hi: number }[],
): Pick<Tensor, "original"> {
  const row = findTensor(program, s.write.tensor);
  if (row?.original === undefined || row.shape.length !== 1) return {};
  if (dim === undefined || more !== undefined) return {};
  const count = elementCount(row.original) - dim.lo;
  return { original: [Math.max(0, Math.min(count, dim.hi - dim.lo + 1))] };
}

/** Puts a node in the place of another, told apart as an object. */
function replaceNode(e: Expression, node: Expression, by: Expression): Expression {
  // The change sees rebuilt nodes; those without the node inside are as they were.
  return mapExpression(e, (found) => (found === node ? by : undefined));
}
