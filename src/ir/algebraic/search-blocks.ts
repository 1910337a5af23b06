import { flatMap } from "../../support/flat-map.ts";
import { addConstant, coefficientOf, constant, isConstant, subtract, variable } from "../affine.ts";
import { type Dim, indicesOf } from "../domain.ts";
import { binary, type Expression, literal, mapExpression, read } from "../expression.ts";
import { ofBlocks } from "../monoid.ts";
import {
  findStatement,
  type Index,
  isScatter,
  type Program,
  type Reduction,
  type Statement,
  type Tensor,
} from "../program.ts";
import { elementAccess, elementShape } from "./element-access.ts";
import { parallelPart } from "./parallel-part.ts";
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
import { dropUnused } from "./substitute-statement.ts";

/** Which reduction to search in blocks, and how many candidates one has. */
export interface BlocksTarget {
  readonly statement: string;
  /** Candidates of a block; at least 2. */
  readonly size: number;
}

/** A reduction that {@link searchBlocks} can search in blocks. */
export interface BlocksCandidate {
  /** For example `y/blocks/r0`. */
  readonly path: string;
  readonly statement: string;
  /** Below the extent, ascending. */
  readonly sizes: readonly number[];
}

/** A reduction to the place of one of its candidates. */
interface Search {
  readonly reduction: Reduction;
  readonly dim: Dim;
  /** The component of the states that is the reduced dim plus `shift`. */
  readonly by: number;
  readonly shift: number;
}

/** Candidates of a block: more are computed again for longer than it takes to compare them once. */
const blockSizes = [4, 8, 16];

/** Whether neither what a statement is executed for nor a guard of a read depends on a dim. */
function isFreeOf({ domain, reads }: Statement, dim: Dim): boolean {
  const affines = [
    ...flatMap(domain.dims, (d) => [d.lower, d.upper]),
    ...domain.guards.map((c) => c.affine),
    ...domain.quotients.map((q) => q.numerator),
    ...flatMap(reads, (r) => r.guard.map((c) => c.affine)),
  ];
  return affines.every((a) => coefficientOf(a, dim.name) === 0);
}

function searchOf(s: Statement): Search | string {
  const { reduction } = s;
  const ordered = reduction?.monoid.ordered ?? null;
  const dim = s.domain.dims.find((d) => d.name === reduction?.dims[0]);
  if (reduction === null || ordered === null || dim === undefined)
    return "no state is the better one";
  if (reduction.dims.length !== 1 || !reduction.projected || reduction.init !== null) {
    return "it is part of another reduction";
  }
  if (isScatter(s)) return "a scatter has no element that is searched for";
  if (ordered.grain !== 1) return "it is in blocks already";
  const position = s.body[ordered.by];
  if (position?.kind !== "coordinate") return "what is stored is no index";
  const shift = subtract(position.affine, variable(dim.name));
  if (!isConstant(shift)) return "what is stored is another index";
  if (!isConstant(dim.lower) || !isConstant(dim.upper)) return "the range depends on others";
  if (!isFreeOf(s, dim)) return "not all candidates are compared for all elements";
  return { reduction, dim, by: ordered.by, shift: shift.constant };
}

/** The statement that finds the block in which the best candidate is. */
function searchStatement(
  program: Program,
  s: Statement,
  { reduction, dim, by }: Search,
  { name }: Tensor,
  size: number,
): Statement | null {
  const monoid = ofBlocks(reduction.monoid, size);
  if (monoid === null) return null;
  const from = addConstant(variable(dim.name), -dim.lower.constant);
  const position: Expression = { kind: "coordinate", affine: from, type: "int32" };
  return {
    ...s,
    id: freshStatementId(program, `${s.id}.blocks`),
    write: { tensor: name, index: elementAccess(s, name).index },
    reduction: { ...reduction, monoid },
    body: s.body.map((e, c) => (c === by ? position : e)),
  };
}

function int(operator: "+" | "*" | "min" | "max", left: Expression, right: number | Expression) {
  const other = typeof right === "number" ? literal(right, "int32") : right;
  return binary(operator, left, other, "int32");
}

/** The expression with a value computed at run time for one of its dims. */
function withValue(e: Expression, name: string, value: Expression): Expression {
  return mapExpression(e, (node) => {
    if (node.kind !== "coordinate") return undefined;
    const factor = coefficientOf(node.affine, name);
    if (factor === 0) return undefined;
    const rest = subtract(node.affine, variable(name, factor));
    const scaled = factor === 1 ? value : int("*", value, factor);
    if (isConstant(rest)) return rest.constant === 0 ? scaled : int("+", scaled, rest.constant);
    return int("+", scaled, { ...node, affine: rest });
  });
}

function indexWithValue(index: Index, name: string, value: Expression): Index {
  if (index.kind === "opaque") {
    return { kind: "opaque", expression: withValue(index.expression, name, value) };
  }
  if (coefficientOf(index.affine, name) === 0) return index;
  const e: Expression = { kind: "coordinate", affine: index.affine, type: "int32" };
  return { kind: "opaque", expression: withValue(e, name, value) };
}

/** The statement that compares the candidates of the block that was found. */
function candidatesStatement(
  program: Program,
  s: Statement,
  { reduction, dim, by, shift }: Search,
  { name }: Tensor,
  size: number,
): Statement {
  const at = freshName(variableNames(s), `${dim.name}_in`);
  const inside: Dim = {
    name: at,
    lower: constant(0),
    upper: constant(size),
    indices: indicesOf(dim),
  };
  const domain = parallelPart(s);
  const block = int("max", read(s.reads.length, "int32"), 0);
  const place: Expression = { kind: "coordinate", affine: variable(at), type: "int32" };
  const last = dim.upper.constant - dim.lower.constant - 1;
  // Beyond the last candidate the last block has that once more, with the same index.
  const number = int("min", int("+", int("*", block, size), place), last);
  const value = dim.lower.constant === 0 ? number : int("+", number, dim.lower.constant);
  const found = shift === 0 ? value : int("+", value, shift);
  const reads = s.reads.map((r) => ({
    ...r,
    index: r.index.map((i) => indexWithValue(i, dim.name, value)),
  }));
  return {
    ...s,
    id: freshStatementId(program, `${s.id}.candidates`),
    domain: { ...domain, dims: [...domain.dims, inside] },
    reads: [...reads, elementAccess(s, name)],
    reduction: { ...reduction, dims: [at] },
    body: s.body.map((e, c) => (c === by ? found : withValue(e, dim.name, value))),
  };
}

/**
 * Purpose: looks for the block that has the best candidate of an arg reduction, then for the candidate
 * in it: while blocks are compared the place within one does not matter, and most updates change a
 * value alone.
 *
 * ```
 * S: { i in 0..M, k in 0..K } C(i) = arg[k] (e(k), k)       in blocks of 8
 *   -->
 * S.blocks:     { i in 0..M, k in 0..K } B(i) = floor(arg[k] (e(k), k) / 8)
 * S.candidates: { i in 0..M, l in 0..8 } C(i) = arg[l] (e(k'), k')   k' = min(8*max(B(i), 0) + l, K - 1)
 * ```
 * Requires: a reduction over one dim whose states come in order by that dim, plus a constant; the dim
 * has the same range for all elements, and no guard depends on it, so that every element has all
 * candidates.
 *
 * Ensures: the same elements, as long as computing a candidate again gives the same value, and none is
 * NaN. B is a temporary.
 */
export function searchBlocks(program: Program, { statement, size }: BlocksTarget): Rewrite {
  const s = findStatement(program, statement);
  if (s === undefined) return refused("no such statement");
  if (!Number.isInteger(size) || size < 2) return refused("the size is no integer above 1");
  const search = searchOf(s);
  if (typeof search === "string") return refused(search);
  const shape = elementShape(s);
  const extent = search.dim.upper.constant - search.dim.lower.constant;
  if ([extent, ...shape].some((n) => n <= 0)) {
    return refused("the domain is empty");
  }
  const name = freshTensorName(program, `${s.write.tensor}_block`);
  const tensor = temporary(name, { components: ["int32"], shape, span: s.span });
  const blocks = searchStatement(program, s, search, tensor, size);
  if (blocks === null) return refused("no state is the better one");
  const candidates = candidatesStatement(program, s, search, tensor, size);
  const parts = [blocks, candidates].map(dropUnused);
  return rewritten(replaceStatement(addTensor(program, tensor), s.id, parts));
}

/** The reductions that {@link searchBlocks} can search in blocks. */
export function blocksCandidates(program: Program): readonly BlocksCandidate[] {
  return flatMap(orderedStatements(program), (s): readonly BlocksCandidate[] => {
    const search = searchOf(s);
    if (typeof search === "string") return [];
    if (searchBlocks(program, { statement: s.id, size: 2 }).kind === "refused") return [];
    const extent = search.dim.upper.constant - search.dim.lower.constant;
    const sizes = blockSizes.filter((n) => n < extent);
    if (sizes.length === 0) return [];
    const path = `${s.id}/blocks/${dimRole(s, search.dim.name)}`;
    return [{ path, statement: s.id, sizes }];
  });
}
