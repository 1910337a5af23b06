/** Programs of every class of kernels, with sizes up to 64 whose addresses no data decide. */
export interface FactsProgram {
  readonly name: string;
  readonly source: string;
  readonly sizes: readonly Readonly<Record<string, number>>[];
  /** Values of integer inputs are below this. */
  readonly below?: number;
}

export const closedPrograms: readonly FactsProgram[] = [
  {
    name: "NN",
    source: "def f(float(M,K) A, float(K,N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }",
    sizes: [
      { M: 64, K: 64, N: 64 },
      { M: 33, K: 17, N: 50 },
      { M: 1, K: 64, N: 40 },
    ],
  },
  {
    name: "NT",
    source: "def f(float(M,K) A, float(N,K) B) -> (C) { C(m, n) +=! A(m, k) * B(n, k) }",
    sizes: [
      { M: 64, K: 64, N: 64 },
      { M: 7, K: 40, N: 31 },
    ],
  },
  {
    name: "TN",
    source: "def f(float(K,M) A, float(K,N) B) -> (C) { C(m, n) +=! A(k, m) * B(k, n) }",
    sizes: [
      { M: 64, K: 48, N: 64 },
      { M: 30, K: 19, N: 12 },
    ],
  },
  {
    name: "convolution",
    source: `def f(float(C,H,W) I, float(F,C,R,S) K) -> (O) {
  O(f, h, w) +=! pad(I(c, h + r - 1, w + s - 1)) * K(f, c, r, s) where h in 0:H, w in 0:W
}`,
    sizes: [
      { C: 4, H: 14, W: 14, F: 8, R: 3, S: 3 },
      { C: 3, H: 9, W: 11, F: 5, R: 3, S: 3 },
    ],
  },
  {
    name: "softmax",
    source: `def f(float(R,D) x) -> (y) {
  top(r) max=! x(r, d)
  e(r, d) = exp(x(r, d) - top(r))
  sum(r) +=! e(r, d)
  y(r, d) = e(r, d) / sum(r)
}`,
    sizes: [
      { R: 16, D: 64 },
      { R: 5, D: 37 },
    ],
  },
  {
    name: "layernorm",
    source: `def f(float(R,D) x, float(D) g) -> (y) {
  m(r) +=! x(r, d) / float(D)
  v(r) +=! (x(r, d) - m(r)) * (x(r, d) - m(r))
  y(r, d) = (x(r, d) - m(r)) * rsqrt(v(r) / float(D) + 0.00001) * g(d)
}`,
    sizes: [
      { R: 32, D: 64 },
      { R: 3, D: 50 },
    ],
  },
  {
    name: "reduction",
    source: "def f(float(N,M) x) -> (y) { y +=! x(n, m) }",
    sizes: [
      { N: 64, M: 64 },
      { N: 7, M: 9 },
    ],
  },
  {
    name: "map",
    source: "def f(float(N,M) x, float(M) b) -> (y) { y(n, m) = tanh(x(n, m) + b(m)) }",
    sizes: [
      { N: 64, M: 64 },
      { N: 13, M: 21 },
    ],
  },
  {
    name: "transpose",
    source: "def f(float(N,M) x) -> (y) { y(m, n) = x(n, m) }",
    sizes: [
      { N: 64, M: 64 },
      { N: 29, M: 13 },
    ],
  },
  {
    name: "closed scatter",
    source: `def f(float(N,M) x) -> (y) {
  y(n + m) +=! x(n, m) where n in 0:N, m in 0:M
}`,
    sizes: [
      { N: 16, M: 16 },
      { N: 5, M: 40 },
    ],
  },
  {
    name: "recurrence step",
    source: `def f(float(T,B,C) x, float(B,C) h0, float(C,C) U) -> (h) {
  for t in T {
    if t == 0 { a(t, b, c) +=! h0(b, k) * U(k, c) }
    else      { a(t, b, c) +=! h(t - 1, b, k) * U(k, c) }
    h(t, b, c) = tanh(a(t, b, c) + x(t, b, c))
  }
}`,
    sizes: [
      { T: 3, B: 2, C: 20 },
      { T: 3, B: 5, C: 33 },
    ],
  },
];

/** Programs whose addresses data decide. */
export const openPrograms: readonly FactsProgram[] = [
  {
    name: "gather",
    source: "def f(float(V,D) table, int(N) i) -> (y) { y(n, d) = table(i(n), d) }",
    sizes: [{ V: 20, D: 24, N: 16 }],
    below: 20,
  },
  {
    name: "histogram",
    source: "def f(int(N) x, int(V) zero) -> (h) { h(v) = zero(v) where v in 0:V\n  h(x(i)) += 1 }",
    sizes: [{ N: 64, V: 16 }],
    below: 16,
  },
];
