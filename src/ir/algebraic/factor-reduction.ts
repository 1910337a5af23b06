import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv } from "../../support/integer.ts";
import {
  type Affine,
  add,
  constant,
  type Interval,
  intervalOf,
  lessOrEqual,
  lessThan,
  scale,
  variable,
} from "../affine.ts";
import { boundingBox, type Dim, indicesOf } from "../domain.ts";
import { read } from "../expression.ts";
import {
  access,
  affineIndex,
  findStatement,
  isScatter,
  type Program,
  type Reduction,
  reducedDims,
  type Statement,
  type Tensor,
} from "../program.ts";
import { elementIndex, elementShape } from "./element-access.ts";
import { parallelBoundsUseReduced, parallelPart } from "./parallel-part.ts";
import {
  addTensor,
  dimRole,
  freshName,
  freshStatementId,
  freshTensorName,
  orderedStatements,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
  temporary,
  variableNames,
} from "./rewrite.ts";
import { dropUnused, substituteVariables } from "./substitute-statement.ts";

/** How to deal the values of a reduced dim to partial results. */
export interface FactorTarget {
  readonly statement: string;
  /** A reduced dim. */
  readonly dim: string;
  readonly order: FactorOrder;
  /** The number of parts when strided, the values per part otherwise; at least 1. */
  readonly size: number;
}

/**
 * `strided`: part l has every `size`-th value; `blocked`: part p has `size` values in a row. The parts of an
 * element lie side by side; in `slices`, which are blocked, too, each part of all elements lies as they do.
 */
export type FactorOrder = "strided" | "blocked" | "slices";

/** All orders. */
export const factorOrders: readonly FactorOrder[] = ["strided", "blocked", "slices"];

/** A reduced dim that can be factored. */
export interface FactorCandidate {
  /** For example `C/factor/r0`. */
  readonly path: string;
  readonly statement: string;
  readonly dim: string;
  /** Powers of two below the extent, ascending. */
  readonly sizes: readonly number[];
}

/** The reduced dim as `first + ...` of the dim over parts and the dim inside a part. */
interface Factors {
  readonly dim: Dim;
  /** Least value of the dim anywhere. */
  readonly first: number;
  readonly part: Dim;
  readonly inside: Dim;
  /** The parts are the first dim of the partial results, not the last. */
  readonly outermost: boolean;
  readonly value: Affine;
  /** Values of the dim that the two count beyond its range. */
  readonly exceeds: boolean;
}

function zeroTo(name: string, extent: number, of: Dim): Dim {
  return { name, lower: constant(0), upper: constant(extent), indices: indicesOf(of) };
}

function factorsOf(statement: Statement, dim: Dim, range: Interval, target: FactorTarget): Factors {
  const names = variableNames(statement);
  const partName = freshName(names, `${dim.name}_part`);
  const insideName = freshName([...names, partName], `${dim.name}_in`);
  const extent = range.hi - range.lo + 1;
  const others = ceilDiv(extent, target.size);
  const strided = target.order === "strided";
  const part = zeroTo(partName, strided ? target.size : others, dim);
  const inside = zeroTo(insideName, strided ? others : target.size, dim);
  const [fast, slow] = strided ? [part, inside] : [inside, part];
  const value = add(
    constant(range.lo),
    scale(variable(slow.name), target.size),
    variable(fast.name),
  );
  const outermost = target.order === "slices";
  const exceeds = extent % target.size !== 0;
  return { dim, first: range.lo, part, inside, outermost, value, exceeds };
}

/** The dims of the partial statement: the part where the reduced dim was, or before all but the loops. */
function dimsOf(
  { domain, loops }: Statement,
  { dim, part, inside, outermost }: Factors,
): readonly Dim[] {
  const here = outermost ? [inside] : [part, inside];
  const dims = flatMap(domain.dims, (d) => (d.name === dim.name ? here : [d]));
  if (!outermost) return dims;
  const first = dims.findIndex((d) => !loops.includes(d.name));
  return [...dims.slice(0, first), part, ...dims.slice(first)];
}

/** The statement that reduces inside each part and stores states. */
function partialStatement(
  program: Program,
  s: Statement,
  reduction: Reduction,
  f: Factors,
  tensor: Tensor,
): Statement {
  const box = boundingBox(s.domain);
  const range = (name: string): Interval => box.get(name) ?? { lo: 0, hi: 0 };
  const guards = [];
  if (intervalOf(f.dim.lower, range).hi > f.first) guards.push(lessOrEqual(f.dim.lower, f.value));
  const end = intervalOf(f.dim.upper, range);
  if (f.exceeds || end.lo < end.hi) guards.push(lessThan(f.value, f.dim.upper));
  const by = (name: string): Affine | undefined => (name === f.dim.name ? f.value : undefined);
  const dims = dimsOf(s, f);
  const write = { tensor: tensor.name, index: partialIndex(s, f).map(affineIndex) };
  const moved = substituteVariables({ ...s, domain: { ...s.domain, dims }, write }, by);
  const reduced = reduction.dims.map((d) => (d === f.dim.name ? f.inside.name : d));
  return dropUnused({
    ...moved,
    id: freshStatementId(program, `${s.id}.part`),
    domain: { ...moved.domain, guards: [...moved.domain.guards, ...guards] },
    reduction: { ...reduction, dims: reduced, init: null, projected: false },
  });
}

function partialIndex(s: Statement, f: Factors): readonly Affine[] {
  const element = elementIndex(s);
  const part = variable(f.part.name);
  return f.outermost ? [part, ...element] : [...element, part];
}

function partialShape(
  elements: readonly number[],
  parts: number,
  { outermost }: Factors,
): readonly number[] {
  return outermost ? [parts, ...elements] : [...elements, parts];
}

/** The statement that combines the states of the parts. */
function combiningStatement(
  program: Program,
  s: Statement,
  reduction: Reduction,
  f: Factors,
  tensor: Tensor,
): Statement {
  const domain = parallelPart(s);
  const n = s.reads.length;
  return dropUnused({
    ...s,
    id: freshStatementId(program, `${s.id}.combine`),
    domain: { ...domain, dims: [...domain.dims, f.part] },
    reads: [...s.reads, access(tensor.name, ...partialIndex(s, f))],
    reduction: { ...reduction, dims: [f.part.name] },
    body: reduction.monoid.state.map((type, c) => read(n, type, c)),
  });
}

function whyNot(statement: Statement, target: FactorTarget): string | undefined {
  const { reduction } = statement;
  if (reduction === null || !reduction.dims.includes(target.dim)) return "the dim is not reduced";
  if (!Number.isInteger(target.size) || target.size < 1)
    return "the size is not a positive integer";
  if (isScatter(statement)) return "a scatter has no element that parts could share";
  if (statement.write.index.some((i) => i.kind === "opaque")) return "the written index is opaque";
  if (parallelBoundsUseReduced(statement)) return "a parallel dim depends on a reduced one";
  const range = rangeOf(statement, target.dim);
  const isEmpty = range.hi < range.lo || elementShape(statement).some((n) => n <= 0);
  return isEmpty ? "the domain is empty" : undefined;
}

function rangeOf(s: Statement, dim: string): Interval {
  return boundingBox(s.domain).get(dim) ?? { lo: 0, hi: -1 };
}

/**
 * Purpose: splits a reduction into partial ones that can run side by side, and one over the parts.
 *
 * ```
 * S: { i in 0..M, k in 0..K } C(i) = init with sum[k] e(k)      strided by 4
 *   -->
 * S.part:    { i in 0..M, l in 0..4, o in 0..ceil(K / 4) | 4*o + l < K } P(i, l) = state of sum[o] e(4*o + l)
 * S.combine: { i in 0..M, l in 0..4 } C(i) = init with sum[l] P(i, l)
 * ```
 * Requires: a reduction that is no scatter, with affine written indices and parallel ranges that
 * do not depend on reduced dims. Any monoid; the dim's range may depend on other dims.
 *
 * Ensures: the same elements, float sums reassociated; P is a temporary whose elements are states.
 */
export function factorReduction(program: Program, target: FactorTarget): Rewrite {
  const s = findStatement(program, target.statement);
  const dim = s?.domain.dims.find((d) => d.name === target.dim);
  if (s === undefined || dim === undefined) return refused("no such statement or dim");
  const reason = whyNot(s, target);
  const { reduction } = s;
  if (reason !== undefined || reduction === null) return refused(reason ?? "no reduction");
  const elements = elementShape(s);
  const f = factorsOf(s, dim, rangeOf(s, dim.name), target);
  const partExtent = f.part.upper.constant;
  const tensor = temporary(freshTensorName(program, `${s.write.tensor}_part`), {
    components: reduction.monoid.state,
    shape: partialShape(elements, partExtent, f),
    span: s.span,
  });
  const part = partialStatement(program, s, reduction, f, tensor);
  const combine = combiningStatement(program, s, reduction, f, tensor);
  return rewritten(replaceStatement(addTensor(program, tensor), s.id, [part, combine]));
}

/** The reduced dims that {@link factorReduction} can factor, in any order. */
export function factorCandidates(program: Program): readonly FactorCandidate[] {
  return flatMap(orderedStatements(program), (s) =>
    flatMap(reducedDims(s), (dim) => {
      const range = rangeOf(s, dim);
      const sizes: number[] = [];
      for (let n = 2; n <= range.hi - range.lo; n *= 2) sizes.push(n);
      const target = { statement: s.id, dim, order: "strided", size: 2 } as const;
      if (sizes.length === 0 || whyNot(s, target) !== undefined) return [];
      const path = `${s.id}/factor/${dimRole(s, dim)}`;
      return [{ path, statement: s.id, dim, sizes }];
    }),
  );
}
