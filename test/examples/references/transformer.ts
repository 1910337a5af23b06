import {
  integers,
  make,
  put,
  type Reference,
  type References,
  range,
  reals,
  softmaxOf,
  sum,
  unit,
  view,
} from "./plain.ts";

/** A row divided by the root of the mean of its squares. */
function normalised(row: readonly number[], epsilon: number): readonly number[] {
  const mean = sum(row.length, (n) => row[n] ** 2) / row.length;
  return row.map((x) => x / Math.sqrt(mean + epsilon));
}

const rmsnorm: Reference = {
  sizes: [
    { N: 1, D: 1 },
    { N: 5, D: 11 },
    { N: 2, D: 53 },
  ],
  inputs: ({ N, D }) => ({
    x: reals(-3, 3, N, D),
    gamma: unit(D),
    epsilon: reals(0.01, 0.02),
  }),
  results: ({ N, D }, { x, gamma, epsilon }) => ({
    y: range(N).flatMap((n) => {
      const row = range(D).map((d) => x[n * D + d]);
      return normalised(row, epsilon[0]).map((v, d) => v * gamma[d]);
    }),
  }),
};

const rotaryEmbedding: Reference = {
  sizes: [
    { T: 1, H: 1, P: 1 },
    { T: 5, H: 3, P: 7 },
    { T: 11, H: 2, P: 4 },
  ],
  inputs: ({ T, H, P }) => ({ x: unit(T, H, 2 * P), base: reals(100, 10_000) }),
  results: ({ T, H, P }, { x: given, base }) => {
    const x = view(given, T, H, 2 * P);
    const y = make([T, H, 2 * P], () => 0);
    for (let t = 0; t < T; t++)
      for (let h = 0; h < H; h++)
        for (let d = 0; d < P; d++) {
          // A complex number for each pair, turned.
          const turn = t / base[0] ** (d / P);
          const [re, im] = [x(t, h, d), x(t, h, d + P)];
          put(y, [T, H, 2 * P], [t, h, d], re * Math.cos(turn) - im * Math.sin(turn));
          put(y, [T, H, 2 * P], [t, h, d + P], im * Math.cos(turn) + re * Math.sin(turn));
        }
    return { y };
  },
};

/** What a query takes from the keys up to its own position, and their values. */
function attended(
  query: readonly number[],
  keys: readonly (readonly number[])[],
  values: readonly (readonly number[])[],
): readonly number[] {
  const size = query.length;
  const scores = keys.map((key) => sum(size, (d) => query[d] * key[d]) / Math.sqrt(size));
  const weights = softmaxOf(scores);
  return values[0].map((_, e) => sum(keys.length, (k) => weights[k] * values[k][e]));
}

const groupedQueryAttention: Reference = {
  sizes: [
    { G: 1, R: 1, T: 1, D: 1 },
    { G: 2, R: 3, T: 7, D: 5 },
    { G: 3, R: 1, T: 4, D: 13 },
  ],
  inputs: ({ G, R, T, D }) => ({
    query: unit(G, R, T, D),
    key: unit(G, T, D),
    value: unit(G, T, D),
  }),
  results: ({ G, R, T, D }, { query, key, value }) => {
    const row = (data: ArrayLike<number>, n: number): number[] =>
      range(D).map((d) => data[n * D + d]);
    const out = range(G * R).flatMap((head) => {
      const group = Math.floor(head / R);
      const past = (data: ArrayLike<number>, now: number): number[][] =>
        range(now + 1).map((t) => row(data, group * T + t));
      return range(T).flatMap((t) =>
        attended(row(query, head * T + t), past(key, t), past(value, t)),
      );
    });
    return { out };
  },
};

const mixtureOfExperts: Reference = {
  sizes: [
    { N: 1, D: 1, E: 1, F: 1 },
    { N: 7, D: 5, E: 3, F: 11 },
    { N: 4, D: 3, E: 6, F: 2 },
  ],
  inputs: ({ N, D, E, F }) => ({
    x: unit(N, D),
    router: unit(E, D),
    up: unit(E, F, D),
    down: unit(E, D, F),
  }),
  results: ({ N, D, E, F }, { x: given, router: r, up: u, down: w }) => {
    const [x, router] = [view(given, N, D), view(r, E, D)];
    const [up, down] = [view(u, E, F, D), view(w, E, D, F)];
    const expert: number[] = [];
    const y = range(N).flatMap((n) => {
      const scores = range(E).map((e) => sum(D, (d) => x(n, d) * router(e, d)));
      const best = scores.indexOf(Math.max(...scores));
      expert.push(best);
      const gate = softmaxOf(scores)[best];
      const hidden = range(F).map((f) =>
        Math.max(
          0,
          sum(D, (d) => up(best, f, d) * x(n, d)),
        ),
      );
      return range(D).map((d) => gate * sum(F, (f) => down(best, d, f) * hidden[f]));
    });
    return { y, expert };
  },
};

/** The Gaussian error function by its series (Abramowitz and Stegun 7.1.5), of moderate arguments. */
function erf(x: number): number {
  let [term, total] = [x, x];
  for (let n = 1; n < 200; n++) {
    term *= (-x * x) / n;
    total += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * total;
}

function gelu(x: number): number {
  return Math.abs(x) > 5 ? Math.max(0, x) : 0.5 * x * (1 + erf(x / Math.SQRT2));
}

const gpt: Reference = {
  sizes: [
    { T: 1, V: 2, L: 1, H: 1, D: 1, C: 1, F: 1 },
    { T: 5, V: 7, L: 2, H: 2, D: 3, C: 5, F: 4 },
  ],
  inputs: ({ T, V, L, H, D, C, F }) => ({
    token: integers(0, V, T),
    table: unit(V, C),
    place: unit(T, C),
    attend: unit(L, 3, H, D, C),
    mix: unit(L, C, H, D),
    up: unit(L, F, C),
    down: unit(L, C, F),
  }),
  results: ({ T, V, L, H, D, C, F }, { token, table: e, place, attend, mix, up, down }) => {
    const table = view(e, V, C);
    const weights = view(attend, L, 3, H, D, C);
    const [mixing, ups, downs] = [view(mix, L, C, H, D), view(up, L, F, C), view(down, L, C, F)];
    let x = range(T).map((t) => range(C).map((c) => table(token[t], c) + place[t * C + c]));
    for (let l = 0; l < L; l++) {
      const rows = x.map((row) => normalised(row, 1e-5));
      const heads = range(H).map((h) => {
        const part = (p: number): readonly (readonly number[])[] =>
          rows.map((row) => range(D).map((d) => sum(C, (c) => weights(l, p, h, d, c) * row[c])));
        const [queries, keys, values] = [part(0), part(1), part(2)];
        return queries.map((q, t) => attended(q, keys.slice(0, t + 1), values.slice(0, t + 1)));
      });
      x = x.map((row, t) =>
        row.map((v, c) => v + sum(H, (h) => sum(D, (d) => mixing(l, c, h, d) * heads[h][t][d]))),
      );
      x = x.map((row) => {
        const inputs = normalised(row, 1e-5);
        const inner = range(F).map((f) => gelu(sum(C, (c) => ups(l, f, c) * inputs[c])));
        return row.map((v, c) => v + sum(F, (f) => downs(l, c, f) * inner[f]));
      });
    }
    const logits = x.flatMap((row) => {
      const last = normalised(row, 1e-5);
      return range(V).map((v) => sum(C, (c) => last[c] * table(v, c)));
    });
    return { logits };
  },
};

export const transformer: References = {
  rmsnorm,
  rotary_embedding: rotaryEmbedding,
  grouped_query_attention: groupedQueryAttention,
  mixture_of_experts: mixtureOfExperts,
  gpt,
};
