/** Definitions over rows, and what they mean, by plain loops that know nothing of the compiler. */

/** A row of `x`, with its number and what else the definition reads. */
export interface Row {
  readonly values: readonly number[];
  readonly weights: readonly number[];
  readonly number: number;
}

/** One definition of `f` over `x`, of `N` rows of `M`. */
export interface RowCase {
  readonly name: string;
  readonly source: string;
  /** By output: what a row of `x` gives. */
  readonly results: Readonly<Record<string, (row: Row) => readonly number[]>>;
  /** Rows of whole numbers give exactly this. */
  readonly exact?: true;
}

const header = "def f(float(N, M) x, float(M) w)";

function fold(values: readonly number[], start: number, combine: (a: number, b: number) => number) {
  return values.reduce((a, b) => combine(a, b), start);
}

const add = (a: number, b: number): number => a + b;
const sum = (values: readonly number[]): number => fold(values, 0, add);
const greatest = (values: readonly number[]): number => fold(values, -Infinity, Math.max);
const least = (values: readonly number[]): number => fold(values, Infinity, Math.min);

function exponentials({ values }: Row): readonly number[] {
  const top = greatest(values);
  return values.map((v) => Math.exp(v - top));
}

function softmax(row: Row): readonly number[] {
  const parts = exponentials(row);
  return parts.map((e) => e / sum(parts));
}

/** Reductions of rows, what stands between them, and maps of rows. */
export const rowCases: readonly RowCase[] = [
  {
    name: "sum",
    source: `${header} -> (y) { y(i) +=! x(i, j) }`,
    results: { y: ({ values }) => [sum(values)] },
    exact: true,
  },
  {
    name: "product of what may change the sign",
    source: `${header} -> (y) { y(i) *=! x(i, j) < 0.0 ? -1.0 : 1.0 }`,
    results: { y: ({ values }) => [fold(values, 1, (a, v) => (v < 0 ? -a : a))] },
    exact: true,
  },
  {
    name: "least and greatest",
    source: `${header} -> (y, z) { y(i) min=! x(i, j)  z(i) max=! x(i, j) }`,
    results: { y: ({ values }) => [least(values)], z: ({ values }) => [greatest(values)] },
    exact: true,
  },
  {
    name: "where the greatest is",
    source: `${header} -> (y) { y(i) argmax=! x(i, j) }`,
    results: { y: ({ values }) => [values.indexOf(greatest(values))] },
    exact: true,
  },
  {
    name: "where the least is",
    source: `${header} -> (y) { y(i) argmin=! x(i, j) }`,
    results: { y: ({ values }) => [values.indexOf(least(values))] },
    exact: true,
  },
  {
    name: "all and any",
    source: `${header} -> (y, z) { y(i) &&=! x(i, j) > -4.5  z(i) ||=! x(i, j) > 3.5 }`,
    results: {
      y: ({ values }) => [values.every((v) => v > -4.5) ? 1 : 0],
      z: ({ values }) => [values.some((v) => v > 3.5) ? 1 : 0],
    },
    exact: true,
  },
  {
    name: "weighted sum, from what another gives",
    source: `${header} -> (y) { m(i) max=! x(i, j)  y(i) = m(i)  y(i) += x(i, j) * w(j) }`,
    results: {
      y: ({ values, weights }) => [
        greatest(values) + sum(values.map((v, j) => v * (weights[j] ?? 0))),
      ],
    },
    exact: true,
  },
  {
    name: "sum without the ends",
    source: `${header} -> (y) { y(i) +=! x(i, j) where i in 0:N, j in 1:M - 1 }`,
    results: { y: ({ values }) => [sum(values.slice(1, -1))] },
    exact: true,
  },
  {
    name: "sum of neighbours",
    source: `${header} -> (y) { y(i) +=! x(i, j) * x(i, j + 1) where i in 0:N, j in 0:M - 1 }`,
    results: { y: ({ values: v }) => [sum(v.slice(1).map((b, j) => b * (v[j] ?? 0)))] },
    exact: true,
  },
  {
    name: "sum from the end on",
    source: `${header} -> (y) { y(i) +=! x(i, M - 1 - j) * w(j) where j in 0:M }`,
    results: {
      y: ({ values, weights }) => [sum(values.map((v, j) => v * (weights.at(-1 - j) ?? 0)))],
    },
    exact: true,
  },
  {
    name: "sum of a triangle",
    source: `${header} -> (y) { y(i) +=! x(i, j) where i in 0:N, j in 0:min(i + 1, M) }`,
    results: { y: ({ values, number }) => [sum(values.slice(0, number + 1))] },
    exact: true,
  },
  {
    name: "differences from the mean",
    source: `${header} -> (y) {
      s(i) +=! x(i, j)
      y(i, j) = float(M) * x(i, j) - s(i)
    }`,
    results: { y: ({ values }) => values.map((v) => values.length * v - sum(values)) },
    exact: true,
  },
  {
    name: "two tensors from the mean",
    source: `${header} -> (y, z) {
      s(i) +=! x(i, j)
      y(i, j) = float(M) * x(i, j) - s(i)
      z(i, j) = s(i) * w(j)
    }`,
    results: {
      y: ({ values }) => values.map((v) => values.length * v - sum(values)),
      z: ({ values, weights }) => weights.map((w) => sum(values) * w),
    },
    exact: true,
  },
  {
    name: "sums of other elements at each of a row",
    source: `${header} -> (y) {
      s(i) +=! x(i, j)
      y(i, j) = x(i, j) + s(i) - x(i, 0) where i in 0:N, j in 1:M
      y(i, 0) = s(i)
    }`,
    results: {
      y: ({ values: v }) => v.map((own, j) => (j === 0 ? sum(v) : own + sum(v) - (v[0] ?? 0))),
    },
    exact: true,
  },
  {
    name: "rows beside a vector",
    source: `${header} -> (y) { y(i, j) = 2.0 * x(i, j) + w(j) }`,
    results: {
      y: ({ values, weights }) => values.map((v, j) => 2 * v + (weights[j] ?? 0)),
    },
    exact: true,
  },
  {
    name: "two maps of rows",
    source: `${header} -> (y, z) { y(i, j) = x(i, j) + w(j)  z(i, j) = x(i, j) * w(M - 1 - j) }`,
    results: {
      y: ({ values, weights }) => values.map((v, j) => v + (weights[j] ?? 0)),
      z: ({ values, weights }) => values.map((v, j) => v * (weights.at(-1 - j) ?? 0)),
    },
    exact: true,
  },
  {
    name: "three rows for each",
    source: `${header} -> (y) {
      s(i) +=! x(i, j)
      y(i, k, j) = s(i) + float(k) * w(j) where i in 0:N, k in 0:3, j in 0:M
    }`,
    results: {
      y: ({ values, weights }) => [0, 1, 2].flatMap((k) => weights.map((w) => sum(values) + k * w)),
    },
    exact: true,
  },
  {
    name: "softmax",
    source: `${header} -> (y) {
      top(i) max=! x(i, j)
      e(i, j) = exp(x(i, j) - top(i))
      s(i) +=! e(i, j)
      y(i, j) = e(i, j) / s(i)
    }`,
    results: { y: softmax },
  },
  {
    name: "logarithm of the sum of exponentials",
    source: `${header} -> (y) {
      top(i) max=! x(i, j)
      s(i) +=! exp(x(i, j) - top(i))
      y(i) = top(i) + log(s(i))
    }`,
    results: { y: (row) => [greatest(row.values) + Math.log(sum(exponentials(row)))] },
  },
  {
    name: "normalised rows",
    source: `${header} -> (y) {
      m(i) +=! x(i, j)
      v(i) +=! (x(i, j) - m(i) / float(M)) * (x(i, j) - m(i) / float(M))
      y(i, j) = (x(i, j) - m(i) / float(M)) * rsqrt(v(i) / float(M) + 1.0) * w(j)
    }`,
    results: {
      y: ({ values, weights }) => {
        const mean = sum(values) / values.length;
        const variance = sum(values.map((v) => (v - mean) ** 2)) / values.length;
        return values.map((v, j) => ((v - mean) / Math.sqrt(variance + 1)) * (weights[j] ?? 0));
      },
    },
  },
];
