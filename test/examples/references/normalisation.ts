import {
  integers,
  make,
  type Reference,
  type References,
  range,
  reals,
  softmaxOf,
  sum,
  unit,
  view,
} from "./plain.ts";

const softmax: Reference = {
  sizes: [
    { N: 1, D: 1 },
    { N: 5, D: 13 },
    { N: 3, D: 67 },
  ],
  inputs: ({ N, D }) => ({ x: reals(-20, 20, N, D) }),
  results: ({ N, D }, { x }) => ({
    y: range(N).flatMap((n) => softmaxOf(range(D).map((d) => x[n * D + d]))),
  }),
};

const crossEntropy: Reference = {
  sizes: [
    { N: 1, C: 1 },
    { N: 5, C: 7 },
    { N: 2, C: 37 },
  ],
  inputs: ({ N, C }) => ({ x: reals(-20, 20, N, C), truth: integers(0, C, N) }),
  results: ({ N, C }, { x, truth }) => {
    const p = range(N).map((n) => softmaxOf(range(C).map((c) => x[n * C + c])));
    const isTruth = (n: number, c: number): number => (truth[n] === c ? 1 : 0);
    return {
      log_p: make([N, C], (n, c) => Math.log(p[n][c])),
      loss: [sum(N, (n) => -Math.log(p[n][truth[n]])) / N],
      gradient: make([N, C], (n, c) => (p[n][c] - isTruth(n, c)) / N),
    };
  },
};

/** Mean and (biased) variance. */
function moments(values: readonly number[]): readonly [number, number] {
  const mean = sum(values.length, (n) => values[n]) / values.length;
  return [mean, sum(values.length, (n) => (values[n] - mean) ** 2) / values.length];
}

const layernorm: Reference = {
  sizes: [
    { N: 1, D: 1 },
    { N: 5, D: 11 },
    { N: 2, D: 53 },
  ],
  inputs: ({ N, D }) => ({
    x: reals(-3, 3, N, D),
    gamma: unit(D),
    beta: unit(D),
    epsilon: reals(0.01, 0.02),
  }),
  results: ({ N, D }, { x, gamma, beta, epsilon }) => ({
    y: range(N).flatMap((n) => {
      const row = range(D).map((d) => x[n * D + d]);
      const [mean, variance] = moments(row);
      const scale = 1 / Math.sqrt(variance + epsilon[0]);
      return row.map((v, d) => (v - mean) * scale * gamma[d] + beta[d]);
    }),
  }),
};

const batchnorm: Reference = {
  sizes: [
    { N: 1, C: 1, H: 1, W: 1 },
    { N: 3, C: 5, H: 2, W: 7 },
    { N: 2, C: 3, H: 5, W: 1 },
  ],
  inputs: ({ N, C, H, W }) => ({
    x: reals(-3, 3, N, C, H, W),
    gamma: unit(C),
    beta: unit(C),
    epsilon: reals(0.01, 0.02),
    momentum: reals(0.1, 0.9),
    running_mean: unit(C),
    running_variance: reals(1, 2, C),
  }),
  results: ({ N, C, H, W }, inputs) => {
    const { gamma, beta, epsilon, momentum } = inputs;
    const x = view(inputs["x"], N, C, H, W);
    const channel = range(C).map((c) => moments(make([N, H, W], (n, h, w) => x(n, c, h, w))));
    const y = make([N, C, H, W], (n, c, h, w) => {
      const [mean, variance] = channel[c];
      return ((x(n, c, h, w) - mean) / Math.sqrt(variance + epsilon[0])) * gamma[c] + beta[c];
    });
    const move = (before: number, after: number): number =>
      (1 - momentum[0]) * before + momentum[0] * after;
    return {
      y,
      running_mean: channel.map(([mean], c) => move(inputs["running_mean"][c], mean)),
      running_variance: channel.map(([, v], c) => move(inputs["running_variance"][c], v)),
    };
  },
};

const groupnorm: Reference = {
  sizes: [
    { N: 1, C: 1, H: 1, W: 1, G: 1 },
    { N: 2, C: 15, H: 2, W: 3, G: 5 },
    { N: 3, C: 6, H: 1, W: 7, G: 1 },
  ],
  inputs: ({ N, C, H, W }) => ({
    x: reals(-3, 3, N, C, H, W),
    gamma: unit(C),
    beta: unit(C),
    epsilon: reals(0.01, 0.02),
  }),
  // The channels of a group lie beside each other: a group is a stretch of the array.
  results: ({ N, C, H, W, G }, { x, gamma, beta, epsilon }) => {
    const length = (C / G) * H * W;
    const y = range(N * G).flatMap((group) => {
      const values = Array.from(x).slice(group * length, (group + 1) * length);
      const [mean, variance] = moments(values);
      return values.map((v) => (v - mean) / Math.sqrt(variance + epsilon[0]));
    });
    const scaled = y.map((v, at) => {
      const c = Math.floor(at / (H * W)) % C;
      return v * gamma[c] + beta[c];
    });
    return { y: scaled };
  },
};

const attention: Reference = {
  sizes: [
    { H: 1, Q: 1, K: 1, D: 1, E: 1 },
    { H: 2, Q: 3, K: 5, D: 7, E: 11 },
    { H: 1, Q: 13, K: 2, D: 3, E: 5 },
  ],
  inputs: ({ H, Q, K, D, E }) => ({
    query: unit(H, Q, D),
    key: unit(H, K, D),
    value: unit(H, K, E),
  }),
  results: ({ H, Q, K, D, E }, { query, key, value }) => ({
    out: range(H * Q).flatMap((row) => {
      const h = Math.floor(row / Q);
      const scores = range(K).map(
        (k) => sum(D, (d) => query[row * D + d] * key[(h * K + k) * D + d]) / Math.sqrt(D),
      );
      const weights = softmaxOf(scores);
      return range(E).map((e) => sum(K, (k) => weights[k] * value[(h * K + k) * E + e]));
    }),
  }),
};

const causalAttention: Reference = {
  sizes: [
    { H: 1, T: 1, D: 1, E: 1 },
    { H: 2, T: 7, D: 3, E: 5 },
    { H: 1, T: 13, D: 2, E: 3 },
  ],
  inputs: ({ H, T, D, E }) => ({ query: unit(H, T, D), key: unit(H, T, D), value: unit(H, T, E) }),
  results: ({ H, T, D, E }, { query: q, key: k, value: v }) => {
    const [query, key, value] = [view(q, H, T, D), view(k, H, T, D), view(v, H, T, E)];
    const weights = (h: number, now: number): number[] =>
      softmaxOf(
        range(now + 1).map((t) => sum(D, (d) => query(h, now, d) * key(h, t, d)) / Math.sqrt(D)),
      );
    const out = range(H).flatMap((h) =>
      range(T).flatMap((now) => {
        const weight = weights(h, now);
        return range(E).map((e) => sum(now + 1, (t) => weight[t] * value(h, t, e)));
      }),
    );
    return { out };
  },
};

const klDivergence: Reference = {
  sizes: [
    { N: 1, C: 1 },
    { N: 5, C: 7 },
    { N: 3, C: 41 },
  ],
  inputs: ({ N, C }) => ({ p: reals(-4, 4, N, C), q: reals(-4, 4, N, C) }),
  results: ({ N, C }, { p, q }) => {
    const row = (data: ArrayLike<number>, n: number): number[] =>
      softmaxOf(range(C).map((c) => data[n * C + c]));
    const divergence = range(N).map((n) => {
      const [a, b] = [row(p, n), row(q, n)];
      return sum(C, (c) => a[c] * Math.log(a[c] / b[c]));
    });
    return { divergence };
  },
};

export const normalisation: References = {
  kl_divergence: klDivergence,
  softmax,
  cross_entropy: crossEntropy,
  layernorm,
  batchnorm,
  groupnorm,
  attention,
  causal_attention: causalAttention,
};
