/**
 * The classes of kernels that schedules are made for, each as a definition with sizes that no tile
 * divides, sizes that tiles divide, and sizes of 1.
 */

export interface KernelClass {
  readonly name: string;
  readonly source: string;
  /** Awkward, even, unit. */
  readonly sizes: readonly [Sizes, Sizes, Sizes];
}

type Sizes = Readonly<Record<string, number>>;

function ones(sizes: Sizes): Sizes {
  return Object.fromEntries(Object.keys(sizes).map((name) => [name, 1]));
}

function kernelClass(name: string, awkward: Sizes, even: Sizes, source: string): KernelClass {
  return { name, source, sizes: [awkward, even, ones(awkward)] };
}

const contractions: readonly KernelClass[] = [
  kernelClass(
    "matrix product",
    { M: 11, N: 37, K: 13 },
    { M: 16, N: 32, K: 16 },
    "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }",
  ),
  kernelClass(
    "product of transposed matrices with an epilogue",
    { M: 37, N: 11, K: 13 },
    { M: 16, N: 32, K: 16 },
    `def f(float(K, M) a, float(N, K) b, float(N) bias, float(M, N) rest) -> (c) {
  c(m, n) +=! a(k, m) * b(n, k)
  c(m, n) = fmax(c(m, n) + bias(n), 0.0) + rest(m, n)
}`,
  ),
  kernelClass(
    "batched product of halves",
    { B: 3, M: 13, N: 17, K: 11 },
    { B: 2, M: 16, N: 16, K: 8 },
    "def f(half(B, M, K) a, half(B, K, N) b) -> (c) { c(z, m, n) +=! float(a(z, m, k)) * float(b(z, k, n)) }",
  ),
  kernelClass(
    "product of narrow integers",
    { M: 11, N: 19, K: 23 },
    { M: 16, N: 16, K: 16 },
    "def f(int8(M, K) a, uint8(K, N) b) -> (c) { c(m, n) +=! int(a(m, k)) * int(b(k, n)) }",
  ),
  kernelClass(
    "matrix by vector",
    { M: 37, K: 67 },
    { M: 32, K: 64 },
    "def f(float(M, K) a, float(K) x) -> (y) { y(m) +=! a(m, k) * x(k) }",
  ),
  kernelClass(
    "smallest sums",
    { M: 19, N: 31, K: 7 },
    { M: 16, N: 32, K: 8 },
    "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) min=! a(m, k) + b(k, n) }",
  ),
  kernelClass(
    "place of the largest sum",
    { M: 17, N: 19, K: 11 },
    { M: 16, N: 16, K: 16 },
    "def f(int(M, K) a, int(K, N) b) -> (c) { c(m, n) argmax=! a(m, k) + b(k, n) }",
  ),
  kernelClass(
    "three operands",
    { M: 13, N: 11, K: 17 },
    { M: 16, N: 16, K: 16 },
    "def f(float(M, K) a, float(K, N) b, float(K) w) -> (c) { c(m, n) +=! a(m, k) * w(k) * b(k, n) }",
  ),
];

const windows: readonly KernelClass[] = [
  kernelClass(
    "convolution with a border",
    { C: 3, O: 5, H: 3, W: 19 },
    { C: 2, O: 8, H: 4, W: 16 },
    `def f(float(C, H, W) x, float(O, C, 3, 3) w) -> (y) {
  y(o, i, j) +=! pad(x(c, i + u - 1, j + v - 1)) * w(o, c, u, v) where i in 0:H, j in 0:W
}`,
  ),
  kernelClass(
    "depthwise convolution with strides, dilation and bias",
    { C: 3, H: 5, W: 19 },
    { C: 4, H: 4, W: 16 },
    `def f(float(C, 2 * H + 5, 2 * W + 5) x, float(C, 3, 3) w, float(C) bias) -> (y) {
  y(c, i, j) +=! x(c, 2 * i + 2 * u, 2 * j + 2 * v) * w(c, u, v) where i in 0:H, j in 0:W
  y(c, i, j) = y(c, i, j) + bias(c)
}`,
  ),
  kernelClass(
    "largest of a window",
    { C: 3, H: 11, W: 13 },
    { C: 4, H: 16, W: 16 },
    "def f(float(C, 2 * H, 2 * W) x) -> (y) { y(c, i, j) max=! x(c, 2 * i + u, 2 * j + v) where u in 0:2, v in 0:2 }",
  ),
];

const rows: readonly KernelClass[] = [
  kernelClass(
    "softmax",
    { N: 19, M: 37 },
    { N: 16, M: 32 },
    `def f(float(N, M) x) -> (y) {
  top(n) max=! x(n, m)
  e(n, m) = exp(x(n, m) - top(n))
  sum(n) +=! e(n, m)
  y(n, m) = e(n, m) / sum(n)
}`,
  ),
  kernelClass(
    "normalisation of rows",
    { N: 13, M: 37 },
    { N: 16, M: 32 },
    `def f(float(N, M) x, float(M) g, float(M) b) -> (y) {
  mean(n) +=! x(n, m) / M
  var(n) +=! (x(n, m) - mean(n)) * (x(n, m) - mean(n)) / M
  y(n, m) = (x(n, m) - mean(n)) * rsqrt(var(n) + 0.001) * g(m) + b(m)
}`,
  ),
  kernelClass(
    "two sums of a few long rows",
    { N: 3, M: 523 },
    { N: 2, M: 512 },
    `def f(float(N, M) x) -> (a, b) {
  a(n) +=! x(n, m)
  b(n) +=! x(n, m) * x(n, m)
}`,
  ),
  kernelClass(
    "sum of everything",
    { N: 1571 },
    { N: 2048 },
    "def f(float(N) x) -> (y) { y +=! x(i) }",
  ),
  kernelClass(
    "attention",
    { H: 2, Q: 11, K: 13, D: 7 },
    { H: 2, Q: 16, K: 16, D: 8 },
    `def f(float(H, Q, D) q, float(H, K, D) k, float(H, K, D) v) -> (o) {
  s(h, i, j) +=! q(h, i, d) * k(h, j, d)
  top(h, i) max=! s(h, i, j)
  e(h, i, j) = exp(s(h, i, j) - top(h, i))
  sum(h, i) +=! e(h, i, j)
  o(h, i, d) +=! e(h, i, j) / sum(h, i) * v(h, j, d)
}`,
  ),
  kernelClass(
    "running sums",
    { N: 5, M: 37 },
    { N: 4, M: 32 },
    `def f(float(N, M) x) -> (y) {
  y(n, 0) = x(n, 0)
  for t in 1:M { y(n, t) = y(n, t - 1) + x(n, t) }
}`,
  ),
];

const maps: readonly KernelClass[] = [
  kernelClass(
    "transposition",
    { N: 43, M: 37 },
    { N: 32, M: 64 },
    "def f(float(N, M) x) -> (y) { y(j, i) = x(i, j) }",
  ),
  kernelClass(
    "map",
    { N: 1123 },
    { N: 1024 },
    "def f(float(N) x, float(N) z) -> (y) { y(i) = x(i) * tanh(z(i)) + 1.0 }",
  ),
  kernelClass(
    "gathered sum",
    { V: 29, B: 11, L: 5, D: 19 },
    { V: 32, B: 16, L: 4, D: 32 },
    "def f(float(V, D) t, int(B, L) at) -> (y) { y(b, d) +=! t(at(b, l), d) }",
  ),
  kernelClass(
    "histogram",
    { N: 517, V: 13 },
    { N: 512, V: 16 },
    "def f(int(N) x, int(V) zero) -> (h) { h(v) = zero(v) where v in 0:V\n  h(x(i)) += 1 }",
  ),
  kernelClass(
    "packed sums of neighbours",
    { N: 21, M: 35 },
    { N: 16, M: 32 },
    "def f(int8(N, M) x) -> (int8(N, M) y) { y(i, j) = int8(int(x(i, j)) + int(pad(x(i, j - 1))) + int(pad(x(i - 1, j)))) where i in 0:N, j in 0:M }",
  ),
];

/** All of them. */
export const kernelClasses: readonly KernelClass[] = [
  ...contractions,
  ...windows,
  ...rows,
  ...maps,
];
