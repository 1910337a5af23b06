/** Boxes of elements that are a sample of a tensor, and the elements in boxes. */
import { elementCount, rowMajorStrides } from "../../support/scalar-type.ts";
import type { Program } from "../program.ts";
import { type Box, countPoints, restrictOutputs } from "./restrict-outputs.ts";

/**
 * The first and the last corner of a box of a tensor, halved along its longest dimension until they
 * cost at most so many points each; the whole box if that does; nothing if not even one element does.
 */
export function corners(
  program: Program,
  tensor: string,
  box: Box,
  maxPoints: number,
): readonly Box[] {
  const extents = box.map(({ lo, hi }) => hi - lo + 1);
  const first = (): Box => box.map(({ lo }, d) => ({ lo, hi: lo + (extents[d] as number) - 1 }));
  const fits = (): boolean =>
    countPoints(restrictOutputs(program, new Map([[tensor, first()]]))) <= maxPoints;
  while (!fits()) {
    const longest = extents.indexOf(Math.max(...extents));
    const extent = extents[longest] ?? 1;
    if (extent <= 1) return [];
    extents[longest] = Math.floor(extent / 2);
  }
  if (extents.every((extent, d) => extent === (box[d]?.hi ?? 0) - (box[d]?.lo ?? 0) + 1)) {
    return [box];
  }
  const last = box.map(({ hi }, d) => ({ lo: hi - (extents[d] as number) + 1, hi }));
  return [first(), last];
}

/** The row-major numbers in a tensor of the elements of a box, ascending. */
export function elementsOf(shape: readonly number[], box: Box): Int32Array {
  const strides = rowMajorStrides(shape);
  const numbers = new Int32Array(elementCount(box.map(({ lo, hi }) => hi - lo + 1)));
  let count = 0;
  const visit = (d: number, base: number): void => {
    const range = box[d];
    if (range === undefined) {
      numbers[count++] = base;
      return;
    }
    const stride = strides[d] ?? 1;
    for (let i = range.lo; i <= range.hi; i++) visit(d + 1, base + i * stride);
  };
  visit(0, 0);
  return numbers;
}

/** The coordinates of the element with a row-major number. */
export function coordinatesOf(shape: readonly number[], element: number): readonly number[] {
  let rest = element;
  return rowMajorStrides(shape).map((stride) => {
    const i = Math.floor(rest / stride);
    rest -= i * stride;
    return i;
  });
}
