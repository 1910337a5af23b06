import {
  type Affine,
  addConstant,
  affineEquals,
  type Constraint,
  equal,
  isConstant,
  nonnegative,
  subtract,
  variable,
} from "../affine.ts";
import type { Dim } from "../domain.ts";
import { isEmpty } from "../integer-set/is-empty.ts";
import { findTensor, isScatter, type Program, parallelDims, type Statement } from "../program.ts";
import { prefixRelation, sameCell, writeRelation } from "./access-relation.ts";
import type { StatementOrder } from "./program-order.ts";

/** True when every iteration of the program loops has an instance of the statement. */
function unconditional(statement: Statement, order: StatementOrder): boolean {
  const { dims, guards } = statement.domain;
  const parallel = new Set(parallelDims(statement));
  const quotients = new Map(statement.domain.quotients.map((q) => [q.name, q.numerator]));
  const touchesParallelOnly = (a: Affine): boolean =>
    a.terms.every((t) => {
      const numerator = quotients.get(t.variable);
      return numerator === undefined ? parallel.has(t.variable) : touchesParallelOnly(numerator);
    });
  if (guards.some((g) => touchesParallelOnly(g.affine))) return false;
  return order.loops.every((loop, n) => {
    const d = dims[n];
    return (
      d !== undefined &&
      d.name === loop.name &&
      affineEquals(d.lower, loop.lower) &&
      affineEquals(d.upper, loop.upper)
    );
  });
}

/** The parallel dims below the program loops when they form a box. */
function innerBox(statement: Statement, order: StatementOrder): readonly Dim[] | null {
  const parallel = new Set(parallelDims(statement));
  const inner = statement.domain.dims.slice(order.loops.length).filter((d) => parallel.has(d.name));
  return inner.every((d) => isConstant(d.lower) && isConstant(d.upper)) ? inner : null;
}

/** The case that nearly all statements are: every coordinate is a dim of its own, over all of it. */
function isPermutation(statement: Statement, inner: readonly Dim[], shape: readonly number[]) {
  const free = new Map(inner.map((d) => [d.name, d]));
  return statement.write.index.every((index, n) => {
    if (index.kind !== "affine") return false;
    const [term, more] = index.affine.terms;
    if (term === undefined) return shape[n] === 1 && index.affine.constant === 0;
    const d = free.get(term.variable);
    if (d === undefined || more !== undefined || Math.abs(term.coefficient) !== 1) return false;
    free.delete(term.variable);
    const ends = [d.lower.constant, d.upper.constant - 1].map(
      (x) => x * term.coefficient + index.affine.constant,
    );
    return Math.min(...ends) === 0 && Math.max(...ends) === (shape[n] ?? 0) - 1;
  });
}

/** True when no two instances with equal program loops write the same cell. */
function isInjective(program: Program, statement: Statement, order: StatementOrder): boolean {
  const write = writeRelation(program, statement);
  const [a, b] = [prefixRelation(write, "a."), prefixRelation(write, "b.")];
  const together: Constraint[] = [...a.constraints, ...b.constraints, ...sameCell(a, b)];
  const loops = new Set(order.loops.map((l) => l.name));
  for (const name of write.dims) {
    const [left, right] = [variable(`a.${name}`), variable(`b.${name}`)];
    if (!loops.has(name)) {
      const less = nonnegative(addConstant(subtract(right, left), -1));
      if (isEmpty([...together, less]) !== "empty") return false;
    }
    together.push(equal(left, right));
  }
  return true;
}

/** As many instances as cells, no two in one cell, none outside: then every cell is written. */
function isBijection(
  program: Program,
  statement: Statement,
  order: StatementOrder,
  inner: readonly Dim[],
  shape: readonly number[],
): boolean {
  const instances = inner.reduce((n, d) => n * (d.upper.constant - d.lower.constant), 1);
  if (instances !== shape.reduce((n, extent) => n * extent, 1)) return false;
  const write = writeRelation(program, statement);
  if (!write.exact) return false;
  const stays = write.range.every((r, n) => r.lo >= 0 && r.hi < (shape[n] ?? 0));
  return stays && isInjective(program, statement, order);
}

/**
 * True when the statement is proved to write every element of its tensor in every iteration of the
 * program loops around it. Scatters and opaque writes never are.
 */
export function writesWhole(
  program: Program,
  statement: Statement,
  order: StatementOrder,
): boolean {
  if (isScatter(statement) || !unconditional(statement, order)) return false;
  const shape = findTensor(program, statement.write.tensor)?.shape ?? [];
  const inner = innerBox(statement, order);
  if (inner === null || inner.some((d) => d.upper.constant <= d.lower.constant)) return false;
  return (
    isPermutation(statement, inner, shape) || isBijection(program, statement, order, inner, shape)
  );
}
