/**
 * Purpose: sees a statement as what a matrix unit computes: a sum of products of two reads, each of
 * which lies in memory as a matrix of the unit does.
 *
 * Requires: nothing. Ensures: with the dims of the row, the column and the depth moved by less than
 * the unit's extents, elements lie where `pitch` and `byRows` say, and the statement adds nothing but
 * the products of the two reads, in the types of the unit.
 */
import { elementBytes, rowMajorStrides } from "../support/scalar-type.ts";
import { type Affine, add, coefficientOf, constant, scale } from "./affine.ts";
import type { Expression } from "./expression.ts";
import {
  type Access,
  findTensor,
  type Index,
  isScatter,
  type Program,
  type Statement,
} from "./program.ts";
import type { FragmentUse } from "./schedule.ts";

/** Elements of a tensor that lie in memory as a matrix does. */
export interface FragmentAccess {
  readonly tensor: string;
  readonly index: readonly Index[];
  /** Elements from a row to the next, or from a column to the next. */
  readonly pitch: number;
  /** Elements of a row are neighbours; otherwise those of a column. */
  readonly byRows: boolean;
  /** Over dims: the number of the element in its buffer, the offset of a view aside. */
  readonly linear: Affine;
  /** All that is added to `linear` must be multiples of so many elements. */
  readonly alignment: number;
}

/** The parts of a statement that a matrix unit needs. */
export interface FragmentProduct {
  readonly left: FragmentAccess;
  readonly right: FragmentAccess;
  readonly init:
    | { readonly kind: "fill"; readonly value: number }
    | { readonly kind: "load"; readonly access: FragmentAccess }
    /** What lies otherwise, or is computed: the sum starts from 0, and each result is added to it. */
    | { readonly kind: "late" };
  /** Where results are stored as they are; null where each goes its own way, through shared memory. */
  readonly target: FragmentAccess | null;
}

/** The product, or in words why there is none. */
export type FragmentResult =
  | { readonly kind: "product"; readonly product: FragmentProduct }
  | { readonly kind: "refused"; readonly reason: string };

type Type = FragmentUse["unit"]["component"];

/** The dims along which a matrix moves, and its extents. */
interface Shape {
  readonly row: string;
  readonly rows: number;
  readonly column: string;
  readonly columns: number;
}

/** Bytes that what a matrix unit loads and stores is aligned to, where a row is no shorter. */
const alignmentBytes = 16;

/** The number of an element in its buffer, over dims; null where it is not that simple. */
function linearOf(program: Program, tensor: string, index: readonly Index[]): Affine | null {
  const declared = findTensor(program, tensor);
  if (declared === undefined || declared.components.length !== 1) return null;
  if (declared.stored !== undefined) return null;
  const strides = declared.layout?.strides ?? rowMajorStrides(declared.shape);
  const parts: Affine[] = [constant(0)];
  for (const [d, i] of index.entries()) {
    if (i.kind !== "affine") return null;
    parts.push(scale(i.affine, strides[d] ?? 0));
  }
  return add(...parts);
}

/** How elements lie along two dims; null where no matrix lies like that. */
function accessOf(
  program: Program,
  { tensor, index }: Pick<Access, "tensor" | "index">,
  type: Type,
  { row, rows, column, columns }: Shape,
): FragmentAccess | null {
  const declared = findTensor(program, tensor);
  const linear = linearOf(program, tensor, index);
  if (linear === null || declared?.components[0] !== type) return null;
  const [down, across] = [coefficientOf(linear, row), coefficientOf(linear, column)];
  const byRows = across === 1 && down >= columns;
  if (!byRows && !(down === 1 && across >= rows)) return null;
  const pitch = byRows ? down : across;
  const neighbours = byRows ? columns : rows;
  const bytes = elementBytes(type);
  const alignment = Math.min(alignmentBytes, neighbours * bytes) / bytes;
  const { offsetMultiple = null } = declared.layout ?? {};
  const aligned = pitch % alignment === 0 && (offsetMultiple ?? 0) % alignment === 0;
  return aligned ? { tensor, index, pitch, byRows, linear, alignment } : null;
}

/** The read that a factor is: of the unit's type, and converted to that of the sum without loss. */
function factorOf(
  s: Statement,
  e: Expression,
  { component, result }: FragmentUse["unit"],
): Access | null {
  if (e.kind === "cast") {
    const widens = e.type === result && e.narrow === undefined && e.operand.type === component;
    return widens && e.operand.kind === "read" ? readOf(s, e.operand) : null;
  }
  return e.kind === "read" && e.type === component && component === result ? readOf(s, e) : null;
}

function readOf(s: Statement, { read }: Expression & { kind: "read" }): Access | null {
  const access = s.reads[read];
  return access?.guard.length === 0 && access.tensor !== s.write.tensor ? access : null;
}

/** Whether the state is a sum of one float of that type, with 0 to start from. */
function isSum(s: Statement, type: Type): boolean {
  const { combine, identity } = s.reduction?.monoid ?? { combine: [], identity: [] };
  const [sum, more] = combine;
  if (sum?.kind !== "binary" || more !== undefined || sum.operator !== "+") return false;
  const sides = [sum.left, sum.right].map((e) => (e.kind === "state" ? e.side : null));
  const [zero] = identity;
  const plain = sides.includes("left") && sides.includes("right");
  return plain && sum.type === type && zero?.kind === "literal" && zero.value === 0;
}

function initOf(
  program: Program,
  s: Statement,
  type: Type,
  shape: Shape,
): FragmentProduct["init"] | null {
  const [start] = s.reduction?.init ?? [];
  if (start === undefined) return { kind: "fill", value: 0 };
  if (start.kind === "literal") return { kind: "fill", value: start.value };
  // Of its own tensor it may read what it is going to store, and nothing else.
  const others = s.reads.filter((r) => r.tensor === s.write.tensor);
  const own = JSON.stringify(s.write.index);
  if (others.some((r) => JSON.stringify(r.index) !== own)) return null;
  const read = start.kind === "read" ? s.reads[start.read] : undefined;
  const plain = read?.guard.length === 0 ? read : undefined;
  const access = plain === undefined ? null : accessOf(program, plain, type, shape);
  return access === null ? { kind: "late" } : { kind: "load", access };
}

function targetOf(program: Program, s: Statement, type: Type, shape: Shape): FragmentAccess | null {
  const { projected = false, monoid } = s.reduction ?? {};
  if (projected && monoid?.project.kind !== "state") return null;
  return accessOf(program, s.write, type, shape);
}

function refused(reason: string): FragmentResult {
  return { kind: "refused", reason };
}

/** Tells which factor moves with rows, and which with columns; null if they do both. */
function sidesOf(
  program: Program,
  factors: readonly [Access, Access],
  { unit, row, column, depth }: FragmentUse,
): { readonly left: FragmentAccess; readonly right: FragmentAccess } | null {
  const { component, rows, columns, depth: steps } = unit;
  const [a, b] = factors;
  for (const [first, second] of [
    [a, b],
    [b, a],
  ] as const) {
    const left = accessOf(program, first, component, { row, rows, column: depth, columns: steps });
    const right = accessOf(program, second, component, {
      row: depth,
      rows: steps,
      column,
      columns,
    });
    if (left === null || right === null) continue;
    const apart =
      coefficientOf(left.linear, column) === 0 && coefficientOf(right.linear, row) === 0;
    if (apart) return { left, right };
  }
  return null;
}

/** A statement as a product on a matrix unit, with its dims as rows, columns and depth. */
export function fragmentProduct(program: Program, s: Statement, use: FragmentUse): FragmentResult {
  const { unit, row, column } = use;
  const { result, rows, columns } = unit;
  if (isScatter(s) || !isSum(s, result)) return refused(`${s.id} is no sum of ${result}`);
  if (s.domain.quotients.length > 0) return refused(`${s.id} divides indices`);
  const [product] = s.body;
  const factors =
    product?.kind === "binary" && product.operator === "*"
      ? [factorOf(s, product.left, unit), factorOf(s, product.right, unit)]
      : [];
  const [a = null, b = null] = factors;
  if (a === null || b === null) {
    return refused(`${s.id} adds something else than products of two reads of ${unit.component}`);
  }
  const sides = sidesOf(program, [a, b], use);
  if (sides === null) return refused(`what ${s.id} multiplies does not lie in rows or columns`);
  const shape = { row, rows, column, columns };
  const init = initOf(program, s, result, shape);
  if (init === null) return refused(`${s.id} starts from other elements of what it stores`);
  if (linearOf(program, s.write.tensor, s.write.index) === null) {
    return refused(`${s.id} stores parts of words, or at computed indices`);
  }
  const target = init.kind === "late" ? null : targetOf(program, s, result, shape);
  return { kind: "product", product: { ...sides, init, target } };
}
