import { make, put, type Reference, type References, reals, sum, unit, view } from "./plain.ts";

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

export const linearAlgebra: References = {
  matmul,
  matmul_nt: matmulNt,
  matmul_tn: matmulTn,
  batched_matmul: batchedMatmul,
  kronecker,
  transpose,
  lu,
  triangular_solve: triangularSolve,
};
