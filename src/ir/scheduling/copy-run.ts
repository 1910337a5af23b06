/** Neighbours that an invocation copies at once, so that they can be one vector: of memory, or of the copy alone. */
import { type Affine, coefficientOf } from "../affine.ts";
import {
  type Access,
  findTensor,
  type Program,
  type Statement,
  type Tensor,
  tensorOf,
} from "../program.ts";

/** Elements that a vector holds; 1 for none. */
export type RunLength = 1 | 2 | 4;

/** The elements of a row that all invocations copy together, from `base` on. */
export interface CopiedRow {
  /** Over the loops around. */
  readonly base: Affine;
  readonly extent: number;
}

function isWhole(numbers: readonly number[], width: number): boolean {
  return numbers.every((n) => n % width === 0);
}

/** The coordinate along which elements lie side by side: the last one of more than one value. */
export function rowCoordinate({ shape }: Tensor): number {
  const found = shape.findLastIndex((n) => n > 1);
  return found < 0 ? shape.length - 1 : found;
}

/** Whether the rows of a tensor begin at multiples of a width in memory, and are whole vectors. */
function hasWholeRows(tensor: Tensor, width: number): boolean {
  const { components, shape, layout, stored } = tensor;
  const row = rowCoordinate(tensor);
  // Parts of words are loaded one by one, and there are no vectors of bools in memory.
  if (stored !== undefined || components.includes("bool")) return false;
  if ((shape[row] ?? 0) % width !== 0) return false;
  if (layout === undefined) return true;
  const { strides, offsetMultiple } = layout;
  return strides[row] === 1 && isWhole([...strides.slice(0, row), offsetMultiple ?? 0], width);
}

/** Whether the elements of a read that follow each other along a dim lie side by side in memory, wherever rows begin there. */
function readsRows({ index }: Access, dim: string, tensor: Tensor): boolean {
  const row = rowCoordinate(tensor);
  if (tensor.layout !== undefined && tensor.layout.strides[row] !== 1) return false;
  const moves = index.map((i) => (i.kind === "affine" ? coefficientOf(i.affine, dim) : 1));
  return moves.every((c, d) => c === (d === row ? 1 : 0));
}

/** Whether the elements of a read that follow each other along a dim do so in whole vectors of the rows. */
function readsVectors(
  { index, guard }: Access,
  dim: string,
  { row, width }: { readonly row: number; readonly width: number },
): boolean {
  if (guard.some((c) => coefficientOf(c.affine, dim) !== 0)) return false;
  const last = index[row];
  if (last?.kind !== "affine" || coefficientOf(last.affine, dim) !== 1) return false;
  const others = last.affine.terms.filter((t) => t.variable !== dim).map((t) => t.coefficient);
  const rest = index.filter((_, d) => d !== row);
  const aligned = isWhole([...others, last.affine.constant], width);
  return aligned && rest.every((i) => i.kind === "affine" && coefficientOf(i.affine, dim) === 0);
}

/** The shortest rows that are rounded up to whole vectors of their copy. */
const shortestGathered = 16;

/**
 * What the rows of a copy are rounded up to a multiple of, so that so many neighbours at most can be stored as one
 * vector: 1 for rows that are whole vectors, or so short that too much of them would be filled.
 */
export function copyPitch(row: number, most: RunLength, pad: number): RunLength {
  const rounds = most === 4 && pad % most === 0 && row % most !== 0 && row >= shortestGathered;
  return rounds ? most : 1;
}

/**
 * How many neighbours of a row, at most so many, a copy may take at once. Whole vectors of what is read begin at
 * multiples of that, no border is inside of one, and rows are made of such vectors; or else four elements become a
 * vector of the copy, whose rows are whole vectors with `pad` elements between them, and are loaded one by one.
 */
export function copyRun(
  program: Program,
  copy: Statement,
  { base, extent }: CopiedRow,
  most: RunLength,
  pad: number,
): RunLength {
  const own = copy.domain.dims.filter((d) => !copy.loops.includes(d.name));
  const to = tensorOf(program, copy.write.tensor);
  const row = rowCoordinate(to);
  const dim = own[row]?.name;
  if (dim === undefined) return 1;
  const begins = (width: number): boolean =>
    isWhole([extent, base.constant, ...base.terms.map((t) => t.coefficient)], width);
  const fits = (width: number): boolean => {
    const vectors = copy.reads.every((read) => {
      const from = findTensor(program, read.tensor);
      if (from === undefined || !hasWholeRows(from, width)) return false;
      return readsVectors(read, dim, { row: rowCoordinate(from), width });
    });
    return width <= most && begins(width) && vectors;
  };
  const gathers = (width: number): boolean =>
    most === width &&
    begins(width) &&
    isWhole([pad, to.shape[row] ?? 1], width) &&
    (to.shape[row] ?? 1) >= shortestGathered &&
    copy.reads.every((read) => {
      const from = findTensor(program, read.tensor);
      if (from === undefined || from.components.includes("bool")) return false;
      return readsRows(read, dim, from);
    });
  const whole = ([4, 2] as const).find(fits) ?? 1;
  return whole < 4 && gathers(4) ? 4 : whole;
}
