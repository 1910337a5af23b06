import {
  integers,
  make,
  put,
  type Reference,
  type References,
  range,
  reals,
  sum,
  unit,
  view,
} from "./plain.ts";

const argmax: Reference = {
  sizes: [
    { N: 1, D: 1 },
    { N: 7, D: 13 },
    { N: 2, D: 97 },
  ],
  // Few values, so that many are equal.
  inputs: ({ N, D }) => ({ x: integers(0, 4, N, D) }),
  results: ({ N, D }, { x }) => ({
    best: range(N).map((n) => {
      const row = range(D).map((d) => x[n * D + d]);
      return row.indexOf(Math.max(...row));
    }),
  }),
};

const scatterAdd: Reference = {
  sizes: [
    { V: 1, B: 1, D: 1 },
    { V: 7, B: 13, D: 3 },
    { V: 3, B: 29, D: 2 },
  ],
  inputs: ({ V, B, D }) => ({
    table: unit(V, D),
    // Some rows are outside of the table: nothing is added for them.
    row: integers(-1, V + 1, B),
    gradient: unit(B, D),
  }),
  results: ({ V, B, D }, { table: given, row, gradient }) => {
    const table = Array.from(given);
    for (let b = 0; b < B; b++) {
      if (row[b] < 0 || row[b] >= V) continue;
      for (let d = 0; d < D; d++) table[row[b] * D + d] += gradient[b * D + d];
    }
    return { table };
  },
};

const bags = [
  { V: 1, D: 1, B: 1, L: 1 },
  { V: 7, D: 3, B: 5, L: 11 },
  { V: 13, D: 2, B: 3, L: 2 },
];

const embeddingBag: Reference = {
  sizes: bags,
  inputs: ({ V, D, B, L }) => ({
    table: unit(V, D),
    row: integers(-1, V + 1, B, L),
    weight: unit(B, L),
  }),
  results: ({ V, D, B, L }, { table: t, row: r, weight: w }) => {
    const [table, row, weight] = [view(t, V, D), view(r, B, L), view(w, B, L)];
    const term = (b: number, l: number, d: number): number => {
      const isRow = row(b, l) >= 0 && row(b, l) < V;
      return isRow ? table(row(b, l), d) * weight(b, l) : 0;
    };
    return { bag: make([B, D], (b, d) => sum(L, (l) => term(b, l, d)) / L) };
  },
};

const embeddingBagGradient: Reference = {
  sizes: bags,
  inputs: ({ V, D, B, L }) => ({
    table: unit(V, D),
    row: integers(-1, V + 1, B, L),
    weight: unit(B, L),
    bag_gradient: unit(B, D),
  }),
  results: ({ V, D, B, L }, { table: t, row: r, weight: w, bag_gradient: g }) => {
    const [table, row, weight, gradient] = [
      view(t, V, D),
      view(r, B, L),
      view(w, B, L),
      view(g, B, D),
    ];
    const ofTable = range(V * D).map(() => 0);
    const ofWeight = range(B * L).map(() => 0);
    for (let b = 0; b < B; b++)
      for (let l = 0; l < L; l++) {
        if (row(b, l) < 0 || row(b, l) >= V) continue;
        for (let d = 0; d < D; d++) {
          ofTable[row(b, l) * D + d] += (gradient(b, d) * weight(b, l)) / L;
          ofWeight[b * L + l] += (gradient(b, d) * table(row(b, l), d)) / L;
        }
      }
    return { table_gradient: ofTable, weight_gradient: ofWeight };
  },
};

const histogram: Reference = {
  sizes: [
    { N: 1, B: 1 },
    { N: 97, B: 7 },
    { N: 31, B: 13 },
  ],
  // Some values are outside of [0, 1): nothing counts them.
  inputs: ({ N }) => ({ x: reals(-0.1, 1.1, N) }),
  results: ({ N, B }, { x }) => {
    const count = range(B).map(() => 0);
    for (let n = 0; n < N; n++) if (x[n] >= 0 && x[n] < 1) count[Math.floor(x[n] * B)] += 1;
    return { count, below: range(B).map((b) => sum(b + 1, (c) => count[c]) / N) };
  },
};

/** All squared distances from one point. */
function distances(from: readonly number[], to: ArrayLike<number>): number[] {
  const D = from.length;
  return range(to.length / D).map((n) => sum(D, (d) => (from[d] - to[n * D + d]) ** 2));
}

function rowOf(data: ArrayLike<number>, n: number, length: number): number[] {
  return Array.from(data).slice(n * length, (n + 1) * length);
}

/** By sorting; the example takes the smallest again and again. */
const nearestNeighbours: Reference = {
  sizes: [
    { Q: 1, N: 1, D: 1, K: 1 },
    { Q: 5, N: 13, D: 3, K: 7 },
    { Q: 2, N: 41, D: 2, K: 3 },
  ],
  inputs: ({ Q, N, D }) => ({ query: unit(Q, D), point: unit(N, D) }),
  results: ({ Q, N, D, K }, { query, point }) => {
    const found = range(Q).map((q) => {
      const far = distances(rowOf(query, q, D), point);
      const order = range(N).sort((a, b) => far[a] - far[b] || a - b);
      return order.slice(0, K).map((n) => ({ n, distance: Math.sqrt(far[n]) }));
    });
    return {
      nearest: found.flatMap((row) => row.map(({ n }) => n)),
      distance: found.flatMap((row) => row.map(({ distance }) => distance)),
    };
  },
};

const kMeans: Reference = {
  sizes: [
    { N: 1, D: 1, K: 1 },
    { N: 53, D: 3, K: 5 },
    // More centres than points: some have none.
    { N: 3, D: 2, K: 11 },
  ],
  inputs: ({ N, D, K }) => ({ point: unit(N, D), centre: unit(K, D) }),
  results: ({ N, D, K }, { point, centre }) => {
    const cluster = range(N).map((n) => {
      const far = distances(rowOf(point, n, D), centre);
      return far.indexOf(Math.min(...far));
    });
    const members = range(K).map((k) => range(N).filter((n) => cluster[n] === k));
    const moved = members.flatMap((of, k) => {
      if (of.length === 0) return rowOf(centre, k, D);
      return range(D).map((d) => sum(of.length, (n) => point[of[n] * D + d]) / of.length);
    });
    return { cluster, count: members.map((of) => of.length), moved };
  },
};

const pageRank: Reference = {
  sizes: [
    { N: 1, L: 1, T: 1 },
    { N: 7, L: 29, T: 5 },
    { N: 13, L: 17, T: 3 },
  ],
  inputs: ({ N, L }) => ({
    from: integers(0, N, L),
    to: integers(0, N, L),
    damping: reals(0.5, 0.9),
  }),
  // With the matrix of the graph, which the example avoids.
  results: ({ N, L, T }, { from, to, damping }) => {
    const A = range(N * N).map(() => 0);
    const out = range(N).map((n) => Array.from(from).filter((page) => page === n).length);
    for (let l = 0; l < L; l++) {
      const place = [to[l], from[l]];
      put(A, [N, N], place, A[to[l] * N + from[l]] + 1 / out[from[l]]);
    }
    let rank = range(N).map(() => 1 / N);
    for (let t = 0; t < T; t++) {
      const before = rank;
      const received = range(N).map((n) => sum(N, (m) => A[n * N + m] * before[m]));
      rank = received.map((r) => (1 - damping[0]) / N + damping[0] * r);
    }
    return { rank };
  },
};

const sparseProduct: Reference = {
  sizes: [
    { N: 1, L: 1, M: 1, D: 1, K: 1 },
    { N: 5, L: 15, M: 7, D: 11, K: 3 },
    { N: 11, L: 60, M: 4, D: 3, K: 5 },
  ],
  inputs: ({ N, L, M, D, K }) => ({
    length: integers(0, K + 1, N),
    column: integers(0, M, L),
    value: unit(L),
    x: unit(M, D),
  }),
  results: ({ N, M, D }, { length, column, value, x: given }) => {
    const x = view(given, M, D);
    let place = 0;
    const y = range(N).flatMap((n) => {
      const own = range(length[n]).map((k) => place + k);
      place += length[n];
      return range(D).map((d) => sum(own.length, (k) => value[own[k]] * x(column[own[k]], d)));
    });
    return { y };
  },
};

export const lookUp: References = {
  sparse_product: sparseProduct,
  argmax,
  scatter_add: scatterAdd,
  embedding_bag: embeddingBag,
  embedding_bag_gradient: embeddingBagGradient,
  histogram,
  nearest_neighbours: nearestNeighbours,
  k_means: kMeans,
  page_rank: pageRank,
};
