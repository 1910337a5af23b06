import {
  integers,
  make,
  type Reference,
  type References,
  range,
  sigmoid,
  sum,
  unit,
  view,
} from "./plain.ts";

const elman: Reference = {
  sizes: [
    { T: 1, B: 1, Ci: 1, Co: 1 },
    { T: 5, B: 3, Ci: 7, Co: 2 },
    { T: 3, B: 2, Ci: 1, Co: 11 },
  ],
  inputs: ({ T, B, Ci, Co }) => ({
    input: unit(T, B, Ci),
    h0: unit(B, Co),
    i2h: unit(Ci, Co),
    h2h: unit(Co, Co),
  }),
  results: ({ T, B, Ci, Co }, { input, h0, i2h, h2h }) => {
    const hidden: number[] = [];
    let before = Array.from(h0);
    for (let t = 0; t < T; t++) {
      const last = before;
      before = make([B, Co], (b, co) => {
        const recurrent = sum(Co, (c) => h2h[c * Co + co] * last[b * Co + c]);
        return recurrent + sum(Ci, (c) => i2h[c * Co + co] * input[(t * B + b) * Ci + c]);
      });
      hidden.push(...before);
    }
    return { hidden };
  },
};

/** The state of one sequence of the batch. */
interface State {
  readonly h: readonly number[];
  readonly c: readonly number[];
}

const lstm: Reference = {
  sizes: [
    { T: 1, B: 1, I: 1, H: 1 },
    { T: 5, B: 2, I: 3, H: 7 },
    { T: 3, B: 3, I: 5, H: 2 },
  ],
  inputs: ({ T, B, I, H }) => ({
    x: unit(T, B, I),
    h0: unit(B, H),
    c: unit(B, H),
    w_input: unit(4 * H, I),
    w_hidden: unit(4 * H, H),
    bias: unit(4 * H),
  }),
  results: ({ T, B, I, H }, { x: xs, h0, c: c0, w_input, w_hidden, bias }) => {
    const [x, wi, wh] = [view(xs, T, B, I), view(w_input, 4 * H, I), view(w_hidden, 4 * H, H)];
    const step = (t: number, b: number, { h, c }: State): State => {
      const gate = range(4 * H).map(
        (k) => sum(I, (i) => wi(k, i) * x(t, b, i)) + sum(H, (j) => wh(k, j) * h[j]) + bias[k],
      );
      const next = c.map(
        (v, j) => sigmoid(gate[H + j]) * v + sigmoid(gate[j]) * Math.tanh(gate[2 * H + j]),
      );
      return { c: next, h: next.map((v, j) => sigmoid(gate[3 * H + j]) * Math.tanh(v)) };
    };
    let states: readonly State[] = range(B).map((b) => ({
      h: range(H).map((j) => h0[b * H + j]),
      c: range(H).map((j) => c0[b * H + j]),
    }));
    const hidden: number[] = [];
    for (let t = 0; t < T; t++) {
      states = states.map((state, b) => step(t, b, state));
      hidden.push(...states.flatMap(({ h }) => h));
    }
    return { hidden, c: states.flatMap(({ c }) => c) };
  },
};

const gru: Reference = {
  sizes: [
    { T: 1, B: 1, I: 1, H: 1 },
    { T: 5, B: 2, I: 3, H: 7 },
    { T: 3, B: 3, I: 5, H: 2 },
  ],
  inputs: ({ T, B, I, H }) => ({
    x: unit(T, B, I),
    h: unit(B, H),
    w: unit(3, H, I),
    u: unit(3, H, H),
    bias: unit(3, H),
  }),
  results: ({ T, B, I, H }, { x: xs, h: h0, w: ws, u: us, bias: biases }) => {
    const [x, w, u] = [view(xs, T, B, I), view(ws, 3, H, I), view(us, 3, H, H)];
    const bias = view(biases, 3, H);
    let h = Array.from(h0);
    const hidden: number[] = [];
    for (let t = 0; t < T; t++) {
      const last = h;
      h = make([B, H], (b, j) => {
        const fed = (g: number): number => sum(I, (i) => w(g, j, i) * x(t, b, i)) + bias(g, j);
        const own = (g: number): number => sum(H, (k) => u(g, j, k) * last[b * H + k]);
        const update = sigmoid(fed(0) + own(0));
        const reset = sigmoid(fed(1) + own(1));
        return update * last[b * H + j] + (1 - update) * Math.tanh(fed(2) + reset * own(2));
      });
      hidden.push(...h);
    }
    return { h, hidden };
  },
};

const qrnn: Reference = {
  sizes: [
    { T: 1, B: 1, I: 1, H: 1, K: 1 },
    { T: 7, B: 2, I: 3, H: 5, K: 3 },
    { T: 3, B: 3, I: 2, H: 1, K: 5 },
  ],
  inputs: ({ T, B, I, H, K }) => ({
    x: unit(T, B, I),
    wz: unit(K, I, H),
    wf: unit(K, I, H),
    wo: unit(K, I, H),
  }),
  results: ({ T, B, I, H, K }, { x: xs, wz, wf, wo }) => {
    const x = view(xs, T, B, I);
    const mix = (weight: ArrayLike<number>, t: number, b: number, h: number): number =>
      sum(Math.min(K, t + 1), (k) => sum(I, (i) => x(t - k, b, i) * weight[(k * I + i) * H + h]));
    const c = range(B * H).map(() => 0);
    const out = make([T, B, H], (t, b, h) => {
      const forget = sigmoid(mix(wf, t, b, h));
      c[b * H + h] = forget * c[b * H + h] + (1 - forget) * Math.tanh(mix(wz, t, b, h));
      return sigmoid(mix(wo, t, b, h)) * c[b * H + h];
    });
    return { out };
  },
};

/** Tries all paths; the example keeps the best one into each state. */
const viterbi: Reference = {
  sizes: [
    { B: 1, T: 1, S: 1, V: 1 },
    { B: 3, T: 5, S: 3, V: 7 },
    { B: 2, T: 7, S: 2, V: 3 },
  ],
  inputs: ({ B, T, S, V }) => ({
    seen: integers(0, V, B, T),
    start: unit(S),
    change: unit(S, S),
    emit: unit(S, V),
  }),
  results: ({ B, T, S, V }, { seen, start, change, emit }) => {
    const scoreOf = (b: number, path: readonly number[]): number =>
      sum(T, (t) => {
        const way = t === 0 ? start[path[0]] : change[path[t - 1] * S + path[t]];
        return way + emit[path[t] * V + seen[b * T + t]];
      });
    const all = range(S ** T).map((code) => range(T).map((t) => Math.floor(code / S ** t) % S));
    const winners = range(B).map((b) =>
      all
        .map((path) => ({ path, score: scoreOf(b, path) }))
        .reduce((best, next) => (next.score > best.score ? next : best)),
    );
    return { path: winners.flatMap(({ path }) => path), best: winners.map(({ score }) => score) };
  },
};

/** The LSTM above twice, without biases and from zeros: the second sees what the first hides. */
const stackedLstm: Reference = {
  sizes: [
    { T: 1, B: 1, I: 1, H: 1 },
    { T: 5, B: 2, I: 3, H: 7 },
    { T: 3, B: 3, I: 5, H: 2 },
  ],
  inputs: ({ T, B, I, H }) => ({
    x: unit(T, B, I),
    w1: unit(4, H, I),
    u1: unit(4, H, H),
    w2: unit(4, H, H),
    u2: unit(4, H, H),
  }),
  results: ({ T, B, I, H }, { x, w1, u1, w2, u2 }) => {
    const zeros = { h0: make([B, H], () => 0), c: make([B, H], () => 0) };
    const bias = make([4 * H], () => 0);
    const first = { ...zeros, x, w_input: w1, w_hidden: u1, bias };
    const { hidden: between } = lstm.results({ T, B, I, H }, first);
    const second = { ...zeros, x: between, w_input: w2, w_hidden: u2, bias };
    const { hidden } = lstm.results({ T, B, I: H, H }, second);
    return { hidden };
  },
};

export const recurrent: References = {
  elman,
  lstm,
  stacked_lstm: stackedLstm,
  gru,
  qrnn,
  viterbi,
};
