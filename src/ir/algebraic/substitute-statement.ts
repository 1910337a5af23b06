/** Substitution of variables and renumbering of reads throughout a statement's parts. */
import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { type Affine, substitute, substituteConstraint } from "../affine.ts";
import type { Domain } from "../domain.ts";
import { type Expression, eachExpression, mapExpression } from "../expression.ts";
import { type Access, type Index, type Statement, statementExpressions } from "../program.ts";
import { computedExpressions, readsIn } from "../statement-parts.ts";

/** What stands for a variable; undefined where it stays. */
export type Replacement = (name: string) => Affine | undefined;

/** A replacement given by a map. */
export function replacementOf(map: ReadonlyMap<string, Affine>): Replacement {
  return (name) => map.get(name);
}

/** Substitutes variables in the coordinates of an expression. */
export function substituteExpression(e: Expression, by: Replacement): Expression {
  return mapExpression(e, (node) => {
    if (node.kind !== "coordinate") return undefined;
    const affine = substitute(node.affine, by);
    return affine === node.affine ? undefined : { ...node, affine };
  });
}

/** Substitutes variables in an index. */
function substituteIndex(index: Index, by: Replacement): Index {
  return index.kind === "affine"
    ? { kind: "affine", affine: substitute(index.affine, by) }
    : { kind: "opaque", expression: substituteExpression(index.expression, by) };
}

/** Substitutes variables in a read's index and guard. */
export function substituteAccess(access: Access, by: Replacement): Access {
  return {
    ...access,
    index: access.index.map((i) => substituteIndex(i, by)),
    guard: access.guard.map((c) => substituteConstraint(c, by)),
  };
}

/** Replaces the reads of an expression; undefined keeps one. */
export function replaceReads(
  e: Expression,
  by: (read: number, component: number) => Expression | undefined,
): Expression {
  return mapExpression(e, (node) =>
    node.kind === "read" ? by(node.read, node.component) : undefined,
  );
}

/** Renumbers the reads of an expression by a constant. */
export function shiftReads(e: Expression, offset: number): Expression {
  if (offset === 0) return e;
  return mapExpression(e, (node) =>
    node.kind === "read" ? { ...node, read: node.read + offset } : undefined,
  );
}

function mapIndexExpressions(index: Index, change: (e: Expression) => Expression): Index {
  return index.kind === "affine" ? index : { ...index, expression: change(index.expression) };
}

/** Applies a change to the opaque coordinates of a read. */
export function mapAccessExpressions(
  access: Access,
  change: (e: Expression) => Expression,
): Access {
  return { ...access, index: access.index.map((i) => mapIndexExpressions(i, change)) };
}

/** Applies a change to every expression of a statement: body, init and opaque coordinates. */
export function mapStatementExpressions(
  statement: Statement,
  change: (e: Expression) => Expression,
): Statement {
  const { write, reduction } = statement;
  return {
    ...statement,
    write: { ...write, index: write.index.map((i) => mapIndexExpressions(i, change)) },
    reads: statement.reads.map((a) => mapAccessExpressions(a, change)),
    reduction:
      reduction === null ? null : { ...reduction, init: reduction.init?.map(change) ?? null },
    body: statement.body.map(change),
  };
}

function dropUnusedReads(statement: Statement): Statement {
  const used = readsIn(statement, computedExpressions(statement));
  if (used.size === statement.reads.length) return statement;
  const number = new Map<number, number>();
  for (const n of statement.reads.keys()) if (used.has(n)) number.set(n, number.size);
  const kept = { ...statement, reads: statement.reads.filter((_, n) => used.has(n)) };
  return mapStatementExpressions(kept, (e) =>
    mapExpression(e, (node) =>
      node.kind === "read"
        ? { ...node, read: defined(number.get(node.read), "a used read") }
        : undefined,
    ),
  );
}

/** The affine expressions of a statement, apart from those that quotients divide. */
function* affinesOf(s: Statement): Generator<Affine> {
  for (const d of s.domain.dims) yield* [d.lower, d.upper];
  for (const c of [...s.domain.guards, ...flatMap(s.reads, (a) => a.guard)]) yield c.affine;
  for (const part of [s.write, ...s.reads]) {
    for (const i of part.index) if (i.kind === "affine") yield i.affine;
  }
  for (const node of eachExpression(...statementExpressions(s))) {
    if (node.kind === "coordinate") yield node.affine;
  }
}

function dropUnusedQuotients(s: Statement): Statement {
  const { quotients } = s.domain;
  if (quotients.length === 0) return s;
  const used = new Set<string>();
  for (const a of affinesOf(s)) for (const t of a.terms) used.add(t.variable);
  for (const q of [...quotients].reverse()) {
    if (used.has(q.name)) for (const t of q.numerator.terms) used.add(t.variable);
  }
  const kept = quotients.filter((q) => used.has(q.name));
  return kept.length === quotients.length ? s : { ...s, domain: { ...s.domain, quotients: kept } };
}

/** Drops the reads and quotients that nothing uses; the other reads are renumbered. */
export function dropUnused(statement: Statement): Statement {
  return dropUnusedQuotients(dropUnusedReads(statement));
}

/** Substitutes variables in a domain; the names of its dims and quotients stay. */
export function substituteDomain(domain: Domain, by: Replacement): Domain {
  return {
    dims: domain.dims.map((d) => ({
      ...d,
      lower: substitute(d.lower, by),
      upper: substitute(d.upper, by),
    })),
    guards: domain.guards.map((c) => substituteConstraint(c, by)),
    quotients: domain.quotients.map((q) => ({ ...q, numerator: substitute(q.numerator, by) })),
  };
}

/** Substitutes variables wherever a statement uses them; the names that it defines stay. */
export function substituteVariables(s: Statement, by: Replacement): Statement {
  const moved: Statement = {
    ...s,
    domain: substituteDomain(s.domain, by),
    write: { ...s.write, index: s.write.index.map((i) => substituteIndex(i, by)) },
    reads: s.reads.map((a) => substituteAccess(a, by)),
  };
  return mapStatementExpressions(moved, (e) => substituteExpression(e, by));
}
