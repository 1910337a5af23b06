/** Definitions that several tests map in ways of their own, each beside plain loops that know nothing of the compiler. */

export type Sizes = Readonly<Record<string, number>>;
export type Inputs = Readonly<Record<string, ArrayLike<number>>>;

/** A definition, and what it means. */
export interface Definition {
  readonly source: string;
  readonly output: string;
  /** The element `at` of the output, in row-major order. */
  element(inputs: Inputs, sizes: Sizes, at: number): number;
}

/** An element, NaN where there is none. */
export const at = (values: ArrayLike<number> | undefined, n: number): number =>
  values?.[n] ?? Number.NaN;

export function sumOf(count: number, term: (k: number) => number): number {
  let sum = 0;
  for (let k = 0; k < count; k++) sum += term(k);
  return sum;
}

function productAt({ A, B }: Inputs, { K = 0, N = 1 }: Sizes, p: number): number {
  const [m, n] = [Math.floor(p / N), p % N];
  return sumOf(K, (k) => at(A, m * K + k) * at(B, k * N + n));
}

export const product: Definition = {
  source: "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }",
  output: "C",
  element: productAt,
};

export const productWithEpilogue: Definition = {
  source: `def f(float(M, K) A, float(K, N) B, float(N) c, float(M, N) r) -> (O) {
    T(m, n) +=! A(m, k) * B(k, n)
    O(m, n) = max(T(m, n) + c(n), 0.0) + r(m, n)
  }`,
  output: "O",
  element: (inputs, sizes, p) => {
    const n = p % (sizes["N"] ?? 1);
    const sum = productAt(inputs, sizes, p) + at(inputs["c"], n);
    return Math.max(sum, 0) + at(inputs["r"], p);
  },
};

/** A product with the lower triangle of a matrix. */
export const triangle: Definition = {
  source: `def f(float(M, K) A, float(K, N) B) -> (C) {
    C(m, n) +=! A(m, k) * B(k, n) where m in 0:M, k in 0:min(m + 1, K)
  }`,
  output: "C",
  element: ({ A, B }, { K = 0, N = 1 }, p) => {
    const [m, n] = [Math.floor(p / N), p % N];
    return sumOf(Math.min(m + 1, K), (k) => at(A, m * K + k) * at(B, k * N + n));
  },
};

export const transposition: Definition = {
  source: "def f(float(M, N) x) -> (y) { y(n, m) = x(m, n) }",
  output: "y",
  element: ({ x }, { M = 1, N = 1 }, p) => at(x, (p % M) * N + Math.floor(p / M)),
};

/** Rows less twice their sums. */
export const centredRows: Definition = {
  source: "def f(float(M, N) x) -> (y) { s(m) +=! x(m, n)  y(m, n) = x(m, n) - 2.0 * s(m) }",
  output: "y",
  element: ({ x }, { N = 1 }, p) => {
    const m = Math.floor(p / N);
    return at(x, p) - 2 * sumOf(N, (n) => at(x, m * N + n));
  },
};

/** Three steps of a loop over maps. */
export const threeSteps: Definition = {
  source: `def f(float(3, M, N) x) -> (y) {
    y(m, n) = 0.0 where m in 0:M, n in 0:N
    for t in 0:3 { y(m, n) = 2.0 * y(m, n) + x(t, m, n) }
  }`,
  output: "y",
  element: ({ x }, { M = 1, N = 1 }, p) =>
    4 * at(x, p) + 2 * at(x, M * N + p) + at(x, 2 * M * N + p),
};
