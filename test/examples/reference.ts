/**
 * What the examples compute, in plain loops over row-major arrays. Imports nothing: neither the
 * language nor the compiler has a part in it.
 */

export type Sizes = Readonly<Record<string, number>>;
export type Arrays = Readonly<Record<string, ArrayLike<number>>>;

/** An example: sizes to try, the lengths of its inputs, its results. */
export interface Reference {
  readonly sizes: readonly Sizes[];
  /** The least and the greatest value of the inputs; whole numbers when `whole`. */
  readonly inputs: (
    s: Sizes,
  ) => Readonly<Record<string, { length: number; from: number; to: number; whole?: boolean }>>;
  readonly results: (s: Sizes, inputs: Arrays) => Arrays;
}

const unit = { from: -1, to: 1 };

function softmaxOf(row: readonly number[]): number[] {
  const largest = Math.max(...row);
  const e = row.map((x) => Math.exp(x - largest));
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / total);
}

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

function sum(n: number, term: (i: number) => number): number {
  let total = 0;
  for (let i = 0; i < n; i++) total += term(i);
  return total;
}

const matmul: Reference = {
  sizes: [
    { M: 1, N: 1, K: 1 },
    { M: 7, N: 5, K: 11 },
    { M: 17, N: 13, K: 19 },
    { M: 1, N: 31, K: 2 },
  ],
  inputs: ({ M, N, K }) => ({
    A: { length: M * K, ...unit },
    B: { length: K * N, ...unit },
  }),
  results: ({ M, N, K }, { A, B }) => ({
    C: range(M * N).map((at) => {
      const [m, n] = [Math.floor(at / N), at % N];
      return sum(K, (k) => A[m * K + k] * B[k * N + n]);
    }),
  }),
};

const softmax: Reference = {
  sizes: [
    { N: 1, D: 1 },
    { N: 5, D: 13 },
    { N: 3, D: 67 },
  ],
  inputs: ({ N, D }) => ({ x: { length: N * D, from: -20, to: 20 } }),
  results: ({ N, D }, { x }) => ({
    y: range(N).flatMap((n) => softmaxOf(range(D).map((d) => x[n * D + d]))),
  }),
};

const argmax: Reference = {
  sizes: [
    { N: 1, D: 1 },
    { N: 7, D: 13 },
    { N: 2, D: 97 },
  ],
  // Few values, so that many are equal.
  inputs: ({ N, D }) => ({ x: { length: N * D, from: 0, to: 4, whole: true } }),
  results: ({ N, D }, { x }) => ({
    best: range(N).map((n) => {
      const row = range(D).map((d) => x[n * D + d]);
      return row.indexOf(Math.max(...row));
    }),
  }),
};

const attention: Reference = {
  sizes: [
    { H: 1, Q: 1, K: 1, D: 1, E: 1 },
    { H: 2, Q: 3, K: 5, D: 7, E: 11 },
    { H: 1, Q: 13, K: 2, D: 3, E: 5 },
  ],
  inputs: ({ H, Q, K, D, E }) => ({
    query: { length: H * Q * D, ...unit },
    key: { length: H * K * D, ...unit },
    value: { length: H * K * E, ...unit },
  }),
  results: ({ H, Q, K, D, E }, { query, key, value }) => ({
    out: range(H * Q).flatMap((row) => {
      const h = Math.floor(row / Q);
      const scores = range(K).map(
        (k) => sum(D, (d) => query[row * D + d] * key[(h * K + k) * D + d]) / Math.sqrt(D),
      );
      const weights = softmaxOf(scores);
      return range(E).map((e) => sum(K, (k) => weights[k] * value[(h * K + k) * E + e]));
    }),
  }),
};

const conv2d: Reference = {
  sizes: [
    { N: 1, C: 1, H: 1, W: 1, O: 1, KH: 1, KW: 1, S: 1, P: 0 },
    { N: 2, C: 3, H: 7, W: 11, O: 5, KH: 3, KW: 5, S: 2, P: 1 },
    { N: 1, C: 2, H: 13, W: 5, O: 3, KH: 2, KW: 3, S: 3, P: 2 },
    { N: 1, C: 1, H: 3, W: 3, O: 2, KH: 3, KW: 3, S: 1, P: 1 },
  ],
  inputs: ({ N, C, H, W, O, KH, KW }) => ({
    image: { length: N * C * H * W, ...unit },
    weight: { length: O * C * KH * KW, ...unit },
    bias: { length: O, ...unit },
  }),
  results: ({ N, C, H, W, O, KH, KW, S, P }, { image, weight, bias }) => {
    const [OH, OW] = [Math.floor((H + 2 * P - KH) / S) + 1, Math.floor((W + 2 * P - KW) / S) + 1];
    const pixel = (n: number, c: number, h: number, w: number): number =>
      h < 0 || h >= H || w < 0 || w >= W ? 0 : image[((n * C + c) * H + h) * W + w];
    const out: number[] = [];
    for (let n = 0; n < N; n++)
      for (let o = 0; o < O; o++)
        for (let h = 0; h < OH; h++)
          for (let w = 0; w < OW; w++)
            out.push(
              bias[o] +
                sum(C * KH * KW, (at) => {
                  const [c, kh, kw] = [
                    Math.floor(at / (KH * KW)),
                    Math.floor(at / KW) % KH,
                    at % KW,
                  ];
                  return pixel(n, c, S * h + kh - P, S * w + kw - P) * weight[o * C * KH * KW + at];
                }),
            );
    return { out };
  },
};

const cumsum: Reference = {
  sizes: [
    { N: 1, L: 1 },
    { N: 3, L: 17 },
    { N: 2, L: 71 },
  ],
  inputs: ({ N, L }) => ({ x: { length: N * L, ...unit } }),
  results: ({ N, L }, { x }) => ({
    y: range(N * L).map((at) => sum((at % L) + 1, (j) => x[at - (at % L) + j])),
  }),
};

const elman: Reference = {
  sizes: [
    { T: 1, B: 1, Ci: 1, Co: 1 },
    { T: 5, B: 3, Ci: 7, Co: 2 },
    { T: 3, B: 2, Ci: 1, Co: 11 },
  ],
  inputs: ({ T, B, Ci, Co }) => ({
    input: { length: T * B * Ci, ...unit },
    h0: { length: B * Co, ...unit },
    i2h: { length: Ci * Co, ...unit },
    h2h: { length: Co * Co, ...unit },
  }),
  results: ({ T, B, Ci, Co }, { input, h0, i2h, h2h }) => {
    const hidden: number[] = [];
    let before = Array.from(h0);
    for (let t = 0; t < T; t++) {
      before = range(B * Co).map((at) => {
        const [b, co] = [Math.floor(at / Co), at % Co];
        const recurrent = sum(Co, (c) => h2h[c * Co + co] * before[b * Co + c]);
        return recurrent + sum(Ci, (c) => i2h[c * Co + co] * input[(t * B + b) * Ci + c]);
      });
      hidden.push(...before);
    }
    return { hidden };
  },
};

const layernorm: Reference = {
  sizes: [
    { N: 1, D: 1 },
    { N: 5, D: 11 },
    { N: 2, D: 53 },
  ],
  inputs: ({ N, D }) => ({
    x: { length: N * D, from: -3, to: 3 },
    gamma: { length: D, ...unit },
    beta: { length: D, ...unit },
    epsilon: { length: 1, from: 0.01, to: 0.02 },
  }),
  results: ({ N, D }, { x, gamma, beta, epsilon }) => ({
    y: range(N).flatMap((n) => {
      const mean = sum(D, (d) => x[n * D + d]) / D;
      const variance = sum(D, (d) => (x[n * D + d] - mean) ** 2) / D;
      return range(D).map(
        (d) => ((x[n * D + d] - mean) / Math.sqrt(variance + epsilon[0])) * gamma[d] + beta[d],
      );
    }),
  }),
};

const lu: Reference = {
  sizes: [{ N: 1 }, { N: 2 }, { N: 7 }, { N: 13 }],
  inputs: ({ N }) => ({ A: { length: N * N, from: 0, to: 1 } }),
  results: ({ N }, { A: given }) => {
    const A = Array.from(given);
    for (let i = 0; i < N; i++) A[i * N + i] += N;
    for (let k = 0; k < N; k++)
      for (let i = k + 1; i < N; i++) {
        A[i * N + k] /= A[k * N + k];
        for (let j = k + 1; j < N; j++) A[i * N + j] -= A[i * N + k] * A[k * N + j];
      }
    return { A };
  },
};

const scatterAdd: Reference = {
  sizes: [
    { V: 1, B: 1, D: 1 },
    { V: 7, B: 13, D: 3 },
    { V: 3, B: 29, D: 2 },
  ],
  inputs: ({ V, B, D }) => ({
    table: { length: V * D, ...unit },
    // Some rows are outside of the table: nothing is added for them.
    row: { length: B, from: -1, to: V + 1, whole: true },
    gradient: { length: B * D, ...unit },
  }),
  results: ({ V, B, D }, { table: given, row, gradient }) => {
    const table = Array.from(given);
    for (let b = 0; b < B; b++) {
      if (row[b] < 0 || row[b] >= V) continue;
      for (let d = 0; d < D; d++) table[row[b] * D + d] += gradient[b * D + d];
    }
    return { table };
  },
};

/** By the name of the file. */
export const references: Readonly<Record<string, Reference>> = {
  argmax,
  attention,
  conv2d,
  cumsum,
  elman,
  layernorm,
  lu,
  matmul,
  scatter_add: scatterAdd,
  softmax,
};
