/**
 * Purpose: proves that a statement writes every element that a read may touch, before it is read.
 *
 * Requires: nothing. Ensures: true only if it does, in the same iteration of the loops of the program
 * that both are in; a read whose guard fails touches nothing.
 */
import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  addConstant,
  type Constraint,
  isConstant,
  nonnegative,
  scale,
  substitute,
  substituteConstraint,
  subtract,
  variable,
} from "../affine.ts";
import { parallelBoundsUseReduced, parallelPart } from "../algebraic/parallel-part.ts";
import { type AccessRelation, prefixRelation } from "../dependences/access-relation.ts";
import {
  commonLoops,
  comparePositions,
  programOrder,
  type StatementOrder,
} from "../dependences/program-order.ts";
import { writesWhole } from "../dependences/total-write.ts";
import { domainConstraints } from "../domain.ts";
import { isEmpty } from "../integer-set/is-empty.ts";
import { isScatter, type Program, reducedDims, type Statement } from "../program.ts";
import { type ImageRow, imageOf } from "./binding-image.ts";

/** Constraints of which one holds exactly where `c` does not. */
export function complement(c: Constraint): readonly Constraint[] {
  const below = nonnegative(addConstant(scale(c.affine, -1), -1));
  return c.kind === "nonnegative" ? [below] : [below, nonnegative(addConstant(c.affine, -1))];
}

/** Splits an affine function of loops into its part over fixed loops and the rest. */
export function splitAffine(
  a: Affine,
  fixed: ReadonlySet<string>,
): { readonly outer: Affine; readonly inner: Affine } {
  return {
    outer: { terms: a.terms.filter((t) => fixed.has(t.variable)), constant: 0 },
    inner: { terms: a.terms.filter((t) => !fixed.has(t.variable)), constant: a.constant },
  };
}

/** Whether a constraint holds wherever some others do. */
function follows(c: Constraint, from: readonly Constraint[]): boolean {
  return complement(c).every((x) => isEmpty([...from, x]) === "empty");
}

/** For a writer whose dims below the shared loops form a box. */
function fillsFromBox(writer: Statement, fixed: ReadonlySet<string>, read: AccessRelation) {
  if (writer.domain.guards.length > 0) return false;
  const reduced = new Set(reducedDims(writer));
  const inner = writer.domain.dims.filter((d) => !(fixed.has(d.name) || reduced.has(d.name)));
  if (!inner.every((d) => isConstant(d.lower) && isConstant(d.upper))) return false;
  const lower = new Map(
    inner.map((d) => [d.name, addConstant(variable(d.name), d.lower.constant)]),
  );
  const rows: ImageRow[] = [];
  for (const [d, index] of writer.write.index.entries()) {
    const cell = read.index[d] ?? null;
    if (index.kind === "opaque" || cell === null) return false;
    const { outer, inner: rest } = splitAffine(index.affine, fixed);
    const there = substitute(outer, (name) => variable(`b.${name}`));
    rows.push({ known: subtract(cell, there), bound: substitute(rest, (n) => lower.get(n)) });
  }
  const extents = inner.map((d) => [d.name, d.upper.constant - d.lower.constant] as const);
  const image = imageOf(rows, new Map(extents));
  return image?.constraints.every((c) => follows(c, read.constraints)) ?? false;
}

/**
 * The dims of the instance that writes the cell of a read, where each coordinate has one dim of its
 * own, and all dims are found so; null elsewhere.
 */
function instanceOf(
  writer: Statement,
  dims: readonly string[],
  fixed: ReadonlySet<string>,
  read: AccessRelation,
): ReadonlyMap<string, Affine> | null {
  const found = new Map([...fixed].map((name) => [name, variable(`b.${name}`)]));
  for (const [d, index] of writer.write.index.entries()) {
    const cell = read.index[d] ?? null;
    if (index.kind === "opaque" || cell === null) return null;
    const own = index.affine.terms.filter((t) => !fixed.has(t.variable));
    const [term, more] = own;
    if (term === undefined) continue;
    if (more !== undefined || Math.abs(term.coefficient) !== 1 || found.has(term.variable)) {
      return null;
    }
    const others = subtract(index.affine, variable(term.variable, term.coefficient));
    const there = substitute(others, (name) => found.get(name));
    found.set(term.variable, scale(subtract(cell, there), term.coefficient));
  }
  return dims.every((d) => found.has(d)) ? found : null;
}

/** For a writer with any domain, each point of which writes a cell of its own. */
function fillsByInstance(writer: Statement, fixed: ReadonlySet<string>, read: AccessRelation) {
  if (parallelBoundsUseReduced(writer)) return false;
  const domain = parallelPart(writer);
  if (domain.quotients.length > 0) return false;
  const dims = domain.dims.map((d) => d.name);
  const instance = instanceOf(writer, dims, fixed, read);
  if (instance === null) return false;
  const cells = flatMap(writer.write.index, (index, d): readonly Constraint[] => {
    const cell = read.index[d];
    if (index.kind === "opaque" || cell === null || cell === undefined) return [];
    const written = substitute(index.affine, (name) => instance.get(name));
    return [{ kind: "zero", affine: subtract(written, cell) }];
  });
  const points = domainConstraints(domain).map((c) =>
    substituteConstraint(c, (name) => instance.get(name)),
  );
  return [...points, ...cells].every((c) => follows(c, read.constraints));
}

/** The program loops around the writer, if it always comes before the read in an iteration of them. */
function sharedLoops(
  program: Program,
  writer: Statement,
  read: AccessRelation,
): StatementOrder | null {
  const order = programOrder(program);
  const [from, to] = [order.get(writer.id), order.get(read.statement)];
  if (from === undefined || to === undefined || comparePositions(from, to) >= 0) return null;
  return from.loops.length > commonLoops(from, to) ? null : from;
}

/** Whether `writer` fills, in each iteration of the loops it shares, whatever `read` may touch. */
export function fillsRead(program: Program, writer: Statement, read: AccessRelation): boolean {
  const order = isScatter(writer) ? null : sharedLoops(program, writer, read);
  if (order === null) return false;
  if (writer.domain.guards.length === 0 && writesWhole(program, writer, order)) return true;
  const fixed = new Set(order.loops.map((l) => l.name));
  const sink = prefixRelation(read, "b.");
  return fillsFromBox(writer, fixed, sink) || fillsByInstance(writer, fixed, sink);
}
