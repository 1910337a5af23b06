import { flatMap } from "../../support/flat-map.ts";
import { elementCount } from "../../support/scalar-type.ts";
import { affineEquals, constant, isConstant, variable } from "../affine.ts";
import { type Domain, indicesOf } from "../domain.ts";
import { eachExpression } from "../expression.ts";
import {
  type Access,
  affineIndex,
  findTensor,
  type Program,
  type Statement,
  statementExpressions,
  type Tensor,
} from "../program.ts";
import { closedGroups } from "./closed-groups.ts";
import {
  freshName,
  orderedStatements,
  type Rewrite,
  refused,
  rewritten,
  variableNames,
} from "./rewrite.ts";

/** Statements that {@link flattenDomains} can run over one dim, and the tensors that become rows. */
export interface FlattenCandidate {
  /** For example `y/flatten`, of the first of them. */
  readonly path: string;
  readonly statements: readonly string[];
  readonly tensors: readonly string[];
  /** Those of the dims. */
  readonly extents: readonly number[];
}

/** The extents of a domain that is a box from 0 on, with nothing else about it; undefined if not. */
export function plainBox({ dims, guards, quotients }: Domain): readonly number[] | undefined {
  if (guards.length > 0 || quotients.length > 0) return undefined;
  const isPlain = dims.every((d) => isConstant(d.lower) && isConstant(d.upper));
  if (!isPlain || dims.some((d) => d.lower.constant !== 0)) return undefined;
  return dims.map((d) => d.upper.constant);
}

/** Whether an access names one element whatever the dims are. */
export function isFixed({ index }: Pick<Access, "index">): boolean {
  return index.every((i) => i.kind === "affine" && isConstant(i.affine));
}

/** Whether the coordinates of an access are the dims of a statement, in their order. */
export function isIdentity(s: Statement, { index }: Pick<Access, "index">): boolean {
  const { dims } = s.domain;
  return (
    index.length === dims.length &&
    index.every((i, d) => {
      const dim = dims[d];
      return i.kind === "affine" && dim !== undefined && affineEquals(i.affine, variable(dim.name));
    })
  );
}

/** True for an access to each element of a dense tensor at the point of the domain that is its index. */
function isEachElement(
  program: Program,
  s: Statement,
  access: Pick<Access, "tensor" | "index">,
): boolean {
  const tensor = findTensor(program, access.tensor);
  const extents = s.domain.dims.map((d) => d.upper.constant);
  return (
    tensor?.layout === undefined &&
    tensor?.unpacked === undefined &&
    tensor?.shape.join() === extents.join() &&
    isIdentity(s, access)
  );
}

/** The most points of one dim: indices are numbers of 32 bits, which may be negative. */
const mostPoints = 2 ** 31 - 1;

/** Whether the dims of a statement are nothing to it but a number of its points. */
function isFlat(program: Program, s: Statement): boolean {
  const { dims } = s.domain;
  const extents = plainBox(s.domain);
  if (s.loops.length > 0 || dims.length < 2 || extents === undefined) return false;
  if (elementCount(extents) > mostPoints) return false;
  const reduced = s.reduction?.dims.length ?? 0;
  if (reduced > 0 && reduced < dims.length) return false;
  const expressions = eachExpression(...statementExpressions(s));
  if (expressions.some((e) => e.kind === "coordinate")) return false;
  const isWritten = reduced > 0 ? isFixed(s.write) : isEachElement(program, s, s.write);
  return (
    isWritten &&
    s.reads.every((r) => r.guard.length === 0 && (isFixed(r) || isEachElement(program, s, r)))
  );
}

/** The tensors of which a statement touches other elements at other points, once for each access. */
export function goesThrough(s: Statement): readonly string[] {
  return flatMap([s.write, ...s.reads], (a) => (isFixed(a) ? [] : [a.tensor]));
}

/** What can be flattened: all reductions, and maps over rows that are no whole vectors. */
export function flattenCandidates(program: Program): readonly FlattenCandidate[] {
  const flat = orderedStatements(program).filter((s) => isFlat(program, s));
  return flatMap(closedGroups(program, flat, goesThrough), (group): FlattenCandidate[] => {
    const [first] = group.statements;
    const extents = first?.domain.dims.map((d) => d.upper.constant) ?? [];
    const isEven = (extents.at(-1) ?? 0) % 4 === 0;
    // Maps over rows of whole vectors would gain nothing.
    if (first === undefined || (isEven && group.statements.every((s) => s.reduction === null))) {
      return [];
    }
    const path = `${first.id}/flatten`;
    const statements = group.statements.map((s) => s.id);
    return [{ path, statements, tensors: group.tensors, extents }];
  });
}

function flattenStatement(s: Statement): Statement {
  const { dims } = s.domain;
  const joined = dims.map((d) => d.name).join("_");
  const name = freshName(variableNames(s), joined);
  const total = elementCount(dims.map((d) => d.upper.constant));
  const flatten = <T extends Pick<Access, "index">>(access: T): T =>
    isFixed(access) ? access : { ...access, index: [affineIndex(variable(name))] };
  return {
    ...s,
    domain: {
      dims: [
        {
          name,
          lower: constant(0),
          upper: constant(total),
          indices: [...new Set(flatMap(dims, indicesOf))],
        },
      ],
      guards: [],
      quotients: [],
    },
    write: flatten(s.write),
    reads: s.reads.map(flatten),
    reduction: s.reduction === null ? null : { ...s.reduction, dims: [name] },
  };
}

/** The tensor as one row of at least its elements. */
export function asRow(tensor: Tensor, length: number): Tensor {
  const original = tensor.original ?? tensor.shape;
  return { ...tensor, shape: [length], original };
}

/**
 * Purpose: makes one dim of the dims of statements that go through dense tensors element by element.
 *
 * ```
 * { i in 0..1024, j in 0..1021 } y(i, j) = f(x(i, j))   -->   { i_j in 0..1045504 } y(i_j) = f(x(i_j))
 * ```
 * Rows then end nowhere, so that their length does not matter to vectors and tiles. Total reductions
 * go the same way.
 *
 * Requires: a candidate of this program. Ensures: the same elements, in the same order in memory; no
 * other statement touches the tensors that become rows.
 */
export function flattenDomains(program: Program, candidate: FlattenCandidate): Rewrite {
  const known = flattenCandidates(program).some(
    (c) => c.path === candidate.path && c.statements.join() === candidate.statements.join(),
  );
  if (!known) return refused("not all of it goes through dense tensors element by element");
  const [statements, tensors] = [new Set(candidate.statements), new Set(candidate.tensors)];
  const length = elementCount(candidate.extents);
  return rewritten({
    ...program,
    tensors: program.tensors.map((t) => (tensors.has(t.name) ? asRow(t, length) : t)),
    statements: program.statements.map((s) => (statements.has(s.id) ? flattenStatement(s) : s)),
  });
}
