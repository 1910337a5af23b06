import type { Span } from "../../diagnostics/span.ts";
import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv, gcd } from "../../support/integer.ts";
import { elementCount } from "../../support/scalar-type.ts";
import {
  type Affine,
  add,
  affineEquals,
  type Constraint,
  coefficientOf,
  constant,
  type Interval,
  intervalOf,
  lessOrEqual,
  nonnegative,
  printConstraint,
  scale,
  subtract,
  variable,
} from "../affine.ts";
import { boundingBox, type Dim, indicesOf } from "../domain.ts";
import { read } from "../expression.ts";
import {
  type Access,
  affineIndex,
  findStatement,
  findTensor,
  type Program,
  type Statement,
  type Tensor,
  uniteSpans,
} from "../program.ts";
import {
  addTensor,
  freshName,
  freshStatementId,
  freshTensorName,
  orderedStatements,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
  temporary,
} from "./rewrite.ts";

/** The read that is to go through a temporary, and those that touch the same elements with it. */
export interface CopyReadTarget {
  readonly statement: string;
  /** The number of the read. */
  readonly read: number;
  /** What the temporary's last extent is to be a multiple of; 1 leaves it as it is. */
  readonly pitch: number;
}

/** A read that {@link copyRead} can redirect. */
export interface CopyReadCandidate {
  /** For example `C/pack/read0`. */
  readonly path: string;
  readonly statement: string;
  readonly read: number;
  /** How often the statement uses an element that the read can touch, on average. */
  readonly reuse: number;
  /** The temporary's last extent, before it is rounded up. */
  readonly row: number;
  /** The temporary's elements, before that. */
  readonly elements: number;
}

/** An access whose coordinates are all affine. */
interface AffineRead {
  readonly access: Access;
  readonly index: readonly Affine[];
}

/** A coordinate of the tensor: `step * c + origin`, with `c` in 0..extent. */
interface CopiedDim {
  /** Over the enclosing program loops. */
  readonly origin: Affine;
  readonly step: number;
  readonly extent: number;
}

/** The elements that some reads of one tensor can touch, in each iteration of the loops around. */
interface Footprint {
  /** By number in the statement. */
  readonly reads: ReadonlyMap<number, AffineRead>;
  readonly dims: readonly CopiedDim[];
  /** Over the tensor's coordinates `@0`, `@1`, ...: where one fails, the fill stands. */
  readonly guard: readonly Constraint[];
}

/** The name of a coordinate of the tensor that is copied. */
function coordinate(d: number): string {
  return `@${d}`;
}

function affineRead(access: Access | undefined): AffineRead | null {
  if (access === undefined) return null;
  const index = flatMap(access.index, (i) => (i.kind === "affine" ? [i.affine] : []));
  return index.length === access.index.length ? { access, index } : null;
}

function withoutConstant(a: Affine): Affine {
  return { terms: a.terms, constant: 0 };
}

/** `a` as a positive multiple of a function of `x`, where `x` has the terms of `map`; or null. */
function overCoordinate(a: Affine, map: Affine, name: string): Affine | null {
  const [first] = map.terms;
  const own = a.terms.find((t) => t.variable === first?.variable);
  if (first === undefined || own === undefined) return null;
  const common = gcd(first.coefficient, own.coefficient);
  const times = Math.abs(first.coefficient) / common;
  const factor = (own.coefficient * times) / first.coefficient;
  const rest = subtract(scale(a, times), scale(map, factor));
  return rest.terms.length > 0 ? null : add(variable(name, factor), constant(rest.constant));
}

/** A guard as one over a coordinate of the tensor; null if it says something else. */
function guardOverCoordinate(
  { kind, affine }: Constraint,
  { index }: AffineRead,
): Constraint | null {
  for (const [d, map] of index.entries()) {
    const moved = overCoordinate(affine, map, coordinate(d));
    if (moved !== null) return { kind, affine: moved };
  }
  return null;
}

/** The guards of a read that only say which elements there are, sorted, without repetition. */
function movableGuards(r: AffineRead): readonly Constraint[] {
  const found = new Map<string, Constraint>();
  for (const c of r.access.guard) {
    const moved = guardOverCoordinate(c, r);
    if (moved !== null) found.set(printConstraint(moved), moved);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, c]) => c);
}

/** Whether two reads touch the same elements, up to a shift, under the same guards. */
function movesWith(a: AffineRead, b: AffineRead): boolean {
  const guards = [a, b].map((r) => movableGuards(r).map(printConstraint).join());
  return (
    a.access.tensor === b.access.tensor &&
    a.access.fill === b.access.fill &&
    guards[0] === guards[1] &&
    a.index.every((map, d) => {
      const other = b.index[d];
      return other !== undefined && affineEquals(withoutConstant(map), withoutConstant(other));
    })
  );
}

/** One dimension of the smallest lattice around maps that differ in their constants only. */
function copiedDim(
  maps: readonly Affine[],
  loops: ReadonlySet<string>,
  range: (name: string) => Interval,
): CopiedDim {
  const [first = constant(0)] = maps;
  const constants = maps.map((m) => m.constant);
  const least = Math.min(...constants);
  const inner: Affine = { terms: first.terms.filter((t) => !loops.has(t.variable)), constant: 0 };
  const outer: Affine = { terms: first.terms.filter((t) => loops.has(t.variable)), constant: 0 };
  const steps = [...inner.terms.map((t) => t.coefficient), ...constants.map((c) => c - least)];
  const step = Math.max(1, steps.reduce(gcd, 0));
  const isEmpty = inner.terms.some((t) => range(t.variable).lo > range(t.variable).hi);
  const { lo, hi } = intervalOf(inner, range);
  const span = hi - lo + Math.max(...constants) - least;
  const extent = isEmpty ? 0 : span / step + 1;
  return { origin: add(outer, constant(least + lo)), step, extent };
}

function footprintOf(s: Statement, n: number): Footprint | null {
  const leader = affineRead(s.reads[n]);
  if (leader === null || leader.index.length === 0) return null;
  const reads = new Map<number, AffineRead>();
  for (const [m, access] of s.reads.entries()) {
    const other = affineRead(access);
    if (other !== null && movesWith(leader, other)) reads.set(m, other);
  }
  const box = boundingBox(s.domain);
  const range = (name: string): Interval => box.get(name) ?? { lo: 0, hi: -1 };
  const loops = new Set(s.loops);
  const all = [...reads.values()];
  const dims = leader.index.map((_, d) =>
    copiedDim(
      all.map((r) => r.index[d] ?? constant(0)),
      loops,
      range,
    ),
  );
  return { reads, dims, guard: movableGuards(leader) };
}

/** The coordinates of the tensor that a point of the copy is about. */
function copiedIndex(dims: readonly CopiedDim[], names: readonly string[]): readonly Affine[] {
  return dims.map((d, n) => add(d.origin, variable(names[n] ?? "", d.step)));
}

/** What must hold of a point of the copy so that there is an element; the rest is filled. */
function copyGuard(
  { guard }: Footprint,
  index: readonly Affine[],
  shape: readonly number[],
  range: (name: string) => Interval,
): readonly Constraint[] {
  const here = new Map(index.map((a, d) => [coordinate(d), a]));
  const moved = guard.map(({ kind, affine }): Constraint => {
    const parts = affine.terms.map((t) =>
      scale(here.get(t.variable) ?? constant(0), t.coefficient),
    );
    return { kind, affine: add(constant(affine.constant), ...parts) };
  });
  const bounds = flatMap(index, (a, d) => [
    nonnegative(a),
    lessOrEqual(a, constant((shape[d] ?? 0) - 1)),
  ]);
  const open = [...moved, ...bounds].filter((c) => {
    const { lo, hi } = intervalOf(c.affine, range);
    return c.kind === "zero" ? lo !== 0 || hi !== 0 : lo < 0;
  });
  return [...new Map(open.map((c) => [printConstraint(c), c])).values()];
}

/** The indices of the source that a coordinate moves with, but for program loops. */
function indicesAlong(s: Statement, along: Affine | undefined): readonly string[] {
  const moving = s.domain.dims.filter(
    (d) => !s.loops.includes(d.name) && along !== undefined && coefficientOf(along, d.name) !== 0,
  );
  return [...new Set(flatMap(moving, indicesOf))];
}

/** A copy serves all reads of its footprint. */
function copiedSpans({ reads }: Footprint): Pick<Access, "spans"> {
  const spans = [...reads.values()].reduce<readonly Span[]>(
    (all, { access }) => uniteSpans(all, access.spans ?? []),
    [],
  );
  return spans.length === 0 ? {} : { spans };
}

/** The statement that fills the temporary. */
function copyStatement(
  program: Program,
  s: Statement,
  from: Tensor,
  to: Tensor,
  footprint: Footprint,
  leader: AffineRead,
): Statement {
  const own = s.domain.dims.filter((d) => s.loops.includes(d.name));
  const names: string[] = [];
  for (const d of to.shape.keys()) names.push(freshName([...s.loops, ...names], `c${d}`));
  const dims = names.map(
    (name, d): Dim => ({
      name,
      lower: constant(0),
      upper: constant(to.shape[d] ?? 0),
      indices: indicesAlong(s, leader.index[d]),
    }),
  );
  const domain = { dims: [...own, ...dims], guards: [], quotients: [] };
  const box = boundingBox(domain);
  const index = copiedIndex(footprint.dims, names);
  const range = (name: string): Interval => box.get(name) ?? { lo: 0, hi: 0 };
  const guard = copyGuard(footprint, index, from.shape, range);
  return {
    id: freshStatementId(program, `${s.id}.${from.name}`),
    domain,
    loops: s.loops,
    write: { tensor: to.name, index: names.map((name) => affineIndex(variable(name))) },
    reads: [
      {
        tensor: from.name,
        index: index.map(affineIndex),
        guard,
        fill: leader.access.fill,
        ...copiedSpans(footprint),
      },
    ],
    reduction: null,
    body: from.components.map((type, c) => read(0, type, c)),
    span: s.span,
  };
}

/** The read, of the temporary instead. */
function redirected(r: AffineRead, { dims }: Footprint, tensor: string): Access {
  const index = r.index.map((map, d) => {
    const dim = dims[d];
    if (dim === undefined) return affineIndex(map);
    const relative = subtract(map, dim.origin);
    const terms = relative.terms.map((t) => ({ ...t, coefficient: t.coefficient / dim.step }));
    return affineIndex({ terms, constant: relative.constant / dim.step });
  });
  const guard = r.access.guard.filter((c) => guardOverCoordinate(c, r) === null);
  return { ...r.access, tensor, index, guard };
}

/** A copy of a read: the program with it, and the names of what is new. */
export interface Copied {
  readonly program: Program;
  /** The statement that fills the temporary. */
  readonly copy: string;
  readonly tensor: string;
}

/**
 * {@link copyRead}, with the names of the new statement and its temporary; or why it does not apply.
 */
export function copyOfRead(program: Program, target: CopyReadTarget): Copied | string {
  const s = findStatement(program, target.statement);
  if (s === undefined) return "no such statement";
  const footprint = footprintOf(s, target.read);
  const leader = footprint?.reads.get(target.read);
  if (footprint === null || leader === undefined) return "the read has no affine footprint";
  const from = findTensor(program, leader.access.tensor);
  if (from === undefined) return "no such tensor";
  const last = footprint.dims.length - 1;
  const shape = footprint.dims.map(({ extent }, d) =>
    d === last ? ceilDiv(extent, target.pitch) * target.pitch : extent,
  );
  if (footprint.dims.some((d) => d.extent < 1)) return "the read touches no element";
  const name = freshTensorName(program, `${from.name}_copy`);
  const { components } = from;
  const to = temporary(name, { components, shape, span: s.span });
  const copy = copyStatement(program, s, from, to, footprint, leader);
  const reads = s.reads.map((access, n) => {
    const r = footprint.reads.get(n);
    return r === undefined ? access : redirected(r, footprint, name);
  });
  const by = [copy, { ...s, reads }];
  return {
    program: replaceStatement(addTensor(program, to), s.id, by),
    copy: copy.id,
    tensor: name,
  };
}

/**
 * Purpose: lets a statement read a tensor through a temporary that holds just the elements which the
 * read can touch: its footprint. The temporary can then live in other memory, or with another pitch.
 *
 * ```
 * S: { i in 0..N, k in 0..3 } y(i) = sum[k] x(2*i + k - 1 | 0 <= 2*i + k - 1 < M, else 0)
 *   -->
 * S.x: { c0 in 0..2*N + 1 } x_copy(c0) = x(c0 - 1 | 0 <= c0 - 1 < M, else 0)
 * S:   { i in 0..N, k in 0..3 } y(i) = sum[k] x_copy(2*i + k)
 * ```
 * Reads that differ in the constants of their coordinates only share the copy. Steps that all
 * coordinates have in common are taken out: `x(4*i)` copies every fourth element.
 *
 * Requires: affine coordinates, at least one. Guards over one coordinate move to the copy; others
 * stay. Ensures: the same values, bit for bit, in the same order; nothing of the temporary is
 * undefined: what lies outside the tensor, and what `pitch` adds, is the fill.
 */
export function copyRead(program: Program, target: CopyReadTarget): Rewrite {
  const copied = copyOfRead(program, target);
  return typeof copied === "string" ? refused(copied) : rewritten(copied.program);
}

/** Points of a statement's domain in one iteration of the loops around, guards ignored. */
function pointsOf(s: Statement): number {
  const box = boundingBox(s.domain);
  return s.domain.dims
    .filter((d) => !s.loops.includes(d.name))
    .map((d) => box.get(d.name) ?? { lo: 0, hi: -1 })
    .reduce((product, { lo, hi }) => product * Math.max(0, hi - lo + 1), 1);
}

/** The reads of a statement that {@link copyRead} can redirect: the first of each footprint. */
export function copyableReads(_program: Program, s: Statement): readonly CopyReadCandidate[] {
  const covered = new Set<number>();
  return flatMap([...s.reads.keys()], (n): readonly CopyReadCandidate[] => {
    const footprint = covered.has(n) ? null : footprintOf(s, n);
    if (footprint === null) return [];
    for (const m of footprint.reads.keys()) covered.add(m);
    const elements = elementCount(footprint.dims.map((d) => d.extent));
    if (footprint.dims.some((d) => d.extent < 1)) return [];
    const path = `${s.id}/pack/read${n}`;
    const row = footprint.dims.at(-1)?.extent ?? 1;
    const reuse = (pointsOf(s) * footprint.reads.size) / elements;
    return [{ path, statement: s.id, read: n, reuse, row, elements }];
  });
}

/** The reads of a program that {@link copyRead} can redirect. */
export function copyReadCandidates(program: Program): readonly CopyReadCandidate[] {
  return flatMap(orderedStatements(program), (s) => copyableReads(program, s));
}
