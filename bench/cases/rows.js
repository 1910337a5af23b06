// Reductions along rows, and the maps between them; movement of data.
import { dot } from "./reference.js";

/** @typedef {import("./case.js").Case} Case */

/** @param {number} R @param {number} D @returns {Case} */
export function softmax(R, D) {
  return {
    name: `softmax ${R}x${D}`,
    source: `def softmax(float(R,D) x) -> (y) {
  top(r) max=! x(r, d)
  e(r, d) = exp(x(r, d) - top(r))
  sum(r) +=! e(r, d)
  y(r, d) = e(r, d) / sum(r)
}`,
    inputs: { x: [R, D] },
    output: { name: "y", shape: [R, D] },
    operations: 5 * R * D,
    bytes: 8 * R * D,
    terms: D,
    element: ({ x }, at) => {
      const row = x.subarray(Math.floor(at / D) * D, (Math.floor(at / D) + 1) * D);
      const top = row.reduce((a, b) => Math.max(a, b));
      return Math.exp(x[at] - top) / dot(D, (d) => Math.exp(row[d] - top));
    },
    jax:
      ({ nn }) =>
      (x) =>
        nn.softmax(x, -1),
    tfjs: (tf) => (x) => tf.softmax(x),
    onnx: [{ op: "Softmax", inputs: ["x"], output: "y", attributes: { axis: 1 } }],
  };
}

/** @param {number} R @param {number} D @returns {Case} */
function layernorm(R, D) {
  return {
    name: `layernorm ${R}x${D}`,
    source: `def layernorm(float(R,D) x, float(D) scale, float(D) shift) -> (y) {
  mean(r) +=! x(r, d)
  mean(r) = mean(r) / float(D)
  variance(r) +=! (x(r, d) - mean(r)) * (x(r, d) - mean(r))
  y(r, d) = (x(r, d) - mean(r)) * rsqrt(variance(r) / float(D) + 1e-5) * scale(d) + shift(d)
}`,
    inputs: { x: [R, D], scale: [D], shift: [D] },
    output: { name: "y", shape: [R, D] },
    operations: 8 * R * D,
    bytes: 8 * R * D,
    terms: D,
    element: ({ x, scale, shift }, at) => {
      const [start, d] = [Math.floor(at / D) * D, at % D];
      const mean = dot(D, (k) => x[start + k]) / D;
      const variance = dot(D, (k) => (x[start + k] - mean) ** 2) / D;
      return ((x[at] - mean) / Math.sqrt(variance + 1e-5)) * scale[d] + shift[d];
    },
    jax:
      ({ nn, numpy }) =>
      (x, scale, shift) =>
        numpy.add(numpy.multiply(nn.standardize(x, -1), scale), shift),
    tfjs: (tf) => (x, scale, shift) => {
      const { mean, variance } = tf.moments(x, 1, true);
      const factor = tf.mul(tf.rsqrt(tf.add(variance, 1e-5)), scale);
      return tf.add(tf.mul(tf.sub(x, mean), factor), shift);
    },
    onnx: [
      {
        op: "LayerNormalization",
        inputs: ["x", "scale", "shift"],
        output: "y",
        attributes: { axis: -1 },
      },
    ],
  };
}

/** @type {Case} */
const sum = (() => {
  const N = 2 ** 22;
  return {
    name: "sum 2^22",
    source: `def total(float(N) x) -> (y) { y +=! x(i) }`,
    inputs: { x: [N] },
    output: { name: "y", shape: [] },
    operations: N,
    bytes: 4 * N,
    terms: N,
    element: ({ x }) => dot(N, (i) => x[i]),
    jax:
      ({ numpy }) =>
      (x) =>
        numpy.sum(x),
    tfjs: (tf) => (x) => tf.sum(x),
    onnx: [{ op: "ReduceSum", inputs: ["x"], output: "y", attributes: { keepdims: 0 } }],
  };
})();

/** @type {Case} */
const cumulative = (() => {
  const [R, D] = [16, 65536];
  return {
    name: `cumsum ${R}x${D}`,
    source: `def cumsum(float(R,D) x) -> (y) {
  y(r, 0) = x(r, 0)
  for d in 1:D { y(r, d) = y(r, d - 1) + x(r, d) }
}`,
    inputs: { x: [R, D] },
    output: { name: "y", shape: [R, D] },
    operations: R * D,
    bytes: 8 * R * D,
    terms: D,
    element: ({ x }, at) => {
      const start = Math.floor(at / D) * D;
      return dot(at - start + 1, (d) => x[start + d]);
    },
    tfjs: (tf) => (x) => tf.cumsum(x, 1),
    onnx: [{ op: "CumSum", inputs: ["x", "axis"], output: "y" }],
    constants: { axis: [1] },
    unsupported: { "jax-js": "it wants a binding of 1 GiB, and returns garbage" },
  };
})();

/** @type {Case} */
const transpose = (() => {
  const N = 2048;
  return {
    name: `transpose ${N}`,
    source: `def transpose(float(M,N) x) -> (y) { y(n, m) = x(m, n) }`,
    inputs: { x: [N, N] },
    output: { name: "y", shape: [N, N] },
    operations: 0,
    bytes: 8 * N * N,
    terms: 1,
    element: ({ x }, at) => x[(at % N) * N + Math.floor(at / N)],
    jax:
      ({ numpy }) =>
      (x) =>
        numpy.add(numpy.transpose(x), 0),
    tfjs: (tf) => (x) => tf.transpose(x),
    onnx: [{ op: "Transpose", inputs: ["x"], output: "y", attributes: { perm: [1, 0] } }],
  };
})();

/** @param {number} N @returns {Case} */
export function gelu(N) {
  return {
    name: `gelu 2^${Math.log2(N)}`,
    source: `def f(float(N) x, float(N) b) -> (y) { y(i) = gelu(x(i) + b(i)) }`,
    inputs: { x: [N], b: [N] },
    output: { name: "y", shape: [N] },
    operations: 10 * N,
    bytes: 12 * N,
    terms: 4,
    element: ({ x, b }, at) => {
      const v = x[at] + b[at];
      // erf by its series: |v| <= 2.
      let [term, total] = [v / Math.SQRT2, 0];
      const z = v / Math.SQRT2;
      for (let n = 0; n < 60; n++) {
        total += term / (2 * n + 1);
        term *= -(z * z) / (n + 1);
      }
      return 0.5 * v * (1 + (2 / Math.sqrt(Math.PI)) * total);
    },
    jax:
      ({ nn, numpy }) =>
      (x, b) =>
        nn.gelu(numpy.add(x, b), { approximate: false }),
    tfjs: (tf) => (x, b) => {
      const v = tf.add(x, b);
      return tf.mul(tf.mul(v, 0.5), tf.add(tf.erf(tf.mul(v, Math.SQRT1_2)), 1));
    },
    onnx: [
      { op: "Add", inputs: ["x", "b"], output: "v" },
      { op: "Gelu", inputs: ["v"], output: "y" },
    ],
  };
}

/** @type {Case} */
const embeddingBag = (() => {
  const [V, D, B, L] = [10000, 128, 256, 32];
  return {
    name: `gather-sum ${B}x${L} of ${V}x${D}`,
    source: `def bag(float(V,D) table, int(B,L) ids) -> (y) { y(b, d) +=! table(ids(b, l), d) }`,
    inputs: { table: [V, D], ids: [B, L] },
    integers: { ids: V },
    output: { name: "y", shape: [B, D] },
    operations: B * L * D,
    bytes: 4 * (B * L * D + B * L + B * D),
    terms: L,
    element: ({ table, ids }, at) => {
      const [b, d] = [Math.floor(at / D), at % D];
      return dot(L, (l) => table[ids[b * L + l] * D + d]);
    },
    jax:
      ({ numpy }) =>
      (table, ids) =>
        numpy.sum(numpy.take(table, ids, 0), 1),
    tfjs: (tf) => (table, ids) => tf.sum(tf.gather(table, ids), 1),
    onnx: [
      { op: "Gather", inputs: ["table", "ids"], output: "rows" },
      { op: "ReduceSum", inputs: ["rows", "axis"], output: "y", attributes: { keepdims: 0 } },
    ],
    constants: { axis: [1] },
  };
})();

/** @type {readonly Case[]} */
export const rows = [
  softmax(1024, 1024),
  softmax(16, 65536),
  layernorm(1024, 1024),
  layernorm(16, 65536),
  sum,
  cumulative,
  transpose,
  gelu(2 ** 22),
  embeddingBag,
];
