/**
 * Writes that wait until a statement has read everything: place and values, one row each.
 */
export interface Pending {
  /** Adds a row of `values`, which are copied. */
  readonly add: (offset: number, values: Float64Array) => void;
  /** Hands every row to `write`, in the order of adding, and forgets them. */
  readonly commit: (write: (offset: number, values: Float64Array) => void) => void;
}

/** An empty list of rows of `width` values. */
export function createPending(width: number): Pending {
  let offsets = new Int32Array(16);
  let rows = new Float64Array(16 * width);
  let count = 0;
  const row = new Float64Array(width);
  const grow = (): void => {
    const [moreOffsets, moreRows] = [
      new Int32Array(2 * count),
      new Float64Array(2 * count * width),
    ];
    moreOffsets.set(offsets);
    moreRows.set(rows);
    [offsets, rows] = [moreOffsets, moreRows];
  };
  return {
    add: (offset, values) => {
      if (count === offsets.length) grow();
      offsets[count] = offset;
      for (let i = 0; i < width; i++) rows[count * width + i] = values[i] as number;
      count++;
    },
    commit: (write) => {
      for (let n = 0; n < count; n++) {
        for (let i = 0; i < width; i++) row[i] = rows[n * width + i] as number;
        write(offsets[n] as number, row);
      }
      count = 0;
    },
  };
}
