import {
  integers,
  make,
  type Reference,
  type References,
  range,
  reals,
  sum,
  unit,
  view,
} from "./plain.ts";

const rows = [
  { N: 1, L: 1 },
  { N: 3, L: 17 },
  { N: 2, L: 71 },
];

const cumsum: Reference = {
  sizes: rows,
  inputs: ({ N, L }) => ({ x: unit(N, L) }),
  results: ({ N, L }, { x }) => ({
    y: range(N * L).map((at) => sum((at % L) + 1, (j) => x[at - (at % L) + j])),
  }),
};

const cummax: Reference = {
  sizes: rows,
  // Few values, so that many are equal.
  inputs: ({ N, L }) => ({ x: integers(0, 9, N, L) }),
  results: ({ N, L }, { x }) => {
    const at = make([N, L], (n, i) => {
      let best = 0;
      for (let j = 1; j <= i; j++) if (x[n * L + j] > x[n * L + best]) best = j;
      return best;
    });
    return { at, y: make([N, L], (n, i) => x[n * L + at[n * L + i]]) };
  },
};

const firFilter: Reference = {
  sizes: [
    { N: 1, K: 1 },
    { N: 71, K: 13 },
    { N: 7, K: 7 },
  ],
  inputs: ({ N, K }) => ({ signal: unit(N), tap: unit(K) }),
  results: ({ N, K }, { signal, tap }) => {
    const out = range(N - K + 1).map((n) => sum(K, (k) => signal[n + K - 1 - k] * tap[k]));
    return { out, power: [sum(out.length, (n) => out[n] ** 2) / out.length] };
  },
};

const iirFilter: Reference = {
  sizes: [
    { R: 1, N: 1 },
    { R: 3, N: 17 },
    { R: 5, N: 2 },
  ],
  inputs: ({ R, N }) => ({ x: unit(R, N), a: reals(0.2, 0.8) }),
  results: ({ R, N }, { x, a }) => {
    const smooth = (row: readonly number[]): number[] => {
      let before = row[0];
      return row.map((v) => {
        before = a[0] * v + (1 - a[0]) * before;
        return before;
      });
    };
    const both = (row: readonly number[]): number[] => smooth(smooth(row).reverse()).reverse();
    return { y: range(R).flatMap((r) => both(Array.from(x).slice(r * N, (r + 1) * N))) };
  },
};

const dft: Reference = {
  sizes: [
    { R: 1, N: 1 },
    { R: 3, N: 7 },
    { R: 2, N: 16 },
  ],
  inputs: ({ R, N }) => ({ x: unit(R, N) }),
  results: ({ R, N }, { x: rowsOfX }) => {
    const x = view(rowsOfX, R, N);
    const K = Math.floor(N / 2) + 1;
    const part = (of: (angle: number) => number): number[] =>
      make([R, K], (r, k) => sum(N, (n) => x(r, n) * of((2 * Math.PI * k * n) / N)));
    const re = part((angle) => Math.cos(angle));
    const im = part((angle) => -Math.sin(angle));
    const power = range(K).map((k) => sum(R, (r) => re[r * K + k] ** 2 + im[r * K + k] ** 2));
    return { re, im, power };
  },
};

const oddEvenSort: Reference = {
  sizes: [
    { R: 1, N: 1 },
    { R: 3, N: 13 },
    { R: 2, N: 8 },
  ],
  inputs: ({ R, N }) => ({ x: reals(-5, 5, R, N) }),
  results: ({ R, N }, { x }) => ({
    x: range(R).flatMap((r) =>
      Array.from(x)
        .slice(r * N, (r + 1) * N)
        .sort((a, b) => a - b),
    ),
  }),
};

/** By trying all three edits, from the ends of the words. */
function edits(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  const rest = [a.slice(1), b.slice(1)] as const;
  if (a[0] === b[0]) return edits(...rest);
  return 1 + Math.min(edits(rest[0], b), edits(a, rest[1]), edits(...rest));
}

const editDistance: Reference = {
  sizes: [
    { P: 1, M: 1, N: 1 },
    { P: 7, M: 5, N: 7 },
    { P: 3, M: 6, N: 3 },
  ],
  inputs: ({ P, M, N }) => ({ a: integers(0, 3, P, M), b: integers(0, 3, P, N) }),
  results: ({ P, M, N }, { a, b }) => {
    const word = (letters: ArrayLike<number>, p: number, length: number): number[] =>
      Array.from(letters).slice(p * length, (p + 1) * length);
    return { distance: range(P).map((p) => edits(word(a, p, M), word(b, p, N))) };
  },
};

export const sequence: References = {
  cumsum,
  cummax,
  fir_filter: firFilter,
  iir_filter: iirFilter,
  dft,
  odd_even_sort: oddEvenSort,
  edit_distance: editDistance,
};
