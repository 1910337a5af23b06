// Programs that nobody tuned for. Each names the plain case that it must keep up with, in time per
// operation.
import { dot } from "./reference.js";

/** @typedef {import("./case.js").Case} Case */

const N = 512;
const square = /** @type {const} */ ({ output: { name: "C", shape: [N, N] }, terms: N });
const matrices = { A: [N, N], B: [N, N] };
const products = 2 * N ** 3;
const rowOf = (at) => [Math.floor(at / N), at % N];
/** @param {(k: number) => number} term */
const terms = (term) => Array.from({ length: N }, (_, k) => term(k));

/** @type {readonly Case[]} */
const contractions = [
  {
    ...square,
    name: "min-plus matmul 512",
    relative: "matmul 512",
    source: `def minplus(float(M,K) A, float(K,N) B) -> (C) { C(m, n) min=! A(m, k) + B(k, n) }`,
    inputs: matrices,
    operations: products,
    bytes: 12 * N * N,
    element: ({ A, B }, at) => {
      const [m, n] = rowOf(at);
      return Math.min(...terms((k) => A[m * N + k] + B[k * N + n]));
    },
  },
  {
    ...square,
    name: "arg-max matmul 512",
    relative: "matmul 512",
    source: `def argmaxmul(float(M,K) A, float(K,N) B) -> (C) { C(m, n) argmax=! A(m, k) * B(k, n) }`,
    inputs: matrices,
    // The product, the greatest value so far, and the selection of its index.
    operations: 3 * N ** 3,
    bytes: 12 * N * N,
    element: ({ A, B }, at) => {
      const [m, n] = rowOf(at);
      const all = terms((k) => Math.fround(A[m * N + k] * B[k * N + n]));
      return all.indexOf(Math.max(...all));
    },
  },
  {
    ...square,
    name: "three-operand contraction 512",
    relative: "matmul 512",
    source: `def weighted(float(M,K) A, float(K) w, float(K,N) B) -> (C) {
  C(m, n) +=! A(m, k) * w(k) * B(k, n)
}`,
    inputs: { A: [N, N], w: [N], B: [N, N] },
    operations: 3 * N ** 3,
    bytes: 12 * N * N,
    element: ({ A, w, B }, at) => {
      const [m, n] = rowOf(at);
      return dot(N, (k) => A[m * N + k] * w[k] * B[k * N + n]);
    },
  },
  {
    name: "matmul renamed and transposed 512",
    relative: "matmul 512",
    source: `def project(float(C,R) v, float(S,C) w) -> (u) { u(row, s) +=! w(s, z) * v(z, row) }`,
    inputs: { v: [N, N], w: [N, N] },
    output: { name: "u", shape: [N, N] },
    operations: products,
    bytes: 12 * N * N,
    terms: N,
    element: ({ v, w }, at) => {
      const [row, s] = rowOf(at);
      return dot(N, (z) => w[s * N + z] * v[z * N + row]);
    },
  },
  {
    ...square,
    name: "triangular matmul 512",
    relative: "matmul 512",
    source: `def triangular(float(M,K) A, float(K,N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n) where m in 0:M, k in 0:m + 1
}`,
    inputs: matrices,
    operations: N * N * (N + 1),
    bytes: 10 * N * N,
    element: ({ A, B }, at) => {
      const [m, n] = rowOf(at);
      return dot(m + 1, (k) => A[m * N + k] * B[k * N + n]);
    },
  },
];

const [R, D] = [1024, 1024];

/** The maximum and the sum of exponentials of a row's elements. */
function exponentials(x, start, count, has = (_at) => true) {
  let top = Number.NEGATIVE_INFINITY;
  for (let d = 0; d < count; d++) if (has(start + d)) top = Math.max(top, x[start + d]);
  return { top, sum: dot(count, (d) => (has(start + d) ? Math.exp(x[start + d] - top) : 0)) };
}

/** @type {readonly Case[]} */
const rows = [
  {
    name: "masked softmax 1024x1024",
    relative: "softmax 1024x1024",
    source: `def softmax(float(R,D) x, int(R,D) mask) -> (y) {
  top(r) max=! mask(r, d) > 0 ? x(r, d) : -inf
  e(r, d) = mask(r, d) > 0 ? exp(x(r, d) - top(r)) : 0.0
  sum(r) +=! e(r, d)
  y(r, d) = e(r, d) / sum(r)
}`,
    inputs: { x: [R, D], mask: [R, D] },
    integers: { mask: 4 },
    output: { name: "y", shape: [R, D] },
    operations: 7 * R * D,
    bytes: 12 * R * D,
    terms: D,
    element: ({ x, mask }, at) => {
      const { top, sum } = exponentials(x, Math.floor(at / D) * D, D, (i) => mask[i] > 0);
      return mask[at] > 0 ? Math.exp(x[at] - top) / sum : 0;
    },
  },
  {
    name: "log-sum-exp over two axes 1024x32x32",
    relative: "softmax 1024x1024",
    source: `def logsumexp(float(R,I,J) x) -> (y) {
  top(r) max=! x(r, i, j)
  sum(r) +=! exp(x(r, i, j) - top(r))
  y(r) = top(r) + log(sum(r))
}`,
    inputs: { x: [R, 32, 32] },
    output: { name: "y", shape: [R] },
    operations: 4 * R * D,
    bytes: 4 * R * D,
    terms: D,
    element: ({ x }, at) => {
      const { top, sum } = exponentials(x, at * D, D);
      return top + Math.log(sum);
    },
  },
  {
    name: "cross entropy 1024x1024",
    relative: "softmax 1024x1024",
    source: `def entropy(float(R,D) x, int(R) truth) -> (loss) {
  top(r) max=! x(r, d)
  sum(r) +=! exp(x(r, d) - top(r))
  loss(r) = top(r) + log(sum(r)) - x(r, truth(r))
}`,
    inputs: { x: [R, D], truth: [R] },
    integers: { truth: D },
    output: { name: "loss", shape: [R] },
    operations: 4 * R * D,
    bytes: 4 * R * D,
    terms: D,
    element: ({ x, truth }, at) => {
      const { top, sum } = exponentials(x, at * D, D);
      return top + Math.log(sum) - x[at * D + truth[at]];
    },
  },
  (() => {
    const [rowCount, length] = [16, 65536];
    return {
      name: "cumulative maximum 16x65536",
      relative: "cumsum 16x65536",
      source: `def cummax(float(R,D) x) -> (y) {
  y(r, 0) = x(r, 0)
  for d in 1:D { y(r, d) = max(y(r, d - 1), x(r, d)) }
}`,
      inputs: { x: [rowCount, length] },
      output: { name: "y", shape: [rowCount, length] },
      operations: rowCount * length,
      bytes: 8 * rowCount * length,
      terms: 1,
      element: ({ x }, at) => {
        let top = Number.NEGATIVE_INFINITY;
        for (let i = Math.floor(at / length) * length; i <= at; i++) top = Math.max(top, x[i]);
        return top;
      },
    };
  })(),
];

/** @type {Case} */
const dilated = (() => {
  const [C, H, W] = [64, 56, 56];
  return {
    name: "dilated depthwise bias 3x3 64 56x56",
    relative: "depthwise 3x3 64 56x56",
    source: `def depthwise(float(C,H,W) I, float(C,R,S) K, float(C) bias) -> (O) {
  O(c, h, w) +=! pad(I(c, h + 2*r - 2, w + 2*s - 2)) * K(c, r, s) where h in 0:H, w in 0:W
  O(c, h, w) += bias(c)
}`,
    inputs: { I: [C, H, W], K: [C, 3, 3], bias: [C] },
    output: { name: "O", shape: [C, H, W] },
    operations: 19 * C * H * W,
    bytes: 8 * C * H * W,
    terms: 10,
    element: ({ I, K, bias }, at) => {
      const [c, h, w] = [Math.floor(at / (H * W)), Math.floor(at / W) % H, at % W];
      return (
        dot(9, (t) => {
          const [y, x] = [h + 2 * Math.floor(t / 3) - 2, w + 2 * (t % 3) - 2];
          const inside = y >= 0 && y < H && x >= 0 && x < W;
          return inside ? I[(c * H + y) * W + x] * K[c * 9 + t] : 0;
        }) + bias[c]
      );
    },
  };
})();

const [T, S] = [512, 2048];

/** @type {readonly Case[]} */
const recurrences = [
  {
    name: `recurrence T=${T} N=${S}`,
    source: `def decay(float(T,N) x, float(T,N) f) -> (h) {
  for t in T {
    if t == 0 { h(t, n) = x(t, n) }
    else      { h(t, n) = 0.5 * f(t, n) * h(t - 1, n) + x(t, n) }
  }
}`,
    inputs: { x: [T, S], f: [T, S] },
    output: { name: "h", shape: [T, S] },
    operations: 3 * T * S,
    bytes: 12 * T * S,
    terms: 8,
    element: ({ x, f }, at) => {
      let h = 0;
      for (let i = at % S; i <= at; i += S) h = 0.5 * f[i] * h + x[i];
      return h;
    },
  },
  {
    name: `two-state reversed recurrence T=${T} N=${S}`,
    relative: `recurrence T=${T} N=${S}`,
    source: `def backward(float(T,N) x, float(T,N) f) -> (h) {
  for t in T {
    if t == 0 {
      c(t, n) = x(T - 1 - t, n)
      h(T - 1 - t, n) = c(t, n)
    } else {
      c(t, n) = 0.5 * f(T - 1 - t, n) * c(t - 1, n) + x(T - 1 - t, n)
      h(T - 1 - t, n) = 0.5 * h(T - t, n) + c(t, n)
    }
  }
}`,
    inputs: { x: [T, S], f: [T, S] },
    output: { name: "h", shape: [T, S] },
    operations: 5 * T * S,
    bytes: 12 * T * S,
    terms: 16,
    element: ({ x, f }, at) => {
      let [c, h] = [0, 0];
      for (let t = T - 1; t >= Math.floor(at / S); t--) {
        const i = t * S + (at % S);
        c = 0.5 * f[i] * c + x[i];
        h = 0.5 * h + c;
      }
      return h;
    },
  },
];

/** @type {readonly Case[]} */
export const relatives = [...contractions, ...rows, dilated, ...recurrences];
