/** Definitions over narrow elements, `T` standing for the element type: each kind of access and statement. */

/** A definition with sizes that it is run for. */
export interface TypedProgram {
  readonly name: string;
  readonly source: string;
  readonly sizes: readonly Readonly<Record<string, number>>[];
}

const ragged = [1, 2, 3, 5, 7, 13].map((N) => ({ N }));

/** Of any element type. */
export const anyType: readonly TypedProgram[] = [
  { name: "copy", source: "def f(T(N) x) -> (T(N) y) { y(i) = x(i) }", sizes: ragged },
  {
    name: "reverse",
    source: "def f(T(N) x) -> (T(N) y) { y(i) = x(N - 1 - i) where i in 0:N }",
    sizes: ragged,
  },
  {
    name: "in place",
    source: "def f(T(N) x) -> (x) { x(i) = x(N - 1 - i) where i in 0:N\n  x(i) += 1 }",
    sizes: ragged,
  },
  {
    name: "transpose",
    source: "def f(T(M, N) x) -> (T(N, M) y) { y(i, j) = x(j, i) }",
    sizes: [
      { M: 3, N: 5 },
      { M: 4, N: 8 },
      { M: 1, N: 7 },
      { M: 6, N: 2 },
    ],
  },
  {
    name: "three dimensions",
    source:
      "def f(T(M, N, 3) x) -> (T(M, N, 3) y, s) {\n  y(i, j, k) = max(x(i, j, k), x(i, j, 0))\n  s(i) +=! x(i, j, k) }",
    sizes: [
      { M: 2, N: 3 },
      { M: 5, N: 4 },
    ],
  },
  {
    name: "sum of rows",
    source: "def f(T(M, N) x) -> (T(M) y) { y(i) +=! x(i, j) }",
    sizes: [
      { M: 5, N: 7 },
      { M: 8, N: 16 },
      { M: 1, N: 300 },
    ],
  },
  {
    name: "extremes",
    source:
      "def f(T(M, N) x) -> (T(M) least, T(M) most, at) {\n  least(i) min=! x(i, j)\n  most(i) max=! x(i, j)\n  at(i) argmax=! x(i, j) }",
    sizes: [
      { M: 3, N: 5 },
      { M: 6, N: 1 },
    ],
  },
  {
    name: "histogram",
    source: "def f(int(N) at, T(N) x) -> (T(5) h) { h(at(i)) +=! x(i) }",
    sizes: ragged,
  },
  {
    name: "scatter in place",
    source: "def f(int(N) at, T(N) x, T(6) h) -> (h) { h(at(i)) += x(i) }",
    sizes: ragged,
  },
  {
    name: "gather",
    source: "def f(int(N) at, T(5) x) -> (T(N) y) { y(i) = x(at(i)) }",
    sizes: ragged,
  },
  {
    name: "padded stencil",
    source: "def f(T(N) x) -> (T(N) y) { y(i) = pad(x(i - 1)) + x(i) + pad(x(i + 1), 1) }",
    sizes: ragged,
  },
  {
    name: "recurrence",
    source:
      "def f(T(K, N) x) -> (T(K, N) y) {\n  for t in K {\n    if t == 0 { y(t, i) = x(t, i) } else { y(t, i) = x(t, i) + y(t - 1, i) }\n  } }",
    sizes: [
      { K: 3, N: 5 },
      { K: 4, N: 4 },
    ],
  },
  {
    name: "every second element",
    source: "def f(T(N) x) -> (T(2*N) y) { y(2*i + 1) = x(i) }",
    sizes: ragged,
  },
  {
    name: "matrix product",
    source: "def f(T(M, K) a, T(K, N) b) -> (T(M, N) c) { c(i, j) +=! a(i, k) * b(k, j) }",
    sizes: [
      { M: 3, K: 5, N: 7 },
      { M: 8, K: 16, N: 4 },
    ],
  },
  {
    name: "temporaries",
    source:
      "def f(T(N) x) -> (T(N) y, z) {\n  t(i) = x(i) * 2\n  y(i) = t(i) + 1\n  z(i) = t(N - 1 - i) where i in 0:N }",
    sizes: ragged,
  },
  {
    name: "scalars",
    source: "def f(T a, T b) -> (T y) { y = a * b }",
    sizes: [{}],
  },
];

/** Of floats only. */
export const floats: readonly TypedProgram[] = [
  {
    name: "softmax",
    source:
      "def f(T(M, N) x) -> (T(M, N) y) {\n  most(i) max=! x(i, j)\n  e(i, j) = exp(x(i, j) - most(i))\n  total(i) +=! e(i, j)\n  y(i, j) = e(i, j) / total(i) }",
    sizes: [
      { M: 3, N: 5 },
      { M: 2, N: 64 },
    ],
  },
  {
    name: "mixed with float32",
    source:
      "def f(T(N) x, float(N) w) -> (T(N) y, z) {\n  z(i) = x(i) * w(i) + 0.5\n  y(i) = half(z(i) * 3.0) * 0.25 }",
    sizes: ragged,
  },
];
