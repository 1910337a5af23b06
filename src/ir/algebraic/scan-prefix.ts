import { invariant } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  add,
  addConstant,
  coefficientOf,
  constant,
  isConstant,
  lessThan,
  scale,
  subtract,
  variable,
} from "../affine.ts";
import type { Dim } from "../domain.ts";
import { type Expression, mapExpression, read } from "../expression.ts";
import {
  type Access,
  affineIndex,
  findStatement,
  type Index,
  isScatter,
  type Program,
  type ProgramNode,
  parallelDims,
  type Reduction,
  type Statement,
} from "../program.ts";
import { chunkSizes } from "./chunk-sizes.ts";
import { freshLoopName } from "./loop-graph.ts";
import { combineStates } from "./match-update.ts";
import { variablesOfValue } from "./materialise.ts";
import {
  addTensor,
  dimRole,
  freshStatementId,
  freshTensorName,
  orderedStatements,
  type Rewrite,
  refused,
  replaceNodes,
  rewritten,
  temporary,
} from "./rewrite.ts";
import { dropUnused, substituteVariables } from "./substitute-statement.ts";

/** A reduction over a triangle, and how many steps each part of it has. */
export interface ScanTarget {
  readonly statement: string;
  /** Steps of a chunk, a positive integer; `whole` for no chunks. */
  readonly chunk: number | "whole";
}

/** A reduction that can be scanned. */
export interface ScanCandidate {
  readonly statement: string;
  /** For example `y/scan/p1`, named after the dim along which the results lie. */
  readonly path: string;
  /** That dim, and how many results lie along it. */
  readonly dim: string;
  readonly length: number;
  /** The sizes of chunks that are offered, ascending. */
  readonly chunks: readonly number[];
}

/** A triangle: result number `s` along a dim is reduced from the first terms on, up to number `s`. */
interface Triangle {
  readonly reduction: Reduction;
  /** The dim of the results. */
  readonly along: Dim;
  /** How many results there are. */
  readonly length: number;
  /** The values of the dim of the results, and of the reduced one, for number `s`. */
  readonly result: (s: Affine) => Affine;
  readonly term: (s: Affine) => Affine;
  /** Whether the term with the number of a result takes part in it. */
  readonly inclusive: boolean;
}

/** The terms of a bound that is the dim plus a constant; undefined for others. */
function offsetFrom(bound: Affine, dim: string): number | undefined {
  const rest = subtract(bound, variable(dim));
  return coefficientOf(bound, dim) === 1 && isConstant(rest) ? rest.constant : undefined;
}

/** The triangle along one dim, in either direction. */
function triangleAlong(reduction: Reduction, reduced: Dim, along: Dim): Triangle | undefined {
  if (!isConstant(along.lower) || !isConstant(along.upper)) return undefined;
  const [lo, hi] = [along.lower.constant, along.upper.constant];
  const length = hi - lo;
  const [end, begin] = [
    offsetFrom(reduced.upper, along.name),
    offsetFrom(reduced.lower, along.name),
  ];
  if (end !== undefined && isConstant(reduced.lower)) {
    const first = reduced.lower.constant;
    const steps = lo + end - first;
    if (steps !== 0 && steps !== 1) return undefined;
    const result = (s: Affine): Affine => addConstant(s, lo);
    const term = (s: Affine): Affine => addConstant(s, first);
    return { reduction, along, length, result, term, inclusive: steps === 1 };
  }
  if (begin !== undefined && isConstant(reduced.upper)) {
    const last = reduced.upper.constant - 1;
    const steps = last - (hi - 1 + begin) + 1;
    if (steps !== 0 && steps !== 1) return undefined;
    const result = (s: Affine): Affine => subtract(constant(hi - 1), s);
    const term = (s: Affine): Affine => subtract(constant(last), s);
    return { reduction, along, length, result, term, inclusive: steps === 1 };
  }
  return undefined;
}

/** Whether the terms of a reduction, and which there are, do not depend on a dim but by the range of the reduced one. */
function isFreeOf(s: Statement, dim: string, reduced: string): boolean {
  const { dims, guards, quotients } = s.domain;
  const others = dims.filter((d) => d.name !== reduced);
  const bounds = flatMap(others, (d) => [d.lower, d.upper]);
  const affines = [...bounds, ...guards.map((g) => g.affine), ...quotients.map((q) => q.numerator)];
  const names = [dim, reduced];
  const free = affines.every((a) => names.every((name) => coefficientOf(a, name) === 0));
  return free && s.body.every((e) => !variablesOfValue(s, e).has(dim));
}

function triangleOf(s: Statement): Triangle | string {
  const { reduction } = s;
  const [name, more] = reduction?.dims ?? [];
  const reduced = s.domain.dims.find((d) => d.name === name);
  if (reduction === null || reduced === undefined || more !== undefined || isScatter(s)) {
    return "it is no reduction over one dim";
  }
  if (reduction.init !== null) return "it starts from what was there";
  if (s.reads.some((r) => r.tensor === s.write.tensor)) return "it reads what it writes";
  const opaque = s.write.index.some((i) => i.kind === "opaque");
  if (opaque) return "the written index is opaque";
  const open = parallelDims(s).filter((d) => !s.loops.includes(d));
  for (const along of s.domain.dims.filter((d) => open.includes(d.name))) {
    const found = triangleAlong(reduction, reduced, along);
    if (found === undefined) continue;
    if (isFreeOf(s, along.name, reduced.name)) return found;
    return "a term is not the same for all results that it takes part in";
  }
  return "its range is no triangle";
}

/** The statement of the results with its dims in terms of numbers of results. */
interface Numbered {
  readonly s: Statement;
  readonly triangle: Triangle;
  /** Dims that stand for those of the results: chunks, if there are, then nothing else. */
  readonly chunks: readonly Dim[];
  /** The loop over the steps of a chunk. */
  readonly step: Dim;
  /** The number of a result. */
  readonly number: Affine;
}

function numbered(
  program: Program,
  s: Statement,
  triangle: Triangle,
  { chunk }: ScanTarget,
): Numbered {
  const { along, length } = triangle;
  const step = freshLoopName(program, `${s.id}.step`);
  const size = chunk === "whole" ? length : chunk;
  const inside: Dim = {
    name: step,
    lower: constant(0),
    upper: constant(size),
    indices: [along.name],
  };
  if (chunk === "whole") return { s, triangle, chunks: [], step: inside, number: variable(step) };
  const name = freshLoopName(program, `${s.id}.chunk`);
  const count = Math.ceil(length / size);
  const chunks: Dim = { name, lower: constant(0), upper: constant(count), indices: [along.name] };
  const number = add(variable(step), scale(variable(name), size));
  return { s, triangle, chunks: [chunks], step: inside, number };
}

/** The dims of the statement with others for that of the results, without the reduced one. */
function dimsWith({ s, triangle }: Numbered, by: readonly Dim[]): readonly Dim[] {
  const reduced = new Set(triangle.reduction.dims);
  return flatMap(s.domain.dims, (d) => {
    if (reduced.has(d.name)) return [];
    return d.name === triangle.along.name ? by : [d];
  });
}

/** Where the state of a point lies: an element for each of its dims, loops around left out. */
function stateIndex(s: Statement, dims: readonly Dim[]): readonly Index[] {
  const own = dims.filter((d) => !s.loops.includes(d.name));
  return own.map((d) => affineIndex(addConstant(variable(d.name), -d.lower.constant)));
}

function stateShape(s: Statement, dims: readonly Dim[]): readonly number[] {
  const own = dims.filter((d) => !s.loops.includes(d.name));
  return own.map((d) => d.upper.constant - d.lower.constant);
}

/** The states in a temporary as expressions, with that read at a number. */
function states({ reduction }: Triangle, at: number): readonly Expression[] {
  return reduction.monoid.state.map((type, c) => read(at, type, c));
}

/** The term with a number, as a statement over some dims that has its body and reads. */
function termOver(n: Numbered, dims: readonly Dim[], number: Affine): Statement {
  const { s, triangle } = n;
  const [reduced] = triangle.reduction.dims;
  const by = (name: string): Affine | undefined => {
    if (name === reduced) return triangle.term(number);
    return name === triangle.along.name ? triangle.result(number) : undefined;
  };
  return substituteVariables({ ...s, domain: { ...s.domain, dims } }, by);
}

/** A temporary of states, and where a statement over some dims has its own. */
interface States {
  readonly name: string;
  readonly access: Access;
}

function statesOf(name: string, s: Statement, dims: readonly Dim[]): States {
  return { name, access: { tensor: name, index: stateIndex(s, dims), guard: [], fill: 0 } };
}

/** The statements in front of the loop: where each point starts from. */
function startOf(n: Numbered, acc: States, carry: States | undefined, id: string): Statement {
  const dims = dimsWith(n, n.chunks);
  const { monoid } = n.triangle.reduction;
  return dropUnused({
    ...n.s,
    id,
    domain: { ...n.s.domain, dims },
    write: { tensor: acc.name, index: acc.access.index },
    reads: carry === undefined ? [] : [carry.access],
    reduction: null,
    body: carry === undefined ? monoid.identity : states(n.triangle, 0),
  });
}

/** The guards of the last chunk, which may have fewer steps: numbers below a count. */
function below(n: Numbered, count: number): Statement["domain"]["guards"] {
  const most = [...n.chunks, n.step].reduce((product, d) => product * d.upper.constant, 1);
  return most > count ? [lessThan(n.number, constant(count))] : [];
}

/** What happens in a step: the term is combined with the state, and the state is stored as a result. */
function stepOf(n: Numbered, acc: States, id: string): readonly Statement[] {
  const { s, triangle } = n;
  const { reduction, length, inclusive } = triangle;
  const inner = dimsWith(n, n.chunks);
  const loops = [...s.loops, n.step.name];
  const outer = inner.filter((d) => s.loops.includes(d.name));
  const dims = [...outer, n.step, ...inner.filter((d) => !s.loops.includes(d.name))];
  const over = termOver(n, dims, n.number);
  const at = over.reads.length;
  const own = states(triangle, at);
  const guarded = (count: number): Statement["domain"] => ({
    ...over.domain,
    guards: [...over.domain.guards, ...below(n, count)],
  });
  const common = { ...over, loops, reads: [...over.reads, acc.access], reduction: null };
  const step = dropUnused({
    ...common,
    id,
    domain: guarded(inclusive ? length : length - 1),
    write: { tensor: acc.name, index: acc.access.index },
    body: combineStates(reduction.monoid, own, over.body),
  });
  const project = mapExpression(reduction.monoid.project, (e) =>
    e.kind === "state" ? own[e.component] : undefined,
  );
  const domain = guarded(length);
  const body = reduction.projected ? [project] : own;
  const result = dropUnused({ ...common, id: s.id, domain, body });
  return inclusive ? [step, result] : [result, step];
}

/** The states of whole chunks, and those before each chunk: a triangle again. */
function carriesOf(
  program: Program,
  n: Numbered,
): {
  readonly program: Program;
  readonly carry: States;
  readonly statements: readonly Statement[];
} {
  const { s, triangle } = n;
  const { reduction } = triangle;
  const [chunks] = n.chunks;
  invariant(chunks !== undefined, `${s.id} has no chunks`);
  const full: Dim = { ...chunks, upper: addConstant(chunks.upper, -1) };
  const fullDims = dimsWith(n, [full]);
  const carryDims = dimsWith(n, [chunks]);
  const made = { components: reduction.monoid.state, span: s.span };
  const total = freshTensorName(program, `${s.write.tensor}_total`);
  const withTotal = addTensor(
    program,
    temporary(total, { ...made, shape: stateShape(s, fullDims) }),
  );
  const name = freshTensorName(withTotal, `${s.write.tensor}_carry`);
  const withBoth = addTensor(
    withTotal,
    temporary(name, { ...made, shape: stateShape(s, carryDims) }),
  );
  const over = termOver(n, [...fullDims, n.step], n.number);
  const totals = statesOf(total, s, fullDims);
  const carry = statesOf(name, s, carryDims);
  const plain = { ...reduction, init: null, projected: false };
  const chunkTotal = dropUnused({
    ...over,
    id: freshStatementId(program, `${s.id}.total`),
    write: { tensor: total, index: totals.access.index },
    reduction: { ...plain, dims: [n.step.name] },
  });
  const earlier: Dim = { ...chunks, name: n.step.name, upper: variable(chunks.name) };
  const by = (v: string): Affine | undefined =>
    v === chunks.name ? variable(earlier.name) : undefined;
  const before = substituteVariables({ ...chunkTotal, reads: [totals.access], body: [] }, by);
  const carries = dropUnused({
    ...chunkTotal,
    id: freshStatementId(program, `${s.id}.carry`),
    domain: { ...chunkTotal.domain, dims: [...carryDims, earlier] },
    write: { tensor: name, index: carry.access.index },
    reads: before.reads,
    reduction: { ...plain, dims: [earlier.name] },
    body: states(triangle, 0),
  });
  return { program: withBoth, carry, statements: [chunkTotal, carries] };
}

/**
 * Purpose: computes prefix reductions, which are written as triangles, in a time linear in their length: each
 * result from the one before. In chunks these are side by side, from where the chunks before lead to.
 *
 * ```
 * S: { i in 0..N, j in 0..i+1 } y(i) = sum[j] x(j)           in chunks of 64
 *   -->
 * S.total: { k in 0..K-1, p in 0..64 } y_total(k) = state of sum[p] x(64*k + p)
 * S.carry: { k in 0..K, p in 0..k } y_carry(k) = state of sum[p] y_total(p)      a triangle again
 * S.start: { k in 0..K } y_state(k) = y_carry(k)
 * for p in 0..64
 *   S.step: { k in 0..K | 64*k + p < N } y_state(k) = y_state(k) with x(64*k + p)
 *   S:      { k in 0..K | 64*k + p < N } y(64*k + p) = y_state(k)
 * ```
 * Requires: a reduction over one dim, whose range begins or ends with a parallel dim, up to that value or just
 * before it, and whose terms depend on that in no other way. Any monoid; both directions.
 *
 * Ensures: the same elements, float sums reassociated.
 */
export function scanPrefix(program: Program, target: ScanTarget): Rewrite {
  const s = findStatement(program, target.statement);
  if (s === undefined) return refused("no such statement");
  const triangle = triangleOf(s);
  if (typeof triangle === "string") return refused(triangle);
  const { chunk } = target;
  const { length } = triangle;
  const own = dimsWith(numbered(program, s, triangle, target), []);
  if (own.some((d) => !s.loops.includes(d.name) && !(isConstant(d.lower) && isConstant(d.upper)))) {
    return refused("another dim has no constant range");
  }
  if (
    length < 2 ||
    (chunk !== "whole" && (!Number.isInteger(chunk) || chunk < 1 || chunk >= length))
  ) {
    return refused("there are not several chunks");
  }
  const n = numbered(program, s, triangle, target);
  const carried = chunk === "whole" ? undefined : carriesOf(program, n);
  const before = carried?.program ?? program;
  const dims = dimsWith(n, n.chunks);
  const shape = stateShape(s, dims);
  if (shape.some((extent) => extent < 1)) return refused("the domain is empty");
  const components = triangle.reduction.monoid.state;
  const name = freshTensorName(before, `${s.write.tensor}_state`);
  const acc = statesOf(name, s, dims);
  const start = startOf(n, acc, carried?.carry, freshStatementId(program, `${s.id}.start`));
  const steps = stepOf(n, acc, freshStatementId(program, `${s.id}.step`));
  const first = [...(carried?.statements ?? []), start];
  const run = (statement: Statement): ProgramNode => ({
    kind: "statement",
    statement: statement.id,
  });
  const loop: ProgramNode = {
    kind: "loop",
    name: n.step.name,
    lower: n.step.lower,
    upper: n.step.upper,
    body: steps.map(run),
  };
  const made = addTensor(before, temporary(name, { components, shape, span: s.span }));
  return rewritten(replaceNodes(made, s.id, [...first, ...steps], [...first.map(run), loop]));
}

/** The reductions that {@link scanPrefix} takes. */
export function scanCandidates(program: Program): readonly ScanCandidate[] {
  return flatMap(orderedStatements(program), (s): readonly ScanCandidate[] => {
    if (s.reduction === null) return [];
    const triangle = triangleOf(s);
    if (typeof triangle === "string") return [];
    if (scanPrefix(program, { statement: s.id, chunk: "whole" }).kind === "refused") return [];
    const { along, length } = triangle;
    const path = `${s.id}/scan/${dimRole(s, along.name)}`;
    return [{ statement: s.id, path, dim: along.name, length, chunks: chunkSizes(length) }];
  });
}
