/** Definitions that go through dense tensors element by element, with what they give by plain loops. */
import type { TensorData } from "../../src/support/scalar-type.ts";

export type Inputs = Readonly<Record<string, TensorData>>;
export type Results = Readonly<Record<string, readonly number[]>>;

/** A definition over `n` elements, or over rows of `m`, and what it gives. */
export interface Case {
  readonly name: string;
  readonly source: string;
  inputs(count: number): Inputs;
  results(inputs: Inputs, count: number): Results;
}

function whole(count: number, first: number): number[] {
  return Array.from({ length: count }, (_, i) => (((i + first) * 7) % 11) - 5);
}

function floats(count: number, first = 0): Float32Array {
  return Float32Array.from(whole(count, first));
}

function at(data: TensorData | undefined, n: number): number {
  return data?.[n] ?? Number.NaN;
}

function each(count: number, value: (n: number) => number): number[] {
  return Array.from({ length: count }, (_, n) => value(n));
}

function total(count: number, value: (n: number) => number): number[] {
  return [each(count, value).reduce((sum, v) => sum + v, 0)];
}

export const cases: readonly Case[] = [
  {
    name: "a map",
    source: "def f(float(N, M) x) -> (y) { y(i, j) = 2.0 * x(i, j) + 1.0 }",
    inputs: (n) => ({ x: floats(n) }),
    results: ({ x }, n) => ({ y: each(n, (i) => 2 * at(x, i) + 1) }),
  },
  {
    name: "a map whose padding would be infinite, or no number",
    source:
      "def f(float(N, M) x) -> (y) { y(i, j) = 1.0 / (x(i, j) + 6.0) + sqrt(x(i, j) + 5.0) * 0.0 }",
    inputs: (n) => ({ x: Float32Array.from(each(n, (i) => [-5, -4, -2, 2][i % 4] ?? 0)) }),
    results: ({ x }, n) => ({ y: each(n, (i) => 1 / (at(x, i) + 6)) }),
  },
  {
    name: "a chain with a temporary and a scalar",
    source: `def f(float(N, M) x, float(N, M) z, float s) -> (y, w) {
      t(i, j) = s * x(i, j) + z(i, j)
      y(i, j) = t(i, j) * t(i, j)
      w(i, j) = max(t(i, j), y(i, j)) - z(i, j)
    }`,
    inputs: (n) => ({ x: floats(n), z: floats(n, 3), s: Float32Array.of(3) }),
    results: ({ x, z }, n) => {
      const t = each(n, (i) => 3 * at(x, i) + at(z, i));
      const y = t.map((v) => v * v);
      return { y, w: each(n, (i) => Math.max(t[i] ?? 0, y[i] ?? 0) - at(z, i)) };
    },
  },
  {
    name: "a map and sums of what it reads and gives",
    source: `def f(float(N, M) x) -> (y, s, r) {
      y(i, j) = 3.0 * x(i, j)
      s +=! y(i, j)
      r +=! x(i, j) * x(i, j)
    }`,
    inputs: (n) => ({ x: floats(n) }),
    results: ({ x }, n) => ({
      y: each(n, (i) => 3 * at(x, i)),
      s: total(n, (i) => 3 * at(x, i)),
      r: total(n, (i) => at(x, i) ** 2),
    }),
  },
  {
    name: "a total, a product of two and an extreme",
    source: `def f(float(N, M) x, float(N, M) z) -> (s, d, m) {
      s +=! x(i, j)
      d +=! x(i, j) * z(i, j)
      m max=! x(i, j) - z(i, j)
    }`,
    inputs: (n) => ({ x: floats(n), z: floats(n, 5) }),
    results: ({ x, z }, n) => ({
      s: total(n, (i) => at(x, i)),
      d: total(n, (i) => at(x, i) * at(z, i)),
      m: [Math.max(...each(n, (i) => at(x, i) - at(z, i)))],
    }),
  },
  {
    name: "more tensors than a kernel binds",
    source: `def f(float(N, M) a, float(N, M) b, float(N, M) c, float(N, M) d, float(N, M) e,
      float(N, M) g, float(N, M) h, float(N, M) k, float(N, M) l) -> (y) {
      y(i, j) = a(i, j) + b(i, j) * c(i, j) - d(i, j) + e(i, j) * g(i, j) + h(i, j) - k(i, j) * l(i, j)
    }`,
    inputs: (n) =>
      Object.fromEntries([..."abcdeghkl"].map((name, first) => [name, floats(n, first)])),
    results: ({ a, b, c, d, e, g, h, k, l }, n) => ({
      y: each(n, (i) => {
        const products = at(b, i) * at(c, i) + at(e, i) * at(g, i) - at(k, i) * at(l, i);
        return at(a, i) - at(d, i) + at(h, i) + products;
      }),
    }),
  },
  {
    name: "an update in place",
    source: "def f(float(N, M) x, float(N, M) y) -> (y) { y(i, j) += x(i, j) }",
    inputs: (n) => ({ x: floats(n), y: floats(n, 2) }),
    results: ({ x, y }, n) => ({ y: each(n, (i) => at(x, i) + at(y, i)) }),
  },
  {
    name: "integers, with divisors that padding may have",
    source:
      "def f(int(N, M) x, int(N, M) z) -> (y) { y(i, j) = x(i, j) / z(i, j) + x(i, j) % z(i, j) }",
    inputs: (n) => ({
      x: Int32Array.from(each(n, (i) => i + 1)),
      z: Int32Array.from(each(n, (i) => (i % 3) + 1)),
    }),
    results: ({ x, z }, n) => ({
      y: each(n, (i) => Math.floor(at(x, i) / at(z, i)) + (at(x, i) % at(z, i))),
    }),
  },
  {
    name: "half to half",
    source: "def f(half(N, M) x) -> (half(N, M) y) { y(i, j) = x(i, j) + x(i, j) }",
    inputs: (n) => ({ x: floats(n) }),
    results: ({ x }, n) => ({ y: each(n, (i) => 2 * at(x, i)) }),
  },
  {
    name: "half to float",
    source: "def f(half(N, M) x) -> (y) { y(i, j) = float(x(i, j)) * 2.0 }",
    inputs: (n) => ({ x: floats(n) }),
    results: ({ x }, n) => ({ y: each(n, (i) => 2 * at(x, i)) }),
  },
  {
    name: "bytes to bytes",
    source: "def f(int8(N, M) x) -> (int8(N, M) y) { y(i, j) = x(i, j) * 3 }",
    inputs: (n) => ({ x: Int8Array.from(whole(n, 0)) }),
    results: ({ x }, n) => ({ y: each(n, (i) => 3 * at(x, i)) }),
  },
  {
    name: "bytes to float, and their total",
    source: "def f(uint8(N, M) x) -> (y, s) { y(i, j) = float(x(i, j))\n s +=! float(x(i, j)) }",
    inputs: (n) => ({ x: Uint8Array.from(each(n, (i) => (i * 5) % 251)) }),
    results: ({ x }, n) => ({ y: each(n, (i) => at(x, i)), s: total(n, (i) => at(x, i)) }),
  },
  {
    name: "bools",
    source: "def f(bool(N, M) x, float(N, M) z) -> (y) { y(i, j) = x(i, j) ? z(i, j) : -z(i, j) }",
    inputs: (n) => ({ x: Uint32Array.from(each(n, (i) => (i % 3 === 0 ? 1 : 0))), z: floats(n) }),
    results: ({ x, z }, n) => ({ y: each(n, (i) => (at(x, i) === 1 ? at(z, i) : 0 - at(z, i))) }),
  },
];

/** Rows, and elements in each. */
export type Shape = readonly [number, number];

export const shapes: readonly Shape[] = [
  [1, 1],
  [1, 2],
  [3, 1],
  [1, 5],
  [1, 7],
  [3, 3],
  [2, 5],
  [1, 11],
  [31, 33],
  [1, 1021],
  [1, 1023],
  [5, 205],
];
