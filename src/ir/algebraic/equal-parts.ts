import { flatMap } from "../../support/flat-map.ts";
import { listOf } from "../../support/list-of.ts";
import { addConstant, constant, isConstant, variable } from "../affine.ts";
import { boundingBox, type Dim } from "../domain.ts";
import {
  findStatement,
  type Index,
  isScatter,
  type Program,
  parallelDims,
  type Statement,
  usersOf,
} from "../program.ts";
import {
  dimRole,
  freshStatementId,
  orderedStatements,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
} from "./rewrite.ts";
import { mayFlow, mayWriteSame } from "./same-cell.ts";
import { substituteVariables } from "./substitute-statement.ts";

/** A dim of a statement that is to be taken apart, and into how many parts. */
export interface PartsTarget {
  readonly statement: string;
  readonly dim: string;
  readonly parts: number;
}

/** A dim that what is read of its statement in the same iteration takes apart. */
export interface PartsCandidate extends PartsTarget {
  /** For example `z#1/parts/p1`. */
  readonly path: string;
}

/** The most parts: each is a statement. */
const mostParts = 8;

/** The dim that a coordinate is, but for a constant: none where it is a constant. */
function lineOf(index: Index | undefined) {
  if (index?.kind !== "affine") return undefined;
  const { terms, constant: offset } = index.affine;
  const [term, more] = terms;
  if (more !== undefined || (term !== undefined && term.coefficient !== 1)) return undefined;
  return { dim: term?.variable ?? null, offset };
}

/** The values that a coordinate takes, half-open; undefined where it is no dim, nor a constant. */
function spanOf(s: Statement, index: Index | undefined) {
  const line = lineOf(index);
  if (line === undefined) return undefined;
  const { lo, hi } =
    line.dim === null
      ? { lo: 0, hi: 0 }
      : (boundingBox(s.domain).get(line.dim) ?? { lo: 0, hi: -1 });
  return { from: lo + line.offset, to: hi + line.offset + 1 };
}

/** How many equal parts some reads make of a range; undefined where they do not, or read it whole. */
function partsOf(
  spans: readonly ReturnType<typeof spanOf>[],
  whole: NonNullable<ReturnType<typeof spanOf>>,
): number | undefined {
  const [first] = spans;
  const size = first === undefined ? 0 : first.to - first.from;
  const parts = (whole.to - whole.from) / size;
  if (!Number.isInteger(parts) || parts < 2 || parts > mostParts) return undefined;
  const isPart = (span: ReturnType<typeof spanOf>): boolean =>
    span !== undefined && span.to - span.from === size && (span.from - whole.from) % size === 0;
  const several = new Set(spans.map((span) => span?.from)).size > 1;
  return several && spans.every(isPart) ? parts : undefined;
}

/** A part of a statement: its dim has the range of the first one. */
function part(program: Program, s: Statement, { dim, parts }: PartsTarget, n: number): Statement {
  const range = boundingBox(s.domain).get(dim) ?? { lo: 0, hi: -1 };
  const size = (range.hi - range.lo + 1) / parts;
  const only = size === 1 ? constant(range.lo + n) : addConstant(variable(dim), n * size);
  const moved = substituteVariables(s, (name) => (name === dim ? only : undefined));
  const dims = flatMap(moved.domain.dims, (d) => {
    if (d.name !== dim) return [d];
    return size === 1 ? [] : [{ ...d, upper: constant(range.lo + size) }];
  });
  const id = freshStatementId(program, `${s.id}.${n}`);
  return { ...moved, id, domain: { ...moved.domain, dims } };
}

/** Why a dim has no equal parts; null where it has. */
function whyWhole(s: Statement, { name, lower, upper }: Dim, parts: number): string | null {
  const isParallel = parallelDims(s).includes(name) && !s.loops.includes(name);
  if (isScatter(s) || !isParallel) return "it is no parallel dim";
  if (!isConstant(lower) || !isConstant(upper)) return "its bounds are no constants";
  const extent = upper.constant - lower.constant;
  return extent >= parts && extent % parts === 0 ? null : "its range has no such equal parts";
}

/**
 * Purpose: computes parts of what a statement writes beside each other, where others read an element of each: what
 * has the same place in its part then is one point of all of them, so that they can be one kernel. The gates of a
 * recurrent layer, which lie below each other, and what becomes of them.
 *
 * ```
 * S: { b, k in 0..2*H, j } z(b, k) = sum[j] w(k, j) * h(b, j);  c(b, i) = f(z(b, i), z(b, H + i))
 *   -->  S.0: { b, k in 0..H, j } z(b, k)     = sum[j] w(k, j)     * h(b, j)
 *        S.1: { b, k in 0..H, j } z(b, H + k) = sum[j] w(H + k, j) * h(b, j);  c(b, i) = f(z(b, i), z(b, H + i))
 * ```
 * Requires: a parallel dim with constant bounds, of as many values as parts or a multiple; no part reads or writes what one
 * before it writes.
 *
 * Ensures: the same instances in another order.
 */
export function equalParts(program: Program, target: PartsTarget): Rewrite {
  const s = findStatement(program, target.statement);
  const dim = s?.domain.dims.find((d) => d.name === target.dim);
  if (s === undefined || dim === undefined) return refused("no such statement or dim");
  const why = whyWhole(s, dim, target.parts);
  if (why !== null) return refused(why);
  const made = listOf(target.parts, (n) => part(program, s, target, n));
  for (const [n, later] of made.entries()) {
    for (const earlier of made.slice(0, n)) {
      if (mayFlow(program, earlier, later)) {
        return refused(`${later.id} may read what ${earlier.id} writes`);
      }
      if (mayWriteSame(program, earlier, later)) {
        return refused(`${later.id} may write what ${earlier.id} writes`);
      }
    }
  }
  return rewritten(replaceStatement(program, s.id, made));
}

/** Into how many parts the reads in an iteration take a dim of a statement. */
function partsRead(program: Program, s: Statement, dim: string): number | undefined {
  const at = s.write.index.findIndex((i) => lineOf(i)?.dim === dim);
  const whole = spanOf(s, s.write.index[at]);
  if (whole === undefined) return undefined;
  const loops = s.loops.join();
  const spans = flatMap(usersOf(program, s.write.tensor).readers, (reader) =>
    reader.loops.join() === loops && reader.id !== s.id && reader.write.tensor !== s.write.tensor
      ? flatMap(reader.reads, (r) =>
          r.tensor === s.write.tensor ? [spanOf(reader, r.index[at])] : [],
        )
      : [],
  );
  return partsOf(spans, whole);
}

/** The dims of statements in loops that reads take apart, with what becomes of the program. */
function offers(
  program: Program,
): readonly { readonly candidate: PartsCandidate; readonly result: Rewrite }[] {
  return flatMap(orderedStatements(program), (s) => {
    if (s.loops.length === 0) return [];
    return flatMap(parallelDims(s), (dim) => {
      const parts = s.loops.includes(dim) ? undefined : partsRead(program, s, dim);
      if (parts === undefined) return [];
      const target = { statement: s.id, dim, parts };
      const path = `${s.id}/parts/${dimRole(s, dim)}`;
      return [{ candidate: { ...target, path }, result: equalParts(program, target) }];
    });
  });
}

/** The dims of statements in loops that {@link equalParts} takes apart. */
export function partsCandidates(program: Program): readonly PartsCandidate[] {
  return flatMap(offers(program), ({ candidate, result }) =>
    result.kind === "rewritten" ? [candidate] : [],
  );
}

/** Why statements in loops are not taken apart though reads do so, by statement. */
export function refusedParts(program: Program): ReadonlyMap<string, string> {
  return new Map(
    flatMap(offers(program), ({ candidate, result }) =>
      result.kind === "refused" ? [[candidate.statement, result.reason] as const] : [],
    ),
  );
}
