import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv } from "../../support/integer.ts";
import { elementCount } from "../../support/scalar-type.ts";
import { constant } from "../affine.ts";
import {
  type Access,
  findTensor,
  hasPadding,
  type Program,
  type Statement,
  type Tensor,
} from "../program.ts";
import { closedGroups } from "./closed-groups.ts";
import { asRow, goesThrough, isFixed, isIdentity, plainBox } from "./flatten-domain.ts";
import { orderedStatements, type Rewrite, refused, rewritten } from "./rewrite.ts";

/** Elements of the vectors that rows are rounded up to. */
const vector = 4;

/** Maps over a row that {@link padMap} can round up, and the tensors that they go through. */
export interface PadMapCandidate {
  /** For example `y/vectors`, of the first of them. */
  readonly path: string;
  readonly statements: readonly string[];
  readonly tensors: readonly string[];
  /** The elements that the rows will have. */
  readonly length: number;
}

/** Whether a tensor is a row of so many elements, with padding after it, used already or not. */
function isRow(tensor: Tensor | undefined, extent: number): boolean {
  if (tensor === undefined || tensor.shape.length !== 1 || tensor.unpacked !== undefined)
    return false;
  return hasPadding(tensor) && elementCount(tensor.original ?? tensor.shape) === extent;
}

/** Whether what is after the elements of the tensors of a map may be computed like them. */
function isRowMap(program: Program, s: Statement): boolean {
  const [extent, more] = plainBox(s.domain) ?? [];
  if (s.loops.length > 0 || s.reduction !== null || extent === undefined || more !== undefined) {
    return false;
  }
  const isElement = (access: Pick<Access, "tensor" | "index">): boolean =>
    isRow(findTensor(program, access.tensor), extent) && isIdentity(s, access);
  return (
    isElement(s.write) && s.reads.every((r) => r.guard.length === 0 && (isFixed(r) || isElement(r)))
  );
}

/** The tensors of which values choose elements: an index may then be that of padding. */
function gathered(program: Program): readonly string[] {
  const accesses = flatMap(program.statements, (s) => [s.write, ...s.reads]);
  return flatMap(accesses, ({ tensor, index }) =>
    index.some((i) => i.kind === "opaque") ? [tensor] : [],
  );
}

/**
 * The tensors of a map that only maps like it may touch: gathers would find padding where they leave
 * the tensor, and the loops around other uses of what is written would have another range than these.
 */
function ownTensors(program: Program): (s: Statement) => readonly string[] {
  const written = program.statements.map((other) => other.write.tensor);
  const own = new Set([...written, ...gathered(program)]);
  return (s) => goesThrough(s).filter((tensor) => own.has(tensor));
}

/** The maps that can be rounded up to whole vectors, and are longer than one. */
export function padMapCandidates(program: Program): readonly PadMapCandidate[] {
  const maps = orderedStatements(program).filter((s) => isRowMap(program, s));
  const groups = closedGroups(program, maps, ownTensors(program));
  return flatMap(groups, ({ statements }): PadMapCandidate[] => {
    const [first] = statements;
    const extent = first?.domain.dims[0]?.upper.constant ?? 0;
    if (first === undefined || extent % vector === 0 || extent < vector) return [];
    const path = `${first.id}/vectors`;
    const tensors = [...new Set(flatMap(statements, goesThrough))];
    const length = vector * ceilDiv(extent, vector);
    return [{ path, statements: statements.map((s) => s.id), tensors, length }];
  });
}

function padStatement(s: Statement, extent: number): Statement {
  const dims = s.domain.dims.map((d) => ({ ...d, upper: constant(extent) }));
  return { ...s, domain: { ...s.domain, dims } };
}

/**
 * Purpose: rounds maps over rows, and the rows, up to whole vectors. What is computed after the last
 * element is never looked at.
 *
 * ```
 * { i in 0..1021 } y(i) = f(x(i))   -->   { i in 0..1024 } y(i) = f(x(i))
 * ```
 * Requires: a candidate of this program. Ensures: the same elements; only memory with padding is
 * read or written after them, and only by maps.
 */
export function padMap(program: Program, candidate: PadMapCandidate): Rewrite {
  const known = padMapCandidates(program).some(
    (c) => c.path === candidate.path && c.statements.join() === candidate.statements.join(),
  );
  if (!known) return refused("not all of it is maps over dense rows with padding");
  const [statements, tensors] = [new Set(candidate.statements), new Set(candidate.tensors)];
  const { length } = candidate;
  return rewritten({
    ...program,
    tensors: program.tensors.map((t) => (tensors.has(t.name) ? asRow(t, length) : t)),
    statements: program.statements.map((s) => (statements.has(s.id) ? padStatement(s, length) : s)),
  });
}
