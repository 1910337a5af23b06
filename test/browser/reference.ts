/** What the browser's test expects, in plain JavaScript. */

/** `count` small integers, every product and sum of which float32 holds. */
export function numbers(count: number, seed: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => ((i * 7 + seed * 5) % 13) - 6);
}

/** The product of an M x K and a K x N matrix. */
export function multiplyPlainly(
  A: readonly number[],
  B: readonly number[],
  M: number,
  K: number,
  N: number,
): readonly number[] {
  const C: number[] = [];
  for (let m = 0; m < M; m++) {
    for (let n = 0; n < N; n++) {
      let sum = 0;
      for (let k = 0; k < K; k++) sum += (A[m * K + k] ?? 0) * (B[k * N + n] ?? 0);
      C.push(sum);
    }
  }
  return C;
}

/** Rows 0 to T-1: the first is x, each element of a later one half the sum of the row before. */
export function recurPlainly(x: readonly number[], T: number): readonly number[] {
  let row = [...x];
  const rows = [...row];
  for (let t = 1; t < T; t++) {
    const half = row.reduce((sum, value) => sum + value * 0.5, 0);
    row = row.map(() => half);
    rows.push(...row);
  }
  return rows;
}
