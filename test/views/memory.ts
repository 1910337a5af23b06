/** Views by plain loops: nothing here uses the compiler. */

/** Where the elements of a view lie, row by row. */
export function positionsOf(
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
): readonly number[] {
  let positions = [offset];
  for (const [d, extent] of shape.entries()) {
    positions = positions.flatMap((position) =>
      Array.from({ length: extent }, (_, i) => position + (strides[d] ?? 0) * i),
    );
  }
  return positions;
}

/** How a tensor lies in a larger one of rank 1. */
export interface Lie {
  readonly strides: readonly number[];
  /** Of element (0, ..., 0). */
  readonly offset: number;
}

/** A lie for a shape, under a name for messages. */
export interface NamedLie extends Lie {
  readonly name: string;
}

/** The ways in which a matrix may lie; only the first seven have no element twice. */
export function liesOfMatrix(rows: number, columns: number): readonly NamedLie[] {
  return [
    { name: "dense at 3", strides: [columns, 1], offset: 3 },
    { name: "dense at 68", strides: [columns, 1], offset: 68 },
    { name: "every other row", strides: [2 * columns, 1], offset: columns },
    { name: "a slice of columns", strides: [columns + 4, 1], offset: 2 },
    { name: "transposed", strides: [1, rows], offset: 0 },
    { name: "reversed rows", strides: [-columns, 1], offset: 4 + (rows - 1) * columns },
    {
      name: "all backwards, every third",
      strides: [-3 * columns, -3],
      offset: 3 * (rows * columns - 1) + 5,
    },
    { name: "one row for all", strides: [0, 1], offset: 8 },
    { name: "one column for all", strides: [1, 0], offset: 1 },
    { name: "one element for all", strides: [0, 0], offset: 70 },
  ];
}

/** The lies of a matrix that a result may have. */
export function liesOfResult(rows: number, columns: number): readonly NamedLie[] {
  return liesOfMatrix(rows, columns).slice(0, 7);
}
