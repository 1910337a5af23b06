import {
  halves,
  integers,
  make,
  put,
  type Reference,
  type References,
  reals,
  sum,
  unit,
  view,
} from "./plain.ts";

const products = [
  { M: 1, N: 1, K: 1 },
  { M: 7, N: 5, K: 11 },
  { M: 17, N: 13, K: 19 },
  { M: 1, N: 31, K: 2 },
];

const matmul: Reference = {
  sizes: products,
  inputs: ({ M, N, K }) => ({ A: unit(M, K), B: unit(K, N) }),
  results: ({ M, N, K }, { A, B }) => {
    const [a, b] = [view(A, M, K), view(B, K, N)];
    return { C: make([M, N], (m, n) => sum(K, (k) => a(m, k) * b(k, n))) };
  },
};

const matmulNt: Reference = {
  sizes: products,
  inputs: ({ M, N, K }) => ({ A: unit(M, K), B: unit(N, K) }),
  results: ({ M, N, K }, { A, B }) => {
    const [a, b] = [view(A, M, K), view(B, N, K)];
    return { C: make([M, N], (m, n) => sum(K, (k) => a(m, k) * b(n, k))) };
  },
};

const matmulTn: Reference = {
  sizes: products,
  inputs: ({ M, N, K }) => ({ A: unit(K, M), B: unit(K, N) }),
  results: ({ M, N, K }, { A, B }) => {
    const [a, b] = [view(A, K, M), view(B, K, N)];
    return { C: make([M, N], (m, n) => sum(K, (k) => a(k, m) * b(k, n))) };
  },
};

const batchedMatmul: Reference = {
  sizes: [
    { B: 1, M: 1, N: 1, K: 1 },
    { B: 3, M: 5, N: 7, K: 11 },
    { B: 2, M: 17, N: 3, K: 2 },
  ],
  inputs: ({ B, M, N, K }) => ({ X: unit(B, M, K), Y: unit(B, K, N) }),
  results: ({ B, M, N, K }, { X, Y }) => {
    const [x, y] = [view(X, B, M, K), view(Y, B, K, N)];
    return { Z: make([B, M, N], (b, m, n) => sum(K, (k) => x(b, m, k) * y(b, k, n))) };
  },
};

const kronecker: Reference = {
  sizes: [
    { M: 1, N: 1, P: 1, Q: 1 },
    { M: 2, N: 3, P: 5, Q: 7 },
    { M: 1, N: 11, P: 3, Q: 1 },
  ],
  inputs: ({ M, N, P, Q }) => ({ A: unit(M, N), B: unit(P, Q) }),
  results: ({ M, N, P, Q }, { A, B }) => {
    const [a, b] = [view(A, M, N), view(B, P, Q)];
    const value = (i: number, j: number): number =>
      a(Math.floor(i / P), Math.floor(j / Q)) * b(i % P, j % Q);
    return { K: make([M * P, N * Q], value) };
  },
};

const transpose: Reference = {
  sizes: [
    { M: 1, N: 1, B: 1, C: 1, H: 1, W: 1, S: 1 },
    { M: 7, N: 13, B: 2, C: 12, H: 3, W: 5, S: 2 },
    { M: 1, N: 17, B: 1, C: 9, H: 2, W: 1, S: 3 },
  ],
  inputs: ({ M, N, B, C, H, W }) => ({ A: unit(M, N), image: unit(B, C, H, W) }),
  results: ({ M, N, B, C, H, W, S }, { A, image: pixels }) => {
    const image = view(pixels, B, C, H, W);
    const space = (b: number, c: number, h: number, w: number): number =>
      image(b, S * S * c + S * (h % S) + (w % S), Math.floor(h / S), Math.floor(w / S));
    return {
      turned: make([N, M], (n, m) => A[m * N + n]),
      channels_last: make([B, H, W, C], (b, h, w, c) => image(b, c, h, w)),
      space: make([B, C / (S * S), S * H, S * W], space),
    };
  },
};

const lu: Reference = {
  sizes: [{ N: 1 }, { N: 2 }, { N: 7 }, { N: 13 }],
  inputs: ({ N }) => ({ A: reals(0, 1, N, N) }),
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

const triangularSolve: Reference = {
  sizes: [
    { N: 1, M: 1 },
    { N: 7, M: 3 },
    { N: 13, M: 2 },
  ],
  inputs: ({ N, M }) => ({ L: reals(0, 1, N, N), X: unit(N, M) }),
  results: ({ N, M }, { L, X: given }) => {
    const l = view(L, N, N);
    const X = Array.from(given);
    const x = view(X, N, M);
    for (let m = 0; m < M; m++)
      for (let i = 0; i < N; i++) {
        const rest = x(i, m) - sum(i, (j) => l(i, j) * x(j, m));
        put(X, [N, M], [i, m], rest / (l(i, i) + N));
      }
    return { X };
  },
};

const halfMatmul: Reference = {
  sizes: products,
  inputs: ({ M, N, K }) => ({ A: halves(M, K), B: halves(K, N), scale: reals(0.1, 0.9) }),
  results: ({ M, N, K }, { A, B, scale }) => {
    const [a, b] = [view(A, M, K), view(B, K, N)];
    return { C: make([M, N], (m, n) => scale[0] * sum(K, (k) => a(m, k) * b(k, n))) };
  },
  // The result has 11 significant bits.
  tolerance: 2 ** -10,
};

const quantisedMatmul: Reference = {
  sizes: [
    { B: 1, I: 1, O: 1 },
    { B: 7, I: 13, O: 5 },
    { B: 3, I: 31, O: 11 },
  ],
  inputs: ({ B, I, O }) => ({
    x: integers(0, 256, B, I),
    w: integers(-128, 128, O, I),
    bias: integers(-500, 500, O),
    zero_x: integers(100, 156),
    zero_y: integers(100, 156),
    // Exact in float32: what lies between two bytes is rounded to the even one.
    scale: { length: 1, from: 2 ** -10, to: 2 ** -8, step: 2 ** -12 },
  }),
  results: ({ B, I, O }, { x: bytes, w: weights, bias, zero_x, zero_y, scale }) => {
    const [x, w] = [view(bytes, B, I), view(weights, O, I)];
    const y = make([B, O], (b, o) => {
      const total = bias[o] + sum(I, (i) => (x(b, i) - zero_x[0]) * w(o, i));
      const scaled = scale[0] * total;
      const even = 2 * Math.round(scaled / 2);
      const rounded = Math.abs(scaled - even) === 0.5 ? even : Math.round(scaled);
      return Math.min(Math.max(rounded + zero_y[0], 0), 255);
    });
    return { y };
  },
};

export const linearAlgebra: References = {
  matmul,
  matmul_nt: matmulNt,
  matmul_tn: matmulTn,
  batched_matmul: batchedMatmul,
  kronecker,
  transpose,
  lu,
  triangular_solve: triangularSolve,
  half_matmul: halfMatmul,
  quantised_matmul: quantisedMatmul,
};
