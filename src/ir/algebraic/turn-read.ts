import { flatMap } from "../../support/flat-map.ts";
import { constant, variable } from "../affine.ts";
import { boundingBox, type Dim } from "../domain.ts";
import { read } from "../expression.ts";
import {
  type Access,
  access,
  findStatement,
  type Index,
  type Program,
  reducedDims,
  type Statement,
  type Tensor,
  tensorOf,
  usersOf,
} from "../program.ts";
import {
  addTensor,
  freshStatementId,
  freshTensorName,
  orderedStatements,
  type Rewrite,
  refused,
  rewritten,
  temporary,
} from "./rewrite.ts";

/** The read of a matrix that is to go through a copy with columns for rows. */
export interface TurnTarget {
  readonly statement: string;
  /** The number of the read. */
  readonly read: number;
}

/** A read that {@link turnRead} can redirect. */
export interface TurnCandidate extends TurnTarget {
  /** For example `z#1/turn/read1`. */
  readonly path: string;
  /** The dim that numbers the rows. */
  readonly row: string;
  /** How often each element is read. */
  readonly steps: number;
}

/** The dim that a coordinate is, if it is one. */
function dimOf(index: Index | undefined): string | undefined {
  if (index?.kind !== "affine" || index.affine.constant !== 0) return undefined;
  const [term, more] = index.affine.terms;
  return more === undefined && term?.coefficient === 1 ? term.variable : undefined;
}

/** The dim that numbers the rows of a matrix and goes along what is written, where a reduced one runs along them. */
function rowDim(s: Statement, { index, guard }: Access): string | undefined {
  const [row, column] = [dimOf(index.at(-2)), dimOf(index.at(-1))];
  if (row === undefined || column === undefined || guard.length > 0) return undefined;
  if (index.some((i) => i.kind !== "affine")) return undefined;
  const isAlong = dimOf(s.write.index.at(-1)) === row && !s.loops.includes(row);
  return isAlong && reducedDims(s).includes(column) ? row : undefined;
}

/** A list with its last two items in each other's place. */
function turned<T>(items: readonly T[]): readonly T[] {
  return [...items.slice(0, -2), ...items.slice(-2).reverse()];
}

/** The statement that copies matrices with columns for rows. */
function turnedCopy(program: Program, s: Statement, from: Tensor, to: Tensor): Statement {
  const dims = to.shape.map((extent, n): Dim => {
    return { name: `c${n}`, lower: constant(0), upper: constant(extent), indices: [] };
  });
  const index = dims.map((d) => variable(d.name));
  return {
    id: freshStatementId(program, `${s.id}.${from.name}`),
    domain: { dims, guards: [], quotients: [] },
    loops: [],
    write: { tensor: to.name, index: access(to.name, ...index).index },
    reads: [access(from.name, ...turned(index))],
    reduction: null,
    body: from.components.map((type, c) => read(0, type, c)),
    span: s.span,
  };
}

/**
 * Purpose: lets invocations that lie along the rows of a matrix read neighbours in each step of a sum: through a
 * copy with columns for rows, which is made once, before all loops.
 *
 * ```
 * for t in 0..T { S: { i in 0..N, k in 0..K } z(i) = sum[k] w(i, k) * h(t, k) }
 *   -->  S.w: { c0 in 0..K, c1 in 0..N } w_turned(c0, c1) = w(c1, c0)
 *        for t in 0..T { S: { i in 0..N, k in 0..K } z(i) = sum[k] w_turned(k, i) * h(t, k) }
 * ```
 * Requires: a reduction in a loop, which reads a tensor that nothing writes; its last coordinates are the dim that the
 * result's rows go along, and a reduced one.
 *
 * Ensures: the same values, bit for bit, in the same order.
 */
export function turnRead(program: Program, target: TurnTarget): Rewrite {
  const s = findStatement(program, target.statement);
  const old = s?.reads[target.read];
  if (s === undefined || old === undefined) return refused("no such read");
  if (s.loops.length === 0) return refused("it is in no loop: each element is read once as well");
  if (rowDim(s, old) === undefined) {
    return refused("its last coordinates are not what the result goes along and a reduced dim");
  }
  if (usersOf(program, old.tensor).writers.length > 0) return refused(`${old.tensor} is written`);
  const from = tensorOf(program, old.tensor);
  const shape = turned(from.shape);
  const { components, span } = from;
  const name = freshTensorName(program, `${from.name}_turned`);
  const to = temporary(name, { components, shape, span });
  const copy = turnedCopy(program, s, from, to);
  const reads = s.reads.map((r) =>
    r.tensor === old.tensor && rowDim(s, r) !== undefined
      ? { ...r, tensor: name, index: turned(r.index) }
      : r,
  );
  const made = addTensor(program, to);
  return rewritten({
    ...made,
    statements: [copy, ...program.statements.map((x) => (x === s ? { ...s, reads } : x))],
    tree: [{ kind: "statement", statement: copy.id }, ...program.tree],
  });
}

/** The reads that {@link turnRead} takes, the first of each matrix in a statement. */
export function turnCandidates(program: Program): readonly TurnCandidate[] {
  return flatMap(orderedStatements(program), (s) => {
    if (s.loops.length === 0 || s.reduction === null) return [];
    const seen = new Set<string>();
    return flatMap([...s.reads.entries()], ([n, r]): readonly TurnCandidate[] => {
      const target = { statement: s.id, read: n };
      const row = rowDim(s, r);
      if (row === undefined || seen.has(r.tensor)) return [];
      if (turnRead(program, target).kind === "refused") return [];
      seen.add(r.tensor);
      const box = boundingBox(s.domain);
      const steps = s.loops.reduce((product, loop) => {
        const { lo, hi } = box.get(loop) ?? { lo: 0, hi: 0 };
        return product * Math.max(1, hi - lo + 1);
      }, 1);
      return [{ ...target, path: `${s.id}/turn/read${n}`, row, steps }];
    });
  });
}
