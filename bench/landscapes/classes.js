// One definition of each class of kernels, small enough that hundreds of mappings of each can be timed.

/** @typedef {{ name: string, task: import("../../dist/tune.js").TuningTask }} Class */

/** @type {readonly Class[]} */
export const classes = [
  {
    name: "contraction",
    task: {
      source: "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }",
      sizes: { M: 192, N: 256, K: 160 },
    },
  },
  {
    name: "convolution",
    task: {
      source: `def f(float(C, H, W) I, float(F, C, R, R) K) -> (O) {
  O(f, h, w) +=! pad(I(c, h + r - 1, w + s - 1)) * K(f, c, r, s) where h in 0:H, w in 0:W
}`,
      sizes: { C: 16, F: 32, H: 28, W: 28, R: 3 },
    },
  },
  {
    name: "reduction",
    task: {
      source: "def f(float(N, M) x) -> (y) { y(n) +=! x(n, m) }",
      sizes: { N: 64, M: 16384 },
    },
  },
  {
    name: "softmax",
    task: {
      source: `def f(float(N, M) x) -> (y) {
  top(n) max=! x(n, m)
  e(n, m) = exp(x(n, m) - top(n))
  sum(n) +=! e(n, m)
  y(n, m) = e(n, m) / sum(n)
}`,
      sizes: { N: 128, M: 1024 },
    },
  },
  {
    name: "transpose",
    task: {
      source: "def f(float(N, M) x, float(M) b) -> (y) { y(m, n) = tanh(x(n, m) + b(m)) }",
      sizes: { N: 512, M: 640 },
    },
  },
  {
    name: "outer",
    task: {
      source: "def f(float(N) a, float(M) b) -> (y) { y(n, m) = a(n) * b(m) }",
      sizes: { N: 768, M: 1024 },
    },
  },
  {
    name: "scan",
    task: {
      source: `def f(float(T, B) x, float(T, B) g) -> (h) {
  for t in T {
    if t == 0 { h(t, b) = x(t, b) where b in 0:B }
    else { h(t, b) = g(t, b) * h(t - 1, b) + x(t, b) }
  }
}`,
      sizes: { T: 64, B: 2048 },
    },
  },
  {
    name: "recurrent",
    task: {
      source: `def f(float(T, B, I) x, float(B, C) h0, float(I, C) W, float(C, C) U) -> (h) {
  p(t, b, c) +=! x(t, b, i) * (0.125 * W(i, c))
  for t in T {
    if t == 0 { a(t, b, c) +=! h0(b, k) * (0.125 * U(k, c)) }
    else      { a(t, b, c) +=! h(t - 1, b, k) * (0.125 * U(k, c)) }
    h(t, b, c) = tanh(a(t, b, c) + p(t, b, c))
  }
}`,
      sizes: { T: 16, B: 16, I: 64, C: 64 },
    },
  },
];
