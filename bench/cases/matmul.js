// Contractions of two matrices, awkward sizes included.
import { dot } from "./reference.js";

/** @typedef {import("./case.js").Case} Case */

/**
 * @param {number} M
 * @param {number} K
 * @param {number} N
 * @param {string} name
 * @returns {Case}
 */
export function matmul(M, K, N, name) {
  return {
    name,
    source: `def matmul(float(M,K) A, float(K,N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }`,
    inputs: { A: [M, K], B: [K, N] },
    output: { name: "C", shape: [M, N] },
    operations: 2 * M * K * N,
    bytes: 4 * (M * K + K * N + M * N),
    terms: K,
    element: ({ A, B }, at) => {
      const [m, n] = [Math.floor(at / N), at % N];
      return dot(K, (k) => A[m * K + k] * B[k * N + n]);
    },
    jax:
      ({ numpy }) =>
      (A, B) =>
        numpy.matmul(A, B),
    tfjs: (tf) => (A, B) => tf.matMul(A, B),
    onnx: [{ op: "MatMul", inputs: ["A", "B"], output: "C" }],
  };
}

/** @type {Case} */
const batched = (() => {
  const S = 64;
  return {
    name: "matmul 64x64x64x64 batched",
    source: `def matmul(float(B,M,K) X, float(B,K,N) Y) -> (Z) {
  Z(b, m, n) +=! X(b, m, k) * Y(b, k, n)
}`,
    inputs: { X: [S, S, S], Y: [S, S, S] },
    output: { name: "Z", shape: [S, S, S] },
    operations: 2 * S ** 4,
    bytes: 12 * S ** 3,
    terms: S,
    element: ({ X, Y }, at) => {
      const [b, m, n] = [Math.floor(at / (S * S)), Math.floor(at / S) % S, at % S];
      return dot(S, (k) => X[(b * S + m) * S + k] * Y[(b * S + k) * S + n]);
    },
    jax:
      ({ numpy }) =>
      (X, Y) =>
        numpy.matmul(X, Y),
    tfjs: (tf) => (X, Y) => tf.matMul(X, Y),
    onnx: [{ op: "MatMul", inputs: ["X", "Y"], output: "Z" }],
  };
})();

/** @type {Case} */
const dense = (() => {
  const N = 512;
  return {
    name: "dense bias relu 512",
    source: `def dense(float(B,I) x, float(I,O) W, float(O) bias) -> (y) {
  y(b, o) +=! x(b, i) * W(i, o)
  y(b, o) = relu(y(b, o) + bias(o))
}`,
    inputs: { x: [N, N], W: [N, N], bias: [N] },
    output: { name: "y", shape: [N, N] },
    operations: 2 * N ** 3,
    bytes: 12 * N * N,
    terms: N,
    element: ({ x, W, bias }, at) => {
      const [b, o] = [Math.floor(at / N), at % N];
      return Math.max(0, dot(N, (i) => x[b * N + i] * W[i * N + o]) + bias[o]);
    },
    jax:
      ({ numpy, nn }) =>
      (x, W, bias) =>
        nn.relu(numpy.add(numpy.matmul(x, W), bias)),
    tfjs: (tf) => (x, W, bias) => tf.fused.matMul({ a: x, b: W, bias, activation: "relu" }),
    onnx: [
      { op: "Gemm", inputs: ["x", "W", "bias"], output: "sum" },
      { op: "Relu", inputs: ["sum"], output: "y" },
    ],
  };
})();

/** @type {readonly Case[]} */
export const matmuls = [
  matmul(512, 512, 512, "matmul 512"),
  { ...matmul(509, 509, 509, "matmul 509"), relative: "matmul 512" },
  matmul(1024, 1024, 1024, "matmul 1024"),
  matmul(2048, 64, 2048, "matmul 2048x64x2048"),
  matmul(1, 1024, 1024, "matvec 1024"),
  batched,
  dense,
];
