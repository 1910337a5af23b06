/** Neighbours that an invocation copies at once, so that they can be one vector of memory. */
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

/**
 * How many neighbours of a row, at most so many, a copy may take at once: whole vectors of what is
 * read begin at multiples of that, no border is inside of one, and rows are made of such vectors.
 */
export function copyRun(
  program: Program,
  copy: Statement,
  { base, extent }: CopiedRow,
  most: RunLength,
): RunLength {
  const own = copy.domain.dims.filter((d) => !copy.loops.includes(d.name));
  const dim = own[rowCoordinate(tensorOf(program, copy.write.tensor))]?.name;
  if (dim === undefined) return 1;
  const fits = (width: number): boolean => {
    const begins = isWhole([extent, base.constant, ...base.terms.map((t) => t.coefficient)], width);
    const vectors = copy.reads.every((read) => {
      const from = findTensor(program, read.tensor);
      if (from === undefined || !hasWholeRows(from, width)) return false;
      return readsVectors(read, dim, { row: rowCoordinate(from), width });
    });
    return width <= most && begins && vectors;
  };
  return ([4, 2] as const).find(fits) ?? 1;
}
